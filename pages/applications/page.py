"""Where attention is used: a small computed example of each use, and which of its parts are trained."""

from attn_ui.base.page import Page
from attn_words import N_
from pages.applications.panel_sources import PANEL_SOURCES
from pages.applications.photo import PhotoRows
from pages.applications.programs import programs
from pages.applications.settings import SETTINGS, TAB
from pages.applications.state import State
from pages.applications.tables import tables
from pages.applications.view import read_controls, view

PAGE: Page[State, State | PhotoRows] = Page(
    "applications",
    N_("Where attention is used"),
    N_("What changes is who asks (:violet[**query**]) and who answers (:orange[**key**])."),
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
