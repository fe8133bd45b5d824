"""The tabs Break it and Checks: the mistakes that go around, and what finds them."""

import numpy as np
import streamlit as st
import torch

import attn_core
from attn_figures.single_head import mistake_picture
from attn_ui import controls
from attn_ui.frame import what_you_see
from attn_ui.live_figure import live_figure
from pages.single_head import audit as words
from pages.single_head.settings import MISTAKE
from pages.single_head.view import View


def show_checks(view: View) -> None:
    """Measure the numbers on the screen against what must hold."""
    head, stages = view.head, view.stages
    mask = stages.mask[0]
    result = attn_core.scaled_dot_product_attention(
        head.query, head.key, head.value, mask, scale=view.scale, temperature=view.temperature
    )
    factor = view.scale / view.temperature
    checks = attn_core.audit_attention(result, head.query, head.key, head.value, mask, scale=factor)
    st.markdown(
        "Computed just now, on the numbers in the picture; the last line compares with "
        "`torch.nn.functional.scaled_dot_product_attention`."
    )
    st.markdown(words.checks_table([("this page", checks)]))
    tolerance = words.TOLERANCE.format(checks[0].tolerance)
    st.caption(f"The hull is tested along every axis and 256 other directions. {tolerance}")


def show_mistakes(view: View) -> None:
    """Show one mistake beside the right map, their difference, and which check fails."""
    name = controls.choose(MISTAKE, "Mistake", width=360)
    mistake = attn_core.ATTENTION_MISTAKES[name]
    head = view.head
    mask, note = _mask_for(mistake.needs, view)
    right = attn_core.scaled_dot_product_attention(head.query, head.key, head.value, mask)
    broken = mistake.attend(head.query, head.key, head.value, mask)
    st.markdown(f"{mistake.what} {mistake.why}")
    live_figure(
        [
            mistake_picture.spec(
                np.asarray(right.weights),
                np.asarray(broken.weights),
                np.asarray(mask),
                queries=head.queries,
                keys=head.keys,
            )
        ],
        key="broken",
        alt=f"The right weights, the weights with the mistake {name}, and their difference",
        name=f"mistake {name}",
    )
    audits = [
        (title, attn_core.audit_attention(result, head.query, head.key, head.value, mask))
        for title, result in (("right", right), ("broken", broken))
    ]
    what_you_see(
        words.mistake_sentence(
            float((broken.weights - right.weights).abs().nan_to_num(nan=1.0).max()),
            [check.name for check in audits[1][1] if not check.passed],
            mistake.breaks,
        )
    )
    st.markdown(words.checks_table(audits))
    gaps = "Empty cells are not numbers." if bool(broken.weights.isnan().any()) else ""
    st.caption(f"Here the scale is 1/√d_k and the temperature 1. {note} {gaps}".strip())


def _mask_for(needs: str, view: View) -> tuple[torch.Tensor, str]:
    """The mask on the screen where the mistake shows with it, else one with which it does."""
    shape = len(view.head.queries), len(view.head.keys)
    mask = view.stages.mask[0]
    if needs == "mask" and bool(mask.all()):
        return attn_core.causal_mask(*shape), "This mistake needs a mask, so a causal one is used here."
    if needs == "masked row" and bool(mask.any(dim=-1).all()):
        mask = mask.clone()
        mask[view.cell[0]] = False
        return mask, "This mistake needs a row with every key masked: here it is the selected query's."
    return mask, ""
