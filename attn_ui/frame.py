"""The frame that every page shares: title, one sentence, notices, and the tabs under the figure."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_ui import address
from attn_ui.parameters import PAGES

TABS = ("Arithmetic", "Maths", "Break it", "Checks", "Data", "Code")


def open_page(url: str, title: str, sentence: str) -> None:
    """Start a page: read its address, then show its title, its sentence and any notice.

    Must be called before any control is made.
    """
    dropped = address.check(url, PAGES[url])
    st.title(title, anchor=False)
    st.markdown(sentence)
    for bad in dropped:
        st.caption(f":material/link_off: {bad.sentence()}")


def what_you_see(sentence: str) -> None:
    """Say in one sentence what the figure shows. Words of users must have gone through `plain`."""
    st.markdown(sentence)


def plain(text: str) -> str:
    r"""Escape a user's text for Streamlit's markdown: it is shown as typed.

    >>> plain("*a* $b$ <i>")
    '\\*a\\* \\$b\\$ \\<i\\>'
    """
    return "".join(f"\\{c}" if c in _MARKDOWN else c for c in text)


_MARKDOWN = frozenset("\\`*_{}[]()<>#+-.!|~$:&^=\"'")


def tabs(names: Sequence[str] = TABS) -> Sequence[DeltaGenerator]:
    """Open the tabs under the figure."""
    return st.tabs(list(names))
