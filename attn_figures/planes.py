"""Queries, keys and values as points: a query's arrow, lines of equal score, weights as colour and size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.geometry import ColourRange
from attn_figures.marks import readings
from attn_figures.matrix import Numbers, may_not_attend
from attn_figures.numbers import as_share
from attn_figures.panels import IN_SIGHT, Absent, Panel, compose
from attn_figures.picture import Spec
from attn_figures.point_labels import Names, PlaneStyle, QueryPoints, axis_reach, named_points, names_beside
from attn_words import N_, _

LIGHT = theme.LIGHT
TWO_ABREAST = 920  # pixels of eight planes on a phone, two in a line
UNDER_VIEWS = 420  # pixels between two lines of views and two sliders in a window of 1024 x 768
SMALLEST, LARGEST = 8.0, 30.0  # pixels of a key with weight 0, and with weight 1
PALEST = 0.25  # the opacity of the first word, where opacity shows the place
_ALL = slice(None)
FULL_SIZE = PlaneStyle()
ONE_PLANE = PlaneStyle(side=9.0, most_names=8, tells="places")
SMALL_SIZE = PlaneStyle(side=4.0, lines=5, most_names=4, of_many=3, diamond=6.0, tells="levels", pixels=150.0)


@dataclass(frozen=True, eq=False)
class QueryKeyPlane:
    """The queries and keys of one head as points of a plane.

    Attributes:
        queries, keys: coordinates, (n_query, 2) and (n_key, 2).
        words: those of the queries, those of the keys.
        explained: the share of squared length along each direction, (2,); NaN where all vectors are zero.
        products: q·k of the whole vectors, (n_query, n_key).
        dimensions: the indices of the two dimensions drawn; None for the two main directions.
        origin: where the zero vector lies, from which an arrow goes to the query, (2,).
    """

    queries: Numbers
    keys: Numbers
    words: tuple[Sequence[str], Sequence[str]]
    explained: Numbers
    products: Numbers
    dimensions: tuple[int, int] | None = None
    origin: Numbers = field(default_factory=lambda: np.zeros(2))

    @property
    def plane_products(self) -> Numbers:
        """The part of each q·k that lies in the plane, (n_query, n_key)."""
        return np.asarray((self.queries - self.origin) @ (self.keys - self.origin).T)

    def equals(self, other: "QueryKeyPlane") -> bool:
        """Whether all points and products are the same as in another plane."""
        mine, theirs = ((each.queries, each.keys, each.products) for each in (self, other))
        return self is other or all(map(np.array_equal, mine, theirs))


@dataclass(frozen=True, eq=False)
class HeadPlanes:
    """The planes of one head: that of queries and keys, and that of values.

    Attributes:
        values: coordinates in the plane of values, (n_key, 2); to_values: its directions, (2, d_v).
        explained_values: the share of the values' squared length along each of these directions, (2,).
        rank_changes: how many keys have another rank by the plane's scores, for each query, (n_query,).
    """

    plane: QueryKeyPlane
    values: Numbers
    to_values: Numbers
    explained_values: Numbers
    rank_changes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AttentionPlane:
    """Queries and keys of one head in a plane, and the weights between them, at one step or more.

    Attributes:
        planes: one for each step, None where the step has no such head; or one for all steps.
        weights, masks: (n_steps, n_query, n_key); a mask is True where a query may attend.
        style: how they are drawn; before: the prefix of their traces' names.
    """

    planes: Sequence[QueryKeyPlane | None]
    weights: Numbers
    masks: NDArray[np.bool_]
    style: PlaneStyle = FULL_SIZE
    before: str = ""

    @property
    def first_plane(self) -> QueryKeyPlane:
        """The plane of the first step that has one."""
        return next(plane for plane in self.planes if plane is not None)

    def chart(self, name: str, row: int, **more: Any) -> Chart:
        """Draw the first step, with the arrow and the lines of one query."""
        plane, style, before = self.first_plane, self.style, self.before
        asking, answering = (self._hover_names(words) for words in plane.words)
        at = {path: values[0] for path, values in _moves(plane, style, slice(row, row + 1)).items()}
        lines = marks.line(
            f"{before}equal scores",
            at["equal scores.x"],
            at["equal scores.y"],
            LIGHT.rule,
            width=1.5,
            hover="" if style.tells == "places" else "q·k = %{customdata:.4g}",
        )
        lines |= {"customdata": at["equal scores.customdata"]} if style.tells != "places" else {}
        keys, masked = weighted_points(
            before,
            "key",
            plane.keys,
            answering,
            self.weights[0, row],
            self.masks[0, row],
            by_place=style.by_place,
        )
        if style.tells == "products":
            keys |= {
                "customdata": at["key points.customdata"],
                "hovertemplate": f"{_of_pair()}<extra></extra>",
            }
        queries = marks.points(
            f"{before}query points",
            *plane.queries.T,
            LIGHT.query,
            size=style.diamond,
            symbol="diamond",
            hover=_("query <b>{word}</b>", word="%{hovertext}"),
        )
        if style.by_place:
            queries["marker"] = queries["marker"] | {"opacity": _paleness(len(asking))}
        # A click selects a query. Names of other queries would cover those of keys: the hover has them.
        queries |= {"hovertext": asking, "meta": {"cursor": list(range(len(asking)))}}
        names = key_names(plane, self.weights[0], style, [row])
        return Chart(
            name,
            [
                lines,
                marks.line(f"{before}arrow", at["arrow.x"], at["arrow.y"], LIGHT.query, width=3),
                marks.points(
                    f"{before}arrow head", at["arrow head.x"], at["arrow head.y"], LIGHT.query, size=10
                ),
                keys,
                masked,
                named_points(f"{before}key names", names.parts, LIGHT.key),
                queries,
                named_points(f"{before}query name", names.queries, LIGHT.query),
            ],
            columns=style.side,
            rows=style.side,
            letter=style.letter,
            colours=ColourRange(LIGHT.weights, 0.0, 1.0, _("weight")),
            **square(plane.queries, plane.keys),
            **more,
        )

    def full_chart(self, row: int) -> Chart:
        """Draw the chart with its legend, its colour bar and titles of its axes."""
        by_place = self.style.by_place
        legend = [(_("queries"), LIGHT.query), (_("keys"), LIGHT.key), (_("equal q·k"), LIGHT.muted)]
        return self.chart(
            "plane",
            row,
            legend=[*legend, (_("paler: earlier words"), LIGHT.muted)] if by_place else legend,
            legend_lines=2 if by_place else 1,
            shows_bar=not by_place,
            **_titles(self.first_plane.explained, self.first_plane.dimensions),
        )

    def follow(self) -> dict[str, list[Any]]:
        """Return the settings of `chart` that change with the query, by path: one a step, or one for all."""
        planes = [self.first_plane if plane is None else plane for plane in self.planes]
        if all(plane.equals(planes[0]) for plane in planes):
            planes = planes[:1]
        style, before, (_asking, answering) = self.style, self.before, planes[0].words
        without_weights = [_moves(each, style) for each in planes]
        moves = {
            f"data[{before}{path.replace('.', '].', 1)}": [each[path] for each in without_weights]
            for path in without_weights[0]
        }
        places = [each.keys for each in planes]
        moves |= weighted_moves(before, "key", places, self.weights, self.masks, by_place=style.by_place)
        if style.names_all(answering):
            orders = [self.weights[0]] * len(planes)  # all keys have names, whatever their weights
        else:
            orders = naming_orders(self.weights, self.masks) if len(planes) == 1 else list(self.weights)
        every = planes if len(planes) == len(orders) else [planes[0]] * len(orders)
        present = self.planes if len(self.planes) == len(orders) else every
        names_there = [
            key_names(each, order, style) if plane else None
            for each, order, plane in zip(every, orders, present, strict=True)
        ]
        any_names = next(filter(None, names_there))
        names = [each or any_names for each in names_there]
        for part in names[0].parts:
            moves[f"data[{before}key names].{part}"] = [each.parts[part] for each in names]
            moves[f"data[{before}query name].{part}"] = [each.queries[part] for each in names]
        return moves

    def _hover_names(self, words: Sequence[str]) -> list[str]:
        """Return the words for the hover: with their places if the style's ``tells`` is "places"."""
        if self.style.tells != "places":
            return [*map(escape, words)]
        return [
            _("{word}, place {place}", word=escape(word), place=place) for place, word in enumerate(words, 1)
        ]


