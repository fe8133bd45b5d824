"""The tab "Shapes": split and merge on blocks that move, every shape, and what many heads cost."""

import streamlit as st

from attn_core import multi_head_size
from attn_figures.heads_add_up import parameter_curves
from attn_figures.reshape import N_STEPS, STAGES, blocks, moment
from attn_live.packing import pack
from attn_ui.base.page import Slider
from attn_ui.base.shared_cache import shared
from attn_ui.screen.live_figure import live_figure
from attn_words import N_, _, _c, _n, paragraph
from pages.multi_head import words
from pages.multi_head.compute import Now
from pages.multi_head.settings import RESHAPE

MOST_TOKENS, MOST_HEADS, MOST_WIDTH = 3, 4, 4  # of the blocks that are drawn
STAGE_WORDS = (
    N_("one row a token"),
    N_("each token's row is cut into heads"),
    N_("one block a head, one row a token"),
    N_("within each block, tokens mix"),
    N_("one block a token again"),
    N_("the heads stand side by side"),
)


def show(now: Now) -> None:
    """Show how heads come about and go again, with the present sizes."""
    n = min(len(now.tokens.queries), MOST_TOKENS)
    n_head, d_head = min(now.n_head, MOST_HEADS), min(now.module.d_head, MOST_WIDTH)
    st.markdown(
        paragraph(
            _("A head is no new thing to compute: **the same numbers, arranged another way**, attend apart."),
            _("A reshape and a transpose split heads; a transpose and a reshape merge them again."),
        )
    )
    names = stage_names()
    live_figure(
        _moves(n, n_head, d_head),
        key="reshape",
        alt=_("Blocks of numbers that move from a flat matrix into one block a head, and back"),
        name="split and merge",
        slider=Slider(_("Reshape"), RESHAPE, names=[names[moment(step).nearest] for step in range(N_STEPS)]),
    )
    st.markdown(
        paragraph(
            _(
                "Drawn for {tokens}, {heads}.",
                tokens=words.tokens(n),
                heads=words.heads_of_width(n_head, d_head),
            ),
            _("Each block is one number; the digit is its token, the colour its head."),
            _("Moving changes no number: only *attention* does, when blocks turn dark."),
        )
    )
    st.markdown(_("**Every shape on this page**"))
    st.markdown(ledger(now))
    _costs(now)


def stage_names() -> list[str]:
    """Return what the stages are called."""
    return [
        "X W",
        _c("stage", "view"),
        _c("stage", "transpose"),
        _c("stage", "attention"),
        _c("stage", "transpose back"),
        _c("stage", "reshape"),
    ]


@shared
def _moves(n: int, n_head: int, d_head: int) -> bytes:
    shapes = {
        "flat": ("n, n_head · d_head", f"{n}, {n_head * d_head}"),
        "split": ("n, n_head, d_head", f"{n}, {n_head}, {d_head}"),
        "heads": ("n_head, n, d_head", f"{n_head}, {n}, {d_head}"),
    }
    of_stage = [shapes[name] for name in ("flat", "split", "heads", "heads", "split", "flat")]
    figures = []
    for step in range(N_STEPS):
        stage = moment(step).nearest
        axes, sizes = of_stage[stage]
        caption = f"{_(STAGE_WORDS[stage])}<br><b>({axes}) = ({sizes})</b>"
        figures.append(blocks.spec(step, [str(t) for t in range(n)], n_head, d_head, caption=caption))
    return pack(figures)


assert len(STAGES) == len(STAGE_WORDS)


