"""Settings turned into arrays: all bandwidths and queries of a picture, and the ones chosen by its sliders.

A figure holds an estimate for each bandwidth and query. Where one message cannot hold them all, the sliders
offer fewer, the chosen ones among them; captions, tabs and links use the offered bandwidths and queries.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from html import escape
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from attn_core import (
    KERNELS,
    KernelRegression,
    LocalLinear,
    effective_keys,
    kernel_estimate,
    local_linear,
    nadaraya_watson,
)
from attn_figures.kernel_scene import DataScene, Estimate, facts_of
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_live.packing import MOST_BYTES, TooLargeError
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider
from attn_ui.base.parameters import EXACT, Steps
from attn_ui.base.scenes import Packed, SharedScene, pack_scene
from attn_ui.base.shared_cache import shared
from attn_words import _
from pages.kernel_regression.data_points import TOY_WIDTH, Numbers, Points
from pages.kernel_regression.settings import BANDWIDTH, QUERY_AT
from pages.kernel_regression.state import State
from pages.kernel_regression.words import kernel_name

SweepT = TypeVar("SweepT", bound="Sweep")
Strides = tuple[int, int]
Between = tuple[float | None, float | None]  # a bandwidth and a query between the sliders' steps
# (n, m): every n-th bandwidth and m-th query is offered, and the sliders' defaults always are.
STRIDES: tuple[Strides, ...] = (
    (1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, 5), (5, 5), (5, 6), (6, 10), (10, 15), (15, 30),
)  # fmt: skip
FOUR_BYTES = 4  # of one weight
MARGIN, FLOOR = 0.08, 0.24  # of the data's height: room above it, and below it for the kernel
FINER = 4  # points of the drawn estimate from one query to the next


@dataclass(frozen=True)
class Sweep:
    """One data set under one kernel, at the bandwidths and queries that the sliders of a figure offer.

    `maps` counts the figure's maps of weights; `between` is a bandwidth and a query between slider steps.
    """

    points: Points
    kernel: str
    maps: int = 1
    strides: Strides = (1, 1)
    between: Between = (None, None)

    @property
    def cache_key(self) -> Hashable:
        """The key of the sweep's picture in the cache."""
        return self.points.fingerprint, self.kernel, self.maps, self.between

    @property
    def weights_per_step(self) -> int:
        """How many weights the picture has at one bandwidth."""
        return len(self.query.values) * len(self.points.keys) * self.maps

    @cached_property
    def bandwidth(self) -> Steps:
        """The bandwidths that the slider offers, in its own unit."""
        return self._thinned(BANDWIDTH, 0)

    @cached_property
    def query(self) -> Steps:
        """The queries that the slider offers, in its own unit."""
        return self._thinned(QUERY_AT, 1)

    def _thinned(self, steps: Steps, which: int) -> Steps:
        thinned, between = steps.thinned(self.strides[which]), self.between[which]
        return thinned if between is None else thinned.with_value(between)

    def bandwidths(self) -> Numbers:
        """The bandwidths in the unit of the keys, (steps,)."""
        return self.points.unit * np.array(self.bandwidth.values)

    def caption(self) -> str:
        """The settings named under a saved picture, without those of the sliders."""
        return _(
            "{data}, {count} points, {kernel} kernel",
            data=self.points.title,
            count=len(self.points.keys),
            kernel=kernel_name(self.kernel),
        )

    @property
    def queries(self) -> Numbers:
        """The queries' places, in the unit of the keys, (n_query,)."""
        return self.points.place(np.array(self.query.values))

    def place_names(self) -> list[str]:
        """The text of each query; a query between the slider's own steps has all its digits."""
        least = [0 if value in QUERY_AT.values else EXACT for value in self.query.values]
        return list(map(self.points.name_place, self.queries.tolist(), least))

    def query_names(self) -> list[str]:
        """The slider's text for each query: 'x = 2.5'."""
        return [f"{self.points.x_title} = {name}" for name in self.place_names()]

    @cached_property
    def scene(self) -> DataScene:
        """The parts of the picture that stay the same while the sliders move."""
        points, queries = self.points, self.queries
        finer = FINER if self.maps == 1 else FINER // 2  # small multiples need fewer
        grid = np.linspace(queries[0], queries[-1], finer * (len(QUERY_AT.values) - 1) + 1)
        truth = None if points.truth is None else points.truth(grid)
        curve = np.empty(0) if truth is None else truth
        if points.function:  # the curve may be steep outside the toy data
            curve = curve[(grid >= 0) & (grid <= TOY_WIDTH)]
        everything = np.concatenate((points.values, curve))
        low, high = float(everything.min()), float(everything.max())
        # Constant values are drawn in the middle of a chart whose height is their own size.
        span = (high - low) or abs(high) or 1.0
        right = self.kernel_steps(QUERY_AT.values[-1] - QUERY_AT.values[0])
        return DataScene(
            points.keys,
            points.values,
            queries,
            grid,
            truth,
            points.unit * np.concatenate((-right[::-1], [0.0], right)),
            (low - FLOOR * span, high + MARGIN * span),
            escape(points.x_title),
            escape(points.y_title),
            points.digits,
            points.value_digits,
            points.dated,
        )

    @cached_property
    def floorless(self) -> DataScene:
        """The scene without room for a kernel below the data."""
        low, high = self.scene.y_range
        margin = (high - low) * MARGIN / (1 + FLOOR + MARGIN)
        return replace(self.scene, y_range=(low + FLOOR / MARGIN * margin - margin, high))

    def kernel_steps(self, longest: float) -> Numbers:
        """Distances below `longest` at which a kernel is drawn: at, just past and between all bandwidths."""
        bandwidths = np.array(self.bandwidth.values)
        between = np.sqrt(bandwidths[1:] * bandwidths[:-1])
        right = np.sort(np.concatenate((bandwidths, bandwidths * (1 + 1e-6), between)))
        return right[right < longest]

    def estimates(self) -> list[Estimate]:
        """Return for each bandwidth the weights at the queries and the estimate on the grid, in one batch."""
        scene, kernel = self.scene, self.kernel
        keys, values = self.points.tensors()
        h = torch.from_numpy(self.bandwidths())
        regression = nadaraya_watson(
            torch.from_numpy(scene.queries), keys, values, kernel=kernel, bandwidth=h
        )
        on_grid = kernel_estimate(torch.from_numpy(scene.grid), keys, values, kernel=kernel, bandwidth=h)
        profile = KERNELS[kernel].profile(torch.from_numpy(np.abs(scene.offsets)) / h[:, None])
        weighted = regression.weights, regression.estimate, effective_keys(regression.weights)
        weights, at_queries, effective, *curves = (array.numpy() for array in (*weighted, on_grid, profile))
        facts = facts_of(scene.queries, weights, effective, at_queries)
        return [Estimate(*each) for each in zip(weights, at_queries, effective, *curves, facts, strict=True)]

    @property
    def slider(self) -> Slider:
        """The slider over the bandwidths."""
        names = LazyMap(self.points.slider_width_text, self.bandwidths().tolist())
        return Slider(_("Bandwidth h"), self.bandwidth, names=names)

    @property
    def rows(self) -> Slider:
        """The slider over the queries."""
        return Slider(_("Query"), self.query, self.query_names())

    def select(self, controls: Controls) -> "Selection":
        """The offered bandwidth and query nearest to the sliders' values."""
        points = self.points
        step, row = (steps.nearest(controls.value(steps)) for steps in (self.bandwidth, self.query))
        arrays = (self.queries, points.keys, points.values)
        names = (points.key_names, self.place_names())
        return Selection(points, self.kernel, float(self.bandwidths()[step]), row, *arrays, *names)


