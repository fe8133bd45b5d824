"""Every bandwidth and every query of a picture at once: what `attn_core` computes, as arrays to draw."""

from dataclasses import dataclass, replace
from functools import cached_property
from html import escape

import numpy as np
import torch

from attn_core import KERNELS, effective_keys, kernel_estimate, nadaraya_watson
from attn_figures.kernel_regression import Estimate, Scene
from attn_ui.parameters import Steps
from pages.kernel_regression.data import Numbers, Points
from pages.kernel_regression.settings import BANDWIDTH, QUERY_AT

MOST_NUMBERS = 290_000  # weights of one figure, four bytes each, of its 1.5 MB
# Every how many-th bandwidth and query is offered; where the sliders start is always among them.
STRIDES = ((1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, 5), (5, 5), (5, 6), (6, 10), (10, 15), (15, 30))
MARGIN, FLOOR = 0.08, 0.24  # of the data's height: room above it, and below it for the kernel
FINER = 4  # points of the drawn estimate from one query to the next


@dataclass(frozen=True)
class Sweep:
    """One data set under one kernel, at all bandwidths and queries that a figure of `maps` maps can hold.

    `n_query` is how many queries the maps have, where they are not those of the query slider.
    """

    points: Points
    kernel: str
    maps: int = 1
    n_query: int | None = None

    @cached_property
    def _strides(self) -> tuple[int, int]:
        n_key = len(self.points.keys) * self.maps
        fitting = (
            (bandwidth, query)
            for bandwidth, query in STRIDES
            if len(BANDWIDTH.values[::bandwidth]) * (self.n_query or len(QUERY_AT.values[::query])) * n_key
            <= MOST_NUMBERS
        )
        return next(fitting, STRIDES[-1])

    @cached_property
    def bandwidth(self) -> Steps:
        """The bandwidths that the slider offers, in its own unit."""
        return replace(BANDWIDTH, values=BANDWIDTH.values[:: self._strides[0]])

    @cached_property
    def query(self) -> Steps:
        """The queries that the slider offers, in its own unit."""
        return replace(QUERY_AT, values=QUERY_AT.values[:: self._strides[1]])

    def bandwidths(self) -> Numbers:
        """The bandwidths in the unit of the keys, (steps,)."""
        return self.points.unit * np.array(self.bandwidth.values)

    def bandwidth_names(self) -> list[str]:
        """Each bandwidth as the slider says it."""
        return [f"{bandwidth:.3g}" for bandwidth in self.bandwidths()]

    def query_names(self) -> list[str]:
        """Each query as the slider says it."""
        return [f"{self.points.x_title} = {query:.{self.points.digits}g}" for query in self.scene.queries]

    @cached_property
    def scene(self) -> Scene:
        """What stays while the sliders move."""
        points = self.points
        queries = points.place(np.array(self.query.values))
        finer = FINER if self.maps == 1 else FINER // 2  # small multiples need fewer
        grid = np.linspace(queries[0], queries[-1], finer * (len(QUERY_AT.values) - 1) + 1)
        truth = None if points.truth is None else points.truth(grid)
        everything = points.values if truth is None else np.concatenate((points.values, truth))
        low, high = float(everything.min()), float(everything.max())
        span = (high - low) or 1.0
        return Scene(
            points.keys,
            points.values,
            queries,
            grid,
            truth,
            self._offsets(),
            (low - FLOOR * span, high + MARGIN * span),
            escape(points.x_title),
            escape(points.y_title),
            points.digits,
        )

    @cached_property
    def floorless(self) -> Scene:
        """The scene without room for a kernel below the data."""
        low, high = self.scene.y_range
        margin = (high - low) * MARGIN / (1 + FLOOR + MARGIN)
        return replace(self.scene, y_range=(low + FLOOR / MARGIN * margin - margin, high))

    def _offsets(self) -> Numbers:
        """Distances at which the kernel is drawn: both sides of every bandwidth, where a kernel may jump."""
        bandwidths = np.array(self.bandwidth.values)
        between = np.sqrt(bandwidths[1:] * bandwidths[:-1])
        right = np.sort(np.concatenate((bandwidths, bandwidths * (1 + 1e-6), between)))
        right = right[right < QUERY_AT.values[-1] - QUERY_AT.values[0]]
        return self.points.unit * np.concatenate((-right[::-1], [0.0], right))

    def estimates(self) -> list[Estimate]:
        """Every bandwidth of the slider, in one batch."""
        return estimates(self.points, self.kernel, self.bandwidths(), self.scene)

    def at(self, bandwidth: float) -> Estimate:
        """One bandwidth, in the unit of the keys."""
        return estimates(self.points, self.kernel, np.array([bandwidth]), self.scene)[0]


def estimates(points: Points, kernel: str, bandwidths: Numbers, scene: Scene) -> list[Estimate]:
    """Compute bandwidths (steps,) at once: the weights at the queries, the estimate on the grid."""
    keys, values = points.tensors()
    h = torch.from_numpy(bandwidths)
    result = nadaraya_watson(torch.from_numpy(scene.queries), keys, values, kernel=kernel, bandwidth=h)
    on_grid = kernel_estimate(torch.from_numpy(scene.grid), keys, values, kernel=kernel, bandwidth=h)
    profile = KERNELS[kernel].profile(torch.from_numpy(np.abs(scene.offsets)) / h[:, None])
    arrays = (result.weights, effective_keys(result.weights), result.estimate, on_grid, profile)
    return [Estimate(*each) for each in zip(*(array.numpy() for array in arrays), strict=True)]
