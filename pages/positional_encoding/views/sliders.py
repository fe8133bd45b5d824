"""A picture of positions alone, and which slider moves it: a setting of the scheme, or the length."""

from dataclasses import dataclass, replace

import torch

from attn_core import Scheme
from attn_live.packing import Cursor
from attn_ui.live_figure import live_figure
from attn_ui.page import Rows, Slider
from attn_ui.parameters import Steps
from attn_ui.shared_settings import BASE, RAMP_STEP
from attn_ui.state import exact
from pages.positional_encoding.numbers import MOST_NUMBERS, Numbers
from pages.positional_encoding.settings import LENGTH, LONGEST, PLACE


@dataclass(frozen=True)
class Driver:
    """The slider that moves a picture, and the positions that are in sight at each of its steps."""

    slider: Slider
    lengths: tuple[int, ...]

    @property
    def steps(self) -> Steps:
        """The slider's setting."""
        return self.slider.steps

    @property
    def longest(self) -> int:
        """The positions that must be computed, at any step."""
        return LONGEST if self.steps.name == LENGTH.name else self.lengths[0]


def driver(numbers: Numbers, *, has_step: bool) -> Driver:
    """Return what moves the picture.

    Args:
        numbers: what the page shows.
        has_step: whether the step of a ramp can move it.
    """
    inputs, takes = numbers.inputs, type(numbers.scheme()).settings()
    n = inputs.length
    room = n * (max(n, numbers.width) + 8)
    if "step" in takes and has_step:
        slider = Slider("Step of the ramp", exact(RAMP_STEP.fitting(room, MOST_NUMBERS)))
    elif "base" in takes and inputs.drives == "base":
        slider = Slider("Base", exact(BASE.fitting(room, MOST_NUMBERS)))
    else:
        length = exact(LENGTH)
        return Driver(Slider("Length", length, "positions"), tuple(int(value) for value in length.values))
    return Driver(slider, (n,) * len(slider.steps.values))


def show_moved(numbers: Numbers, moved: Driver, packed: tuple[bytes, bytes], *, key: str, alt: str) -> None:
    """Show a picture of positions: a slider moves it, and a cursor goes from position to position."""
    figures, says = packed
    names = [f"position {place}" for place in range(moved.longest)]
    live_figure(
        figures,
        key=key,
        alt=alt,
        name=f"{key} {numbers.scheme_name}",
        slider=moved.slider,
        rows=Rows("Position", replace(PLACE, values=PLACE.values[: len(names)]), Cursor(len(names)), names),
        says=says,
    )


def swept(numbers: Numbers, steps: Steps) -> Scheme:
    """Return the scheme with all values of the slider at once, where the slider is a setting of its own."""
    own = {BASE.name: "base", RAMP_STEP.name: "step"}.get(steps.name)
    return numbers.bare(**{own: torch.tensor(steps.values, dtype=torch.float64)} if own else {})
