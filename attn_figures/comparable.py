"""What two figures can be compared by: their maps and their curves, read back from figures as plain dicts."""

import html
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.frame import MOST_LABELS, Role, Side, Ticks
from attn_figures.matrix import Hover, Matrix, Pick, Ramp, comma, may_not_attend
from attn_figures.numbers import number
from attn_live.labels import as_read, told_apart
from attn_words import _

Numbers = NDArray[np.float64]

_LARGE_BODY = 6.0  # units a side of a map whose cells are too many for a unit each
_WHOLE_CELLS = 0.05  # by how much the sides of square cells may seem to differ
_SHAPE = re.compile(r"\s*<span style='color:[^']*'>[\d,]+ × [\d,]+[^<]*</span>")
_QUANTITY = re.compile(r"(?:^|<br>)([^<]*) <b>%\{z:")
_WORDS = re.compile(r"([^<]*) <b>%\{y\}</b>(?:, |，)([^<]*) <b>%\{x\}</b>")
_CELL = re.compile(r"([^<]*) <b>(.*)</b>(?:, |，)([^<]*) <b>(.*)</b>")
_COMMA = re.compile(r"(, |，)")
_ROLES: Mapping[str, Role] = {
    theme.LIGHT.query: "query",
    theme.LIGHT.key: "key",
    theme.LIGHT.value: "value",
    theme.LIGHT.output: "output",
}


@dataclass(frozen=True, eq=False)
class Map:
    """A map of a figure, as a matrix; ``is_weights`` where its numbers are shares, from 0 to 1."""

    title: str
    matrix: Matrix

    @property
    def is_weights(self) -> bool:
        """Whether its numbers are shares, from 0 to 1."""
        return self.matrix.ramp.scale == "weights"

    @property
    def words(self) -> tuple[str, str]:
        """What a row and a column are called."""
        return self.matrix.hover.words or (_("row"), _("column"))


@dataclass(frozen=True, eq=False)
class Curve:
    """One curve: its places, its values (NaN is a gap), its colour, and what people read as its name."""

    x: Numbers
    y: Numbers
    colour: str
    said: str


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of a chart, by their names, with what its axes are called and how they run."""

    title: str
    curves: Mapping[str, Curve]
    titles: tuple[str, str]
    axes: tuple[Mapping[str, Any], Mapping[str, Any]] = field(default=({}, {}))


Part = Map | Curves
Spec = Mapping[str, Any]


def parts_of(figure: Spec) -> dict[str, Part]:
    """Return what of a figure can be compared, by short names: maps by their traces', charts by their axes'.

    A map is a heatmap that is in sight and has a colour axis; the heatmaps over its masked cells belong to
    it. A curve is a line over ascending numbers that fills nothing and stands for no cell: so no arrow, box,
    ribbon or arc is one.
    """
    shown = [trace for trace in figure["data"] if trace.get("visible", True) is True]
    hidden = {trace.get("name"): trace for trace in shown if trace.get("type") == "heatmap"}
    found: dict[str, Part] = {}
    charts: dict[str, list[Spec]] = {}
    for trace in shown:
        name = trace.get("name", "")
        if trace.get("type") == "heatmap" and "coloraxis" in trace and np.ndim(trace.get("z")) == 2:
            found[name] = _map(figure["layout"], trace, hidden.get(f"{name} masked"))
        elif _is_curve(trace):
            charts.setdefault(trace.get("xaxis", "x"), []).append(trace)
    for axis, traces in charts.items():
        found[f"curves {axis}"] = _curves(figure["layout"], axis, traces)
    return found


def _axis(layout: Spec, name: str) -> Spec:
    found: Spec = layout.get(f"{name[0]}axis{name[1:]}") or {}
    return found


def _text(part: Any) -> str:
    """Return a title without Plotly's tags, as it is read."""
    text = part.get("text", "") if isinstance(part, Mapping) else part
    return " ".join(as_read(_SHAPE.sub("", text or "").replace("<br>", " ")).split())


def _caption(layout: Spec, axis: str) -> str:
    """Return what is said under a panel."""
    return next(
        (
            _text(note)
            for note in layout.get("annotations", ())
            if note.get("xref") == f"{axis} domain" and note.get("yanchor") == "top" and note.get("y") == 0
        ),
        "",
    )


