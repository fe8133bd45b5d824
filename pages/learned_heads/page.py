"""Heads that have learned: what attention becomes once something is asked of it."""

from attn_ui import controls
from attn_ui.frame import open_page
from pages.learned_heads.settings import FROM_FILE, REAL, SETTINGS, SOURCE, TOY
from pages.learned_heads.views import model, own, toy

open_page(
    "learned-heads",
    SETTINGS,
    "Learned heads",
    "Nobody told these heads where to look: they found out in training.",
)

HEADS_HELP = (
    "A toy shows previous-token and induction heads as they are learned. A real model shows heads that "
    "look at words, and attention sinks: tokens that draw weight whatever the words are."
)
VIEWS = {TOY: toy.show, REAL: model.show, FROM_FILE: own.show}

VIEWS[controls.segment(SOURCE, "Heads of", label_visibility="collapsed", help=HEADS_HELP)]()
