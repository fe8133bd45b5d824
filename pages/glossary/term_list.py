"""The terms of one group, or of all groups, each with a link to the place that shows it."""

import streamlit as st

from attn_ui.base.parameters import label_of
from attn_ui.base.terms import view_terms
from attn_words import _
from pages.glossary.settings import EVERY, GROUP
from pages.glossary.terms import TERMS
from pages.glossary.words import letters, list_terms


def show(group: str) -> None:
    """Show the terms of a group; for all groups, the terms of those that are open."""
    with st.container(key="terms"):
        for name in TERMS if group == EVERY else (group,):
            title = label_of(GROUP, name).capitalize()
            if group != EVERY:
                st.header(title, anchor=False)
            elif not (place := st.expander(title, key=f"terms-{name}", on_change="rerun")).open:
                continue
            with place if group == EVERY else st.container():
                st.markdown(list_terms(TERMS[name]))
                if name == "symbols":
                    st.subheader(_("Letters of single formulas"), anchor=False)
                    st.markdown(letters(view_terms()))
