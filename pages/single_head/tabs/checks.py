"""The tab Checks: the numbers on the screen against what must hold."""

import streamlit as st

import attn_core
from attn_core.hard_lookup import audit_hard_lookup
from attn_ui.screen.tables import checks_table
from attn_words import _
from pages.single_head.aside import audit_aside
from pages.single_head.compute import Now


def show(now: Now) -> None:
    """Measure the numbers on the screen, against torch's own attention too."""
    head = now.head
    result = attn_core.scaled_dot_product_attention(
        head.query, head.key, head.value, now.mask, scale=now.scale, temperature=now.temperature
    )
    checks = attn_core.audit_attention(
        result, head.query, head.key, head.value, now.mask, scale=now.scale / now.temperature
    )
    lookup = audit_hard_lookup(head.query, head.key, head.value, now.mask)
    others = [lookup, *audit_aside(now.walk, now.aside, now.scale / now.temperature)]
    st.markdown(
        _(
            "Computed just now, on the numbers in the picture; the last two lines compare with "
            "`torch.nn.functional.scaled_dot_product_attention`."
        )
    )
    st.markdown(
        checks_table(
            [_(check.name) for check in (*checks, *others)],
            {_("this page"): [(check.passed, check.verdict) for check in (*checks, *others)]},
        )
    )
    st.caption(
        _(
            "The hull is tested along every axis and 256 other directions. A check holds while its largest "
            "deviation stays below {tolerance} times the largest number compared.",
            tolerance=f"{checks[0].tolerance:.1e}",
        )
    )
