"""The tab Code: a script that prints the numbers on the screen."""

import streamlit as st

from attn_core import mask_code
from pages.single_head.numbers import Now
from pages.single_head.snippet import snippet


def show(now: Now) -> None:
    """Hand over a script that prints the weights and the output of the picture."""
    head = now.head
    scale = {"1/√dₖ": "1 / math.sqrt(Q.shape[-1])"}.get(now.scoring.scale, f"{now.scale:.10g}")
    st.markdown("Runs as it is, with PyTorch alone, and prints the weights and the output of the picture.")
    st.code(
        snippet(
            head.query.tolist(),
            head.key.tolist(),
            head.value.tolist(),
            mask=mask_code(now.scoring.masking, now.width, now.walk.mask.tolist()),
            scale=scale,
            temperature=now.temperature,
        ),
        language="python",
    )
