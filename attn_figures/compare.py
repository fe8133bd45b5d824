"""Two figures compared: A, B and B − A of one of their maps, or of the curves of one of their charts.

A is a scene at one position of its slider; B is compared at each position of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme, ties
from attn_figures.chart import Chart
from attn_figures.marks import Mark
from attn_figures.matrix import ROUNDING, ColourScale, Matrix, Numbers, comma
from attn_figures.numbers import number
from attn_figures.panels import Absent, Panel, compose
from attn_figures.picture import Spec
from attn_figures.scene import ChartCurve, CurvePanel, MapPanel, PanelData
from attn_words import _

Why = Literal["", "absent", "shape", "names", "places"]

FADES = 0.25  # of the largest difference of all positions, the least that full colour stands for
_PHONE = 1200  # pixels that A, B and B − A may take on a phone: their numbers keep two digits
_FADED = 0.6  # opacity of A's curves
_ROOM = 0.06  # of a chart's height, above and below its curves
_NAMED = 4  # curves that the legend names


@dataclass(frozen=True)
class Change:
    """The largest change between two panels.

    ``place`` has the names of its row and column, or of its curve and the place on the x axis; ``before`` is
    A's value, ``after`` B's; ``n_tied`` counts the other numbers that changed as much.
    """

    place: tuple[str, str]
    before: float
    after: float
    n_tied: int = 0


@dataclass(frozen=True, eq=False)
class Comparison:
    """How B differs from A.

    Attributes:
        why: why nothing can be compared: B has no such panel ("absent"), its shape differs ("shape"), its
            rows or columns have other names ("names"), its curves other places ("places"); "" otherwise.
        largest: the largest change; None where nothing changed, or nothing can be compared.
        unchanged: the rows of a map, or the curves, in which nothing changed; total: the number of all.
        changed: the curves in which something did.
        count: how many numbers were compared; n_unpaired: how many only A or only B has, such as masked
            scores, or places on the x axis where one curve has a gap.
    """

    why: Why = ""
    largest: Change | None = None
    unchanged: Sequence[str] = ()
    total: int = 0
    count: int = 0
    n_unpaired: int = 0
    changed: Sequence[str] = ()


def compare(a: PanelData, b: PanelData | None) -> Comparison:
    """Compare a panel of A with the same panel of B.

    Differences up to 1e-5 of the largest number count as rounding. A masked weight is zero; a masked score is
    no number, and is not compared.
    """
    if isinstance(a, MapPanel) and isinstance(b, MapPanel):
        return _compare_maps(a.matrix, b.matrix)
    if isinstance(a, CurvePanel) and isinstance(b, CurvePanel):
        return _compare_curves(a, b)
    return Comparison("absent")


def comparison_steps(a: PanelData, steps: Sequence[PanelData | None]) -> list[Spec]:
    """Draw A, B and B − A at every position of B's slider.

    Maps A and B have one colour scale: weights from 0 to 1 at all positions, other numbers up to the larger
    limit of the two. The scale of B − A ends at the largest difference of its position, or at `FADES` of the
    largest of all positions if that is more: so colours fade where B comes near A. Where nothing can be
    compared, A and B are drawn alone.

    Args:
        a: the panel of A; steps: the same panel of B at each position, None where it has none there.
    """
    if isinstance(a, MapPanel):
        return _map_steps(a, [step if isinstance(step, MapPanel) else None for step in steps])
    return _curve_steps(a, [step if isinstance(step, CurvePanel) else None for step in steps])


# ---- maps ----


def _compare_maps(a: Matrix, b: Matrix) -> Comparison:
    if np.shape(a.values) != np.shape(b.values):
        return Comparison("shape")
    rows, columns = b.rows.labels, b.columns.labels
    if (list(a.rows.labels), list(a.columns.labels)) != (list(rows), list(columns)):
        return Comparison("names")
    before, after = (_comparable_values(each) for each in (a, b))
    apart = _differences(before, after)
    differs = apart.changed | apart.unpaired
    unchanged = [row for row, cells in zip(rows, differs, strict=True) if not cells.any()]
    largest = None
    if apart.changed.any():
        row, column = (int(at) for at in np.unravel_index(apart.largest, before.shape))
        largest = Change(
            (rows[row], columns[column]), float(before[row, column]), float(after[row, column]), apart.n_tied
        )
    return Comparison("", largest, unchanged, len(rows), before.size, int(apart.unpaired.sum()))


def _comparable_values(matrix: Matrix) -> Numbers:
    """Return a map's numbers: a masked weight is zero, any other masked number is NaN."""
    values = np.asarray(matrix.values, dtype=np.float64)
    if matrix.mask is None or matrix.ramp.scale == "weights":
        return values
    return np.where(matrix.mask, values, np.nan)


