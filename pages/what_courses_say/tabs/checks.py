"""The tab "Checks": some of the numbers computed in another way."""

import streamlit as st

from attn_ui.screen.tables import checks_table
from attn_words import _
from pages.what_courses_say.compute import State


def show(state: State) -> None:
    """Show some of the drawn numbers compared with torch's own functions or formulas."""
    st.markdown(_("Computed just now, by another way than the picture's."))
    st.markdown(checks_table({_("in the picture"): state.claim.checks(state.study, state.seeds)}))
