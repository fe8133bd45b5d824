"""Every term of a group, or of all, with the place that shows it."""

import streamlit as st

from attn_ui.base.parameters import label_of
from attn_ui.base.terms import view_terms
from attn_words import _
from pages.glossary.settings import EVERY, GROUP
from pages.glossary.terms import TERMS
from pages.glossary.words import letters, list_terms


def show(group: str) -> None:
    """Show the terms of a group."""
    heads = {name: f"terms-{name.replace(' ', '-')}" for name in (TERMS if group == EVERY else (group,))}
    if group == EVERY:  # a long way on a phone
        st.markdown(
            " · ".join(f"[{label_of(GROUP, name).capitalize()}](#{at})" for name, at in heads.items())
        )
    with st.container(key="terms"):
        for name, at in heads.items():
            st.header(label_of(GROUP, name).capitalize(), anchor=at)
            st.markdown(list_terms(TERMS[name]))
        if group in (EVERY, "symbols"):
            st.header(_("Letters of single formulas"), anchor=False)
            st.markdown(letters(view_terms()))
