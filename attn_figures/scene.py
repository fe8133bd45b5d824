"""A scene: what a figure shows at every position of its sliders, in panels that hold their numbers.

Arrays that a scene returns are copies, since those in a cache are read-only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.frame import Side
from attn_figures.geometry import Axes
from attn_figures.matrix import ColourScale, Hover, Matrix, Numbers, Pick, comma
from attn_figures.panels import Absent, Panel
from attn_figures.picture import Drawing, Spec
from attn_live import paths
from attn_live.arrays import CrossedLabels
from attn_live.captions import CaptionTemplates, StepCaption
from attn_live.packing import Cursor, Moves, pack
from attn_live.plain_labels import number_duplicates, plain_label
from attn_words import _

_LARGE_BODY = 6.0  # units of the longer side of a map with too many cells for a unit each
_WHOLE_CELLS = 0.05  # the share by which sides of cells may differ that count as squares
_TICKS = ("type", "tickmode", "tickvals", "ticktext", "dtick")


@dataclass(frozen=True, eq=False)
class MapPanel:
    """A map that can be compared with another, and its title as plain text."""

    title: str
    matrix: Matrix

    @property
    def is_weights(self) -> bool:
        """Whether its numbers are weights, from 0 to 1."""
        return self.matrix.ramp.scale == "weights"


@dataclass(frozen=True, eq=False)
class ChartCurve:
    """One curve: x, y (NaN is a gap), its colour, and the name that is shown."""

    x: Numbers
    y: Numbers
    colour: str
    label: str


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """The curves of a chart by their names, with the titles and the ticks of its axes."""

    title: str
    curves: Mapping[str, ChartCurve]
    titles: tuple[str, str]
    axes: tuple[Mapping[str, Any], Mapping[str, Any]] = field(default=({}, {}))


PanelData = MapPanel | CurvePanel


@dataclass(frozen=True, eq=False)
class LabelledArray:
    """Numbers, NaN where there is none, with the names along each axis; a curve's names are its x values."""

    values: Numbers
    names: tuple[Sequence[Any], ...]


@dataclass(frozen=True, eq=False)
class Scene:
    """What a figure shows at every position of its sliders; packing it for the browser is the last step.

    Attributes:
        drawings: one for each step, or a single one, with the settings of each step in `moves`; a plain
            figure has no panels.
        cursor: the settings that change with a second slider, over rows.
        captions: a sentence for each step, or one for each row of each step.
    """

    drawings: Sequence[Spec]
    cursor: Cursor | None = None
    moves: Moves | None = None
    captions: Sequence[StepCaption] | CaptionTemplates | None = None

    def pack(self) -> bytes:
        """Return the bytes that the live figure reads."""
        return pack(self.drawings, self.cursor, self.moves)

    def caption(self, step: int, row: int = 0) -> str:
        """Return the caption at a position of the sliders, in the part of Markdown that captions use."""
        if isinstance(self.captions, CaptionTemplates):
            return self.captions.at(step, row)
        caption = self.captions[step] if self.captions else ""
        return caption if isinstance(caption, str) else caption[row]

    @cached_property
    def stills(self) -> list["Still"]:
        """The scene at every position of its slider, without the settings of the cursor."""
        return [self.at(step, None) for step in range(self.n_steps)]

    @property
    def n_steps(self) -> int:
        """The number of positions of the slider."""
        return len(self.drawings) if self.moves is None else len(next(iter(self.moves.values())))

    def at(self, step: int, row: int | None = 0) -> "Still":
        """Return the scene at a position of its slider and a row of its cursor; None omits the cursor."""
        drawing = self.drawings[step if self.moves is None else 0]
        figure, cursor = _own(drawing), self.cursor or Cursor(1)
        values_at = {path: values[step] for path, values in (self.moves or {}).items()}
        if row is None:
            values_at |= dict.fromkeys((*cursor.changes, *cursor.by_step, *cursor.rows_of))
        else:
            values_at |= {path: values[row] for path, values in cursor.changes.items()}
            values_at |= {path: np.asarray(each)[step][row] for path, each in cursor.by_step.items()}
        for path, value in values_at.items():
            paths.put(figure, paths.resolve(drawing, path), value)
        for path, source in cursor.rows_of.items() if row is not None else ():
            rows = paths.at(figure, paths.resolve(drawing, source))
            paths.put(figure, paths.resolve(drawing, path), rows[row])
        return Still(figure, drawing if isinstance(drawing, Drawing) else Drawing(drawing))