class _Differences(NamedTuple):
    """Which numbers differ, which only A or B has, the flat index of the largest difference, its ties."""

    changed: NDArray[np.bool_]
    unpaired: NDArray[np.bool_]
    largest: int
    n_tied: int


def _differences(before: Numbers, after: Numbers) -> _Differences:
    one, other = np.isfinite(before), np.isfinite(after)
    sizes = np.abs(np.where(one & other, after, 0.0) - np.where(one & other, before, 0.0))
    size = max(float(np.abs(each[np.isfinite(each)]).max(initial=0.0)) for each in (before, after))
    changed = sizes > ROUNDING * size
    first, *tied = ties.largest_indices(sizes) if sizes.size else [0]
    return _Differences(changed, one != other, first, len(tied))


def _map_steps(a: MapPanel, steps: Sequence[MapPanel | None]) -> list[Spec]:
    comparisons = [compare(a, step) for step in steps]
    largest = [
        0.0 if step is None or comparison.why else _largest(a.matrix, step.matrix)
        for step, comparison in zip(steps, comparisons, strict=True)
    ]
    least = max(largest, default=0.0) * FADES
    return [
        _maps_at(a, step, comparison.why, max(own, least) or None)
        for step, comparison, own in zip(steps, comparisons, largest, strict=True)
    ]


def _largest(a: Matrix, b: Matrix) -> float:
    """Return the largest difference, 0 if it is rounding."""
    before, after = _comparable_values(a), _comparable_values(b)
    apart = _differences(before, after)
    return float(np.abs(after - before).flat[apart.largest]) if apart.changed.any() else 0.0


def _maps_at(a: MapPanel, b: MapPanel | None, why: Why, limit: float | None) -> Spec:
    first = replace(a.matrix, name="A", title=_("A: {title}", title=a.title))
    other = b or a
    second = replace(other.matrix, name="B", title=_("B: {title}", title=other.title), names_rows=why != "")
    if not (a.is_weights and other.is_weights):
        ends = [each for each in (first.ramp.limit, second.ramp.limit) if each is not None]
        ramp = ColourScale("scores", max(ends, default=1.0) or 1.0)
        first, second = replace(first, ramp=ramp), replace(second, ramp=ramp)
    panels: list[Panel | Absent] = [first, Absent(second) if b is None else second]
    if why or b is None:
        panels.append(Absent(replace(a.matrix, name="difference")))
    else:
        panels.append(_difference(first, second, limit))
    return compose(panels, largest_unit=64, phone_height=_PHONE)


def _difference(a: Matrix, b: Matrix, limit: float | None) -> Matrix:
    difference = b.minus(a, "B − A", limit=limit)
    if a.ramp.scale == "weights" or (a.mask is None and b.mask is None):
        return difference
    everywhere = np.ones(np.shape(a.values), dtype=bool)
    both = (everywhere if a.mask is None else a.mask) & (everywhere if b.mask is None else b.mask)
    return replace(difference, mask=both).with_hover(blocked=_("<b>masked</b> in A or in B: no difference"))


# ---- curves ----


def _compare_curves(a: CurvePanel, b: CurvePanel) -> Comparison:
    common = [name for name in b.curves if name in a.curves]
    if not common:
        return Comparison("absent")
    names = [name for name in common if _have_same_places(a.curves[name], b.curves[name])]
    if not names:
        return Comparison("places")
    change, largest, gaps = None, 0.0, set[float]()
    unchanged: list[str] = []
    changed: list[str] = []
    for name in names:
        before, after = a.curves[name].y, b.curves[name].y
        apart = _differences(before, after)
        gaps.update(b.curves[name].x[apart.unpaired].tolist())
        (changed if (apart.changed | apart.unpaired).any() else unchanged).append(b.curves[name].label)
        size = abs(after[apart.largest] - before[apart.largest])
        if apart.changed.any() and size > largest:
            at = number(float(b.curves[name].x[apart.largest]), 4)
            place = b.curves[name].label, at
            change = Change(place, float(before[apart.largest]), float(after[apart.largest]))
            largest = size
    count = sum(len(b.curves[name].x) for name in names)
    return Comparison("", change, unchanged, len(names), count, len(gaps), changed)


def _have_same_places(one: ChartCurve, other: ChartCurve) -> bool:
    return one.x.shape == other.x.shape and bool(np.allclose(one.x, other.x, rtol=ROUNDING, atol=0.0))


