"""Positional encoding: how word order changes attention."""

from attn_core import POSITION_MISTAKES
from attn_figures.mistakes import right_and_broken
from attn_ui.base.controls import Controls
from attn_ui.base.page import Page, View
from attn_words import N_
from pages.positional_encoding.compute import Result
from pages.positional_encoding.controls import read_controls, with_sliders
from pages.positional_encoding.panel_sources import PANEL_SOURCES
from pages.positional_encoding.programs import programs
from pages.positional_encoding.settings import MISTAKE, SETTINGS, TAB
from pages.positional_encoding.state import State
from pages.positional_encoding.tables import tables
from pages.positional_encoding.views import VIEWS


def view(controls: Controls, state: State) -> View[Result]:
    """Show the picture at the sliders' values."""
    return VIEWS[state.picture](controls, Result(with_sliders(controls, state)))


PAGE: Page[State, Result] = Page(
    "positional_encoding",
    N_("Positional encoding"),
    N_("Attention by itself cannot tell the order of words. Here is what telling it does."),
    SETTINGS,
    read_controls=read_controls,
    view=view,
    tabs=TAB,
    programs=programs,
    tables=tables,
    panel_sources=PANEL_SOURCES,
    mistakes=(MISTAKE, POSITION_MISTAKES, right_and_broken),
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
