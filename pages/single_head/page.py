"""Single-head attention: every stage, every number, and mistakes to try."""

from attn_core import ATTENTION_MISTAKES
from attn_figures.mistakes import right_and_broken
from attn_ui.base.page import Page
from attn_words import N_
from pages.single_head.compute import Result
from pages.single_head.controls import read_controls
from pages.single_head.panel_sources import PANEL_SOURCES
from pages.single_head.programs import programs
from pages.single_head.settings import MISTAKE, SETTINGS, TAB
from pages.single_head.state import State
from pages.single_head.tables import tables
from pages.single_head.view import view

PAGE: Page[State, Result] = Page(
    "single_head",
    N_("Single-head attention"),
    N_("Each :violet[**query**] scores every :orange[**key**]; the weights mix the :green[**values**]."),
    SETTINGS,
    read_controls=read_controls,
    view=view,
    tabs=TAB,
    programs=programs,
    tables=tables,
    panel_sources=PANEL_SOURCES,
    mistakes=(MISTAKE, ATTENTION_MISTAKES, right_and_broken),
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
