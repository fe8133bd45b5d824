"""The frame that every page shares: title, one sentence, notices, and the tabs under the figure."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import streamlit as st

from attn_ui.base.parameters import Parameter, Tabs, label_of, tab_name
from attn_ui.base.search_entries import Place
from attn_ui.screen import address, language, lesson_panel, link_options, pinning, search, share, state, teach
from attn_ui.streamlit_inside import markup
from attn_words import _

_PAGES = Path(__file__).resolve().parents[2] / "pages"
_SCRIPTS = "".join(
    (Path(__file__).parent / name).read_text(encoding="utf-8")
    for name in ("history.js", "load_search.js", "load_terms.js")
)


def open_page(url: str, settings: Sequence[Parameter], title: str, sentence: str) -> None:
    """Start a page: read its address, then show its title, its sentence and any notice.

    Must be called before any control is made.

    Args:
        url: the page's address.
        settings: what a link to it can set.
        title: its heading.
        sentence: what it is about.
    """
    here = f"window.pageAtRest = {json.dumps(markup.READY)};\n"
    here += f"{language.script()}\n"
    script = f"<script>{here}{_SCRIPTS}{markup.scripts()}</script>"
    st.html(script, unsafe_allow_javascript=True)
    dropped = address.check(url, settings)
    link_options.hide_parts(settings)
    head = st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="page-head"
    )
    with head:
        st.title(_(title), anchor=False)
        search.show()
        pinning.show(settings)
        teach.show(settings)
        share.show(url, settings)
    language.show()
    link_options.show_sentence()
    lesson_panel.show()
    with st.container(key="page-about"):
        st.markdown(_(sentence))
    pinning.show_message()
    address.notify(dropped)


def show_leads(places: Sequence[Place]) -> None:
    """Show links to pages that go further, side by side."""
    with st.container(horizontal=True, key="see-how"):
        for each in places:
            st.page_link(
                str(_PAGES / each.folder / "page.py"),
                label=_("See it: {what}", what=each.title),
                icon=":material/arrow_forward:",
                query_params=dict(each.link),
            )


def tabs(setting: Tabs, contents: Mapping[str, Callable[[], None]]) -> None:
    """Show one row of tabs under the figure; only the open part is computed, and the address holds it.

    A tab of several parts lists them. If the address names a part that is not offered here, the default is
    open.

    Args:
        setting: the page's own setting, whose options are the names of its parts.
        contents: draws each part, by its name.

    Raises:
        ValueError: the contents are not those of the setting's options.
    """
    if set(contents) != set(setting.options):
        raise ValueError(f"tabs required: {', '.join(setting.options)}; got {', '.join(contents)}")
    open_tab = state.text(setting)
    part = open_tab if open_tab in setting.options else setting.default
    firsts = {tab_name(name): parts[0] for name, parts in setting.row}
    name, parts = next((tab_name(name), parts) for name, parts in setting.row if part in parts)
    # Its key is like those of other controls of settings in `attn_ui.screen.state`: links hide them by it.
    key = f"pick-{setting.name}"
    st.session_state[key] = name
    places = st.tabs(list(firsts), key=key, on_change=_open, args=(setting, key, firsts))
    with places[list(firsts).index(name)]:
        if len(parts) > 1:
            labels = {label_of(setting, each): each for each in parts}
            key = f"{setting.name}-in-{name}"
            st.session_state[key] = label_of(setting, part)
            arguments = (setting, key, labels)
            st.selectbox(name, labels, key=key, label_visibility="collapsed", on_change=_open, args=arguments)
        contents[part]()


def _open(setting: Tabs, key: str, opens: Mapping[str, str]) -> None:
    state.write_setting(setting, opens[st.session_state[key]])
