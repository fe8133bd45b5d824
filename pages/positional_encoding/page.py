"""Positional encoding: what order does to attention."""

from collections.abc import Callable, Mapping

from attn_core import SCHEMES
from attn_ui.following import follow
from attn_ui.frame import open_page, tabs
from pages.positional_encoding.numbers import Numbers
from pages.positional_encoding.settings import SETTINGS, TAB, ask, at_sliders
from pages.positional_encoding.tabs import arithmetic, break_it, checks, code, data, maths
from pages.positional_encoding.views import (
    added,
    attention,
    bias,
    compare,
    encoding,
    past,
    shift,
    shuffle,
    similarity,
    turning,
)

# What a scheme adds decides how it is drawn by itself.
ENCODINGS: Mapping[str, Callable[[Numbers], None]] = {
    "nothing": encoding.show,
    "vector": encoding.show,
    "rotation": turning.show,
    "bias": bias.show,
}
PICTURES: Mapping[str, Callable[[Numbers], None]] = {
    "attention": attention.show,
    "shuffle test": shuffle.show,
    "shift test": shift.show,
    "E + P": added.show,
    "encoding": lambda numbers: ENCODINGS[SCHEMES[numbers.inputs.scheme.name].adds](numbers),
    "similarity": similarity.show,
    "compare": compare.show,
    "past training": past.show,
}

open_page(
    "positional-encoding",
    SETTINGS,
    "Positional encoding",
    "Attention by itself cannot tell the order of words. Here is what telling it does.",
)
inputs = ask()


def show() -> None:
    """Draw the picture and lay the tabs under it."""
    numbers = Numbers(at_sliders(inputs))
    PICTURES[numbers.inputs.picture](numbers)
    tabs(
        TAB,
        {
            "Arithmetic": lambda: arithmetic.show(numbers),
            "Maths": lambda: maths.show(numbers),
            "Break it": lambda: break_it.show(numbers),
            "Checks": lambda: checks.show(numbers),
            "Data": lambda: data.show(numbers),
            "Code": lambda: code.show(numbers),
        },
    )


follow(show, SETTINGS)
