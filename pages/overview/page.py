"""The landing page: what attention is for, seen in a trained head, and where to go from here."""

from attn_ui.base.page import Page
from attn_words import N_
from pages.overview.follows import FOLLOWS
from pages.overview.sees import asks, sees
from pages.overview.sentences import Sentence
from pages.overview.settings import SETTINGS

PAGE: Page[None, Sentence] = Page(
    "overview",
    N_("Which words does a word draw on?"),
    N_("A word takes meaning from others: **attention** weighs how much."),
    SETTINGS,
    asks=asks,
    sees=sees,
    asks_aside=False,
    follows=FOLLOWS,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