# ---- maps ----


def _map(layout: Spec, trace: Spec, masked: Spec | None) -> Map:
    x, y = _axis(layout, trace["xaxis"]), _axis(layout, trace["yaxis"])
    values = np.asarray(trace["z"], dtype=np.float64)
    blocked = np.zeros(values.shape, dtype=bool) if masked is None else np.isfinite(np.asarray(masked["z"]))
    if _runs_upwards(trace, y):
        values, blocked = values[::-1], blocked[::-1]
    template = str(trace.get("hovertemplate", ""))
    columns, rows, words = _labels(trace, (x, y), values.shape)
    quantity = _QUANTITY.search(template)
    colours = layout.get(trace["coloraxis"], {})
    is_weights = colours.get("cmin") == 0 and colours.get("cmax") == 1
    chosen = (trace.get("meta") or {}).get("chosen")
    matrix = Matrix(
        trace["name"],
        np.where(blocked, 0.0, values) if is_weights else values,
        "",
        Side(rows, _text(y.get("title")), _role(y), ticks=_ticks(y, len(rows))),
        Side(columns, _text(x.get("title")), _role(x), ticks=_ticks(x, len(columns))),
        ramp=Ramp(
            "weights" if is_weights else "scores",
            limit=None if is_weights else colours.get("cmax"),
            power=_power(colours) if is_weights else 1.0,
        ),
        mask=~blocked if blocked.any() else None,
        hover=Hover(
            html.unescape(quantity[1]) if quantity else _("value"),
            words=words,
            blocked=_blocked(masked) if masked else may_not_attend(),
        ),
        pick=Pick(*(chosen["axes"] if chosen else ()), together="compared"),
        size=_size(layout, (x, y), values.shape),
    )
    return Map(_caption(layout, trace["xaxis"]) or trace["name"], matrix)


def _runs_upwards(trace: Spec, y: Spec) -> bool:
    low, high = y.get("range") or (1, 0)
    return "y" in trace and low < high


def _labels(
    trace: Spec, axes: tuple[Spec, Spec], shape: tuple[int, ...]
) -> tuple[list[str], list[str], tuple[str, str]]:
    """Return the whole names of columns and rows, and what a row and a column are called."""
    rows_named, columns_named = (trace.get("meta") or {}).get("labels") or (None, None)
    said = trace.get("hovertext")
    words = _WORDS.search(str(trace.get("hovertemplate", "")))
    called = [html.unescape(each) for each in words.groups()] if words else []
    if said is not None and len(said) and all(_CELL.fullmatch(row[0]) for row in said):
        cells = [_CELL.fullmatch(row[0]) for row in said], [_CELL.fullmatch(each) for each in said[0]]
        if all(cells[1]):
            rows_named = [html.unescape(each[2]) for each in cells[0] if each]
            columns_named = [html.unescape(each[4]) for each in cells[1] if each]
            first = cells[0][0]
            called = [html.unescape(first[1]), html.unescape(first[3])] if first else called
    found = []
    for named, side, axis, count in zip((columns_named, rows_named), "xy", axes, shape[::-1], strict=True):
        names = [str(name) for name in named or ()]
        found.append(told_apart(names if len(names) == count else _ticked(trace, side, axis, count)))
    by_role = {"query": _("query"), "key": _("key")}
    row, column = called or [
        by_role.get(_role(axis), word) for axis, word in zip(axes[::-1], (_("row"), _("column")), strict=True)
    ]
    return found[0], found[1], (row, column)


def _ticked(trace: Spec, side: str, axis: Spec, count: int) -> list[str]:
    """Name every row or column by what stands on its axis, or by its place counted from 1."""
    if side in trace:
        places = [number(float(at)) for at in trace[side]]
        return places if side == "x" or not _runs_upwards(trace, axis) else places[::-1]
    texts = dict(zip(axis.get("tickvals", ()), axis.get("ticktext", ()), strict=False))
    named = {round(at): html.unescape(str(text)) for at, text in texts.items() if at == round(at)}
    if not any(named.values()):
        named = {}
    return [named.get(place, str(place + 1)) for place in range(count)]


