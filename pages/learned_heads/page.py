"""Heads that have learned: what attention becomes in training."""

from collections.abc import Callable, Mapping
from typing import Any

from attn_core.toys import TOY_MISTAKES
from attn_figures.mistakes import right_and_broken
from attn_ui.base.controls import Controls
from attn_ui.base.page import Page, View
from attn_words import N_
from pages.learned_heads.controls import read_controls
from pages.learned_heads.long_text import LongText
from pages.learned_heads.panel_sources import PANEL_SOURCES
from pages.learned_heads.programs import programs
from pages.learned_heads.results import AnyResult
from pages.learned_heads.settings import MISTAKE, SETTINGS, TAB
from pages.learned_heads.state import (
    CloudState,
    EvictionState,
    FlowState,
    Heads,
    NextState,
    State,
    ToySetting,
)
from pages.learned_heads.tables import tables
from pages.learned_heads.two_texts import TwoTexts
from pages.learned_heads.views import (
    attention_flow,
    clouds,
    eviction,
    heads,
    long_text,
    next_token,
    toy,
    two_texts,
)

_VIEWS: Mapping[type, Callable[[Controls, Any], View[AnyResult]]] = {
    ToySetting: toy.view,
    Heads: heads.view,
    LongText: long_text.view,
    TwoTexts: two_texts.view,
    FlowState: attention_flow.view,
    EvictionState: eviction.view,
    CloudState: clouds.view,
    NextState: next_token.view,
}


def view(controls: Controls, state: State) -> View[AnyResult]:
    """Return the view that the type of the state selects; an empty one if there is no state."""
    return View(None, None) if state is None else _VIEWS[type(state)](controls, state)


PAGE: Page[State, AnyResult] = Page(
    "learned_heads",
    N_("Learned heads"),
    N_("Nobody told these heads where to look: they found out in training."),
    SETTINGS,
    read_controls=read_controls,
    view=view,
    tabs=TAB,
    programs=programs,
    tables=tables,
    panel_sources=PANEL_SOURCES,
    mistakes=(MISTAKE, TOY_MISTAKES, right_and_broken),
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
