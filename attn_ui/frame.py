"""The frame that every page shares: title, one sentence, notices, and the tabs under the figure."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import streamlit as st

from attn_ui import address, lesson, share
from attn_ui.parameters import Choice, Parameter

_HISTORY = (Path(__file__).parent / "history.js").read_text()


def open_page(url: str, settings: Sequence[Parameter], title: str, sentence: str) -> None:
    """Start a page: read its address, then show its title, its sentence and any notice.

    Must be called before any control is made.

    Args:
        url: the page's address.
        settings: what a link to it can set.
        title: its heading.
        sentence: what it is about.
    """
    views = [choice.name for choice in settings if isinstance(choice, Choice) and choice.views]
    script = f"<script>window.viewsOfPage = {json.dumps(views)};\n{_HISTORY}</script>"
    st.html(script, unsafe_allow_javascript=True)
    dropped = address.check(url, settings)
    lesson.wear(settings)
    head = st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="page-head"
    )
    with head:
        st.title(title, anchor=False)
        share.place(url, settings)
    lesson.say()
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


def listed(names: Sequence[str]) -> str:
    """Join words into a list, as a sentence has it.

    >>> listed(["a", "b", "c"]), listed(["a"]), listed([])
    ('a, b and c', 'a', 'none')
    """
    *most, last = names or ["none"]
    return f"{', '.join(most)} and {last}" if most else last


def coloured(role: Literal["query", "key", "value"], text: str) -> str:
    r"""Set a user's text in the colour of what it stands for, as markdown.

    >>> coloured("query", "a[b]")
    ':violet[a\\[b\\]]'
    """
    return f":{_COLOURS[role]}[{plain(text)}]"


# Streamlit's names for what `.streamlit/config.toml` sets to the colours of query, key and value.
_COLOURS = {"query": "violet", "key": "orange", "value": "green"}
_MARKDOWN = frozenset("\\`*_{}[]()<>#+-.!|~$:&^=\"'")


def tabs(setting: Choice, contents: Mapping[str, Callable[[], None]]) -> None:
    """Lay tabs under the figure; only the open one is computed, and the address remembers it.

    Args:
        setting: the page's own setting, whose options are the names of its tabs.
        contents: what each tab shows, by its name.

    Raises:
        ValueError: the contents are not those of the setting's options.
    """
    if set(contents) != set(setting.options):
        raise ValueError(f"tabs required: {', '.join(setting.options)}; got {', '.join(contents)}")
    made = st.tabs(setting.options, key=setting.name, bind="query-params")
    for name, tab in zip(setting.options, made, strict=True):
        if tab.open:
            with tab:
                contents[name]()
