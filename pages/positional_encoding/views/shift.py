"""All positions shifted: the similarity by positions alone, and the weights between words."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attn_core import attention_shift_difference, shift_difference
from attn_figures import positional as pictures
from attn_figures.frame import key_title, query_title
from attn_figures.picture import Spec
from attn_figures.positional import Trial
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_words import _
from pages.positional_encoding import words
from pages.positional_encoding.compute import MOST_NUMBERS, Result
from pages.positional_encoding.settings import SHIFT, WHOLE
from pages.positional_encoding.state import State

SHIFTED = 16  # positions in the test of positions alone


def view(controls: Controls, result: Result) -> View[Result]:
    """Draw a map, the map with all positions shifted, their difference, and each scheme's largest change."""
    shifts = _shift_slider(controls, result)
    figure = Figure(
        _draw(result.state.still(SHIFT), shifts),
        key="shift",
        name=f"shift {result.scheme_name}",
        slider=Slider(_("Shift of all positions"), shifts),
    )
    return View(result, figure)


@dataclass(frozen=True, eq=False)
class Level:
    """One level of the test: the map before shifting (n, n), and its change at each shift (steps, n, n).

    ``errors`` holds each scheme's largest change at each shift, ``scales`` its largest number before.
    """

    before: NDArray[np.float64]
    changes: NDArray[np.float64]
    errors: dict[str, list[float]]
    scales: dict[str, float]


def position_level(result: Result, shifts: Tensor) -> Level:
    """Return the level of positions alone: their similarity."""

    def change(own: Result) -> Tensor:
        return shift_difference(own.bare(), SHIFTED, own.width, shifts)

    def before(own: Result) -> Tensor:
        return own.bare().similarity(SHIFTED, own.width, start=own.scheme().first)

    scales = {name: float(before(own).abs().max()) for name, own in _parting(result).items()}
    return Level(before(result).numpy(), change(result).numpy(), _largest(result, change), scales)


def attention_level(result: Result, shifts: Tensor) -> Level:
    """Return the level of whole attention: the weights between the words."""

    def change(own: Result) -> Tensor:
        return attention_shift_difference(own.scheme(), own.x, shifts)

    weights = result.attended.weights.numpy()
    return Level(
        weights, change(result).numpy(), _largest(result, change), dict.fromkeys(_parting(result), 1.0)
    )


def _parting(result: Result) -> dict[str, Result]:
    """Return the results of all tested schemes: all but "none"."""
    return {name: own for name, own in result.each_scheme().items() if name != "none"}


def _largest(result: Result, change: Callable[[Result], Tensor]) -> dict[str, list[float]]:
    return {name: change(own).abs().amax(dim=(-2, -1)).tolist() for name, own in _parting(result).items()}


def _shift_slider(controls: Controls, result: Result) -> Steps:
    n = len(result.state.tokens) if result.state.level == WHOLE else SHIFTED
    return controls.exact(SHIFT.fitting(2 * n**2, MOST_NUMBERS))


@shared_scene
def _draw(state: State, steps: Steps) -> Scene:
    result, of_words = Result(state), state.level == WHOLE
    level = (attention_level if of_words else position_level)(
        result, torch.tensor([int(value) for value in steps.values])
    )
    # One position's vector may be far longer than all others: it must not set the colours.
    typical = float(np.quantile(abs(level.before), 0.98)) or 1.0
    change = float(abs(level.changes).max())
    first = result.scheme().first
    places = [str(place) for place in range(first, first + SHIFTED)]
    names = {name: words.scheme_name(name) for name in level.errors}
    rows = state.labels if of_words else places
    limits = (1.0, change if change > words.ROUNDING else 1.0) if of_words else (typical, typical)
    every = range(len(steps.values))
    errors_at = LazyMap(lambda step: {name: each[step] for name, each in level.errors.items()}, every)

    def picture(step: int) -> Spec:
        trial = Trial(
            expected=level.before,
            actual=level.before + level.changes[step],
            titles=(
                _("weights")
                if of_words
                else _("positions {first} to {last}", first=places[0], last=places[-1]),
                _("all positions shifted"),
            ),
            rows=rows,
            columns=rows,
            row_title=query_title() if of_words else _("Query, before it is shifted"),
            column_title=key_title() if of_words else _("Key, before it is shifted"),
            quantity=_("weight") if of_words else _("score of positions"),
            limits=limits,
            scale="weights" if of_words else "scores",
        )
        # The ramp's error grows without bound, so each step has an axis of its own.
        errors = errors_at[step]
        return pictures.trial(trial, errors, result.scheme_name, max(errors.values()) or 1.0, labels=names)

    def caption(step: int) -> str:
        return _(
            "All positions move on by {count}. The largest change, but for rounding: {changes}. Where it is "
            "0 at every shift, only the offset counts.",
            count=int(steps.values[step]),
            changes=words.changes(errors_at[step], level.scales),
        )

    return Scene(LazyMap(picture, every), captions=LazyMap(caption, every))
