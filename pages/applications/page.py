"""Where attention is used: one small example each, that really runs, and what of it is trained."""

from attn_ui.base.page import Page
from attn_words import N_
from pages.applications.follows import FOLLOWS
from pages.applications.programs import programs
from pages.applications.sees import asks, sees
from pages.applications.settings import SETTINGS, TAB
from pages.applications.state import State
from pages.applications.tables import tables

PAGE: Page[State, State] = Page(
    "applications",
    N_("Where attention is used"),
    N_("What changes is who asks (:violet[**query**]) and who answers (:orange[**key**])."),
    SETTINGS,
    asks=asks,
    sees=sees,
    tabs=TAB,
    programs=programs,
    tables=tables,
    asks_aside=False,
    follows=FOLLOWS,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