@dataclass(frozen=True)
class Selection:
    """The bandwidth and query on screen, as tabs and programs use them.

    Attributes:
        points: the data set.
        kernel, bandwidth: the bandwidth is in the unit of the keys.
        row: the index of the chosen query.
        queries, keys: numbers (n_query,) and (n_key,), or vectors (n_query, d) and (n_key, d).
        values: the keys' values, (n_key,).
        key_names, query_names: the text of each key and query.
        lengths: whether dot products keep the term -|k|^2/2; None in a picture without dot products.
    """

    points: Points
    kernel: str
    bandwidth: float
    row: int
    queries: Numbers
    keys: Numbers
    values: Numbers
    key_names: list[str]
    query_names: list[str]
    lengths: bool | None = None

    @property
    def query_name(self) -> str:
        """The text of the chosen query."""
        return self.query_names[self.row]

    @property
    def width(self) -> str:
        """The text of the bandwidth."""
        return self.points.slider_width_text(self.bandwidth)

    @cached_property
    def regression(self) -> KernelRegression:
        """Every stage of the regression of all queries."""
        numbers = self.queries, self.keys, self.values
        key = tuple((each.shape, each.tobytes()) for each in numbers)
        return _regression(key, self.kernel, self.bandwidth, self)

    @cached_property
    def lines(self) -> LocalLinear:
        """The line around each query, for keys that are numbers."""
        return local_linear(
            *self.tensors(), torch.from_numpy(self.values), kernel=self.kernel, bandwidth=self.bandwidth
        )

    def tensors(self) -> tuple[Tensor, Tensor]:
        """Queries and keys for `attn_core`."""
        return torch.from_numpy(self.queries), torch.from_numpy(self.keys)


