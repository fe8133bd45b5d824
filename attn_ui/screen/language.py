"""The visitor's language: from the link, else chosen on a page, else the browser's."""

import json
from pathlib import Path

import streamlit as st

from attn_live.browser_words import add_folder, browser_words
from attn_ui.base.link_options import DECIMALS, LANG
from attn_ui.screen import palette_and_decimals
from attn_ui.streamlit_inside import markup
from attn_ui.streamlit_inside.run import session
from attn_words import LANGUAGES, SOURCE, _, is_spoken, language, set_defaults, speak

_CHOSEN = "_language"
add_folder(Path(__file__).parent)
add_folder(Path(markup.__file__).parent)


def speak_here() -> None:
    """Set the visitor's language for the rest of this run, before anything is shown.

    The choice is written into the address too, so that a link opens in its sender's language.
    """
    linked = st.query_params.get(LANG.name)
    if is_spoken(linked):
        st.session_state[_CHOSEN] = linked
    speak(_here())
    if linked is None and (choice := st.session_state.get(_CHOSEN)):
        st.query_params[LANG.name] = choice


def _here() -> str:
    """Return the chosen language, or the browser's; a callback needs it before the page runs."""
    if session() is None:
        return SOURCE
    return st.session_state.get(_CHOSEN) or preferred(st.context.locale)


set_defaults(_here, lambda: 2 if session() is None else int(palette_and_decimals.current_look(DECIMALS)))


def preferred(locale: str | None) -> str:
    """Return the language nearest to what a browser prefers.

    >>> preferred("zh-TW"), preferred("de"), preferred(None)
    ('zh', 'en', 'en')
    """
    first = (locale or "").partition("-")[0].lower()
    return first if first in LANGUAGES else SOURCE


def show() -> None:
    """Show the guide and the other languages in the navigation, except in an embedded page."""
    if st.context.is_embedded:
        return
    with st.container(horizontal=True, key="languages"):
        label = _("Help")
        st.html(f'<a href="guide{language_query()}" target="help">{label}</a>', width="content")
        for code, name in LANGUAGES.items():
            if code != language():
                st.button(name, key=f"language-{code}", type="tertiary", on_click=_choose, args=(code,))


def _choose(code: str) -> None:
    st.session_state[_CHOSEN] = code
    st.query_params[LANG.name] = code


def language_query() -> str:
    """Return the query that sets this language; "" for English."""
    return "" if language() == SOURCE else f"?{LANG.name}={language()}"


def script() -> str:
    """Return the script that sets the language in the browser, and the words of its modules."""
    words = json.dumps(browser_words(), ensure_ascii=False).replace("</", "<\\/")
    return f"document.documentElement.lang = {json.dumps(language())}; window.labWords = {words};"
