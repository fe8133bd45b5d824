"""The tab "Block": residual connection and layer norm around attention, over repeated layers."""

import streamlit as st
import torch
from torch import Tensor

from attn_core import NORMS, repeat_block, token_similarity
from attn_figures.matrix import Numbers
from attn_figures.numbers import fixed_point
from attn_figures.repeated_layers import layer_curves
from attn_figures.scene import Scene
from attn_ui.base.page import Slider
from attn_ui.base.parameters import label_of
from attn_ui.base.scenes import shared_scene
from attn_ui.screen import widgets
from attn_ui.screen.live_figure import live_figure
from attn_words import _, _n
from pages.multi_head.compute import Result, array
from pages.multi_head.example import example, name_example, read_words
from pages.multi_head.head_count_study import WAYS
from pages.multi_head.settings import LAYERS, NORM, RESIDUAL

VARIANTS = [(residual, norm) for residual in (True, False) for norm in NORMS]


def show(_result: Result) -> None:
    """Show how residual and norm change the vectors over the layers."""
    st.markdown(
        _(
            "In a transformer, attention does not stand alone: each layer **adds** its input to what "
            "attention gives (the residual), and a **layer norm** brings vectors to one length, before "
            "attention (pre-norm) or after the sum (post-norm). Layer upon layer shows what that is "
            "for."
        )
    )
    text = read_words()
    name_example(example(text))
    first, second = st.columns(2)
    with first:
        residual = widgets.flag(RESIDUAL, _("Residual connection"))
    with second:
        norm = widgets.segment(NORM, _("Layer norm"))
    live_figure(
        _over_layers(text, VARIANTS.index((residual, norm))),
        key="block",
        name="block over layers",
        slider=Slider(_("Layers"), LAYERS),
    )
    st.caption(
        _("Grey: the other five ways. Each layer has weights of its own; there is no feed-forward part.")
    )


def states(text: str) -> Tensor:
    """Return the vectors of every variant after every layer: (n_variants, n_layers + 1, n, d_model)."""
    result = example(text)
    layers = [
        example(text, seed=result.setting.seed + number).module for number in range(len(LAYERS.values) - 1)
    ]
    return torch.stack(
        [
            repeat_block(layers, result.tokens.query, residual=residual, norm=norm)
            for residual, norm in VARIANTS
        ]
    )


@shared_scene
def _over_layers(text: str, variant: int) -> Scene:
    """Return the scene of one variant, with a caption for each layer."""
    vectors, tokens = states(text), example(text).tokens.queries
    lengths, alike = array(vectors.norm(dim=-1).mean(dim=-1)), array(token_similarity(vectors))
    own = array(vectors[variant])
    names = [
        _("{residual}, layer norm: {norm}", residual=_(WAYS[residual]), norm=label_of(NORM, norm))
        for residual, norm in VARIANTS
    ]
    layers = range(len(LAYERS.values))
    limit = float(abs(own).max())
    return Scene(
        [
            layer_curves(
                *(lengths, alike, names),
                highlight=variant,
                layer=layer,
                state=own[layer],
                tokens=tokens,
                limit=limit,
            )
            for layer in layers
        ],
        captions=[read_out(layer, lengths[variant], alike[variant]) for layer in layers],
    )


def read_out(layer: int, lengths: Numbers, alike: Numbers) -> str:
    """Say how long the vectors are after some layers, and how alike."""
    return _n(
        "After {count} layer: mean length of a vector {length} ({before} before the first), mean cosine of "
        "two tokens {cosine}.",
        "After {count} layers: mean length of a vector {length} ({before} before the first), mean cosine "
        "of two tokens {cosine}.",
        layer,
        length=f"{lengths[layer]:.3g}",
        before=f"{lengths[0]:.3g}",
        cosine=fixed_point(float(alike[layer]), 4),
    )
