"""The tab "Block": residual connection and layer norm around attention, over repeated layers."""

import math
from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from attn_core import NORMS, repeat_block, token_similarity
from attn_figures.block import layer_curves
from attn_live.packing import pack
from attn_ui.base.markdown import coloured, listed
from attn_ui.base.page import Slider
from attn_ui.base.shared_cache import shared
from attn_ui.screen import controls
from attn_ui.screen.live_figure import live_figure
from attn_words import N_, _, _n, paragraph
from pages.multi_head import words
from pages.multi_head.compute import Now, array, by_hand, mask, module, sequences, sizes_of
from pages.multi_head.settings import LAYERS, NORM, RESIDUAL
from pages.multi_head.state import Setting
from pages.multi_head.weights import weights

VARIANTS = [(residual, norm) for residual in (True, False) for norm in NORMS]
NAMES = {
    (True, "none"): N_("the residual and no norm"),
    (True, "before"): N_("the residual and the norm before"),
    (True, "after"): N_("the residual and the norm after"),
    (False, "none"): N_("no residual and no norm"),
    (False, "before"): N_("no residual and the norm before"),
    (False, "after"): N_("no residual and the norm after"),
}


def name_of(residual: bool, norm: str) -> str:
    """Say in a few words what stands around attention."""
    return NAMES[residual, norm]


def show(now: Now) -> None:
    """Show what residual and norm do to the vectors over the layers."""
    d_out, d_model = now.result.output.shape[-1], now.module.d_model
    if not now.is_self_attention or d_out != d_model:
        st.markdown(
            _(
                ":material/edit: Layers can follow one another where the output can be the next input: the "
                "output here is {d_out} wide and the input {d_model}; the output projection W_o would make "
                "them equal.",
                d_out=d_out,
                d_model=d_model,
            )
            if now.is_self_attention
            else _(
                ":material/edit: Layers can follow one another where the output can be the next input: the "
                "output here belongs to queries that attend to another sequence."
            )
        )
        return
    about = st.container()
    left, right = st.columns(2)
    with left:
        residual = controls.flag(RESIDUAL, _("Residual connection"))
    with right:
        norm = controls.segment(NORM, _("Layer norm"))
    chosen = VARIANTS.index((residual, norm))
    packed, measured = _over_layers(now.setting, now.n_head, chosen)
    about.markdown(words.block(residual, norm, some_flat=measured.some_flat))
    alone = len(now.tokens.queries) == 1
    live_figure(
        packed,
        key="block",
        alt=_("Mean length of the vectors and mean cosine of two tokens, layer by layer"),
        name="block over layers",
        slider=Slider(_("Layers"), LAYERS),
        says=[
            words.layers(
                _(name_of(residual, norm)),
                layer,
                measured.lengths[0],
                length,
                None if alone or math.isnan(alike) else alike,
                zero=[coloured("query", now.tokens.queries[place]) for place in zero],
            )
            for layer, (length, alike, zero) in enumerate(
                zip(measured.lengths, measured.alike, measured.zero, strict=True)
            )
        ],
    )
    st.caption(
        paragraph(
            _("Grey: the other five ways."),
            _weights_of(now),
            _(
                "All heads attend, whatever the sidebar switches off; its mask and its temperature hold in "
                "every layer."
            ),
            _("Vectors of zeros have no direction: both means leave them out."),
        )
    )


def _weights_of(now: Now) -> str:
    """Say where the weights of the layers come from."""
    seeds = {"first": now.setting.seed, "last": now.setting.seed + len(LAYERS.values) - 2}
    typed = [name for name, _rows in by_hand(now.setting, now.n_head)]
    if not typed:
        return _(
            "Each layer has weights of its own, drawn from the seeds {first} to {last}; there is no "
            "feed-forward part.",
            **seeds,
        )
    if len(typed) == len(weights(sizes_of(now.setting, now.n_head))):
        return _n(
            "Set by hand, {names} is the same in every layer; there is no feed-forward part.",
            "Set by hand, {names} are the same in every layer; there is no feed-forward part.",
            len(typed),
            names=listed(typed),
        )
    return _n(
        "Set by hand, {names} is the same in every layer; the other weights are drawn from the seeds {first} "
        "to {last}; there is no feed-forward part.",
        "Set by hand, {names} are the same in every layer; the other weights are drawn from the seeds "
        "{first} to {last}; there is no feed-forward part.",
        len(typed),
        names=listed(typed),
        **seeds,
    )


@dataclass(frozen=True)
class Measured:
    """Of one variant, at each layer: mean length and mean cosine of what is not zero, and which tokens are.

    ``some_flat`` says whether the norm meets a vector whose numbers are all equal: it takes it to zero.
    """

    lengths: list[float]
    alike: list[float]
    zero: list[list[int]]
    some_flat: bool


def _measured(setting: Setting, n_head: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """States, mean lengths and mean cosines of every variant: (n_variants, n_layers + 1, ...)."""
    entering = [sequences(setting).query.repeat(len(VARIANTS), 1, 1)]
    given = mask(setting, n_head)
    for number in range(len(LAYERS.values) - 1):
        # One at a time: all twelve of the original Transformer take 100 MB.
        layer = [module(setting, n_head, layer=number)]
        entering.append(
            torch.stack(
                [
                    repeat_block(layer, x, given, residual=residual, norm=norm)[-1]
                    for x, (residual, norm) in zip(entering[-1], VARIANTS, strict=True)
                ]
            )
        )
    states = torch.stack(entering, dim=1)
    lengths = states.norm(dim=-1)
    return states, lengths.sum(dim=-1) / (lengths > 0).sum(dim=-1).clamp(min=1), token_similarity(states)


@shared
def _over_layers(setting: Setting, n_head: int, chosen: int) -> tuple[bytes, Measured]:
    """Return the message that draws one variant, and what is said of it."""
    states, lengths, alike = map(array, _measured(setting, n_head))
    packed = pack(
        [
            layer_curves.spec(
                lengths,
                alike,
                [name_of(*variant) for variant in VARIANTS],
                chosen=chosen,
                layer=layer,
                state=states[chosen, layer],
                tokens=sequences(setting).queries,
                limit=float(abs(states[chosen]).max()) or 1.0,
            )
            for layer in range(len(LAYERS.values))
        ]
    )
    own, norm = states[chosen], VARIANTS[chosen][1]
    flat = {"none": own[:0], "before": np.ptp(own[:-1], axis=-1), "after": abs(own[1:]).max(axis=-1)}[norm]
    zero = [np.flatnonzero(~state.any(axis=-1)).tolist() for state in own]
    return packed, Measured(lengths[chosen].tolist(), alike[chosen].tolist(), zero, bool((flat == 0).any()))
