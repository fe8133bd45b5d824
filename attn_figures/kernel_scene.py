"""The data of the pictures of kernel regression: what all bandwidths share, and one bandwidth's estimate."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attn_figures.dates import date, round_dates
from attn_figures.marks import Mark
from attn_figures.matrix import Extra, Numbers
from attn_figures.numbers import PLAIN, SMALL
from attn_words import _, cached

SCENES = 16  # of which the parts that all steps share are cached
KERNEL_SHARE = 0.3  # of the chart's height, for the kernel drawn around the query


@dataclass(frozen=True, eq=False)
class DataScene:
    """What stays the same when a slider moves: data sorted by key, queries, and ranges of the axes.

    Marks that depend on it alone are drawn once, and all steps share them.

    Attributes:
        keys, values: the data points, (n_key,) each, keys ascending.
        queries: one for each row of the map, (n_query,), ascending.
        grid: where the estimate is drawn, (n_grid,).
        truth: the true curve on the grid, or None if it is unknown.
        offsets: distances from the query at which the kernel is drawn, (n_offset,), ascending.
        y_range: the lowest and the highest value on the axis.
        x_title, y_title: names of the two columns; escape users' words.
        digits: significant digits that distinguish neighbouring places.
        value_digits: significant digits that distinguish the values.
        dated: whether places are dates, in days since 1970-01-01.
    """

    keys: Numbers
    values: Numbers
    queries: Numbers
    grid: Numbers
    truth: Numbers | None
    offsets: Numbers
    y_range: tuple[float, float]
    x_title: str = "x"
    y_title: str = "y"
    digits: int = 3
    value_digits: int = 4
    dated: bool = False

    def name(self, place: float) -> str:
        """Return a place as text."""
        if self.dated:
            return date(place, float(np.ptp(self.queries)) / (len(self.queries) - 1))
        return f"{place:.{self.digits}g}"

    def names(self, places: Numbers) -> NDArray[np.object_]:
        """Return places as texts, for the hover of dates."""
        return np.array([self.name(place) for place in places.tolist()], dtype=object)

    def ticks(self, low: float, high: float, most: int = 7) -> list[tuple[float, str]]:
        """Return round places from low to high, at most `most`, and their texts."""
        return (round_dates if self.dated else round_numbers)(low, high, most)

    @cached_property
    def hover_form(self) -> str:
        """The hover's format of a place that is a number."""
        return f".{self.digits + 1}~g"

    @property
    def hover_place(self) -> str:
        """The hover's template for the place of a mark, see `with_place_names`."""
        return "%{customdata}" if self.dated else f"%{{x:{self.hover_form}}}"

    def with_place_names(self, mark: Mark) -> Mark:
        """Return a mark with its places as texts where the hover's format cannot write them."""
        return mark | {"customdata": self.names(mark["x"])} if self.dated else mark

    @cached_property
    def value_form(self) -> str:
        """Plotly's format of a value: up to a million in full, beyond it with an exponent, like `number`."""
        size = float(np.abs(self.values).max())
        if size > PLAIN or 0 < size < SMALL:
            return f".{self.value_digits - 1}~e"
        return f",.{max(self.value_digits, len(str(int(size))))}~r"

    @cached_property
    def ramp_power(self) -> float:
        """The power of the weights' ramp: a weight of 1 / n_key has the same colour for any n_key."""
        return max(1.0, float(np.log(len(self.keys)) / np.log(6.3)))

    @property
    def x_range(self) -> tuple[float, float]:
        """The range of the axis of places: from the first query to the last."""
        return float(self.queries[0]), float(self.queries[-1])

    def kernel_height(self, profile: Numbers) -> Numbers:
        """Return the heights in the chart of a kernel's profile (..., n_offset), which is 1 at the query."""
        low, high = self.y_range
        return np.asarray(low + KERNEL_SHARE * (high - low) * profile)

    @cached_property
    def row_names(self) -> list[str]:
        """The name of each query, for the map's rows."""
        return [self.name(query) for query in self.queries.tolist()]

    @cached_property
    def column_names(self) -> list[str]:
        """The name of each key, for the map's columns."""
        return [self.name(key) for key in self.keys.tolist()]

    @cached_property
    def rows_of_keys(self) -> list[int]:
        """The query nearest to each key, which a click on the key's point selects."""
        nearest = np.abs(self.queries[:, None] - self.keys[None, :]).argmin(axis=0)
        return [int(row) for row in nearest]


@cached(SCENES)
def hover_values(scene: DataScene) -> Extra:
    """Return further values for each cell's hover text: the key's value, and unrounded places."""
    shape = (len(scene.queries), len(scene.keys))
    places = [
        (_("query at"), np.broadcast_to(scene.queries[:, None], shape)),
        (_("key at"), np.broadcast_to(scene.keys, shape)),
    ]
    value = (_("its value"), np.broadcast_to(scene.values, shape))
    return Extra([value] if scene.dated else [*places, value])


@dataclass(frozen=True, eq=False)
class QueryWeights:
    """The weights of one bandwidth (n_query, n_key), and its estimates at the queries, NaN without a key."""

    weights: Numbers
    at_queries: Numbers

    @property
    def has_support(self) -> NDArray[np.bool_]:
        """Which queries have a key in their window, (n_query,)."""
        return np.isfinite(self.at_queries)


@dataclass(frozen=True, eq=False)
class Estimate(QueryWeights):
    """The results of one bandwidth, and the curve of estimates on the finer grid.

    `facts` are the numbers of each query's hover, (n_query, 4), see `facts_of`.
    """

    effective_keys: Numbers
    on_grid: Numbers
    profile: Numbers
    facts: Numbers


def facts_of(queries: Numbers, weights: Numbers, effective_keys: Numbers, at_queries: Numbers) -> Numbers:
    """Return each query, its effective keys, its sum of weights and its estimate, 0 in an empty window.

    For weights (..., n_query, n_key) the result is (..., n_query, 4).
    """
    places = np.broadcast_to(queries, effective_keys.shape)
    estimates = np.where(np.isfinite(at_queries), at_queries, 0.0)
    return np.stack((places, effective_keys, weights.sum(axis=-1), estimates), axis=-1)


def round_numbers(low: float, high: float, most: int = 7) -> list[tuple[float, str]]:
    """Return round numbers from low to high, at most `most`, and their texts.

    >>> [text for _, text in round_numbers(-0.5, 5.5)]
    ['0', '1', '2', '3', '4', '5']
    """
    span = (high - low) or 1.0
    scale = 10.0 ** np.floor(np.log10(span / most))
    step = next(scale * k for k in (1, 2, 5, 10, 20) if span / (scale * k) <= most)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    # Enough digits to distinguish neighbours and, below 1e12, all digits before the point.
    largest = max(abs(low), abs(high), step)
    digits = int(np.ceil(np.log10(largest / step))) + 1
    digits = max(6, digits, int(np.log10(largest)) + 1 if largest < 1e12 else 0)
    return [(k * step, f"{k * step:.{digits}g}") for k in range(first, last + 1)]
