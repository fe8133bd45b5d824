"""What courses say: one claim, the curves that decide it, and the cases in which it holds."""

from attn_ui.base.page import Page
from attn_words import N_
from pages.what_courses_say.compute import State
from pages.what_courses_say.panel_sources import PANEL_SOURCES
from pages.what_courses_say.programs import programs
from pages.what_courses_say.settings import SETTINGS, TAB
from pages.what_courses_say.tables import tables
from pages.what_courses_say.view import read_controls, view

PAGE: Page[str, State] = Page(
    "what_courses_say",
    N_("Common claims"),
    N_("What courses say of attention, measured: does it hold, and where?"),
    SETTINGS,
    read_controls=read_controls,
    view=view,
    tabs=TAB,
    programs=programs,
    tables=tables,
    has_sidebar=False,
    panel_sources=PANEL_SOURCES,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
