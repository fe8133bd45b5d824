"""Single-head attention: every step, every number, and what breaks it."""

from attn_ui.base.page import Page
from attn_ui.base.shared_settings import KEY
from attn_words import N_
from pages.single_head.asks import asks, enters
from pages.single_head.compute import Now
from pages.single_head.follows import FOLLOWS
from pages.single_head.programs import programs
from pages.single_head.sees import sees
from pages.single_head.settings import SETTINGS, TAB
from pages.single_head.state import State
from pages.single_head.tables import tables

PAGE: Page[State, Now] = Page(
    "single_head",
    N_("Single-head attention"),
    N_("Each :violet[**query**] scores every :orange[**key**]; the weights mix the :green[**values**]."),
    SETTINGS,
    asks=asks,
    sees=sees,
    tabs=TAB,
    programs=programs,
    tables=tables,
    enters=enters,
    told_alone=KEY.name,
    follows=FOLLOWS,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
