"""The tab "Checks": the numbers on screen compared with torch, and what else holds of this use."""

import streamlit as st

from attn_core import Check, audit_attention
from attn_ui.screen.tables import checks_table
from attn_words import _
from pages.applications.state import State
from pages.applications.views import VIEWS


def audited(state: State) -> dict[str, tuple[Check, ...]]:
    """Return the checks of every map on screen, against torch's own attention too, by its name."""
    return {
        head.name: audit_attention(
            head.attention, head.query, head.key, head.key, head.mask, scale=head.scale
        )
        for head in VIEWS[state.use].heads(state)
    }


def show(state: State) -> None:
    """Show what holds of any attention, and then what holds of this use."""
    st.markdown(_("Computed just now, on the numbers on screen."))
    st.markdown(checks_table({_(name): results for name, results in audited(state).items()}))
    st.markdown(checks_table({_("in this example"): VIEWS[state.use].checks(state)}))
