"""The data points, toy or a visitor's own, with their units and the text of their numbers."""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from attn_core import function_sample, read_function, regression_sample
from attn_core.typed_function import LARGEST
from attn_figures.dates import DAY, date, duration
from attn_figures.numbers import number
from attn_ui.base.parameters import EXACT, label_of
from attn_words import _, cached
from pages.kernel_regression.settings import OWN_POINTS, POINTS_DATA, TYPED

Numbers = NDArray[np.float64]
Place = TypeVar("Place", float, Numbers)
TOY_WIDTH = 5.0  # toy data lie in [0, 5], in the sliders' unit
A_MOMENT = 60.0  # seconds: dates that span less would have equal names
CROWDED = 1e8  # keys at this many times their span from zero are counted from the first key


@dataclass(frozen=True)
class Points:
    """Keys (ascending) and values, both (n_key,), and the sliders' unit.

    Attributes:
        name: of the data set.
        keys, values: the points.
        truth: the true curve, if it is known.
        low, unit: the key at the sliders' 0, and the distance between keys at the sliders' 0 and 1.
        x_title, y_title: the names of the two columns of a visitor's table.
        dated: whether the keys are dates, in days since 1970-01-01.
        function: the typed function that the points are drawn from.
    """

    name: str
    keys: Numbers
    values: Numbers
    truth: Callable[[Numbers], Numbers] | None = None
    low: float = 0.0
    unit: float = 1.0
    x_title: str = "x"
    y_title: str = "y"
    dated: bool = False
    function: str = ""

    @property
    def title(self) -> str:
        """The name of the data set on screen."""
        if self.name == TYPED:
            return _("y = {function}", function=self.function)
        return label_of(POINTS_DATA, self.name)

    def place(self, slider: Place) -> Place:
        """Turn a position on the query slider into a place among the keys."""
        return self.low + self.unit * slider

    @cached_property
    def digits(self) -> int:
        """Significant digits that tell one place from the next: years need more than numbers near zero."""
        farthest = max(abs(self.low), abs(self.low + TOY_WIDTH * self.unit))
        before_the_point = math.floor(math.log10(farthest)) + 1
        apart = math.ceil(math.log10(farthest / (0.01 * self.unit)))
        return min(15, max(3, apart, before_the_point if before_the_point < 8 else 0))

    @cached_property
    def value_digits(self) -> int:
        """Significant digits that tell values apart by a thousandth of their range."""
        size = float(np.abs(self.values).max())
        span = float(np.ptp(self.values)) or size
        return min(15, max(4, math.ceil(math.log10(size / span) + 3))) if size else 4

    def name_place(self, x: float, least_digits: int = 0) -> str:
        """Write a place among the keys, without separators of thousands: it names a point."""
        if self.dated:
            return date(x, self.unit / 10)
        return f"{x:.{max(self.digits, least_digits)}g}".replace("-", "−")

    @cached_property
    def key_names(self) -> list[str]:
        """The text of each key."""
        return [self.name_place(key) for key in self.keys.tolist()]

    def width_text(self, h: float, digits: int = 3) -> str:
        """Write a bandwidth or a distance."""
        return duration(h, digits) if self.dated else number(h, digits)

    def slider_width_text(self, h: float) -> str:
        """Write a bandwidth that a slider sets: with all its digits if six are enough, else with three."""
        return self.width_text(h, EXACT if math.isclose(h, float(f"{h:.{EXACT}g}"), rel_tol=1e-12) else 3)

    def amount(self, y: float) -> str:
        """Write a value or an estimate."""
        return number(y, self.value_digits)

    def tensors(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values for `attn_core`."""
        return torch.from_numpy(self.keys), torch.from_numpy(self.values)

    @cached_property
    def fingerprint(self) -> str:
        """A hash that differs whenever pictures of the points differ; caches use it as key."""
        words = (
            f"{self.low}\n{self.unit}\n{self.x_title}\n{self.y_title}\n{self.dated}\n{self.function}".encode()
        )
        curve = b"" if self.truth is None else self.truth(self.keys).tobytes()
        return hashlib.sha256(words + self.keys.tobytes() + self.values.tobytes() + curve).hexdigest()


@cached(64)
def sample(name: str, n_points: int, noise: float, seed: int) -> Points:
    """Draw a toy data set."""
    sample = regression_sample(name, n_points=n_points, noise=noise, seed=seed)
    curve = sample.truth
    assert curve is not None

    def truth(x: Numbers) -> Numbers:
        return np.asarray(curve(torch.from_numpy(x)), dtype=np.float64)

    return Points(name, sample.keys.numpy(), sample.values.numpy(), truth)


def typed_sample(text: str, n_points: int, noise: float, seed: int) -> Points:
    """Draw points of a typed function; its true curve is NaN where the function is undefined or too large."""
    function = read_function(text)
    sample = function_sample(function, n_points=n_points, noise=noise, seed=seed)

    def truth(x: Numbers) -> Numbers:
        curve = function(torch.from_numpy(x)).numpy()
        return np.where(np.abs(curve) <= LARGEST, curve, np.nan)

    keys, values = sample.keys.numpy(), sample.values.numpy()
    return Points(TYPED, keys, values, truth, function=function.expression)


def from_columns(x: Numbers, y: Numbers, x_title: str, y_title: str, *, dated: bool = False) -> Points:
    """Make points of two columns of numbers; the sliders' [0, 5] spans the keys.

    Dates are days since 1970-01-01, or seconds from the first if they span less than a minute. Keys so far
    from zero that float64 can hardly tell them apart are replaced by their difference from the first.
    """
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    if dated and np.ptp(x) * DAY < A_MOMENT:
        seconds = np.round((x - x[0]) * DAY, 6)
        x_title = _("{title}, seconds after {date}", title=x_title, date=date(float(x[0])))
        x, dated = seconds, False
    elif not dated and np.ptp(x) > 0 and np.abs(x).max() > CROWDED * np.ptp(x):
        x, x_title = x - x[0], f"{x_title} − {x[0]:.17g}"
    width = float(np.ptp(x)) or abs(float(x[0])) or 1.0
    return Points(OWN_POINTS, x, y, None, float(x[0]), width / TOY_WIDTH, x_title, y_title, dated)


def replace_points(points: Points, x: Numbers, y: Numbers) -> Points:
    """Replace the points' numbers; the sliders' unit stays while the sliders still reach the new keys."""
    order = np.argsort(x, kind="stable")
    first, width = float(x.min()), float(np.ptp(x))
    reach = TOY_WIDTH * points.unit
    if abs(first - points.low) > reach or not reach / 5 < width < 2 * reach:
        return from_columns(x, y, points.x_title, points.y_title, dated=points.dated)
    return replace(points, name=OWN_POINTS, keys=x[order], values=y[order])
