"""The tab "Checks": the numbers on screen compared with torch, then the checks of this use alone."""

import streamlit as st

from attn_core import Check, audit_attention
from attn_ui.screen.tables import checks_table
from attn_words import _
from pages.applications.state import State
from pages.applications.views import VIEWS


def audit_maps(state: State) -> dict[str, tuple[Check, ...]]:
    """Return the checks of every map on screen, by the map's name; one is against torch's attention."""
    return {
        head.name: audit_attention(
            head.attention, head.query, head.key, head.key, head.mask, scale=head.scale
        )
        for head in VIEWS[state.use].heads(state)
    }


def show(state: State) -> None:
    """Show the checks that any attention must pass, and then those of this use."""
    st.markdown(_("Computed just now, on the numbers on screen."))
    st.markdown(checks_table({_(name): results for name, results in audit_maps(state).items()}))
    st.markdown(checks_table({_("in this example"): VIEWS[state.use].checks(state)}))
