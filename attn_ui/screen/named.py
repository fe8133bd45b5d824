"""Options in other words than the address has: this product keeps the address, where Streamlit would.

A control that Streamlit ties to the address writes there what it shows. In another language that is no name
that links know; so there the control is tied to its key alone, and is brought together with the address here.
"""

from collections.abc import Sequence

import streamlit as st

from attn_ui.base.parameters import Choice, Parameter, Several
from attn_words import SOURCE, language

_FRESH = "_named_fresh"  # settings that the address is still to say: their page was just opened


def here() -> bool:
    """Whether options are shown in other words than the address has."""
    return language() != SOURCE


def arrive(settings: Sequence[Parameter], *, goes_back: bool) -> None:
    """Have the address say what its page's options are; to be called when a page is opened or gone back to.

    Args:
        settings: of the page; goes_back: whether what the address leaves out is at its default.
    """
    names = {each.name for each in settings if isinstance(each, Choice | Several)}
    st.session_state[_FRESH] = dict.fromkeys(names, goes_back)


def before(setting: Choice | Several) -> None:
    """Take over what the address says, where that is news; before the control is made."""
    fresh: dict[str, bool] = st.session_state.get(_FRESH, {})
    if setting.name not in fresh:
        return
    goes_back = fresh.pop(setting.name)
    texts = [text for text in st.query_params.get_all(setting.name) if text in setting.options]
    if texts or goes_back:
        many = isinstance(setting, Several)
        st.session_state[setting.name] = texts if many else texts[-1] if texts else setting.default


def after(setting: Choice | Several, chosen: str | Sequence[str]) -> None:
    """Have the address say what is chosen; it says nothing of what is at its default."""
    if not here():
        return
    wanted = [chosen] if isinstance(chosen, str) else [*chosen]
    if chosen == setting.default or not wanted:
        wanted = []
    if st.query_params.get_all(setting.name) == wanted:
        return
    if wanted:
        st.query_params[setting.name] = wanted if isinstance(setting, Several) else wanted[0]
    else:
        del st.query_params[setting.name]
