"""Four times the training length: where similarity repeats, and where it decays."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_core import sentence_vectors
from attn_figures import position_curves as pictures
from attn_figures.numbers import number, power_of_ten
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import BASE
from attn_words import _, paragraph
from pages.positional_encoding import words
from pages.positional_encoding.compute import MOST_NUMBERS, Result
from pages.positional_encoding.settings import TRAINED
from pages.positional_encoding.state import State

SCHEMES_DRAWN = ("sinusoidal", "rotary", "ALiBi")
TIMES = 4
# Each offset is drawn, so lengths of real models, as for rotary scaling, are too long.
SHORT = replace(TRAINED, values=tuple(value for value in TRAINED.values if value <= 64))

Curve = NDArray[np.float64]
_LEAST = 1e-300  # near the least positive float


def view(controls: Controls, result: Result) -> View[Result]:
    """Draw the similarity over offsets under three schemes, up to four times the trained length."""
    by_base = result.state.drives == "base"
    steps = controls.exact(BASE.fitting(_numbers_of(result), MOST_NUMBERS) if by_base else SHORT)
    slider = Slider(_("Base"), steps)
    if not by_base:
        slider = Slider(_("Trained length"), steps, words.position_counts(steps))
    figure = Figure(
        _draw(result.state.still(steps), steps), key="past", name="past the training length", slider=slider
    )
    return View(result, figure)


def _numbers_of(result: Result) -> int:
    return len(SCHEMES_DRAWN) * TIMES * result.state.trained


def curves_of(result: Result) -> dict[str, Curve]:
    """Return each scheme's similarity at every offset up to four times the training length."""
    curves, even = {}, Result(result.state.under("rotary"))  # at a width that rotary can take
    for name in SCHEMES_DRAWN:
        own = even.beside(name)
        vector = sentence_vectors(["word"], own.width, seed=own.state.seed)[0] if name == "rotary" else None
        curves[name] = own.bare().profile(TIMES * own.state.trained, own.width, vector=vector).numpy()
    return curves


def returns(curves: dict[str, Curve], trained: int) -> dict[str, int]:
    """Return, for each curve that rises past training, the offset at which it is highest from there on."""
    returns_at = {}
    for name, curve in curves.items():
        rises = curve[trained:] > curve[trained - 1 : -1]
        if rises.any():
            # From the first rise on: before it, the curve is still falling from offset 0.
            first = trained + int(rises.argmax())
            returns_at[name] = first + int(np.argmax(curve[first:]))
    return returns_at


@shared_scene
def _draw(state: State, steps: Steps) -> Scene:
    names = {name: words.scheme_name(name) for name in SCHEMES_DRAWN}

    def curves_at(value: float) -> tuple[dict[str, Curve], int, dict[str, int]]:
        here = (
            replace(state, scheme=replace(state.scheme, base=value))
            if state.drives == "base"
            else replace(state, trained=int(value))
        )
        curves = curves_of(Result(here))
        return curves, here.trained, returns(curves, here.trained)

    each, every = LazyMap(curves_at, steps.values), range(len(steps.values))
    return Scene(
        LazyMap(lambda step: pictures.far_offsets(*each[step], labels=names), every),
        captions=LazyMap(lambda step: _caption(*each[step]), every),
    )


def _caption(curves: dict[str, Curve], trained: int, back: dict[str, int]) -> str:
    """Say each curve's highest return past the training length, or its value at the end."""
    length = len(curves["ALiBi"])
    texts = []
    for name, curve in curves.items():
        place = back.get(name, length - 1)
        share = number(float(curve[place]), 2)
        if abs(curve[place]) < _LEAST:
            share = _("below {number}", number=power_of_ten(-300))
        texts.append(
            _(
                "{scheme} {share} at offset {offset}",
                scheme=words.scheme_name(name),
                share=share,
                offset=f"{place:,}",
            )
        )
    past = _(
        "Past the training length, where a curve comes back highest, or else at its end: {curves}. A learned "
        "table has no row past its last. Use past the trained length is called length extrapolation.",
        curves=all_of(texts),
    )
    return paragraph(words.length_sentence(trained, length), past)
