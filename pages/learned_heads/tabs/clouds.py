"""The tabs of one head as points: how its clouds are aligned, and checks of the numbers on screen."""

import streamlit as st
import torch

from attn_core import Check
from attn_core.clouds import audit_clouds
from attn_core.plane import audit_plane
from attn_words import _
from pages.learned_heads.clouds import HeadClouds


def show_clouds() -> None:
    """Write down how the clouds are moved and scaled, and how the plane is chosen."""
    st.markdown(
        _(
            "**Two clouds, laid on one another**: queries are divided by s, keys moved by c and multiplied "
            "by s. Every score of a query grows by the same number, q · c, so its weights stay as they are."
        )
    )
    st.latex(
        r"\hat q_i = q_i / s, \qquad \hat k_j = s\,(k_j + c), \qquad "
        r"\hat q_i \cdot \hat k_j = q_i \cdot k_j + q_i \cdot c"
    )
    st.markdown(
        _("s makes both clouds spread as far from their means, and c makes these means one, the centre m.")
    )
    st.latex(r"s^2 = \sigma_q / \sigma_k, \qquad c = \bar q / s^2 - \bar k")
    st.markdown(
        _(
            "**Distance and score**: of keys that are equally long, the nearest has the largest score. The "
            "plane holds the two main directions around m, by singular value decomposition."
        )
    )
    st.latex(
        r"\lVert \hat q_i - \hat k_j \rVert^2 = \lVert \hat q_i \rVert^2 + \lVert \hat k_j \rVert^2 "
        r"- 2\, \hat q_i \cdot \hat k_j"
    )


def checks_of_clouds(result: HeadClouds) -> list[Check]:
    """Compute every check on the numbers on screen."""
    mask = None if bool(result.mask.all()) else result.mask
    # Single precision, as the model computes.
    weights = result.weights.to(torch.float32)
    checks = audit_clouds(result.clouds, weights, result.scale, mask) if result.model.softcap is None else ()
    return [*checks, *audit_plane(result.plane, *result.clouds.around)]
