"""Attention without and with positions, and what changes."""

from attn_figures import positional as pictures
from attn_live.packing import pack
from attn_live.says import pack_says
from attn_ui.live_figure import live_figure
from attn_ui.page import Slider
from attn_ui.parameters import Steps
from attn_ui.shared_cache import shared
from attn_ui.shared_settings import KEY, QUERY, STRENGTH
from attn_ui.state import exact
from pages.positional_encoding import words
from pages.positional_encoding.numbers import MOST_NUMBERS, Numbers, values
from pages.positional_encoding.settings import Inputs


def show(numbers: Numbers) -> None:
    """Draw the weights without positions, with them, and the difference."""
    strengths = _strengths(numbers)
    figures, says = _packed(numbers.inputs.still(STRENGTH), strengths)
    live_figure(
        figures,
        key="attention",
        alt="Attention weights without positions, with positions, and their difference",
        name=f"attention {numbers.scheme_name}",
        slider=Slider("Strength of positions", strengths),
        chosen={"query": QUERY, "key": KEY},
        says=says,
    )


def _strengths(numbers: Numbers) -> Steps:
    return exact(STRENGTH.fitting(2 * len(numbers.inputs.tokens) ** 2, MOST_NUMBERS))


@shared
def _packed(inputs: Inputs, steps: Steps) -> tuple[bytes, bytes]:
    numbers = Numbers(inputs)
    before, after = (each.weights(values(steps)).numpy() for each in (numbers.beside("none"), numbers))
    limit = max(float(abs(after - before).max()), 1e-3)
    names = ("without positions", f"with positions: {numbers.scheme_name}")
    labels = inputs.labels
    maps = list(zip(before, after, strict=True))
    figures = [
        pictures.before_and_after.spec(labels, one, other, names=names, limit=limit) for one, other in maps
    ]
    says = [
        words.attention(inputs.tokens, one, other, numbers.scheme_name, strength)
        for (one, other), strength in zip(maps, steps.values, strict=True)
    ]
    return pack(figures), pack_says(says)