@shared
def _regression(
    key: tuple[tuple[tuple[int, ...], bytes], ...], kernel: str, bandwidth: float, _selection: Selection
) -> KernelRegression:
    return nadaraya_watson(
        *_selection.tensors(), torch.from_numpy(_selection.values), kernel=kernel, bandwidth=bandwidth
    )


@dataclass(frozen=True, eq=False)
class Result:
    """The state of the page, with the chosen bandwidth and query."""

    state: State
    selection: Selection


def values_between(controls: Controls) -> Between:
    """Return the link's bandwidth and query, each None unless it lies between two steps of its slider."""
    return controls.between(BANDWIDTH), controls.between(QUERY_AT)


def figure_at_sliders(
    controls: Controls, sweep: SweepT, draw: Callable[[SweepT], Scene], **figure: Any
) -> tuple[SweepT, Figure]:
    """Return the sweep at the bandwidths and queries offered, the sliders' values among them, and its figure.

    Where one message may not hold all of them, packing finds how many fit. A slider's value between two
    offered ones is added to the sweep, which is then packed again.
    """
    between = values_between(controls)
    while True:
        whole = replace(sweep, between=between)
        # If weights take a third of a message, the rest takes less than another third, even uncompressed.
        fits = FOUR_BYTES * len(whole.bandwidth.values) * whole.weights_per_step < MOST_BYTES / 3
        fewer = replace(whole, strides=STRIDES[0] if fits else pack_sweep(whole, draw)[0])
        bandwidth, query = controls.between(fewer.bandwidth), controls.between(fewer.query)
        if bandwidth is None and query is None:
            break
        between = (between[0] if bandwidth is None else bandwidth, between[1] if query is None else query)
    scene = SharedScene(partial(draw, fewer), lambda: pack_sweep(whole, draw)[1])
    under: dict[str, Any] = {"slider": fewer.slider, "rows": fewer.rows, "caption": fewer.caption()}
    return fewer, Figure(scene, **under | figure)


def pack_sweep(sweep: SweepT, draw: Callable[[SweepT], Scene]) -> tuple[Strides, Packed]:
    """Pack as many bandwidths and queries as one message holds; return their strides and the message."""
    return _pack_sweep(draw.__module__, sweep.cache_key, sweep, draw)


@shared
def _pack_sweep(
    view: str, sweep_key: Hashable, _sweep: Sweep, _draw: Callable[[Any], Scene]
) -> tuple[Strides, Packed]:
    # The packed message itself is measured. Strides that can hardly fit, as their uncompressed weights alone
    # are three times the limit, are skipped without drawing.
    for strides in STRIDES:
        fewer = replace(_sweep, strides=strides)
        weights = len(fewer.bandwidth.values) * fewer.weights_per_step
        if FOUR_BYTES * weights > 3 * MOST_BYTES and strides != STRIDES[-1]:
            continue
        try:
            return strides, pack_scene(_draw(fewer))
        except TooLargeError:
            if strides == STRIDES[-1]:
                raise
    raise AssertionError("the widest strides are always tried")


def append_dimension(queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
    """Append a dimension to queries and keys (n, d), so that their dot product becomes q·k - |k|^2/2."""
    half_keys = keys.square().sum(-1, keepdim=True) / 2
    return torch.cat((queries, torch.ones_like(queries[:, :1])), -1), torch.cat((keys, -half_keys), -1)
