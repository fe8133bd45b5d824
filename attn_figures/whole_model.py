"""Pictures of a whole model: a thumbnail of each head, and one head's map large."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.frame import Side
from attn_figures.geometry import Axes
from attn_figures.long_map import SHORT, ranges
from attn_figures.matrix import NUMBERS_UP_TO, PAIRS, ColourScale, Extra, Hover, Matrix, Pick
from attn_figures.multi_head import PHONE_HEIGHT, ROOMY, ROOT, text_map
from attn_figures.panels import Panel, compose
from attn_figures.picture import Spec
from attn_live.captions import LazyMap
from attn_live.pyramid import Pyramid, level_sizes
from attn_words import _, _n

Numbers = NDArray[np.floating[Any]]
LIGHT = theme.LIGHT
OVERVIEW = "all heads"
MOST_CELLS = 18_000  # of all thumbnails together
MOST_SIDE = 32  # cells of one thumbnail
_LARGE = 15.0  # units of the large map's longer side
_WIDTH, _HEIGHT = 21.0, 15.0  # units that the thumbnails may take


@dataclass(frozen=True, eq=False)
class Model:
    """All heads of a model on one sequence.

    Attributes:
        layers: each (n_head, n_query, n_key); lengths may differ between layers.
        scores: one number for each head, over all layers in order; score: the name of these numbers.
        order: the heads, as indices over all layers, in the slider's order.
        rows, columns: the labels of queries and keys, for each layer.
        true: the model's weights, if the rows of `layers` are renormalised over the keys that are shown; a
            map's title and hover then show that.
        may: True where a query may attend, for each layer; None where it may everywhere, or if unknown.
    """

    layers: Sequence[Numbers]
    scores: Sequence[float]
    score: str
    order: Sequence[int]
    rows: Sequence[Sequence[str]]
    columns: Sequence[Sequence[str]]
    true: Sequence[Numbers] | None = None
    may: Sequence[NDArray[np.bool_] | None] | None = None

    @property
    def quantity(self) -> str:
        """The name of the maps' values."""
        return _("weight") if self.true is None else _("share among words")

    @property
    def largest_of_some(self) -> str:
        """The name of a value that is the largest of several weights."""
        return _("weight up to") if self.true is None else _("share among words up to")

    def at(self, head: int) -> tuple[int, int]:
        """Return a head's layer and its place there, both zero-based, from its index over all layers."""
        for layer, weights in enumerate(self.layers):
            if head < len(weights):
                return layer, head
            head -= len(weights)
        raise IndexError("no such head")

    def number(self, head: int) -> str:
        """Return a head's layer and its place there as text, both counted from 1.

        >>> Model([np.ones((2, 1, 1))] * 2, [0.0] * 4, "", range(4), (), ()).number(3)
        '2.2'
        """
        layer, within = self.at(head)
        return f"{layer + 1}.{within + 1}"

    def name(self, head: int) -> str:
        """Return the name of a head, with its `number`.

        >>> Model([np.ones((2, 1, 1))] * 2, [0.0] * 4, "", range(4), (), ()).name(3)
        'head 2.2'
        """
        return _("head {number}", number=self.number(head))


def thumbnail_side(layers: Sequence[Numbers]) -> int:
    """Return the cells of a thumbnail's side: as many as the longest map's, if all thumbnails fit so."""
    lines, heads = len(layers), max(map(len, layers))
    longest = max(side for weights in layers for side in weights.shape[1:])
    return int(min(longest, MOST_SIDE, max(4, (MOST_CELLS / (lines * heads)) ** 0.5 - 1)))


