"""The tab Scale: why scores are divided by sqrt(d_k)."""

import numpy as np
import streamlit as st

import attn_core
from attn_figures.scale_study import scale_picture
from attn_figures.scene import Scene
from attn_ui.base.page import Slider
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import SEED
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.state import with_exact_value
from attn_words import _
from pages.single_head.compute import Result
from pages.single_head.settings import SWEEP_WIDTH


@shared_scene
def _curves(seed: int, widths: tuple[float, ...]) -> Scene:
    study = attn_core.scale_study([int(width) for width in widths], seed=seed)
    curves = {
        "variance": study.variance,
        "entropy": study.entropy,
        "largest weight": study.largest,
        "gradient size": study.gradient,
    }
    arrays = {name: np.asarray(both) for name, both in curves.items()}
    weights = np.asarray(study.weights)
    steps = range(len(study.widths))
    return Scene(
        [scale_picture(study.widths, arrays, weights, step) for step in steps],
        captions=[sentence(study, step) for step in steps],
    )


def show(_result: Result) -> None:
    """Show random queries and keys of growing width, with scaled scores and without."""
    width = with_exact_value(SWEEP_WIDTH)
    st.markdown(
        _(
            "Shown on 128 random queries, each with 16 random keys of its own, from the seed {seed}. Drag "
            "the width: a sum of d_k products spreads √d_k times as wide.",
            seed=SEED.default,
        )
    )
    live_figure(
        _curves(SEED.default, width.values),
        key="sweep",
        name="why divide by the root of the width",
        slider=Slider(_("Width d_k"), width),
    )
    st.caption(
        _(
            "Gradient size is the Frobenius norm of the softmax's Jacobian, averaged over the queries: where "
            "it nears 0, nothing more is learned through the weights."
        )
    )


def sentence(study: attn_core.ScaleStudy, at: int) -> str:
    """Say the effect of scaling at one width."""
    width = study.widths[at]
    variance, largest, gradient = (
        each[:, at].tolist() for each in (study.variance, study.largest, study.gradient)
    )
    return _(
        "At d_k = {width} the scores have variance {variance}, scaled {scaled_variance}. Unscaled, the "
        "largest of 16 weights is {largest} on average and the gradient {gradient}; scaled, "
        "{scaled_largest} and {scaled_gradient}.",
        width=width,
        variance=f"{variance[0]:.1f}",
        scaled_variance=f"{variance[1]:.2f}",
        largest=f"{largest[0]:.2f}",
        gradient=f"{gradient[0]:.3f}",
        scaled_largest=f"{largest[1]:.2f}",
        scaled_gradient=f"{gradient[1]:.3f}",
    )