def single_plane(head: AttentionPlane, *, row: int = 0) -> Spec:
    """Draw queries and keys of one head in one plane, for the query of index ``row``."""
    return compose([head.full_chart(row)], largest_unit=64, phone_height=IN_SIGHT)


def points(
    planes: HeadPlanes, attention: tuple[Numbers, NDArray[np.bool_], Numbers], *, row: int = 0
) -> Spec:
    """Draw queries and keys in one plane, and values with one query's output in another.

    Args:
        attention: weights and mask, (n_query, n_key), True where a query may attend; output, (n_query, d_v).
    """
    weights, mask, output = attention
    words = planes.plane.words[1]
    place = output[row] @ planes.to_values.T
    right = Chart(
        "values",
        [
            *weighted_points("", "value", planes.values, list(map(escape, words)), weights[row], mask[row]),
            named_points("value names", value_names(planes, weights, [row]).parts, LIGHT.value),
            marks.points("output point", *place[:, None], LIGHT.ink, size=14, symbol="x"),
        ],
        columns=FULL_SIZE.side,
        rows=FULL_SIZE.side,
        legend=[(_("values"), LIGHT.value), (_("output"), LIGHT.ink)],
        letter=FULL_SIZE.letter,
        colours=ColourRange(LIGHT.weights, 0.0, 1.0, _("weight")),
        **square(planes.values),
        **_titles(planes.explained_values),
    )
    left = AttentionPlane([planes.plane], weights[None], mask[None]).full_chart(row)
    return compose([left, right], largest_unit=56, phone_height=IN_SIGHT)


