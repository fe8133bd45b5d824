"""Runs any page in the app: the one place where a page meets its session and its address."""

from contextlib import nullcontext
from functools import partial
from typing import Any

import streamlit as st

from attn_ui.base.page import Figure, Page, Small
from attn_ui.screen import pinning, programs_tab, terms
from attn_ui.screen.break_it import break_it
from attn_ui.screen.frame import open_page, show_leads, tabs
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.predicting import cover_view
from attn_ui.screen.slider_fragment import follow
from attn_ui.screen.streamlit_controls import CONTROLS, StreamlitControls


def run(page: Page[Any, Any]) -> None:
    """Show a page: read its controls, draw the figure and its caption, and lay the tabs under it."""
    settings = page.read_address(CONTROLS) if page.read_address else page.settings
    open_page(page.address, settings, page.title, page.about)
    page_state = page.read_controls(CONTROLS)
    if page.reruns_page and page.reruns_page(page_state):
        _show(page, page_state)
    else:
        follow(lambda: _show(page, page_state), settings, has_sidebar=page.has_sidebar)


def _show(page: Page[Any, Any], page_state: Any) -> None:
    screen = StreamlitControls()
    view = page.view(screen, page_state)
    predicting = cover_view(page, view)
    if predicting:
        view = predicting.view  # a pin would show what is covered
    else:
        with screen.picture or nullcontext():
            view = pinning.compare_view(page, view)
    if view.figure:
        with screen.picture or nullcontext():
            draw(view.figure)
            if predicting:
                predicting.ask()
    if view.covered:  # nothing but the figure and the question
        return
    if view.formula:
        st.latex(view.formula, width="content")
    for note in view.notes:
        say = st.caption if isinstance(note, Small) else st.markdown
        say(note)
    if view.leads:
        show_leads(view.leads)
    if view.below:
        page.module(view.below).show(view.result)
    shown_tabs = view.tabs or page.tabs
    if shown_tabs and view.figure:
        tabs(shown_tabs, {name: partial(_show_tab, page, name, view.result) for name in shown_tabs.options})
    terms.show(page.terms(view), page.letters(view.name))


def _show_tab(page: Page[Any, Any], name: str, result: Any) -> None:
    if name == "Code" and page.programs and (page_programs := page.programs(result)):
        programs_tab.show(page_programs)
    elif name == "Break it" and page.mistakes:
        break_it(*page.mistakes)
    else:
        page.tab(name).show(result)


def draw(figure: Figure) -> None:
    """Draw the live figure of a page."""
    live_figure(
        figure.scene,
        key=figure.key,
        name=figure.name,
        slider=figure.slider,
        rows=figure.rows,
        selection=figure.selection,
        clicked=partial(figure.clicked, CONTROLS) if figure.clicked else None,
        captions_follow_choice=figure.captions_follow_choice,
        caption=figure.caption,
        invites=figure.invites,
    )
