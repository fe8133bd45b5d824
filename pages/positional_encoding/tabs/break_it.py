"""A mistake beside what is right, the difference, and the check that it fails."""

import streamlit as st

from attn_core import POSITION_MISTAKES
from attn_figures import positional as pictures
from attn_figures.matrix import key_title, query_title
from attn_figures.positional import Trial
from attn_ui.screen import controls
from attn_ui.screen.live_figure import live_figure
from pages.positional_encoding import words
from pages.positional_encoding.compute import Now
from pages.positional_encoding.settings import MISTAKE


def show(now: Now) -> None:
    """Offer the mistakes and show what the chosen one does."""
    name = controls.segment(MISTAKE, "Mistake", label_visibility="collapsed")
    mistake = POSITION_MISTAKES[name]
    st.markdown(f"{mistake.what} {mistake.why}")
    compared = mistake.compare(now.x, now.state.scheme.base)
    right, broken = compared.right.numpy(), compared.broken.numpy()
    weights = mistake.maps == "weights"
    labels = now.state.labels if weights else [str(place) for place in range(len(right))]
    tried = Trial(
        expected=right,
        found=broken,
        titles=("right", "broken"),
        rows=labels,
        columns=labels,
        row_title=query_title() if weights else "Position",
        column_title=key_title() if weights else "Position",
        quantity="weight" if weights else "dot product",
        limits=(float(abs(right).max()), max(float(abs(broken - right).max()), 1e-9)),
        scale="weights" if weights else "scores",
    )
    live_figure(
        [pictures.beside.spec(tried)],
        key="mistaken",
        alt=f"The right map, the map of the mistake {name}, and their difference",
        name=f"mistake {name}",
    )
    st.markdown(words.mistake(mistake.check, mistake.measure, compared.measured, compared.holds))
