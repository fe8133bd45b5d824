"""Matrices, the main panels of all pages: labelled cells, numbered while that fits, hatched where masked."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from html import escape
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.frame import (
    MOST_LABELS,
    SIDE_GAP,
    SIDE_SHARE,
    Frame,
    Role,
    Side,
    axes_of,
    geometry,
    number_width,
    shortens,
    without_tags,
)
from attn_figures.geometry import Axes, ColourRange, Geometry, PanelContent
from attn_figures.masked_cells import fade, hatch, leak, masked_cells
from attn_figures.widths import letters
from attn_live.arrays import CrossedLabels
from attn_words import _, _c, decimals

Scale = Literal["weights", "scores"]
Numbers = NDArray[np.float64]

_CLEAR = [[end, theme.rgba(theme.LIGHT.masked, 0)] for end in (0, 1)]
ROUNDING = 1e-5  # of the largest number: rounding in float32 is less
NUMBERS_UP_TO = 12  # cells a side; with more the numbers no longer fit, and only the hover shows them


def may_not_attend() -> str:
    """Return the hover text of a masked cell."""
    return _("<b>masked</b>: may not attend")


def comma() -> str:
    """Return the comma between a row's name and a column's in a hover."""
    return _c("hover", ", ")


@dataclass(frozen=True)
class SideBars:
    """Slim bars to the right of a matrix: one number a row, as a share of `full`, and its hover.

    `hover` may use Plotly's `%{customdata[i]}` for the columns of `details` (n_rows, n_details), and
    `%{hovertext}` for the row's entry in `names`. The `label` stands under the bars.
    """

    name: str
    values: Numbers
    full: float
    hover: str
    details: Numbers
    names: Sequence[str] = ()
    label: str = ""


@dataclass(frozen=True, eq=False)
class Extra:
    """More values for a matrix's hover, by name, each of the matrix's shape; steps may share an `Extra`."""

    items: Sequence[tuple[str, Numbers]] = ()

    @cached_property
    def stack(self) -> Numbers:
        """All values in one array, (n_rows, n_columns, n_items)."""
        return np.stack([np.asarray(values, dtype=np.float64) for _, values in self.items], axis=-1)


@dataclass(frozen=True)
class ColourScale:
    """How values become colours.

    Attributes:
        scale: "weights" is fixed to [0, 1]; "scores" diverges around zero, out to `limit`.
        limit: the value at the ends of the diverging ramp; the largest absolute value when None.
        bar: the title of the colour bar; matrices with the same title and range share a bar.
        power: above 1 it spends the ramp of weights on small values, see `theme.colorscale`.
        tells_power: whether the caption shows that the ramp is bent.
    """

    scale: Scale = "weights"
    limit: float | None = None
    bar: str = ""
    power: float = 1.0
    tells_power: bool = False


@dataclass(frozen=True)
class Hover:
    """The hover text of a matrix's cells.

    Attributes:
        place: how a cell's row and column are named; by their labels when None.
        words: the nouns for a row and a column; by their roles when None.
        blocked: the text of a hatched cell; extra: more values.
    """

    quantity: str = field(default_factory=lambda: _("weight"))
    place: str | None = None
    words: tuple[str, str] | None = None
    blocked: str = field(default_factory=may_not_attend)
    extra: Extra = field(default_factory=Extra)


@dataclass(frozen=True)
class Pick:
    """The effects of pointing at a matrix's cells and of clicking on them.

    Attributes:
        row, column: what the row and the column of a clicked cell choose, such as "query" and "key"; the live
            figure frames the chosen cell, row or column itself. None for a side that chooses nothing.
        together: matrices with the same text here light up together; the matrix's own name when empty.
        part: the name and the index that a click anywhere in the matrix chooses, such as ("head", 2).
        moves_cursor: whether a click on a row moves the figure's row slider there.
    """

    row: str | None = None
    column: str | None = None
    together: str = ""
    part: tuple[str, int] | None = None
    moves_cursor: bool = False

    @property
    def chooses(self) -> bool:
        """Whether a click on a cell chooses its row or its column."""
        return (self.row, self.column) != (None, None)


NOTHING = Pick()
QUERIES, KEYS = Pick("query"), Pick("key")  # each row is a query, or a key
PAIRS = Pick("query", "key", "query-key")
BY_KEY = Pick(None, "key", "query-key", moves_cursor=True)  # the row slider chooses the query


@dataclass(frozen=True)
class Matrix:
    """A matrix to draw: values (n_rows, n_columns), labels, and the colours of its cells.

    Attributes:
        name: short and unique in the figure; the trace's name.
        values: what is drawn and what the hover shows; float64, finite or NaN.
        title: the text under the matrix, before its shape; may hold Plotly's tags, so escape users' words.
        mask: True = may attend; where False the cell is hatched and its hover shows "masked".
        leaks: True where a masked cell has weight: its value is drawn, with lines over it.
        faded: True where a cell is pale; its hover shows the value nevertheless.
        operator: written between this matrix and the one before it.
        marked: the (row, column) to frame; either may be None for a whole column or row.
        size: (columns, rows) of the body in units, for maps too large for a unit a cell.
        names_rows: label the rows even where another panel stands before this one on the line.
        numbered: write the values into the cells if they fit; otherwise there is a colour bar.
        framed_rows: more rows to frame, each by itself.
    """

    name: str
    values: Numbers
    title: str
    rows: Side
    columns: Side
    ramp: ColourScale = field(default_factory=ColourScale)
    mask: NDArray[np.bool_] | None = None
    leaks: NDArray[np.bool_] | None = None
    faded: NDArray[np.bool_] | None = None
    hover: Hover = field(default_factory=Hover)
    operator: str = ""
    marked: tuple[int | None, int | None] | None = None
    pick: Pick = NOTHING
    longest_title: int = 0  # letters for which the caption keeps room, as other steps need them
    shows_shape: bool = True
    size: tuple[float, float] | None = None
    side_bars: SideBars | None = None
    names_rows: bool = False
    numbered: bool = True
    framed_rows: Sequence[int] = ()

    def __post_init__(self) -> None:
        """Check that labels, mask and extra values fit the values."""
        shape = (len(self.rows), len(self.columns))
        if np.shape(self.values) != shape or 0 in shape:
            came = np.shape(self.values)
            raise ValueError(f"matrix {self.name!r}: values must be {shape} to fit its labels, got {came}")
        if self.mask is not None and np.shape(self.mask) != shape:
            raise ValueError(
                f"matrix {self.name!r}: mask must be {shape} like the values, got {np.shape(self.mask)}"
            )
        for name, more in self.hover.extra.items:
            if np.shape(more) != shape:
                raise ValueError(f"matrix {self.name!r}: {name} must be {shape}, got {np.shape(more)}")
        bars = self.side_bars
        if bars is not None and np.shape(bars.values) != shape[:1]:
            raise ValueError(
                f"matrix {self.name!r}: side bars must be {shape[:1]}, got {np.shape(bars.values)}"
            )

    def with_hover(self, **fields: Any) -> "Matrix":
        """Return the matrix with these fields of its hover changed."""
        return replace(self, hover=replace(self.hover, **fields))

    def minus(
        self, other: "Matrix", title: str = "", *, limit: float | None = None, operator: str = ""
    ) -> "Matrix":
        """Return this matrix minus another, named "difference" and coloured around zero.

        Labels and size are those of this matrix. A cell is hatched where both matrices mask it: a value that
        only one of them masks still counts. NaN stays a gap.

        Args:
            other: the matrix to subtract, of the same shape.
            title: the text under the difference; "difference" when empty.
            limit: the difference at the ends of the ramp; the largest there is when None, or where that is
                rounding (1e-5 of the numbers' own size) that size, so that it is not painted as a difference.
            operator: set between it and the matrix before it.

        Raises:
            ValueError: if the shapes differ.
        """
        mine, theirs = np.asarray(self.values), np.asarray(other.values)
        if mine.shape != theirs.shape:
            raise ValueError(
                f"{self.name!r} minus {other.name!r} needs equal shapes, got {mine.shape} and {theirs.shape}"
            )
        values = mine - theirs
        largest, *sizes = (
            float(np.abs(each[np.isfinite(each)]).max(initial=0.0)) for each in (values, mine, theirs)
        )
        size = max(sizes) or 1.0
        if limit is None:
            limit = largest if largest > ROUNDING * size else size
        difference = replace(
            self,
            name="difference",
            values=values,
            title=title or _("difference"),
            ramp=ColourScale("scores", limit),
            mask=None if self.mask is None or other.mask is None else self.mask | other.mask,
            hover=replace(self.hover, quantity=_("difference")),
            operator=operator,
            side_bars=None,
        )
        # At one step of a slider the difference may be all 0, and its panel keeps room for that caption.
        longest = letters(f"{difference.title}  {difference._shape_text(np.inf)}")
        return replace(difference, longest_title=max(self.longest_title, longest))

    def against(self, may: NDArray[np.bool_] | None) -> "Matrix":
        """Return a mistake's map of weights, with its cells checked against the right mask.

        A cell is hatched where it has no weight because either mask forbids it, and marked where it has
        weight although the right mask forbids it. NaN stays a gap.

        Args:
            may: the right mask, True = may attend; None where all may.
        """
        values = np.asarray(self.values)
        everywhere = np.ones(values.shape, dtype=bool)
        own, right = (everywhere if mask is None else mask for mask in (self.mask, may))
        return replace(self, mask=(own & right) | (values != 0), leaks=~right & (values > 0))

    @property
    def words(self) -> tuple[str, str]:
        """The nouns for a row and a column."""
        return self.hover.words or (_word(self.rows.role, _("row")), _word(self.columns.role, _("column")))

    @property
    def visible_values(self) -> Numbers:
        """The values, NaN where they are masked."""
        values = np.asarray(self.values, dtype=np.float64)
        return values if self.mask is None or self.mask.all() else np.where(self.mask, values, np.nan)

    def with_traces(self, traces: Sequence[dict[str, Any]]) -> "Matrix":
        """Return the matrix with the numbers of another position of a slider."""
        cells, hatched = (
            next(trace for trace in traces if trace["name"] == name)
            for name in (self.name, f"{self.name} masked")
        )
        if "z" not in cells or np.array_equal(cells["z"], self.visible_values, equal_nan=True):
            return self
        extra = [(name, cells["customdata"][..., at]) for at, (name, _) in enumerate(self.hover.extra.items)]
        mask = np.isnan(hatched["z"]) if hatched["visible"] else None
        return replace(self, values=cells["z"], mask=mask).with_hover(extra=Extra(extra))

    def geometry(self) -> Geometry:
        """Return the room for square cells, slanted or short column labels, and row labels."""
        return geometry(self._frame)

    def colour_range(self) -> tuple[ColourRange, bool]:
        """Return the range of its colours, and whether a bar must show it.

        It is [0, 1] for weights, symmetric around zero for scores.
        """
        title = self.ramp.bar or self.hover.quantity
        if self.ramp.scale == "weights":
            colours = ColourRange(theme.LIGHT.weights, 0.0, 1.0, title, self.ramp.power)
        else:
            colours = ColourRange(theme.LIGHT.scores, -self._limit(), self._limit(), title)
        return colours, not self._numbers_fit()

    def content(self) -> PanelContent | None:
        """Return the matrix split into words and numbers; None if it has more traces than a plain map."""
        if type(self) is not Matrix or self.side_bars is not None:
            return None
        if self.leaks is not None or self.faded is not None:
            return None
        sides = self.rows.as_tuples, self.columns.as_tuples
        mask = None if self.mask is None else self.mask.tobytes()
        limit = None if self.ramp.scale == "weights" else self._limit()
        extra = tuple(name for name, _ in self.hover.extra.items)
        return PanelContent(
            (*_WORDS_OF(self), sides, mask, limit, extra, self._shape_text()), self._numbers()
        )

    def traces(self, axes: Axes, coloraxis: str) -> list[dict[str, Any]]:
        """Return the cells, the hatch and the hover of masked cells.

        All three are always there, so that every step of a moving mask has the same traces; what is
        invisible costs nothing to draw.
        """
        is_masked = np.zeros(np.shape(self.values), dtype=bool) if self.mask is None else ~self.mask
        cover = masked_cells(is_masked.tobytes(), is_masked.shape)
        meta: dict[str, Any] = {
            "cells": self.pick.together or self.name,
            "cursor": self.pick.moves_cursor,
        } | self._choice()
        common = {"type": "heatmap", "xaxis": axes.x, "yaxis": axes.y, "hoverongaps": False, "meta": meta}
        extra = "".join(
            f"<br>{escape(name)} %{{customdata[{i}]:.6~g}}"
            for i, (name, _) in enumerate(self.hover.extra.items)
        )
        words, place = self.words, self.hover.place
        if place is None:
            place = f"{words[0]} <b>%{{y}}</b>{comma()}{words[1]} <b>%{{x}}</b>"
        is_short = shortens(self.rows, self.columns)
        if is_short and self.hover.place is not None and any(self.rows.labels):
            meta["labels"] = [[*self.rows.labels], [*self.columns.labels]]  # for files of numbers
        elif is_short and self.hover.place is None:
            # %{x} and %{y} would show the shortened labels of the axis.
            common["hovertext"] = _names(tuple(self.rows.labels), tuple(self.columns.labels), words, comma())
            place = "%{hovertext}"
        form = ".6f" if self.ramp.scale == "weights" else ".6~g"
        text = f"{place}<br>{escape(self.hover.quantity)} <b>%{{z:{form}}}</b>"
        gap = 1 if max(is_masked.shape) <= MOST_LABELS else 0
        cells = common | {
            "name": self.name,
            "coloraxis": coloraxis,
            "xgap": gap,
            "ygap": gap,
            "hovertemplate": f"{text}{extra}<extra></extra>",
        }
        hover = common | {
            "name": f"{self.name} masked",
            "visible": cover.any,
            "z": cover.cells,
            "colorscale": _CLEAR,
            "showscale": False,
            "hovertemplate": f"{place}<br>{self.hover.blocked}<extra></extra>",
        }
        bars = [] if self.side_bars is None else [self._beside(self.side_bars, axes)]
        traces = [cells, hatch(self.name, cover, axes), hover]
        fades = [] if self.faded is None else [fade(self.name, self.faded, axes)]
        leaks = [] if self.leaks is None else self._leak_traces(self.leaks, axes, common, text)
        return [
            *(each | own for each, own in zip(traces, self._numbers(), strict=True)),
            *fades,
            *leaks,
            *bars,
        ]

    def _leak_traces(
        self, leaks: NDArray[np.bool_], axes: Axes, common: dict[str, Any], text: str
    ) -> list[dict[str, Any]]:
        against = _("{blocked}, and has weight", blocked=self.hover.blocked)
        lines, cells = leak(self.name, leaks, np.asarray(self.values, dtype=np.float64), axes)
        over = {
            "colorscale": _CLEAR,
            "showscale": False,
            "hovertemplate": f"{text}<br>{against}<extra></extra>",
        }
        return [lines, common | over | cells]

    def _numbers(self) -> list[dict[str, Any]]:
        """Return the fields of each trace that hold numbers."""
        extra = {"customdata": self.hover.extra.stack} if self.hover.extra.items else {}
        return [{"z": self.visible_values} | extra, {}, extra]

    def _choice(self) -> dict[str, Any]:
        part = self.pick.part
        if part is None and not self.pick.chooses:
            return {}
        sides = [self.pick.row, self.pick.column]
        return {"chosen": {"axes": sides, "part": None if part is None else list(part)}}

    def axes(self, axes: Axes) -> dict[str, Any]:
        """Return a column axis on top and a row axis with row 0 on top."""
        return axes_of(self._frame, axes)

    def caption(self) -> str:
        """Return the title and the shape, and "all 0" where neither colours nor numbers show that."""
        if not self.shows_shape:
            return self.title
        return f"{self.title}  <span style='color:{theme.LIGHT.muted}'>{self._shape_text()}</span>"

    def _shape_text(self, of_size: float | None = None) -> str:
        """Return the shape, and "all 0" or "all ≈ 0" if values, or values ``of_size``, get no colour."""
        shape = f"{self.rows.in_sight} × {self.columns.in_sight}"
        if self.ramp.tells_power and self.ramp.power != 1.0:
            return _("{shape}, colours bent", shape=shape)
        if self.ramp.scale == "weights" or self._numbers_fit():
            return shape
        size = self._size if of_size is None else of_size
        if size > ROUNDING * self._limit():
            return shape
        return _("{shape}, all ≈ 0", shape=shape) if size else _("{shape}, all 0", shape=shape)

    @cached_property
    def _size(self) -> float:
        """The largest absolute value that is not masked; infinite if any value is, or if there is none."""
        values = np.abs(np.asarray(self.values, dtype=np.float64))
        visible = ~np.isnan(values) if self.mask is None or np.isinf(values).any() else self.mask
        return float(np.nanmax(values[visible])) if visible.any() else np.inf

    def shapes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return the frames around marked cells."""
        frames = [] if self.marked is None else [("marked", *self.marked)]
        frames += [(f"row {row + 1} framed", row, None) for row in self.framed_rows]
        return [self._outline(axes, *each) for each in frames]

    def _outline(self, axes: Axes, name: str, row: int | None, column: int | None) -> dict[str, Any]:
        x0, x1 = (-0.5, len(self.columns) - 0.5) if column is None else (column - 0.5, column + 0.5)
        y0, y1 = (-0.5, len(self.rows) - 0.5) if row is None else (row - 0.5, row + 0.5)
        frame = {"xref": axes.x, "yref": axes.y, "x0": x0, "x1": x1, "y0": y0, "y1": y1}
        line = {"color": theme.LIGHT.ink, "width": 2}
        return {"type": "rect", "name": f"{self.name} {name}", "line": line, **frame}

    def notes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return the label under the side bars, if they have one: the caption is no note."""
        if self.side_bars is None or not self.side_bars.label:
            return []
        left = {"x": len(self.columns) * (1 + SIDE_GAP) - 0.5, "xanchor": "left"}
        place = {"xref": axes.x, "yref": f"{axes.y} domain", "y": 0, "yanchor": "top"} | left
        font = {"size": theme.FONT_SIZE - 1, "color": theme.LIGHT.muted}
        return [place | {"text": self.side_bars.label, "font": font, "yshift": -8, "showarrow": False}]

    def _beside(self, side: SideBars, axes: Axes) -> dict[str, Any]:
        n_columns = len(self.columns)
        lengths = bar_lengths(side.values, side.full, n_columns)
        rows = np.arange(len(self.rows))
        bars = marks.bar(side.name, rows, lengths, theme.LIGHT.muted, across=True, hover=side.hover) | {
            "xaxis": axes.x,
            "yaxis": axes.y,
            "base": n_columns - 0.5 + SIDE_GAP * n_columns,
            "width": 1.0 if len(self.rows) > MOST_LABELS else 0.8,
            "customdata": np.asarray(side.details, dtype=np.float64),
            "meta": {"cursor": self.pick.moves_cursor},
        }
        bars["marker"]["line"] = {"width": 0}
        return bars | ({"hovertext": np.array(side.names, dtype=object)} if side.names else {})

    @cached_property
    def _frame(self) -> Frame:
        return Frame(
            self.rows.as_tuples,
            self.columns.as_tuples,
            self.size or (len(self.columns), len(self.rows)),
            self.operator,
            self.names_rows,
            self.side_bars is not None,
            self._formats(),
            max(self._longest(), letters(without_tags(self.caption()))),
        )

    def _longest(self) -> int:
        """Return the letters of the longest caption of any step, of which some may add "all 0"."""
        if not self.longest_title:
            return 0
        nothing, nearly, more = (
            letters(self._shape_text(size)) for size in (0.0, np.nextafter(0.0, 1.0), np.inf)
        )
        return self.longest_title + max(nothing, nearly) - more

    def _numbers_fit(self) -> bool:
        return self.numbered and max(len(self.rows), len(self.columns)) <= NUMBERS_UP_TO

    def _limit(self) -> float:
        if self.ramp.limit is not None:
            return self.ramp.limit
        values = np.abs(np.asarray(self.values))
        return float(values[np.isfinite(values)].max(initial=0.0)) or 1.0

    def _formats(self) -> tuple[tuple[str, float], ...]:
        """Return formats of up to three significant digits for wide cells, and of fewer for narrow ones.

        The first has three decimals if the visitor wants these.
        """
        if not self._numbers_fit():
            return ("", 0.0), ("", 0.0)
        limit = 1.0 if self.ramp.scale == "weights" else self._limit()
        wide, narrow = (".2f", ".1f") if limit < 10 else (".1f", ".0f") if limit < 100 else (".0f", ".0f")
        if self.ramp.scale == "weights" or limit < 1:  # one digit of a difference of weights is too few
            narrow = wide
        sign = "-" if self.ramp.scale == "scores" else ""
        forms = (wide, narrow) if decimals() == 2 else (f".{decimals()}f", wide, narrow)
        return tuple((f"%{{z:{form}}}", number_width(f"{sign}{limit:{form}}")) for form in forms)


def bar_lengths(values: Numbers, full: float, n_columns: int) -> Numbers:
    """Return how long side bars are, in columns of their matrix."""
    return np.asarray(values, dtype=np.float64) / full * ((SIDE_SHARE - SIDE_GAP) * n_columns)


def frame_at(
    name: str, *, row: NDArray[Any] | None = None, column: NDArray[Any] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the settings that move the frame of a `marked` matrix, by path, to a row, a column, or a cell.

    Args:
        row, column: the indices of the framed rows and columns at each position of a cursor.

    >>> {path: edge.tolist() for path, edge in frame_at("weights", row=np.array([0, 1])).items()}
    {'layout.shapes[weights marked].y0': [-0.5, 0.5], 'layout.shapes[weights marked].y1': [0.5, 1.5]}
    """
    return {
        f"layout.shapes[{name} marked].{side}{end}": places + (end - 0.5)
        for side, places in (("y", row), ("x", column))
        if places is not None
        for end in (0, 1)
    }


# The fields of a matrix, its ramp and its hover that are neither numbers nor lists, read by one call.
_APART = ("values", "rows", "columns", "ramp", "mask", "leaks", "hover", "side_bars")
_WORDS_OF = attrgetter(
    *(each.name for each in fields(Matrix) if each.name not in _APART),
    *(f"ramp.{each.name}" for each in fields(ColourScale) if each.name != "limit"),
    *(f"hover.{each.name}" for each in fields(Hover) if each.name != "extra"),
)


@lru_cache(maxsize=32)
def _names(
    rows: tuple[str, ...], columns: tuple[str, ...], words: tuple[str, str], between: str
) -> CrossedLabels:
    """Return the name of every cell, made of its labels in full."""
    return CrossedLabels(
        tuple(f"{words[0]} <b>{escape(row)}</b>{between}" for row in rows),
        tuple(f"{words[1]} <b>{escape(column)}</b>" for column in columns),
    )


def _word(role: Role, otherwise: str) -> str:
    if role in ("value", "output"):
        return _("dimension")
    return {"query": _("query"), "key": _("key")}.get(role, otherwise)
