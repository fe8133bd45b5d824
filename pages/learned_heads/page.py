"""Heads that have learned: what attention becomes in training."""

from attn_ui.base.controls import Controls
from attn_ui.base.page import Page, View
from attn_words import N_
from pages.learned_heads.controls import read_controls
from pages.learned_heads.long_text import LongText
from pages.learned_heads.panel_sources import PANEL_SOURCES
from pages.learned_heads.programs import programs
from pages.learned_heads.results import AnyResult
from pages.learned_heads.settings import SETTINGS, TAB
from pages.learned_heads.state import CloudState, EvictionState, FlowState, Heads, State
from pages.learned_heads.tables import tables
from pages.learned_heads.views import clouds, eviction, heads, long_text, text_flow, toy


def view(controls: Controls, state: State) -> View[AnyResult]:
    """Show a toy at one step of its training, or of a whole model all heads, their flow, or one as points."""
    if state is None:
        return View(None, None)
    if isinstance(state, FlowState):
        return text_flow.view(controls, state)
    if isinstance(state, EvictionState):
        return eviction.view(controls, state)
    if isinstance(state, CloudState):
        return clouds.view(controls, state)
    if isinstance(state, LongText):
        return long_text.view(controls, state)
    return heads.view(controls, state) if isinstance(state, Heads) else toy.view(controls, state)


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
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
