"""What courses say: one claim, what decides it, and where it holds."""

from attn_ui.base.page import Page
from attn_words import N_
from pages.what_courses_say.compute import State
from pages.what_courses_say.follows import FOLLOWS
from pages.what_courses_say.programs import programs
from pages.what_courses_say.sees import asks, sees
from pages.what_courses_say.settings import SETTINGS, TAB
from pages.what_courses_say.tables import tables

PAGE: Page[State, State] = Page(
    "what_courses_say",
    N_("Common claims"),
    N_("What courses say of attention, measured here: does it hold, and where?"),
    SETTINGS,
    asks=asks,
    sees=sees,
    tabs=TAB,
    programs=programs,
    tables=tables,
    follows=FOLLOWS,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
