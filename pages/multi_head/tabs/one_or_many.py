"""The tab "One or many": one head against several at one width: over seeds, over layers, fitted."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch
from torch import Tensor, nn

from attn_core import Check, MultiHeadAttention, compare, two_pattern_task
from attn_figures import one_or_many as pictures
from attn_figures.numbers import number
from attn_figures.one_or_many import Fitted, Spread
from attn_live.packing import pack
from attn_ui.base.page import Slider
from attn_ui.base.shared_cache import shared
from attn_ui.screen import controls
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.programs_tab import show_program
from attn_ui.screen.state import value
from attn_ui.screen.tables import table as written
from attn_words import _, _n, paragraph
from pages.multi_head import words
from pages.multi_head.compute import Now, array, draw, sequences
from pages.multi_head.settings import FIT_STEP, LAYERS, RESIDUAL
from pages.multi_head.state import Look, Setting
from pages.multi_head.study import (
    FIT_HEADS,
    N_LAYERS,
    WAYS,
    OneOrMany,
    fit_seeds,
    fitted,
    one_or_many,
    seeds,
    studied,
)
from pages.multi_head.tabs.checks import table
from pages.multi_head.views.one_or_many import picture, said, uneven, without
from programs.writing import SHORT, Program

ANY_LOOK = Look("every head", "number", 0, 0, ())  # the program depends on none
FLOOR = 0.5  # the least error of one head, see `attn_core.two_pattern_task`


def show(now: Now) -> None:
    """Show what the number of heads changes at one width, and what one head cannot learn."""
    here = one_or_many(now)
    stacked = here.study.distances is not None
    st.markdown(
        paragraph(
            _(
                "The same words at one width: each head is d_model / heads wide, and {seeds} seeds draw the "
                "projections.",
                seeds=len(seeds(here.setting)),
            ),
            _("Bars and bands are one standard deviation over the seeds."),
            without(now),
        )
    )
    residual = controls.flag(RESIDUAL, _("Residual connection")) if stacked else RESIDUAL.default
    layer = int(value(LAYERS))
    live_figure(
        _steps(here.setting, here.chosen, residual),
        key="one-or-many",
        alt=_("Parameters, operations, entropy and ranks against the number of heads; distances over layers"),
        name="one head or many",
        slider=Slider(_("Layers"), LAYERS) if stacked else None,
        says=[said(here, each, residual=residual) for each in (range(N_LAYERS + 1) if stacked else [0])],
    )
    st.caption(notes(here, now))
    st.markdown(sizes(here))
    st.markdown(arithmetic(here))
    _fit(here)
    st.markdown(_("**Checked just now**"))
    st.markdown(table(checks(here, layer, residual=residual)))
    st.markdown(
        _("**With attn_core**: the numbers of the table, in its order; then the errors after the last step")
    )
    show_program(program(here))
    show_program(fit_program(here))


def notes(here: OneOrMany, now: Now) -> str:
    """Say what is measured, and by whom it was introduced."""
    told = paragraph(
        _("Plain attention, whatever the sidebar says: no mask, no positions, no temperature."),
        uneven(here, now),
        _("Rank of the scores Q Kᵀ of a head: numerical, at most its width (Bhojanapalli et al., 2020)."),
        _(
            "Rank of its weights: effective, e to the entropy of the shares of the singular values (Roy and "
            "Vetterli, 2007)."
        ),
    )
    if here.study.distances is None:
        return paragraph(told, _("Layers are left out: here queries attend to another sequence."))
    return paragraph(
        told,
        _(
            "Distance: what is left of the vectors without their mean, as a share of their size (Dong et "
            "al., 2021); no norm, no feed-forward part."
        ),
        _("Below {least} there is only rounding.", least=number(pictures.LEAST)),
        _(
            "It spans powers of ten, so curves, sentence and table take the geometric mean over the seeds; "
            "what stands after ×/÷ is one standard deviation, as a factor."
        ),
    )


@shared
def _steps(setting: Setting, chosen: int, residual: bool) -> bytes:
    here = OneOrMany(setting, studied(setting), chosen)
    stacked = here.study.distances is not None
    layers = range(N_LAYERS + 1) if stacked else [0]
    return pack([picture(here, layer, residual=residual) for layer in layers])


def sizes(here: OneOrMany) -> str:
    """Return the table of every number of heads: mean and standard deviation over the seeds."""
    study = here.study
    header = [
        _("Heads"),
        _("Parameters"),
        "FLOPs",
        _("Entropy (nats)"),
        _("Rank of the scores"),
        _("Effective rank"),
    ]
    columns: list[Tensor] = [study.entropy, study.score_rank, study.effective_rank]
    if study.distances is not None:
        header += [
            _("Apart after {layers} layers, {way}", layers=N_LAYERS, way=_(way)) for way in WAYS.values()
        ]
    rows = []
    for at, (heads, size) in enumerate(zip(study.num_heads, study.sizes, strict=True)):
        told = [_told(each[:, at]) for each in columns]
        if study.distances is not None:
            told += [_told_powers(each[:, at, -1]) for each in study.distances]
        rows.append([str(heads), f"{size.parameters:,}", f"{size.flops:,}", *told])
    return written(header, rows, numbers=len(header))


def _told_powers(values: Tensor) -> str:
    """Write the geometric mean, as the curves and the sentence have it, and one deviation as a factor."""
    if not bool(values.any()):
        return "0"
    if float(values.max()) < pictures.LEAST:
        return _("below {least}", least=number(pictures.LEAST))
    spread = Spread.of_powers(values[:, None])
    return f"{number(float(spread.mean[0]), 3)} ×/÷ {number(float((spread.high / spread.mean)[0]), 2)}"


def _told(values: Tensor) -> str:
    return f"{number(float(values.mean()), 3)} ± {number(float(values.std()), 2)}"


def arithmetic(here: OneOrMany) -> str:
    """Write out parameters and operations of the present number of heads."""
    n = sequences(here.setting)
    d_model, d_key, heads = n.query.shape[-1], n.key.shape[-1], here.num_heads
    size, pairs, d_head = here.study.sizes[here.chosen], len(n.queries) * len(n.keys), d_model // heads
    wide = 2 if here.setting.projection else 1
    held = {"wide": wide, "d_model": d_model, "d_key": d_key, "parameters": f"{size.parameters:,}"}
    return paragraph(
        _(
            "Parameters: {wide} × {d_model} × {d_model} + 2 × {d_key} × {d_model} + {biases} × {d_model} "
            "biases = **{parameters}**, with no number of heads in it.",
            biases=wide + 2,
            **held,
        )
        if here.setting.bias
        else _(
            "Parameters: {wide} × {d_model} × {d_model} + 2 × {d_key} × {d_model} = **{parameters}**, with "
            "no number of heads in it.",
            **held,
        ),
        _(
            "Operations of attention itself: {heads} × {pairs} × (2 × {d_head} + 5 + 2 × {d_head}) = "
            "**{operations}**, of {all} with the projections.",
            heads=words.heads(heads),
            pairs=_n("{count} pair", "{count} pairs", pairs, count=f"{pairs:,}"),
            d_head=d_head,
            operations=f"{size.attention_flops:,}",
            all=f"{size.flops:,}",
        ),
        _(
            "The 5 scale a score and compute its softmax, so each further head takes 5 × {pairs} = {more} "
            "more.",
            pairs=f"{pairs:,}",
            more=f"{5 * pairs:,}",
        ),
    )


def _fit(here: OneOrMany) -> None:
    st.markdown(
        paragraph(
            _(
                "**What one head cannot learn.** The task: tell the previous token and the first one, side "
                "by side."
            ),
            _(
                "Each number of heads is fitted to it by gradient, at one width of 8, from {seeds} seeds.",
                seeds=len(fit_seeds(0)),
            ),
        )
    )
    fits = fitted(here.setting.seed)
    live_figure(
        _fit_steps(here.setting.seed),
        key="fit",
        alt=_("Error over the steps for 1, 2, 4 and 8 heads, and the maps of one head and of two"),
        name="one head or many, fitted",
        slider=Slider(_("Step"), FIT_STEP),
        says=[
            words.fitted(int(step), FIT_HEADS, [float(fit.losses[at].mean()) for fit in fits])
            for at, step in enumerate(FIT_STEP.values)
        ],
    )
    st.caption(
        paragraph(
            _("Adam, learning rate 0.05."),
            _(
                "Queries and keys are one-hot positions, values random contents, whose expected error is "
                "computed exactly; doing nothing has error 1."
            ),
            _(
                "Dotted: ½, the least that one head can have, for it carries one mixture where two contents "
                "are asked for."
            ),
            _("With 8 heads each is 1 wide, too narrow to point at one position among many."),
            _("Maps are those of the first seed."),
        )
    )


@shared
def _fit_steps(seed: int) -> bytes:
    fits = [Fitted(fit.num_heads, array(fit.losses.T), array(fit.weights)) for fit in fitted(seed)]
    steps = [int(step) for step in FIT_STEP.values]
    queries = [str(place + 3) for place in range(fits[0].weights.shape[-2])]
    return pack(
        [pictures.fitting.spec(steps, fits, at, floor=FLOOR, queries=queries) for at in range(len(steps))]
    )


def checks(here: OneOrMany, layer: int, *, residual: bool) -> list[Check]:
    """Compute again, by torch, numpy and plain loops, what stands in the table and in the picture."""
    study, at, n = here.study, here.chosen, sequences(here.setting)
    first = _module(here)
    stages = first(n.query, n.key, n.key)
    maps, scores = stages.weights.numpy(), stages.scores.numpy()
    rows = [-w * math.log(w) for w in maps.ravel().tolist() if w > 0]
    singular = np.linalg.svd(maps, compute_uv=False)
    shares = singular / singular.sum(axis=-1, keepdims=True)
    spread = np.exp(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=-1))
    found = [
        compare(
            _("the parameters counted are those of `torch.nn.MultiheadAttention`")
            if here.setting.projection
            else _("the parameters counted are those that the module holds"),
            torch.tensor(float(study.sizes[at].parameters)),
            torch.tensor(float(_parameters(first, here))),
        ),
        compare(
            _("the entropy of the first seed is that of a loop over its weights"),
            study.entropy[0, at],
            sum(rows) / (here.num_heads * len(n.queries)),
        ),
        compare(
            _("the rank of its scores is that of `numpy.linalg.matrix_rank`"),
            study.score_rank[0, at],
            float(np.mean([np.linalg.matrix_rank(each) for each in scores])),
        ),
        compare(
            _("the effective rank of its weights is that of numpy's singular values"),
            study.effective_rank[0, at],
            float(spread.mean()),
        ),
    ]
    if study.distances is not None:
        state = n.query
        for number in range(layer):
            module = _module(here, layer=number) if number else first
            state = residual * state + module.fast(state)
        squares = torch.cdist(state, state, compute_mode="donot_use_mm_for_euclid_dist").square().sum()
        apart = float((squares / (2 * len(state))).sqrt()) / (float(state.norm()) or 1.0)
        what = _("its distance after {layers} is that of all pairs of tokens", layers=words.layers_of(layer))
        found.append(compare(what, study.distances[int(residual), 0, at, layer], apart, scale=1.0))
    fits = fitted(here.setting.seed)
    below = (FLOOR - fits[0].losses).clamp(min=0)
    found.append(compare(_("no fit of one head has an error below ½"), below, 0.0, scale=1.0))
    for fit in fits:
        what = _(
            "fitted, {heads}: the last error is that of torch's own module", heads=words.heads(fit.num_heads)
        )
        found.append(compare(what, fit.losses[-1, 0], _by_torch(fit.parameters, fit.num_heads)))
    return found


def _module(here: OneOrMany, *, layer: int = 0) -> MultiHeadAttention:
    """The attention of the first seed with the present number of heads."""
    n = sequences(here.setting)
    return draw(
        n.query.shape[-1],
        here.num_heads,
        d_head=None,
        d_key=n.key.shape[-1],
        bias=here.setting.bias,
        projection=here.setting.projection,
        seed=here.setting.seed + layer,
        init=here.setting.init,
    )


def _parameters(module: MultiHeadAttention, here: OneOrMany) -> int:
    held: nn.Module = module.to_torch() if here.setting.projection else module
    return sum(each.numel() for each in held.parameters())


def _by_torch(parameters: Sequence[Tensor], num_heads: int) -> float:
    """Return the error of the first seed's fit, by torch's own module holding its weights."""
    task = two_pattern_task()
    ours = MultiHeadAttention(8, num_heads, bias=False, d_value=4, dtype=torch.float64)
    for name, fitted_weight in zip(("W_q", "W_k", "W_v", "W_o"), parameters, strict=True):
        getattr(ours, name).weight.data = fitted_weight[0]
    batch = len(task.content)
    queries, keys = (x.expand(batch, *x.shape) for x in (task.queries, task.place))
    with torch.no_grad():
        output, _weights = ours.to_torch().eval()(queries, keys, task.content, need_weights=False)
    return float((output - task.target).square().mean())


def program(here: OneOrMany) -> Program:
    """Return a program that measures the present number of heads over the seeds."""
    setting, words = here.setting, sequences(here.setting)
    numbers = {"X": words.query} | ({} if words.key is words.query else {"Y": words.key})
    lines = f"""study = heads_study(
    {", ".join(numbers)}, num_heads=[{here.num_heads}], seeds={[*seeds(setting)]}, n_layers={N_LAYERS},
    bias={setting.bias}, output_projection={setting.projection}, init={setting.init!r},
)
measures = [study.entropy, study.score_rank, study.effective_rank]
for each in measures:
    print(f"{{each.mean():.3g}} ± {{each.std():.2g}}")
for each in [] if study.distances is None else study.distances[..., 0, -1]:  # without the residual, with it
    logs = each.clamp(min={pictures.LEAST:g}).log()  # it spans powers of ten
    print(f"{{logs.mean().exp():.3g}} ×/÷ {{logs.std().exp():.2g}}")"""
    return Program(SHORT, lines, numbers)


def fit_program(here: OneOrMany) -> Program:
    """Return a program that fits the present number of heads, or the next below that was fitted."""
    heads = max(each for each in FIT_HEADS if each <= here.num_heads)
    given = f"seeds={[*fit_seeds(here.setting.seed)]}, steps={int(FIT_STEP.values[-1])}"
    return Program(SHORT, f"fit = fit_heads({heads}, {given})\nprint(fit.losses[-1].tolist())")
