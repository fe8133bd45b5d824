"""A mistake of two inputs beside the right thing: the kernel around a query, and the estimates."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from attn_figures.frame import Role, Side, Ticks
from attn_figures.geometry import Axes
from attn_figures.kernel_parts import empty_window
from attn_figures.matrix import Hover, Matrix, Numbers, Pick, Ramp
from attn_figures.panels import compose
from attn_figures.picture import Picture, Spec
from attn_words import N_, _

SIZE = (6.4, 6.4)
PHONE_HEIGHT = 1300


@dataclass(frozen=True, eq=False)
class Plane:
    """Where maps of the plane have their cells.

    Attributes:
        axis: places of columns and rows, (n_side,), ascending.
        titles: what the two coordinates are called.
        query: row and column of the cell in which the query lies.
        limit: the value at the ends of the ramp of estimates.
    """

    axis: Numbers
    titles: tuple[str, str]
    query: tuple[int, int]
    limit: float

    @cached_property
    def labels(self) -> list[str]:
        """Each place as it is written."""
        return [f"{place:.3g}".replace("-", "−") for place in self.axis.tolist()]

    @cached_property
    def whole(self) -> Ticks:
        """Whole numbers under the columns, between which they may fall."""
        cells = np.arange(len(self.axis))
        numbers = range(math.ceil(self.axis[0]), math.floor(self.axis[-1]) + 1)
        return [(float(np.interp(each, self.axis, cells)), f"{each}".replace("-", "−")) for each in numbers]

    @property
    def whole_down(self) -> Ticks:
        """Whole numbers on the rows, the largest on top."""
        return [(len(self.axis) - 1 - at, label) for at, label in self.whole]


@dataclass(frozen=True)
class Made:
    """What one way of weighing makes.

    Attributes:
        title: what the way is called.
        kernel: what a key would count in each cell, for the one query, from 0 to 1.
        estimate: what a query in each cell gets; NaN without any key. Both are (n_side, n_side), the
            largest second coordinate in row 0.
    """

    title: str
    kernel: Numbers
    estimate: Numbers


@Picture
def two_planes(plane: Plane, broken: Made, right: Made) -> Spec:
    """Draw the kernel of both, the estimates of both, and how far these differ."""
    kernels = [
        _map(plane, f"kernel, {name}", made.kernel, _("kernel: {way}", way=made.title), "key")
        for name, made in (("broken", broken), ("right", right))
    ]
    first, second = (
        replace(
            _map(plane, f"estimate, {name}", made.estimate, _("estimate: {way}", way=made.title), "query"),
            ramp=Ramp("scores", plane.limit),
            mask=~np.isnan(made.estimate),
        ).telling(quantity=_("estimate"), blocked=empty_window())
        for name, made in (("broken", broken), ("right", right))
    )
    difference = replace(
        first.minus(second, _("estimates: broken − right")),
        mask=~np.isnan(broken.estimate - right.estimate),
    ).telling(blocked=_("<b>no estimate</b> one way or both"))
    panels: Sequence[Matrix] = [*kernels, first, second, difference]
    return compose.spec(panels, largest_unit=56.0, phone_height=PHONE_HEIGHT)


@dataclass(frozen=True)
class _Cells(Matrix):
    """A map of the plane, whose cells touch."""

    def traces(self, axes: Axes, coloraxis: str) -> list[dict[str, Any]]:
        """Return the cells without gaps between them."""
        return [
            each | {"xgap": 0, "ygap": 0} if each["type"] == "heatmap" else each
            for each in super().traces(axes, coloraxis)
        ]


def _map(plane: Plane, name: str, values: Numbers, title: str, whose: Role) -> Matrix:
    at = N_("key at {coordinate} =") if whose == "key" else N_("query at {coordinate} =")
    return _Cells(
        name,
        values,
        title,
        Side(plane.labels[::-1], plane.titles[1], whose, ticks=plane.whole_down),
        Side(plane.labels, plane.titles[0], whose, ticks=plane.whole),
        hover=Hover("K", words=(_(at, coordinate=plane.titles[1]), f"{plane.titles[0]} =")),
        marked=plane.query,
        pick=Pick(together="plane"),
        size=SIZE,
        shows_shape=False,
        numbered=False,
    )
