"""Multi-head attention: several maps of the same words, joined into one output."""

from attn_core import MULTI_HEAD_MISTAKES
from attn_figures.mistakes import right_and_broken
from attn_ui.base.page import Page
from attn_words import N_
from pages.multi_head.compute import Result
from pages.multi_head.controls import State, read_address, read_controls
from pages.multi_head.panel_sources import PANEL_SOURCES
from pages.multi_head.programs import programs
from pages.multi_head.settings import MISTAKE, SETTINGS, TAB
from pages.multi_head.tables import tables
from pages.multi_head.view import view

PAGE: Page[State, Result] = Page(
    "multi_head",
    N_("Multi-head attention"),
    N_("Several heads look at the same words, each in its own way; their outputs are joined into one."),
    SETTINGS,
    read_controls=read_controls,
    view=view,
    tabs=TAB,
    programs=programs,
    tables=tables,
    read_address=read_address,
    panel_sources=PANEL_SOURCES,
    mistakes=(MISTAKE, MULTI_HEAD_MISTAKES, right_and_broken),
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
