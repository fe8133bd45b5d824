"""All positions moved on, on two levels: what they alone say of each pair, and the attention of words."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attn_core import attention_shift_difference, shift_difference
from attn_figures import positional as pictures
from attn_figures.frame import key_title, query_title
from attn_figures.positional import Trial
from attn_figures.scene import Scene
from attn_ui.base.ask import Ask
from attn_ui.base.page import Figure, Seen, Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_words import _
from pages.positional_encoding import words
from pages.positional_encoding.compute import MOST_NUMBERS, Now
from pages.positional_encoding.settings import SHIFT, WHOLE
from pages.positional_encoding.state import State

SHIFTED = 16  # positions, where they stand alone


def see(ask: Ask, now: Now) -> Seen[Now]:
    """Draw a map, the same with all positions shifted, the difference, and that of each scheme."""
    shifts = _shifts(ask, now)
    figure = Figure(
        _packed(now.state.still(SHIFT), shifts),
        key="shift",
        alt=_("What each query sees of each key, the same with all positions shifted, and the difference"),
        name=f"shift {now.scheme_name}",
        slider=Slider(_("Shift of all positions"), shifts),
    )
    return Seen(now, figure)


@dataclass(frozen=True, eq=False)
class Level:
    """One level of the test: a map before (n, n), its change at each shift (steps, n, n), and how it is told.

    ``errors`` are every scheme's largest change at each shift, ``scales`` its largest number before.
    """

    before: NDArray[np.float64]
    changes: NDArray[np.float64]
    errors: dict[str, list[float]]
    scales: dict[str, float]


def alone(now: Now, shifts: Tensor) -> Level:
    """Return what positions alone say, from the scheme's first on."""

    def change(own: Now) -> Tensor:
        return shift_difference(own.bare(), SHIFTED, own.width, shifts)

    def before(own: Now) -> Tensor:
        return own.bare().similarity(SHIFTED, own.width, start=own.scheme().first)

    scales = {name: float(before(own).abs().max()) for name, own in _parting(now).items()}
    return Level(before(now).numpy(), change(now).numpy(), _largest(now, change), scales)


def whole(now: Now, shifts: Tensor) -> Level:
    """Return the weights between the words."""

    def change(own: Now) -> Tensor:
        return attention_shift_difference(own.scheme(), own.x, shifts)

    weights = now.attended.weights.numpy()
    return Level(weights, change(now).numpy(), _largest(now, change), dict.fromkeys(_parting(now), 1.0))


def _parting(now: Now) -> dict[str, Now]:
    """Return the schemes between which the test parts: all but none at all."""
    return {name: own for name, own in now.each_scheme().items() if name != "none"}


def _largest(now: Now, change: Callable[[Now], Tensor]) -> dict[str, list[float]]:
    return {name: change(own).abs().amax(dim=(-2, -1)).tolist() for name, own in _parting(now).items()}


def _shifts(ask: Ask, now: Now) -> Steps:
    n = len(now.state.tokens) if now.state.level == WHOLE else SHIFTED
    return ask.exact(SHIFT.fitting(2 * n**2, MOST_NUMBERS))


@shared_scene
def _packed(state: State, steps: Steps) -> Scene:
    now, of_words = Now(state), state.level == WHOLE
    level = (whole if of_words else alone)(now, torch.tensor([int(value) for value in steps.values]))
    # A position may be far longer than all others: it must not bleach the rest.
    typical = float(np.quantile(abs(level.before), 0.98)) or 1.0
    change = float(abs(level.changes).max())
    first = now.scheme().first
    places = [str(place) for place in range(first, first + SHIFTED)]
    said = {name: words.named(name) for name in level.errors}
    figures, says = [], []
    for step, shift in enumerate(steps.values):
        at = {name: each[step] for name, each in level.errors.items()}
        tried = Trial(
            expected=level.before,
            found=level.before + level.changes[step],
            titles=(
                _("weights")
                if of_words
                else _("positions {first} to {last}", first=places[0], last=places[-1]),
                _("all positions shifted"),
            ),
            rows=state.labels if of_words else places,
            columns=state.labels if of_words else places,
            row_title=query_title() if of_words else _("Query, before it is shifted"),
            column_title=key_title() if of_words else _("Key, before it is shifted"),
            quantity=_("weight") if of_words else _("score of positions"),
            limits=(1.0, change if change > words.ROUNDING else 1.0) if of_words else (typical, typical),
            scale="weights" if of_words else "scores",
        )
        # The ramp's error grows without bound, so each step has an axis of its own.
        figures.append(pictures.trial.spec(tried, at, now.scheme_name, max(at.values()) or 1.0, said=said))
        moved = _(
            "All positions move on by {count}. The largest change, but for rounding: {changes}. Where it is "
            "0 at every shift, only the offset counts.",
            count=int(shift),
            changes=words.changes(at, level.scales),
        )
        says.append(moved)
    return Scene(figures, captions=says)
