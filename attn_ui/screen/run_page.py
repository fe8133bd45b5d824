"""Runs any page in the app: the one place where a page meets its session and its address."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import streamlit as st

from attn_ui.base.ask import Ask
from attn_ui.base.page import Figure, Page, Small
from attn_ui.screen import pinning, programs_tab, state, terms
from attn_ui.screen.following import follow
from attn_ui.screen.frame import lead_on, open_page, tabs
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.predicting import predicted
from attn_ui.screen.screen import SCREEN, Screen


def run(page: Page[Any, Any]) -> None:
    """Show a page: ask, draw the figure, say what it shows, and lay the tabs under it."""
    state.tell_alone(page.told_alone)
    if page.enters:
        _enter(page.folder, page.enters)
    settings = page.reads(SCREEN) if page.reads else page.settings
    open_page(page.address, settings, page.title, page.about)
    asked = page.asks(SCREEN)
    if page.is_whole and page.is_whole(asked):
        _show(page, asked)
    else:
        follow(lambda: _show(page, asked), settings, asks_aside=page.asks_aside)


def _enter(folder: str, enters: Callable[[Ask], None]) -> None:
    """Set what a page opens with, once a session and only without a link."""
    arrived = f"_arrived_{folder}"
    if not (st.query_params or st.session_state.get(arrived)):
        enters(SCREEN)
    st.session_state[arrived] = True


def _show(page: Page[Any, Any], asked: Any) -> None:
    screen = Screen()
    seen = page.sees(screen, asked)
    predicting = predicted(page, seen)
    if predicting:
        seen = predicting.seen  # a pin would show what is covered
    else:
        with screen.picture or nullcontext():
            seen = pinning.compared(page, seen)
    if seen.figure:
        with screen.picture or nullcontext():
            draw(seen.figure)
            if predicting:
                predicting.ask()
    if seen.covered:  # nothing but the figure and the question
        return
    if seen.formula:
        st.latex(seen.formula, width="content")
    for note in seen.notes:
        say = st.caption if isinstance(note, Small) else st.markdown
        say(note)
    if seen.leads:
        lead_on(seen.leads)
    if seen.below:
        page.module(seen.below).show(seen.now)
    offered = seen.tabs or page.tabs
    if offered and seen.figure:
        tabs(offered, {name: partial(_show_tab, page, name, seen.now) for name in offered.options})
    terms.place(page.terms(seen), page.letters(seen.view))


def _show_tab(page: Page[Any, Any], name: str, now: Any) -> None:
    if name == "Code" and page.programs and (handed := page.programs(now)):
        programs_tab.show(handed)
        return
    page.tab(name).show(now)


def draw(figure: Figure) -> None:
    """Draw a live figure where the page is."""
    live_figure(
        figure.steps,
        key=figure.key,
        alt=figure.alt,
        name=figure.name,
        slider=figure.slider,
        rows=figure.rows,
        chosen=figure.chosen,
        clicked=(figure.scene.draw, partial(figure.clicked, SCREEN)) if figure.clicked else None,
        captions=figure.captions,
        captions_follow_choice=figure.captions_follow_choice,
        caption=figure.caption,
        invites=figure.invites,
    )
