"""What a link to this page can set, and an entry for each term in the search field."""

from attn_ui.base.parameters import Choice, Parameter, Steps
from attn_ui.base.search_entries import Entry
from pages.glossary.parts import PARTS
from pages.glossary.terms import TERMS

EVERY = "all"
GROUP = Choice("group", EVERY, (EVERY, *TERMS), views=True, kind="group of terms")
PART = Steps("part", 1, tuple(range(1, len(PARTS) + 1)), ".0f")
SETTINGS: tuple[Parameter, ...] = (GROUP, PART)
FOUND = tuple(
    Entry((term.name, *term.also), "term", term.target or term.place)
    for group in TERMS.values()
    for term in group
)
