"""The data points: a toy data set or a visitor's own, their units and how they are written."""

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
TOY_WIDTH = 5.0  # toy data lie in [0, 5], and the sliders count in their unit
A_MOMENT = 60.0  # seconds below which dates are not told apart by their names
CROWDED = 1e8  # places that lie so many times their width from zero are counted from the first


@dataclass(frozen=True)
class Points:
    """Keys and values (n_key,), keys ascending, and how the sliders measure them.

    Attributes:
        name: the data set's.
        keys, values: the points.
        truth: the true curve, where it is known.
        low, unit: where the sliders' 0 lies and how long their 1 is, in the unit of the keys.
        x_title, y_title: what a person called the two columns.
        dated: whether the keys are dates, in days since 1970-01-01.
        function: the typed function of which they were drawn.
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
        """What the data set is called where it is shown."""
        if self.name == TYPED:
            return _("y = {function}", function=self.function)
        return label_of(POINTS_DATA, self.name)

    def place(self, slider: Place) -> Place:
        """Turn a position on the query slider into a place among the keys."""
        return self.low + self.unit * slider

    @cached_property
    def digits(self) -> int:
        """Significant digits that tell one place from the next: years need more than small numbers."""
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
        """Write a place among the keys: a name rather than an amount, so its thousands are not parted."""
        if self.dated:
            return date(x, self.unit / 10)
        return f"{x:.{max(self.digits, least_digits)}g}".replace("-", "−")

    @cached_property
    def key_names(self) -> list[str]:
        """Each key as it is written."""
        return [self.name_place(key) for key in self.keys.tolist()]

    def width(self, h: float, digits: int = 3) -> str:
        """Write a bandwidth or a distance."""
        return duration(h, digits) if self.dated else number(h, digits)

    def set_width(self, h: float) -> str:
        """Write a bandwidth that is set: all of its digits where six hold it."""
        return self.width(h, EXACT if math.isclose(h, float(f"{h:.{EXACT}g}"), rel_tol=1e-12) else 3)

    def amount(self, y: float) -> str:
        """Write a value or an estimate."""
        return number(y, self.value_digits)

    def tensors(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values for `attn_core`."""
        return torch.from_numpy(self.keys), torch.from_numpy(self.values)

    @cached_property
    def fingerprint(self) -> str:
        """A short text that differs whenever a picture of the points would; caches are keyed on it."""
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
    """Draw points of a typed function; where it is not defined beside them, nothing is drawn."""
    function = read_function(text)
    sample = function_sample(function, n_points=n_points, noise=noise, seed=seed)

    def truth(x: Numbers) -> Numbers:
        curve = function(torch.from_numpy(x)).numpy()
        return np.where(np.abs(curve) <= LARGEST, curve, np.nan)

    keys, values = sample.keys.numpy(), sample.values.numpy()
    return Points(TYPED, keys, values, truth, function=function.expression)


def from_columns(x: Numbers, y: Numbers, x_title: str, y_title: str, *, dated: bool = False) -> Points:
    """Make points of two columns of numbers; the sliders span their width.

    Dates are days since 1970-01-01; within a minute they are counted in seconds. Places that float64 can
    hardly tell apart so far from zero are counted from the first of them.
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
    """Put other numbers in the place of points, measured as before while the sliders still reach them."""
    order = np.argsort(x, kind="stable")
    first, width = float(x.min()), float(np.ptp(x))
    reach = TOY_WIDTH * points.unit
    if abs(first - points.low) > reach or not reach / 5 < width < 2 * reach:
        return from_columns(x, y, points.x_title, points.y_title, dated=points.dated)
    return replace(points, name=OWN_POINTS, keys=x[order], values=y[order])