@dataclass(frozen=True, eq=False)
class Still:
    """A scene at one position: the figure as plain dicts, and the drawing with its panels."""

    figure: dict[str, Any]
    drawing: Drawing

    def cells(self) -> dict[str, tuple[int, int]]:
        """Return (rows, columns) of each trace that can be clicked, by its name.

        A box that opens something is one cell; of points that can be picked each is a row of one cell.
        """
        cells = {}
        for trace in self.figure["data"]:
            meta = trace.get("meta") or {}
            if trace.get("visible", True) is True:
                if trace.get("type") == "heatmap" and np.ndim(trace.get("z")) == 2:
                    cells[trace["name"]] = np.shape(trace["z"])
                elif meta.get("opens"):
                    cells[trace["name"]] = (1, 1)
                elif meta.get("picks"):
                    cells[trace["name"]] = (len(trace["x"]), 1)
        return cells

    def plotly(self) -> dict[str, Any]:
        """Return the figure in the form that Plotly takes, with copies of its arrays."""
        return {
            "data": [{name: _whole(value) for name, value in trace.items()} for trace in self.figure["data"]],
            "layout": self.figure["layout"],
        }

    @cached_property
    def panels(self) -> list[tuple[Axes, Panel]]:
        """The panels that are drawn, with their axes and their numbers at this position."""
        present = []
        for place, panel in enumerate(self.drawing.panels):
            start, end = self.drawing.starts[place : place + 2]
            if not isinstance(panel, Absent):
                present.append((Axes(place), panel.with_traces(self.figure["data"][start:end])))
        return present

    @cached_property
    def maps(self) -> dict[str, Matrix]:
        """The maps, by their names."""
        groups = (panel.maps if isinstance(panel, Chart) else [panel] for _axes, panel in self.panels)
        return {each.name: each for panels in groups for each in panels if isinstance(each, Matrix)}

    @property
    def charts(self) -> list[Chart]:
        """The charts."""
        return [panel for _axes, panel in self.panels if isinstance(panel, Chart)]

    def tables(self) -> dict[str, LabelledArray]:
        """Return the numbers of every map and every curve, by their names."""
        tables = {
            name: LabelledArray(np.array(each.visible_values), (names_of(each.rows), names_of(each.columns)))
            for name, each in self.maps.items()
        }
        for chart in self.charts:
            for trace in chart.data:
                heights = np.asarray(trace.get("y", ()))
                if heights.dtype.kind in "fiu" and trace.get("visible", True) is not False:
                    tables[trace["name"]] = LabelledArray(heights.astype(np.float64), (list(trace["x"]),))
        return tables

    def parts(self) -> dict[str, PanelData]:
        """Return the parts that can be compared: maps by name, then each chart's curves by its x axis."""
        parts: dict[str, PanelData] = {}
        charts: dict[str, PanelData] = {}
        for axes, panel in self.panels:
            if isinstance(panel, Matrix):
                parts[panel.name] = _map(panel)
            elif isinstance(panel, Chart):
                parts |= {each.name: _map(each) for each in panel.maps}
                lines = [trace for trace in panel.data if _is_curve(trace)]
                if lines:
                    charts[f"curves {axes.x}"] = _curves(panel, lines)
        return parts | charts


def _whole(value: Any) -> Any:
    if isinstance(value, CrossedLabels):
        return np.array(value.tolist(), dtype=object)
    return np.array(value) if isinstance(value, np.ndarray) else value


def _own(part: Any) -> Any:
    """Copy a figure's dicts and lists, so that settings can be put into the copy."""
    if isinstance(part, dict):
        return {key: _own(inner) if isinstance(inner, (dict, list)) else inner for key, inner in part.items()}
    return [_own(inner) if isinstance(inner, (dict, list)) else inner for inner in part]


def _plain_title(title: str) -> str:
    """Return a title as plain text on one line."""
    return " ".join(plain_label(title.replace("<br>", " ")).split())


