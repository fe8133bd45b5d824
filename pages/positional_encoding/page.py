"""Positional encoding: what order does to attention."""

from attn_ui.base.ask import Ask
from attn_ui.base.page import Page, Seen
from attn_words import N_
from pages.positional_encoding.asks import asks, at_sliders
from pages.positional_encoding.compute import Now
from pages.positional_encoding.follows import FOLLOWS
from pages.positional_encoding.programs import programs
from pages.positional_encoding.settings import SETTINGS, TAB
from pages.positional_encoding.state import State
from pages.positional_encoding.tables import tables
from pages.positional_encoding.views import VIEWS


def sees(ask: Ask, state: State) -> Seen[Now]:
    """Show the picture with the sliders where they stand."""
    return VIEWS[state.picture](ask, Now(at_sliders(ask, state)))


PAGE: Page[State, Now] = Page(
    "positional_encoding",
    N_("Positional encoding"),
    N_("Attention by itself cannot tell the order of words. Here is what telling it does."),
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