def _ticks(axis: Spec, count: int) -> Ticks | None:
    """Return the labels that stand on an axis, where these are not those of all rows or columns."""
    places = list(axis.get("tickvals", ()))
    if not places or places == list(range(0, count, -(-count // MOST_LABELS))):
        return None
    return [(at, _text(text)) for at, text in zip(places, axis.get("ticktext", places), strict=True)]


def _role(axis: Spec) -> Role:
    return _ROLES.get((axis.get("tickfont") or {}).get("color", ""), "ink")


def _size(layout: Spec, axes: tuple[Spec, Spec], shape: tuple[int, ...]) -> tuple[float, float] | None:
    """Return the units that the body takes: None where every cell is a square."""
    pixels = []
    for axis, whole, count in zip(axes, ("width", "height"), reversed(shape), strict=True):
        low, high = axis.get("domain") or (0, 1)
        first, last = axis.get("range") or (0, count)
        own = abs(last - first) if axis.get("tickvals") is not None else count
        pixels.append((high - low) * layout.get(whole, 1) * min(1.0, count / (own or 1)))
    wide, high = pixels
    of_squares = shape[1] / shape[0]
    if abs(wide / high - of_squares) < _WHOLE_CELLS * of_squares and max(shape) <= 64:
        return None
    return (
        (_LARGE_BODY, _LARGE_BODY * high / wide) if wide > high else (_LARGE_BODY * wide / high, _LARGE_BODY)
    )


def _power(colours: Spec) -> float:
    """Return how a ramp is bent (see `theme.colorscale`)."""
    scale = colours.get("colorscale") or ()
    if len(scale) < 3 or not 0 < scale[1][0] < 1:
        return 1.0
    return math.log(scale[1][0]) / math.log(1 / (len(scale) - 1))


def _blocked(masked: Spec) -> str:
    _, _, said = str(masked.get("hovertemplate", "")).removesuffix("<extra></extra>").partition("<br>")
    return said or may_not_attend()


# ---- curves ----


def _own_names(names: Sequence[str]) -> list[str]:
    """Return names without what all of them begin with.

    >>> _own_names(["error, 1 head", "error, 2 heads"]), _own_names(["误差，1 个头", "误差，2 个头"])
    (['1 head', '2 heads'], ['1 个头', '2 个头'])
    """
    split = [_COMMA.split(name) for name in names]  # each comma stands between two parts
    alike = 0
    while len(split) > 1 and all(len(each) > alike + 2 and each[alike] == split[0][alike] for each in split):
        alike += 2
    return ["".join(each[alike:]) for each in split]


def _said(trace: Spec) -> str:
    """Return what people read as a trace's name."""
    return str((trace.get("meta") or {}).get("said") or trace["name"])


def _is_curve(trace: Spec) -> bool:
    if not marks.is_line(trace) or np.ndim(trace.get("x", 0)) != 1 or len(trace["x"]) < 3:
        return False
    if "cells" in (trace.get("meta") or {}):  # an arc stands for a cell: its height is no number
        return False
    try:
        x = np.asarray(trace["x"], dtype=np.float64)
    except (TypeError, ValueError):  # dates, words
        return False
    return bool((np.diff(x) > 0).all())


def _curves(layout: Spec, axis: str, traces: Sequence[Spec]) -> Curves:
    y_axis = traces[0].get("yaxis", "y")
    x, y = _axis(layout, axis), _axis(layout, y_axis)
    names = _own_names([str(trace["name"]) for trace in traces])
    said = _own_names([_said(trace) for trace in traces])
    curves = {
        name: Curve(
            np.asarray(trace["x"], dtype=np.float64),
            np.asarray(trace["y"], dtype=np.float64),
            str((trace.get("line") or {}).get("color", theme.LIGHT.ink))[:7],
            read,
        )
        for trace, name, read in zip(traces, names, said, strict=True)
    }
    titles = _text(x.get("title")), _text(y.get("title"))
    kept = ("type", "tickmode", "tickvals", "ticktext", "dtick")
    axes = tuple({name: each[name] for name in kept if name in each} for each in (x, y))
    title = _caption(layout, axis) or (titles[1] if len(titles[1]) > 1 else "")
    few = comma().join(said[:2]) + (" …" if len(said) > 2 else "")
    return Curves(title or few, curves, titles, (axes[0], axes[1]))