def small_multiples(
    heads: Sequence[AttentionPlane], titles: Sequence[str], *, slots: int, order: Sequence[int], row: int = 0
) -> Spec:
    """Draw the planes of several heads in the given order, with room for `slots` of them.

    Args:
        slots: the largest number of heads of any step.
        order: the indices of the heads, in the order in which they are drawn.
    """
    panels: list[Panel | Absent] = []
    quiet = {"showticklabels": False}
    for place, number in enumerate([*order, *range(len(heads), slots)]):
        is_there = number < len(heads)
        head = heads[number] if is_there else replace(heads[0], before=before_head(number))
        title = titles[number] if is_there else titles[0]
        chart = head.chart(f"plane {number + 1}", row, title=title, shows_bar=place == 0)
        chart = replace(chart, x=chart.x | quiet, y=chart.y | quiet)
        panels.append(chart if is_there else Absent(chart))
    return compose(panels, largest_unit=64, phone_height=TWO_ABREAST, laptop_height=UNDER_VIEWS)


def before_head(number: int) -> str:
    """Return the prefix of the names of a head's traces in a figure of several heads."""
    return f"head {number + 1} "


def cursor(
    planes: HeadPlanes, weights: Numbers, masks: NDArray[np.bool_], outputs: Numbers
) -> dict[str, Any]:
    """Return the settings of `points` that change with the query, by row, and by step and row."""
    moves = AttentionPlane([planes.plane], weights, masks).follow()
    places = outputs @ planes.to_values.T
    moves |= {f"data[output point].{axis}": list(places[..., [i]]) for i, axis in enumerate("xy")}
    moves |= weighted_moves("", "value", [planes.values], weights, masks)
    if not FULL_SIZE.names_all(planes.plane.words[1]):
        names = [value_names(planes, each).parts for each in naming_orders(weights, masks)]
        moves |= {f"data[value names].{part}": [each[part] for each in names] for part in names[0]}
    return split_moves(moves)