def _map(panel: Matrix) -> MapPanel:
    """Return a map without its place in the figure, of a size to be drawn beside others."""
    colours, _shows_bar = panel.colour_range()
    is_weights = (colours.low, colours.high) == (0.0, 1.0)
    mask = None if panel.mask is None or panel.mask.all() else np.array(panel.mask)
    matrix = Matrix(
        panel.name,
        np.array(panel.visible_values)
        if mask is None or not is_weights
        else np.where(mask, panel.visible_values, 0.0),
        "",
        replace(panel.rows, labels=names_of(panel.rows), n_visible=None),
        replace(panel.columns, labels=names_of(panel.columns), n_visible=None),
        ramp=ColourScale(
            "weights" if is_weights else "scores",
            limit=None if is_weights else colours.high,
            power=colours.power if is_weights else 1.0,
        ),
        mask=mask,
        hover=Hover(panel.hover.quantity, words=panel.words, blocked=panel.hover.blocked),
        pick=Pick(panel.pick.row, panel.pick.column, together="compared"),
        size=_size(panel),
    )
    return MapPanel(_plain_title(panel.title) or _(panel.name), matrix)


def names_of(side: Side) -> list[str]:
    """Return the labels, duplicates numbered; numbers from 1 if all labels are empty."""
    return number_duplicates(
        side.labels if any(side.labels) else [str(place + 1) for place in range(len(side))]
    )


def _size(panel: Matrix) -> tuple[float, float] | None:
    """Return a compared map's size in units; None, one a cell, for square cells, 64 a side at most."""
    n_rows, n_columns = np.shape(panel.values)
    wide, tall = panel.size or (n_columns, n_rows)
    of_squares = n_columns / n_rows
    if abs(wide / tall - of_squares) < _WHOLE_CELLS * of_squares and max(n_rows, n_columns) <= 64:
        return None
    return (
        (_LARGE_BODY, _LARGE_BODY * tall / wide) if wide > tall else (_LARGE_BODY * wide / tall, _LARGE_BODY)
    )


def _own_names(names: Sequence[str]) -> list[str]:
    """Return names without the parts, up to a comma, that all of them begin with.

    >>> _own_names(["error, 1 head", "error, 2 heads"])
    ['1 head', '2 heads']
    """
    words = [name.split(comma()) for name in names]
    n_same = 0
    while len(words) > 1 and all(
        len(each) > n_same + 1 and each[n_same] == words[0][n_same] for each in words
    ):
        n_same += 1
    return [comma().join(each[n_same:]) for each in words]


def _is_curve(trace: Mapping[str, Any]) -> bool:
    """Whether a trace is a line over ascending numbers; an arc, which shows one cell of a map, is not."""
    if not marks.is_line(trace) or trace.get("visible", True) is not True:
        return False
    x = np.asarray(trace.get("x", ()))
    is_numbers = x.ndim == 1 and len(x) >= 3 and x.dtype.kind in "fiu"
    return is_numbers and "cells" not in (trace.get("meta") or {}) and bool((np.diff(x) > 0).all())


def _curves(chart: Chart, lines: Sequence[Mapping[str, Any]]) -> CurvePanel:
    labels = [str((trace.get("meta") or {}).get("said") or trace["name"]) for trace in lines]
    names, labels = _own_names([trace["name"] for trace in lines]), _own_names(labels)
    curves = {
        name: ChartCurve(
            np.array(trace["x"], dtype=np.float64),
            np.array(trace["y"], dtype=np.float64),
            str((trace.get("line") or {}).get("color", theme.LIGHT.ink))[:7],
            own,
        )
        for trace, name, own in zip(lines, names, labels, strict=True)
    }
    titles = _plain_title(chart.x_title), _plain_title(chart.y_title)
    axes = tuple({key: axis[key] for key in _TICKS if key in axis} for axis in (chart.x, chart.y))
    title = _plain_title(chart.title) or (titles[1] if len(titles[1]) > 1 else "")
    few = comma().join(labels[:2]) + (" …" if len(labels) > 2 else "")
    return CurvePanel(title or few, curves, titles, (axes[0], axes[1]))