def ledger(now: Now) -> str:
    """Return a table of every stage with its axes and its present shape, read from the tensors."""
    result, n = now.result, now.tokens
    batch, n_head, d_head = 1, now.n_head, now.module.d_head
    flat, bias = n_head * d_head, " + b_q" if now.setting.bias else ""
    rows = [
        (_("X (queries)"), "B, n_query, d_model", (batch, *n.query.shape)),
        (_("X (keys, values)"), "B, n_key, d_model", (batch, *n.key.shape)),
        (f"Q = X W_q{bias}", "B, n_query, n_head · d_head", (batch, result.query.shape[-2], flat)),
        (_c("stage", "view"), "B, n_query, n_head, d_head", (batch, result.query.shape[-2], n_head, d_head)),
        (_("transpose: Q"), "B, n_head, n_query, d_head", (batch, *result.query.shape)),
        (_("K, likewise"), "B, n_head, n_key, d_head", (batch, *result.key.shape)),
        (_("V, likewise"), "B, n_head, n_key, d_head", (batch, *result.value.shape)),
        (_("scores Q Kᵀ"), "B, n_head, n_query, n_key", (batch, *result.scores.shape)),
        (_("weights"), "B, n_head, n_query, n_key", (batch, *result.weights.shape)),
        (_("heads: weights V"), "B, n_head, n_query, d_head", (batch, *result.heads.shape)),
        (_("transpose, reshape"), "B, n_query, n_head · d_head", (batch, *result.concatenated.shape)),
        (_("output"), "B, n_query, d_out", (batch, *result.output.shape)),
    ]
    header = (_("Step"), _("Axes"), _("Shape"), _("Numbers"))
    lines = [f"| {' | '.join(header)} |", "|:--|:--|:--|--:|"]
    for step, axes, shape in rows:
        numbers = 1
        for size in shape:
            numbers *= size
        lines.append(f"| {step} | `{axes}` | `{', '.join(map(str, shape))}` | {numbers:,} |")
    return "\n".join(lines)


def _costs(now: Now) -> None:
    setting, module, n = now.setting, now.module, now.tokens
    d_model = module.d_model

    def size(n_head: int, d_head: int) -> tuple[int, int, int, int]:
        counted = multi_head_size(
            len(n.queries),
            len(n.keys),
            d_model,
            n_head,
            d_head,
            bias=setting.bias,
            output_projection=setting.projection,
            d_key=module.d_key,
        )
        return counted.parameters, counted.projection_flops, counted.attention_flops, counted.flops

    here, single = size(now.n_head, module.d_head), size(1, d_model)
    st.markdown(_("**Do more heads cost more?**"))
    st.markdown(words.parameters(here[0], single[0], now.n_head, module.d_head, d_model))
    shared = [heads for heads in range(1, 17) if d_model % heads == 0]
    every = list(range(1, 17))
    curves = [
        ("d_head = d_model / n_head", shared, [size(heads, d_model // heads)[0] for heads in shared]),
        (f"d_head = d_model = {d_model}", every, [size(heads, d_model)[0] for heads in every]),
    ]
    if module.d_head not in (d_model, d_model // now.n_head):
        curves.insert(
            1, (f"d_head = {module.d_head}", every, [size(heads, module.d_head)[0] for heads in every])
        )
    live_figure(
        [parameter_curves.spec(curves, (now.n_head, here[0]))],
        key="parameters",
        alt=_("Parameters against the number of heads"),
        name="parameters",
    )
    header = (
        _("Heads"),
        _("Parameters"),
        _("FLOPs, projections"),
        _("FLOPs, attention"),
        _("FLOPs, all"),
    )
    table = [f"| {' | '.join(header)} |", "|:--|--:|--:|--:|--:|"]
    rows = [
        (words.heads_of_width(1, d_model), single),
        (_("**this page**: {heads}", heads=words.heads_of_width(now.n_head, module.d_head)), here),
    ]
    if now.n_head > 1:
        each = _n(
            "{count} head of width {width} each",
            "{count} heads of width {width} each",
            now.n_head,
            width=d_model,
        )
        rows.append((each, size(now.n_head, d_model)))
    for name, numbers in rows:
        table.append(f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |")
    st.markdown("\n".join(table))
    st.caption(
        paragraph(
            _("One pass; a multiply and an add are two FLOPs."),
            _(
                "What grows with the number of heads at a shared width is scaling and softmax alone: five "
                "FLOPs for each pair of query and key in each head."
            ),
        )
    )