def key_names(
    plane: QueryKeyPlane, weights: Numbers, style: PlaneStyle = FULL_SIZE, rows: Sequence[int] | None = None
) -> Names:
    """Return the names of keys in a plane, for some queries: see `names_beside`."""
    queries = QueryPoints(plane.queries, plane.words[0], plane.origin)
    return names_beside(plane.keys, plane.words[1], weights, style, queries=queries, rows=rows)


def value_names(planes: HeadPlanes, weights: Numbers, rows: Sequence[int] | None = None) -> Names:
    """Return the names of values in their plane, for some queries."""
    return names_beside(planes.values, planes.plane.words[1], weights, FULL_SIZE, rows=rows)


def split_moves(moves: Mapping[str, list[Any]]) -> dict[str, dict[str, Any]]:
    """Split settings into those of the query alone and those of step and query, as `Cursor` takes them."""
    return {
        "changes": {path: values[0] for path, values in moves.items() if len(values) == 1},
        "by_step": {
            path: np.stack([np.asarray(each) for each in values])
            for path, values in moves.items()
            if len(values) > 1
        },
    }


def sizes(weights: Numbers) -> Numbers:
    """Return the diameter of each key's point, whose area grows linearly with the weight."""
    diameters: Numbers = np.sqrt(SMALLEST**2 + (LARGEST**2 - SMALLEST**2) * weights)
    return np.round(2 * diameters) / 2  # smaller differences are invisible, and equal numbers take few bytes


def weight_hover(weight: str = "marker.color") -> str:
    """Return the hover text of a key with its weight, read from this field of the trace."""
    return readings((_("key"), "%{hovertext}"), (_("weight"), f"%{{{weight}:.6f}}"))


def _paleness(count: int) -> Numbers:
    """Return the opacity of each word, which grows with its place: the last is opaque."""
    return np.linspace(PALEST, 1, count) if count > 1 else np.ones(1)


def _of_pair() -> str:
    part = _(
        "q·k <b>{whole}</b>, of which the plane shows <b>{shown}</b>",
        whole="%{customdata[0]:.6g}",
        shown="%{customdata[1]:.6g}",
    )
    return f"{weight_hover()}<br>{part}"


def weighted_points(
    before: str,
    kind: str,
    places: Numbers,
    words: Sequence[str],
    *attention: NDArray[Any],
    by_place: bool = False,
) -> tuple[marks.Mark, marks.Mark]:
    """Return points coloured and sized by weight, and hollow points for masked keys.

    Args:
        before: the prefix of the traces' names; kind: "key" or "value".
        places: (n_key, 2); words: those of the keys.
        attention: weights and mask, (n_key,).
        by_place: whether opacity shows each word's place (earlier is paler), and colour no weight.
    """
    (weights, may), (x, y) = attention, places.T
    ring = LIGHT.value if kind == "value" else LIGHT.key
    marked = marks.points(
        f"{before}{kind} points",
        np.where(may, x, np.nan),
        y,
        ring if by_place else weights,
        size=sizes(weights),
        ring=ring,
        hover=weight_hover("customdata") if by_place else weight_hover(),
    )
    # By default Plotly draws points of several sizes translucent: no colour would match the bar.
    marked["marker"] = marked["marker"] | {"coloraxis": "panel", "opacity": 1}
    if by_place:
        del marked["marker"]["coloraxis"]
        marked["marker"]["opacity"] = _paleness(len(weights))
        marked["customdata"] = weights
    hollow = marks.points(
        f"{before}masked {kind} points",
        np.where(may, np.nan, x),
        y,
        LIGHT.muted,
        size=12,
        symbol="circle-x-open",
        hover=readings((_("key"), "%{hovertext}"), (may_not_attend(), "")),
    )
    return marked | {"hovertext": words}, hollow | {"hovertext": words}


