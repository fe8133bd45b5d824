"""The landing page: the whole story in one screen, on one slider, and where to go from here."""

from attn_ui.base.page import Page
from attn_words import N_
from pages.overview.follows import FOLLOWS
from pages.overview.sees import asks, sees
from pages.overview.settings import SETTINGS

PAGE: Page[None, float] = Page(
    "overview",
    N_("See attention"),
    N_(
        "Attention is a weighted average: each row is one **query**, its weights over the **keys** sum to "
        "one."
    ),
    SETTINGS,
    asks=asks,
    sees=sees,
    asks_aside=False,
    follows=FOLLOWS,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
