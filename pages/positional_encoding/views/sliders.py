"""Pictures of positions alone, with the slider that moves them: a setting of the scheme, or the length."""

from dataclasses import dataclass, replace

import torch

from attn_core import Scheme
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import SharedScene
from attn_ui.base.shared_settings import BASE, RAMP_STEP
from attn_words import _
from pages.positional_encoding import words
from pages.positional_encoding.compute import MOST_NUMBERS, Result
from pages.positional_encoding.settings import LENGTH, LONGEST, PLACE


@dataclass(frozen=True)
class Driver:
    """The slider that moves a picture, and the number of positions visible at each of its steps."""

    slider: Slider
    lengths: tuple[int, ...]

    @property
    def steps(self) -> Steps:
        """The slider's setting."""
        return self.slider.steps

    @property
    def longest(self) -> int:
        """The largest number of positions at any step of the slider."""
        return LONGEST if self.steps.name == LENGTH.name else self.lengths[0]


def read_driver(controls: Controls, result: Result, *, has_step: bool) -> Driver:
    """Return the slider of the picture, with the number of positions at each step.

    Args:
        result: the page's result.
        has_step: whether the slider may be the step of a ramp.
    """
    state, takes = result.state, type(result.scheme()).settings()
    n = state.length
    room = n * (max(n, result.width) + 8)
    if "step" in takes and has_step:
        slider = Slider(_("Step of the ramp"), controls.exact(RAMP_STEP.fitting(room, MOST_NUMBERS)))
    elif "base" in takes and state.drives == "base":
        slider = Slider(_("Base"), controls.exact(BASE.fitting(room, MOST_NUMBERS)))
    else:
        length = controls.exact(LENGTH)
        lengths = tuple(int(value) for value in length.values)
        return Driver(Slider(_("Length"), length, words.position_counts(length)), lengths)
    return Driver(slider, (n,) * len(slider.steps.values))


def moved_figure(result: Result, driver: Driver, scene: SharedScene, *, key: str) -> Figure:
    """Return a figure of positions, with the driver's slider and a second one over positions."""
    places = replace(PLACE, values=PLACE.values[: driver.longest])
    return Figure(
        scene,
        key=key,
        name=f"{key} {result.scheme_name}",
        slider=driver.slider,
        rows=Slider(_("Position"), places),
    )


def scheme_over(result: Result, steps: Steps) -> Scheme:
    """Return the scheme, with all the slider's values in a tensor if it moves a setting of the scheme."""
    own = {BASE.name: "base", RAMP_STEP.name: "step"}.get(steps.name)
    return result.bare(**{own: torch.tensor(steps.values, dtype=torch.float64)} if own else {})