def weighted_moves(
    before: str,
    kind: str,
    places: Sequence[Numbers],
    weights: Numbers,
    masks: NDArray[np.bool_],
    *,
    by_place: bool = False,
) -> dict[str, list[Any]]:
    """Return the settings of `weighted_points` by step and query; ``places`` has one item, or one a step."""
    part = "customdata" if by_place else "marker.color"
    moves = {
        f"data[{before}{kind} points].{part}": list(weights),
        f"data[{before}{kind} points].marker.size": list(sizes(weights)),
    }
    if masks.all():
        return moves
    across = np.stack([each[:, 0] for each in places])[:, None]
    masks = masks[:1] if len(places) == 1 and (masks == masks[:1]).all() else masks
    return moves | {
        f"data[{before}{kind} points].x": list(np.where(masks, across, np.nan)),
        f"data[{before}masked {kind} points].x": list(np.where(masks, np.nan, across)),
    }


def _moves(plane: QueryKeyPlane, style: PlaneStyle, rows: slice = _ALL) -> dict[str, Any]:
    """Return the settings that change with the query but no weight, (n_query, ...), by trace and field."""
    queries = plane.queries[rows]
    arrow = np.stack([np.broadcast_to(plane.origin, queries.shape), queries], axis=1)
    across, levels = score_lines(queries - plane.origin, axis_reach(plane.queries, plane.keys), style.lines)
    moves: dict[str, Any] = {} if style.tells == "places" else {"equal scores.customdata": levels}
    if style.tells == "products":
        moves["key points.customdata"] = np.stack([plane.products[rows], plane.plane_products[rows]], axis=-1)
    for side, axis in enumerate("xy"):
        moves[f"equal scores.{axis}"] = across[:, side]
        moves[f"arrow.{axis}"] = arrow[:, :, side]
        moves[f"arrow head.{axis}"] = arrow[:, 1:, side]
    return moves


def score_lines(queries: Numbers, far: float, count: int) -> tuple[Numbers, Numbers]:
    """Return each query's lines of equal score, perpendicular to it, (n_query, 2, n), and their scores."""
    length = np.linalg.norm(queries, axis=1, keepdims=True)
    to = np.divide(queries, length, out=np.full_like(queries, np.nan), where=length > 0)
    across = np.stack([-to[:, 1], to[:, 0]], axis=1)
    at = (far * np.linspace(-1, 1, count))[None, :, None, None]
    ends = np.array([-2 * far, 2 * far, np.nan])[None, None, :, None]
    course = at * to[:, None, None] + ends * across[:, None, None]
    scores = np.repeat(at[:, :, 0, 0] * length, 3, axis=1)
    return course.reshape(len(to), -1, 2).transpose(0, 2, 1), scores


def naming_orders(weights: Numbers, masks: NDArray[np.bool_]) -> list[Numbers]:
    """Return the weights by which keys are chosen to be named: one for all steps if their masks are equal.

    Softmax keeps the order of its scores at any temperature, and so does the sum of several softmaxes.
    """
    return [weights.sum(axis=0)] if (masks == masks[:1]).all() else list(weights)


# ---- axes ----


def square(*places: Numbers) -> dict[str, Any]:
    """Return two axes of equal length around the origin."""
    far = axis_reach(*places)
    common = {"range": [-far, far], "zeroline": True, "zerolinecolor": LIGHT.muted}
    return {"x": common, "y": common}


def _titles(explained: Numbers, dimensions: tuple[int, int] | None = None) -> dict[str, Any]:
    """Return titles of both axes with the share each explains; ``dimensions`` as in `QueryKeyPlane`."""
    numbers = (1, 2) if dimensions is None else [each + 1 for each in dimensions]
    titles = []
    for number, share in zip(numbers, explained.tolist(), strict=True):
        name = N_("direction {number}") if dimensions is None else N_("dimension {number}")
        axis, percent = _(name, number=number), "" if np.isnan(share) else as_share(share)
        titles.append(_("{axis} keeps {share}", axis=axis, share=percent) if percent else axis)
    return {"x_title": titles[0], "y_title": titles[1]}
