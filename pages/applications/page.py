"""Where attention is used: one small example each, that really runs, and what of it is trained."""

from dataclasses import replace
from functools import partial

import streamlit as st

from attn_core import tokenize
from attn_ui import controls, state
from attn_ui.following import follow
from attn_ui.frame import lead_on, open_page, tabs
from attn_ui.live_figure import Cell, Cursor, Rows, Slider, live_figure
from attn_ui.screen import SCREEN
from attn_ui.sentence import ask_sentence
from attn_ui.shared_settings import SEED, TEMPERATURE, TEXT
from attn_ui.state import exact
from pages.applications.numbers import drawn
from pages.applications.settings import FRAME, PATCH, PREFIX, SETTINGS, TAB, USE, WINDOW, WORD
from pages.applications.state import MOST_WORDS, State
from pages.applications.tabs import checks, code, data, maths
from pages.applications.views import VIEWS, images


def ask(use: str) -> State:
    """Ask for what a use takes besides its sliders."""
    if use != "BERT and GPT":
        return State(use)
    wide, narrow = st.columns([3, 1])
    with wide:
        text = ask_sentence(SCREEN, TEXT, "Sentence", tokenize=tokenize, most=MOST_WORDS)
    with narrow:
        return State(use, text, controls.whole(SEED, "Seed"))


def at_sliders(asked: State) -> State:
    """Return the state with each slider where it stands."""
    prefix, *others = (int(state.value(each)) for each in (PREFIX, PATCH, WORD, WINDOW, FRAME))
    patch, word, window, frame = others
    return replace(
        asked,
        temperature=state.value(TEMPERATURE),
        prefix=prefix,
        patch=patch,
        word=word,
        window=window,
        frame=frame,
    )


open_page(
    "applications",
    SETTINGS,
    "Where attention is used",
    "What changes is who asks (:violet[**query**]) and who answers (:orange[**key**]).",
)
use = controls.segment(USE, "Use", label_visibility="collapsed")
asked = ask(use)
view = VIEWS[use]


def choose_patch(cell: Cell) -> None:
    """Lay the weights of the patch that was clicked over the picture."""
    patch = images.patch_at(cell.trace, cell.row, cell.column)
    if patch is not None:
        state.move(PATCH, patch)


def show() -> None:
    """Draw the use, say what it shows and what of it is trained, and lay the tabs under it."""
    moved = view.slider(asked)
    steps = exact(moved.steps)
    rows = None
    if view.rows:
        queries = view.rows.steps
        rows = Rows(view.rows.label, queries, Cursor(len(queries.values)), view.rows.names)
    packed, said = drawn(asked, steps)
    now = at_sliders(asked)
    st.markdown(view.asks)
    live_figure(
        packed,
        key=f"use-{USE.options.index(use)}",
        alt=view.alt,
        name=f"where attention is used: {use}",
        slider=Slider(moved.label, steps, names=moved.names),
        rows=rows,
        on_cell=choose_patch if use == "images" else None,
        says=said,
    )
    st.caption(f"**What is trained, what is not.** {view.trained}")
    lead_on(view.see(now), key="see-how")
    tabs(
        TAB,
        {
            "Maths": partial(maths.show, view, now),
            "Checks": partial(checks.show, view, now),
            "Data": partial(data.show, view, now),
            "Code": partial(code.show, view, now),
        },
    )


follow(show, SETTINGS)
