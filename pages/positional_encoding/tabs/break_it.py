"""A mistake beside what is right, the difference, and the check that it fails."""

import streamlit as st

from attn_core import POSITION_MISTAKES
from attn_figures import positional as pictures
from attn_figures.frame import key_title, query_title
from attn_figures.positional import Trial
from attn_ui.base.parameters import shown
from attn_ui.screen import controls
from attn_ui.screen.live_figure import live_figure
from attn_words import _, _c, paragraph
from pages.positional_encoding import words
from pages.positional_encoding.compute import Now
from pages.positional_encoding.settings import MISTAKE


def show(now: Now) -> None:
    """Offer the mistakes and show what the chosen one does."""
    name = controls.segment(MISTAKE, _("Mistake"), label_visibility="collapsed")
    mistake = POSITION_MISTAKES[name]
    st.markdown(paragraph(_(mistake.what), _(mistake.why)))
    compared = mistake.compare(now.x, now.state.scheme.base)
    right, broken = compared.right.numpy(), compared.broken.numpy()
    weights = mistake.maps == "weights"
    labels = now.state.labels if weights else [str(place) for place in range(len(right))]
    tried = Trial(
        expected=right,
        found=broken,
        titles=(_c("mistake", "right"), _c("mistake", "broken")),
        rows=labels,
        columns=labels,
        row_title=query_title() if weights else _("Position"),
        column_title=key_title() if weights else _("Position"),
        quantity=_("weight") if weights else _("dot product"),
        limits=(float(abs(right).max()), max(float(abs(broken - right).max()), 1e-9)),
        scale="weights" if weights else "scores",
    )
    live_figure(
        [pictures.beside.spec(tried)],
        key="mistaken",
        alt=_(
            "The right map, the map of the mistake {name}, and their difference", name=shown(MISTAKE, name)
        ),
        name=f"mistake {name}",
    )
    st.markdown(words.mistake(_(mistake.check), _(mistake.measure), compared.measured, compared.holds))