def _curve_steps(a: CurvePanel, steps: Sequence[CurvePanel | None]) -> list[Spec]:
    present = [step for step in steps if step is not None]
    names = {name: curve.label for each in (a, *present) for name, curve in each.curves.items()}
    apart = [_curve_differences(a, step) for step in steps]
    every = [curve.y for each in (a, *present) for curve in each.curves.values()]
    y_axis = dict((present or [a])[0].axes[1])
    low, high = _ends(every, is_log=y_axis.get("type") == "log")
    sizes = (float(np.abs(y[np.isfinite(y)]).max(initial=0.0)) for each in apart for _, y in each.values())
    sides = (low, high), (max(sizes, default=0.0) or 1.0) * (1 + _ROOM)
    specs: list[Spec] = []
    for step, differences in zip(steps, apart, strict=True):
        both = _both(a, step, names, sides[0])
        panels: list[Panel] = [both]
        if any(apart):
            panels.append(_difference_chart(step or a, names, differences, sides[1]))
        specs.append(compose(panels, largest_unit=64))
    return specs


def _curve_differences(a: CurvePanel, b: CurvePanel | None) -> dict[str, tuple[Numbers, Numbers]]:
    """Return the places and B − A of the curves that have the same places, by name."""
    if b is None:
        return {}
    return {
        name: (curve.x, curve.y - a.curves[name].y)
        for name, curve in b.curves.items()
        if name in a.curves and _have_same_places(a.curves[name], curve)
    }


def _ends(every: Sequence[Numbers], *, is_log: bool) -> tuple[float, float]:
    values = np.concatenate(every) if every else np.zeros(1)
    values = values[np.isfinite(values) & ((values > 0) | (not is_log))]
    values = np.log10(values) if is_log else values
    low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
    if not low <= high:
        return 0.0, 1.0
    room = _ROOM * (high - low) or 0.5
    return low - room, high + room


def _both(a: CurvePanel, b: CurvePanel | None, names: Mapping[str, str], ends: tuple[float, float]) -> Chart:
    lines: list[Mark] = []
    empty = np.zeros(0)
    for part, letter in ((a, "A"), (b, "B")):
        for name, label in names.items():
            curve = part.curves.get(name) if part else None
            x, y, colour = (curve.x, curve.y, curve.colour) if curve else (empty, empty, theme.LIGHT.ink)
            title = f"{escape(label)}{comma()}{letter}"
            line = marks.line(
                f"{letter}: {name}", x, y, colour, width=2.0 if letter == "B" else 1.5,
                dash="dash" if letter == "A" else "solid",
                hover=f"{title}<br>{_place(a)} %{{x:.6~g}}<br><b>%{{y:.6~g}}</b>",
            )  # fmt: skip
            lines.append(line | ({"opacity": _FADED} if letter == "A" else {}))
    legend = [("┅ A", theme.LIGHT.muted), ("━ B", theme.LIGHT.ink)]
    visible = b or a
    legend += [(escape(curve.label), curve.colour) for curve in [*visible.curves.values()][:_NAMED]]
    return Chart(
        "A and B", lines, 9, 4.5, _("A and B"), x_title=a.titles[0], y_title=a.titles[1],
        x=dict(visible.axes[0]), y=dict(visible.axes[1]) | {"range": list(ends)}, legend=legend,
        legend_lines=2 if len(legend) > 3 else 1,
    )  # fmt: skip


def _difference_chart(
    visible: CurvePanel,
    names: Mapping[str, str],
    differences: Mapping[str, tuple[Numbers, Numbers]],
    far: float,
) -> Chart:
    lines = []
    empty = np.zeros(0)
    for name, label in names.items():
        x, y = differences.get(name, (empty, empty))
        curve = visible.curves.get(name)
        hover = f"{escape(label)}{comma()}B − A<br>{_place(visible)} %{{x:.6~g}}<br><b>%{{y:+.6~g}}</b>"
        colour = curve.colour if curve else theme.LIGHT.ink
        lines.append(marks.line(f"difference: {name}", x, y, colour, hover=hover))
    zero = {
        "type": "line", "xref": " domain", "x0": 0, "x1": 1, "y0": 0, "y1": 0,
        "line": {"color": theme.LIGHT.muted, "width": 1},
    }  # fmt: skip
    return Chart(
        "B − A", lines, 9, 3.5, "B − A", x_title=visible.titles[0], y_title="B − A", x=dict(visible.axes[0]),
        y={"range": [-far, far]}, marks=[zero],
    )  # fmt: skip


def _place(part: CurvePanel) -> str:
    return escape(part.titles[0] or "x")
