"""The glossary: the parts of a head by their names, and every term with the place that shows it."""

from attn_ui.base.page import Page
from attn_words import N_
from pages.glossary.settings import SETTINGS
from pages.glossary.view import read_controls, view

PAGE: Page[None, str] = Page(
    "glossary",
    N_("Glossary"),
    N_("What the parts of attention are called, in words, in papers and in code, and where to see each."),
    SETTINGS,
    read_controls=read_controls,
    view=view,
    has_sidebar=False,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
