"""Multi-head attention: several maps of the same words, joined into one output."""

from attn_ui.base.page import Page
from attn_words import N_
from pages.multi_head.asks import Asked, asks, reads
from pages.multi_head.compute import Now
from pages.multi_head.follows import FOLLOWS
from pages.multi_head.programs import programs
from pages.multi_head.sees import sees
from pages.multi_head.settings import SETTINGS, TAB
from pages.multi_head.tables import tables

PAGE: Page[Asked, Now] = Page(
    "multi_head",
    N_("Multi-head attention"),
    N_("Several heads look at the same words, each in its own way; their outputs are joined into one."),
    SETTINGS,
    asks=asks,
    sees=sees,
    tabs=TAB,
    programs=programs,
    tables=tables,
    reads=reads,
    follows=FOLLOWS,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
