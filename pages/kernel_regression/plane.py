"""Points with two inputs: keys and queries are vectors (x₁, x₂), and the estimate is a map of the plane."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from attn_core import KERNELS, effective_keys, kernel_estimate, nadaraya_watson, plane_sample
from attn_figures.kernel_plane import PlaneEstimate, PlaneScene
from attn_ui.base.parameters import EXACT, Steps
from attn_words import _
from pages.kernel_regression.compute import Sweep
from pages.kernel_regression.data_points import Numbers, Points
from pages.kernel_regression.settings import MAP_STRIDE, QUERY_AT, QUERY_AT_2
from pages.kernel_regression.words import kernel_name

AXIS: Numbers = np.array(QUERY_AT.thinned(MAP_STRIDE).values)
DOWN: Numbers = AXIS[::-1]  # the map's rows, the largest x₂ on top
COORDINATES = ("x₁", "x₂")
MAP: Numbers = np.stack(np.meshgrid(AXIS, DOWN), axis=-1).reshape(-1, 2)


class PlanePoints(Points):
    """Keys (n_key, 2), unsorted, and values (n_key,)."""

    @cached_property
    def key_names(self) -> list[str]:
        """The text of each key."""
        return list(map(self.name_vector, self.keys.tolist()))

    def name_vector(self, x: list[float]) -> str:
        """Write a place on the plane as a pair of numbers."""
        return f"({', '.join(self.name_place(each) for each in x)})"


def plane_points(n_points: int, noise: float, seed: int) -> PlanePoints:
    """Draw the toy data set of two inputs."""
    toy = plane_sample(n_points=n_points, noise=noise, seed=seed)
    return PlanePoints(toy.name, toy.keys.numpy(), toy.values.numpy())


@dataclass(frozen=True)
class PlaneSweep(Sweep):
    """One data set under one kernel, at the bandwidths offered and at queries (x₁, `x2`)."""

    points: PlanePoints
    x2: float = QUERY_AT_2.default

    @property
    def cache_key(self) -> Hashable:
        """The key of the sweep's picture in the cache."""
        return super().cache_key, self.x2

    @cached_property
    def query(self) -> Steps:
        """The first coordinates that the slider offers: the map's columns, or fewer of them."""
        return self._thinned(QUERY_AT.thinned(MAP_STRIDE), 1)

    @property
    def queries(self) -> Numbers:
        """The queries, (n_query, 2)."""
        first = np.array(self.query.values)
        return np.stack((first, np.full_like(first, self.x2)), axis=-1)

    def place_names(self) -> list[str]:
        """The text of each query; a coordinate between the sliders' own steps has all its digits."""
        second = self.points.name_place(self.x2, 0 if self.x2 in QUERY_AT_2.values else EXACT)
        least = [0 if value in QUERY_AT.values else EXACT for value in self.query.values]
        return [
            f"({self.points.name_place(first, digits)}, {second})"
            for first, digits in zip(self.query.values, least, strict=True)
        ]

    def query_names(self) -> list[str]:
        """The slider's text for each query, its first coordinate alone: 'x₁ = 0.5'."""
        least = [0 if value in QUERY_AT.values else EXACT for value in self.query.values]
        firsts = map(self.points.name_place, self.query.values, least)
        return [f"{COORDINATES[0]} = {first}" for first in firsts]

    def caption(self) -> str:
        """The settings named under a saved picture, without those of the sliders."""
        second = f"{COORDINATES[1]} = {self.points.name_place(self.x2, EXACT)}"
        return _(
            "two inputs, {count} points, {kernel} kernel, {second}",
            count=len(self.points.keys),
            kernel=kernel_name(self.kernel),
            second=second,
        )

    @cached_property
    def plane(self) -> PlaneScene:
        """The parts of the picture that stay the same while the sliders move."""
        points = self.points
        longest = float(np.ptp(AXIS)) * math.sqrt(2)
        return PlaneScene(
            points.keys,
            points.values,
            points.key_names,
            AXIS,
            self.queries,
            np.concatenate(([0.0], self.kernel_steps(longest), [longest])),
            (1.0, 2.0) if math.isinf(KERNELS[self.kernel].support) else (1.0,),
            COORDINATES,
            points.value_digits,
        )

    def plane_estimates(self) -> tuple[list[PlaneEstimate], Numbers, Numbers]:
        """Return every bandwidth's estimates on the map, and the queries' estimates and effective keys.

        The latter two are (steps, n_query); an estimate without any key is NaN.
        """
        points, scene = self.points, self.plane
        keys, values = points.tensors()
        bandwidths = self.bandwidths()
        h = torch.from_numpy(bandwidths)
        row = nadaraya_watson(torch.from_numpy(self.queries), keys, values, kernel=self.kernel, bandwidth=h)
        on_map = kernel_estimate(torch.from_numpy(MAP), keys, values, kernel=self.kernel, bandwidth=h)
        profile = KERNELS[self.kernel].profile
        arrays = (
            on_map.reshape(len(h), len(AXIS), len(AXIS)),
            row.weights,
            profile(row.distances / h[:, None, None]),
            profile(torch.from_numpy(scene.offsets) / h[:, None]),
        )
        steps = zip(bandwidths.tolist(), *(array.numpy() for array in arrays), strict=True)
        return (
            [PlaneEstimate(*each) for each in steps],
            row.estimate.numpy(),
            effective_keys(row.weights).numpy(),
        )
