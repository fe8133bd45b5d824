"""Four times the training length: where similarity repeats, and where it decays."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_core import sentence_vectors
from attn_figures import position_curves as pictures
from attn_live.packing import pack
from attn_live.says import pack_says
from attn_ui.live_figure import live_figure
from attn_ui.page import Slider
from attn_ui.parameters import Steps
from attn_ui.shared_cache import shared
from attn_ui.shared_settings import BASE
from attn_ui.state import exact
from pages.positional_encoding import words
from pages.positional_encoding.numbers import Numbers
from pages.positional_encoding.settings import TRAINED, Inputs

SCHEMES_DRAWN = ("sinusoidal", "rotary", "ALiBi")
TIMES = 4

Curve = NDArray[np.float64]


def show(numbers: Numbers) -> None:
    """Draw how three schemes see offsets past the length that they were trained on."""
    by_base = numbers.inputs.drives == "base"
    steps = exact(BASE if by_base else TRAINED)
    figures, says = _packed(numbers.inputs.still(steps), steps)
    live_figure(
        figures,
        key="past",
        alt="How sinusoidal, rotary and ALiBi see offsets up to four times the training length",
        name="past the training length",
        slider=Slider("Base", steps) if by_base else Slider("Training length", steps, "positions"),
        says=says,
    )


def curves_of(numbers: Numbers) -> dict[str, Curve]:
    """Return what each scheme makes of every offset up to four times the training length."""
    curves = {}
    for name in SCHEMES_DRAWN:
        own = numbers.under(name)
        vector = sentence_vectors(["word"], own.width, seed=own.inputs.seed)[0] if name == "rotary" else None
        curves[name] = own.bare().profile(TIMES * own.inputs.trained, own.width, vector=vector).numpy()
    return curves


def returns(curves: dict[str, Curve], trained: int) -> dict[str, int]:
    """Return where each curve, past the training length, comes back highest after having fallen."""
    found = {}
    for name, curve in curves.items():
        rises = curve[trained:] > curve[trained - 1 : -1]
        if rises.any():
            # From the first rise on: before it, the curve is still falling from offset 0.
            first = trained + int(rises.argmax())
            found[name] = first + int(np.argmax(curve[first:]))
    return found


@shared
def _packed(inputs: Inputs, steps: Steps) -> tuple[bytes, bytes]:
    figures, says = [], []
    for value in steps.values:
        here = (
            replace(inputs, scheme=replace(inputs.scheme, base=value))
            if inputs.drives == "base"
            else replace(inputs, trained=int(value))
        )
        curves = curves_of(Numbers(here))
        back = returns(curves, here.trained)
        figures.append(pictures.far.spec(curves, here.trained, back))
        says.append(words.far(curves, back, here.trained))
    return pack(figures), pack_says(says)
