"""The overview: a sentence in a trained head, the five maps, and links to pages and lessons."""

from attn_ui.base.page import Page
from attn_words import N_
from pages.overview.panel_sources import PANEL_SOURCES
from pages.overview.sentences import Sentence
from pages.overview.settings import SETTINGS
from pages.overview.view import read_controls, view

PAGE: Page[None, Sentence] = Page(
    "overview",
    N_("Which words shape a word's meaning?"),
    N_("For each word, **attention** divides 1 among all the words: its weights."),
    SETTINGS,
    read_controls=read_controls,
    view=view,
    has_sidebar=False,
    panel_sources=PANEL_SOURCES,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