def montage(layers: Sequence[Numbers], side: int) -> NDArray[np.float64]:
    """Return all maps in one array, a layer a line, with gaps of NaN between them.

    A map that is larger than a thumbnail is reduced to the largest weight of each part.

    >>> montage([np.array([[[0.0, 1.0], [0.5, 0.5]]])], 1).tolist()
    [[1.0]]
    """
    step = side + 1
    result = np.full((len(layers) * step - 1, max(map(len, layers)) * step - 1), np.nan)
    for line, weights in enumerate(layers):
        small = weights
        for axis in (1, 2):
            n = small.shape[axis]
            if n > side:
                small = np.maximum.reduceat(small, np.arange(side) * n // side, axis=axis)
            elif n < side:  # a shorter map fills its thumbnail too
                small = small.take(np.arange(side) * n // side, axis=axis)
        for head, thumbnail in enumerate(small):
            result[line * step : line * step + side, head * step : head * step + side] = thumbnail
    return result


def head_at(layers: Sequence[Numbers], row: int, column: int) -> int | None:
    """Return the head, as an index over all layers, at a cell of the thumbnails; None between them."""
    step = thumbnail_side(layers) + 1
    (line, down), (head, right) = divmod(row, step), divmod(column, step)
    if step - 1 in (down, right) or line >= len(layers) or head >= len(layers[line]):
        return None
    return sum(map(len, layers[:line])) + head


@dataclass(frozen=True)
class _Thumbnails(Matrix):
    """The array of all thumbnails, with a name for each cell's head and a frame around one head."""

    heads: Any = None
    frame: tuple[int, int, int] = (0, 0, 1)  # the first row and column, and the cells a side

    def traces(self, axes: Axes, coloraxis: str) -> list[dict[str, Any]]:
        """Return the cells with their heads' names."""
        cells, *rest = super().traces(axes, coloraxis)
        return [cells | {"hovertext": self.heads}, *rest]

    def shapes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return the frame."""
        row, column, side = self.frame
        bottom, right = (length - 0.5 for length in np.shape(self.values))
        around = {"x0": max(column - 1, -0.5), "x1": min(column + side, right)}
        around |= {"y0": max(row - 1, -0.5), "y1": min(row + side, bottom)}
        line = {"color": LIGHT.query, "width": 2.5}
        return [{"type": "rect", "name": "head here", "xref": axes.x, "yref": axes.y, "line": line} | around]


def steps(model: Model, places: Sequence[int]) -> Sequence[Spec]:
    """Draw a step for each of these indices into the model's ``order``; all steps share their thumbnails."""
    side = thumbnail_side(model.layers)
    thumbnails = _thumbnails(model, side)

    def draw(place: int) -> Spec:
        layer, within = model.at(model.order[place])
        panels: list[Panel] = [
            replace(thumbnails, frame=(layer * (side + 1), within * (side + 1), side)),
            _large(model, model.order[place]),
        ]
        return compose(panels, phone_height=PHONE_HEIGHT, roomy=ROOMY)

    return LazyMap(draw, places)


def _thumbnails(model: Model, side: int) -> _Thumbnails:
    step = side + 1
    values = montage(model.layers, side)
    n_layer, n_head = len(model.layers), max(map(len, model.layers))
    names = np.full(values.shape, "", dtype=object)
    for head in range(len(model.scores)):
        layer, within = model.at(head)
        names[layer * step : layer * step + side, within * step : within * step + side] = model.name(head)
    cell = min(_WIDTH / n_head, _HEIGHT / n_layer)
    longest = max(max(each.shape[1:]) for each in model.layers)
    lines, columns = (
        [(number * step + (side - 1) / 2, str(number + 1)) for number in range(0, count, -(-count // 16))]
        for count in (n_layer, n_head)
    )
    return _Thumbnails(
        OVERVIEW,
        values,
        _n(
            "{layers}, {count:,} head",
            "{layers}, {count:,} heads",
            len(model.scores),
            layers=_n("{count:,} layer", "{count:,} layers", n_layer),
        ),
        Side([""] * values.shape[0], _("Layer"), "ink", ticks=lines),
        Side([""] * values.shape[1], _("Head"), "ink", ticks=columns),
        ramp=ColourScale(bar=_("weight"), power=ROOT),
        hover=Hover(model.quantity if side == longest else model.largest_of_some, place="%{hovertext}"),
        shows_shape=False,
        size=(n_head * cell, n_layer * cell),
        numbered=False,
        heads=names,
    )


def _large(model: Model, head: int) -> Matrix:
    layer, within = model.at(head)
    weights = model.layers[layer][within]
    true = None if model.true is None else model.true[layer][within]
    may = None if model.may is None else model.may[layer]
    rows, columns = model.rows[layer], model.columns[layer]
    n_query, n_key = weights.shape
    unit = _LARGE / max(n_query, n_key)
    is_long = max(n_query, n_key) > SHORT
    if is_long:
        size = 2 ** (len(level_sizes(n_query, n_key)) - 1)
        true = None if true is None else np.nan_to_num(_blocks(true, may))
        weights = _blocks(weights, may)
        may = None if may is None else ~np.isnan(weights)
        weights = np.nan_to_num(weights)
        rows, columns = ranges(rows, size), ranges(columns, size)
    fields = {"head": model.number(head), "measure": model.score, "score": f"{model.scores[head]:.2f}"}
    title, extra = _("head {head}: {measure} {score}", **fields), Extra()
    if isnan(model.scores[head]):
        title = model.name(head)
    if true is not None:
        title = _("head {head}: {measure} {score}, among words", **fields)
        extra = Extra([(_("true weight"), np.asarray(true, dtype=np.float64))])
    if is_long:
        title = _("{title}; the largest of each {size} × {size} weights", title=title, size=size)
    return text_map(
        "weights",
        np.asarray(weights, dtype=np.float64),
        title,
        rows,
        columns,
        hover=Hover(model.largest_of_some if is_long else model.quantity, extra=extra),
        pick=Pick(together="query-key") if is_long else PAIRS,
        size=(n_key * unit, n_query * unit),
        mask=may,
        numbered=max(n_query, n_key) <= NUMBERS_UP_TO,
        names_rows=True,
    )


def _blocks(weights: Numbers, may: NDArray[np.bool_] | None) -> Numbers:
    """Return the largest weight of each block of a long map; NaN where all is masked."""
    pyramid = Pyramid(weights, may=may)
    return pyramid.level(len(pyramid.sizes) - 1)
