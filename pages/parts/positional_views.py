"""The page's main pictures: each reads the sliders, computes all steps at once and draws them."""

import streamlit as st

from attn_figures import positional as pictures
from attn_ui import positions
from attn_ui.frame import what_you_see
from attn_ui.live_figure import Cell, Slider, live_figure, pack
from attn_ui.parameters import KEY, QUERY, STRENGTH
from attn_ui.words import positional as words
from pages.parts.positional_setup import Settings, Setup, View, attention_steps, settings


def show_attention(setup: Setup) -> None:
    """Attention without and with positions, and what changes."""
    at = settings()
    strength = Slider("Strength of positions", STRENGTH)
    live_figure(
        attention_figures(setup, at),
        key="attention",
        alt="Attention weights without positions, with positions, and their difference",
        name=f"attention {setup.scheme}",
        slider=strength,
        on_cell=choose_cell,
    )
    before, after = (w.numpy() for w in attention_steps(setup, at, ("none", setup.scheme)))
    step = positions.position(STRENGTH)
    what_you_see(
        words.attention(setup.labels, before[step], after[step], setup.scheme, STRENGTH.values[step])
    )


@st.cache_data(max_entries=64, show_spinner=False)
def attention_figures(setup: Setup, at: Settings) -> bytes:
    """Draw every strength."""
    before, after = (w.numpy() for w in attention_steps(setup, at, ("none", setup.scheme)))
    limit = max(float(abs(after - before).max()), 1e-3)
    names = ("without positions", f"with positions: {setup.scheme}")
    return pack(
        [
            pictures.before_and_after.spec(setup.labels, b, a, names=names, limit=limit)
            for b, a in zip(before, after, strict=True)
        ]
    )


def choose_cell(cell: Cell) -> None:
    """Take the cell that was clicked for the arithmetic."""
    positions.move(QUERY, cell.row)
    positions.move(KEY, cell.column)


VIEWS: dict[str, View] = {"attention": show_attention}
