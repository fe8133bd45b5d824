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
from attn_figures.matrix import Numbers, may_not_attend
from attn_figures.names import Names, PlaneStyle, QueryPoints, farthest, named_points, names_beside
from attn_figures.numbers import as_share
from attn_figures.panels import IN_SIGHT, Absent, Panel, compose
from attn_figures.picture import Picture, Spec
from attn_words import _

LIGHT = theme.LIGHT
TWO_ABREAST = 920  # pixels that eight planes take on a phone, two in a line
UNDER_VIEWS = 420  # pixels that a window of 1024 x 768 has between two lines of views and two sliders
SMALLEST, LARGEST = 8.0, 30.0  # pixels of a key with no weight, and with all
PALEST = 0.25  # the opacity of the first word, where colour tells the place
_ALL = slice(None)
WHOLE = PlaneStyle()
ALONE = PlaneStyle(side=9.0, most_names=8, tells="places")
SMALL = PlaneStyle(side=4.0, lines=5, most_names=4, of_many=3, diamond=6.0, tells="levels", pixels=150.0)


@dataclass(frozen=True, eq=False)
class QueryKeyPlane:
    """Where queries and keys of one head stand in their plane.

    Attributes:
        queries, keys: coordinates, (n_query, 2) and (n_key, 2).
        words: of the queries and of the keys.
        explained: the share of squared length that each direction keeps, (2,); NaN where all are zero.
        products: q·k as the vectors have them, (n_query, n_key); the plane shows a part of each.
        dimensions: the two that the plane is of, from 0; None where it is that of the main directions.
        origin: where the plane has the origin of the vectors, from which an arrow goes to the query, (2,).
    """

    queries: Numbers
    keys: Numbers
    words: tuple[Sequence[str], Sequence[str]]
    explained: Numbers
    products: Numbers
    dimensions: tuple[int, int] | None = None
    origin: Numbers = field(default_factory=lambda: np.zeros(2))

    @property
    def shown(self) -> Numbers:
        """The part of each q·k that the plane shows, (n_query, n_key)."""
        found: Numbers = (self.queries - self.origin) @ (self.keys - self.origin).T
        return found

    def is_as(self, other: "QueryKeyPlane") -> bool:
        """Whether all stand at the same places as in another."""
        mine, theirs = ((each.queries, each.keys, each.products) for each in (self, other))
        return self is other or all(map(np.array_equal, mine, theirs))


@dataclass(frozen=True, eq=False)
class HeadPlanes:
    """Where the vectors of one head stand in their planes.

    Attributes:
        plane: of queries and keys.
        values: coordinates in the plane of values, (n_key, 2); to_values: its directions, (2, d_v).
        kept: the share of squared length that each direction of that plane keeps, (2,).
        moved: of each query, how many keys have another rank by what the plane shows of scores, (n_query,).
    """

    plane: QueryKeyPlane
    values: Numbers
    to_values: Numbers
    kept: Numbers
    moved: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AttentionPlane:
    """Queries and keys of one head in a plane, and the weights between them, at one step or more.

    Attributes:
        planes: one a step, None where the head is not there; or one for all steps.
        weights, masks: (n_steps, n_query, n_key), True where a query may attend.
        look: how they are drawn; before: what the names of their traces begin with.
    """

    planes: Sequence[QueryKeyPlane | None]
    weights: Numbers
    masks: NDArray[np.bool_]
    look: PlaneStyle = WHOLE
    before: str = ""

    @property
    def there(self) -> QueryKeyPlane:
        """The first plane there is."""
        return next(plane for plane in self.planes if plane is not None)

    def chart(self, name: str, row: int, **more: Any) -> Chart:
        """Draw the first step, with the arrow and the lines of the query in `row`."""
        seen, look, before = self.there, self.look, self.before
        asking, answering = (self._pointed(words) for words in seen.words)
        at = {path: values[0] for path, values in _moves(seen, look, slice(row, row + 1)).items()}
        lines = marks.line(
            f"{before}equal scores",
            at["equal scores.x"],
            at["equal scores.y"],
            LIGHT.rule,
            width=1.5,
            hover="" if look.tells == "places" else "q·k = %{customdata:.4g}",
        )
        lines |= {"customdata": at["equal scores.customdata"]} if look.tells != "places" else {}
        keys, masked = weighted_points(
            before,
            "key",
            seen.keys,
            answering,
            self.weights[0, row],
            self.masks[0, row],
            by_place=look.by_place,
        )
        if look.tells == "products":
            keys |= {
                "customdata": at["key points.customdata"],
                "hovertemplate": f"{_of_pair()}<extra></extra>",
            }
        queries = marks.points(
            f"{before}query points",
            *seen.queries.T,
            LIGHT.query,
            size=look.diamond,
            symbol="diamond",
            hover=_("query <b>{query}</b>", query="%{hovertext}"),
        )
        if look.by_place:
            queries["marker"] = queries["marker"] | {"opacity": _paleness(len(asking))}
        # A click asks there. The words of the others would lie on those of the keys: pointing at them tells.
        queries |= {"hovertext": asking, "meta": {"cursor": list(range(len(asking)))}}
        named = key_names(seen, self.weights[0], look, [row])
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
                named_points(f"{before}key names", named.parts, LIGHT.key),
                queries,
                named_points(f"{before}query name", named.asked, LIGHT.query),
            ],
            columns=look.side,
            rows=look.side,
            letter=look.letter,
            colours=ColourRange(LIGHT.weights, 0.0, 1.0, _("weight")),
            **square(seen.queries, seen.keys),
            **more,
        )

    def titled(self, row: int) -> Chart:
        """Draw the same with its legend, its colour bar and what its axes keep."""
        by_place = self.look.by_place
        legend = [(_("queries"), LIGHT.query), (_("keys"), LIGHT.key), (_("equal q·k"), LIGHT.muted)]
        return self.chart(
            "plane",
            row,
            legend=[*legend, (_("paler: earlier words"), LIGHT.muted)] if by_place else legend,
            legend_lines=2 if by_place else 1,
            shows_bar=not by_place,
            **_titles(self.there.explained, self.there.dimensions),
        )

    def follow(self) -> dict[str, list[Any]]:
        """Return what follows the query in `chart`, by its path: a value a step, or one for all of them."""
        planes = [self.there if plane is None else plane for plane in self.planes]
        if all(plane.is_as(planes[0]) for plane in planes):
            planes = planes[:1]
        look, before, (_asking, answering) = self.look, self.before, planes[0].words
        still = [_moves(each, look) for each in planes]
        found = {
            f"data[{before}{path.replace('.', '].', 1)}": [each[path] for each in still] for path in still[0]
        }
        places = [each.keys for each in planes]
        found |= shares(before, "key", places, self.weights, self.masks, by_place=look.by_place)
        if look.names_all(answering):
            orders = [self.weights[0]] * len(planes)  # the same are named whatever their weights
        else:
            orders = orders_of(self.weights, self.masks) if len(planes) == 1 else list(self.weights)
        every = planes if len(planes) == len(orders) else [planes[0]] * len(orders)
        named: list[Names] = []
        for at, (each, order) in enumerate(zip(every, orders, strict=True)):
            unseen = (
                len(self.planes) == len(orders) and self.planes[at] is None
            )  # of a head that is not there
            named.append(named[-1] if named and unseen else key_names(each, order, look))
        for part in named[0].parts:
            found[f"data[{before}key names].{part}"] = [each.parts[part] for each in named]
            found[f"data[{before}query name].{part}"] = [each.asked[part] for each in named]
        return found

    def _pointed(self, words: Sequence[str]) -> list[str]:
        """What pointing at words calls them: where there may be many, their places too."""
        if self.look.tells != "places":
            return [*map(escape, words)]
        return [
            _("{word}, place {place}", word=escape(word), place=place) for place, word in enumerate(words, 1)
        ]


@Picture
def alone(head: AttentionPlane, *, row: int = 0) -> Spec:
    """Draw queries and keys of one head in one plane, for the query in `row`."""
    return compose.spec([head.titled(row)], largest_unit=64, phone_height=IN_SIGHT)


@Picture
def points(seen: HeadPlanes, attended: tuple[Numbers, NDArray[np.bool_], Numbers], *, row: int = 0) -> Spec:
    """Draw queries and keys in one plane, and values with the output of the query in `row` in another.

    Args:
        seen: where they stand.
        attended: weights and mask, (n_query, n_key), True where a query may attend; output, (n_query, d_v).
        row: the query, from 0.
    """
    weights, mask, output = attended
    words = seen.plane.words[1]
    made = output[row] @ seen.to_values.T
    right = Chart(
        "values",
        [
            *weighted_points("", "value", seen.values, list(map(escape, words)), weights[row], mask[row]),
            named_points("value names", value_names(seen, weights, [row]).parts, LIGHT.value),
            marks.points("output point", *made[:, None], LIGHT.ink, size=14, symbol="x"),
        ],
        columns=WHOLE.side,
        rows=WHOLE.side,
        legend=[(_("values"), LIGHT.value), (_("output"), LIGHT.ink)],
        letter=WHOLE.letter,
        colours=ColourRange(LIGHT.weights, 0.0, 1.0, _("weight")),
        **square(seen.values),
        **_titles(seen.kept),
    )
    left = AttentionPlane([seen.plane], weights[None], mask[None]).titled(row)
    return compose.spec([left, right], largest_unit=56, phone_height=IN_SIGHT)


@Picture
def small_multiples(
    heads: Sequence[AttentionPlane], titles: Sequence[str], *, slots: int, order: Sequence[int], row: int = 0
) -> Spec:
    """Draw the planes of several heads in the given order, with room for `slots` of them.

    Args:
        heads: at one step each, and their titles.
        titles: one a head.
        slots: how many heads the step with the most of them has.
        order: heads, from 0, in the order in which they stand.
        row: the query, from 0.
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
    return compose.spec(panels, largest_unit=64, phone_height=TWO_ABREAST, laptop_height=UNDER_VIEWS)


def before_head(number: int) -> str:
    """Return what the names of a head's traces begin with, where there are several."""
    return f"head {number + 1} "


def cursor(seen: HeadPlanes, weights: Numbers, masks: NDArray[np.bool_], outputs: Numbers) -> dict[str, Any]:
    """What follows the query in `points`: by row, and by step and row; arrays (n_steps, n_query, ...)."""
    found = AttentionPlane([seen.plane], weights, masks).follow()
    made = outputs @ seen.to_values.T
    found |= {f"data[output point].{axis}": list(made[..., [i]]) for i, axis in enumerate("xy")}
    found |= shares("", "value", [seen.values], weights, masks)
    if not WHOLE.names_all(seen.plane.words[1]):
        named = [value_names(seen, each).parts for each in orders_of(weights, masks)]
        found |= {f"data[value names].{part}": [each[part] for each in named] for part in named[0]}
    return by_row_and_step(found)


def key_names(
    seen: QueryKeyPlane, weights: Numbers, look: PlaneStyle = WHOLE, rows: Sequence[int] | None = None
) -> Names:
    """Return the names of keys in a plane, for these queries: see `names_beside`."""
    asked = QueryPoints(seen.queries, seen.words[0], seen.origin)
    return names_beside(seen.keys, seen.words[1], weights, look, asked=asked, rows=rows)


def value_names(seen: HeadPlanes, weights: Numbers, rows: Sequence[int] | None = None) -> Names:
    """Return the names of values in their plane, for these queries."""
    return names_beside(seen.values, seen.plane.words[1], weights, WHOLE, rows=rows)


def by_row_and_step(found: Mapping[str, list[Any]]) -> dict[str, dict[str, Any]]:
    """Part what follows the query alone from what follows the step too, as `Cursor` takes them."""
    return {
        "changes": {path: values[0] for path, values in found.items() if len(values) == 1},
        "by_step": {
            path: np.stack([np.asarray(each) for each in values])
            for path, values in found.items()
            if len(values) > 1
        },
    }


def sizes(weights: Numbers) -> Numbers:
    """Return the diameter of each key: its area grows with its weight."""
    found: Numbers = np.sqrt(SMALLEST**2 + (LARGEST**2 - SMALLEST**2) * weights)
    return np.round(2 * found) / 2  # no eye tells less, and many alike are sent in little


def of_weight(weight: str = "marker.color") -> str:
    """What pointing at a key says of its weight, and where that is found."""
    return _("key <b>{key}</b><br>weight <b>{weight}</b>", key="%{hovertext}", weight=f"%{{{weight}:.6f}}")


def _paleness(count: int) -> Numbers:
    """The opacity of each word, where colour tells its place: the last has all."""
    return np.linspace(PALEST, 1, count) if count > 1 else np.ones(1)


def _of_pair() -> str:
    part = _(
        "q·k <b>{whole}</b>, of which the plane shows <b>{shown}</b>",
        whole="%{customdata[0]:.6g}",
        shown="%{customdata[1]:.6g}",
    )
    return f"{of_weight()}<br>{part}"


def weighted_points(
    before: str,
    kind: str,
    places: Numbers,
    words: Sequence[str],
    *attended: NDArray[Any],
    by_place: bool = False,
) -> tuple[marks.Mark, marks.Mark]:
    """Points coloured and sized by weight, and the hollow ones of those that are masked.

    Args:
        before: what their names begin with; kind: "key" or "value".
        places: (n_key, 2); words: of the keys.
        attended: weights and mask, (n_key,).
        by_place: whether colour tells the place of each instead, earlier ones paler.
    """
    (weights, may), (x, y) = attended, places.T
    ring = LIGHT.value if kind == "value" else LIGHT.key
    drawn = marks.points(
        f"{before}{kind} points",
        np.where(may, x, np.nan),
        y,
        ring if by_place else weights,
        size=sizes(weights),
        ring=ring,
        hover=of_weight("customdata") if by_place else of_weight(),
    )
    # Left to Plotly, points of several sizes are seen through, and no colour is the bar's.
    drawn["marker"] = drawn["marker"] | {"coloraxis": "panel", "opacity": 1}
    if by_place:
        del drawn["marker"]["coloraxis"]
        drawn["marker"]["opacity"] = _paleness(len(weights))
        drawn["customdata"] = weights
    hollow = marks.points(
        f"{before}masked {kind} points",
        np.where(may, np.nan, x),
        y,
        LIGHT.muted,
        size=12,
        symbol="circle-x-open",
        hover=_("key <b>{key}</b><br>{masked}", key="%{hovertext}", masked=may_not_attend()),
    )
    return drawn | {"hovertext": words}, hollow | {"hovertext": words}


def shares(
    before: str,
    kind: str,
    places: Sequence[Numbers],
    weights: Numbers,
    masks: NDArray[np.bool_],
    *,
    by_place: bool = False,
) -> dict[str, list[Any]]:
    """What of `weighted_points` follows query and step; places one for all steps, or one each."""
    part = "customdata" if by_place else "marker.color"
    found = {
        f"data[{before}{kind} points].{part}": list(weights),
        f"data[{before}{kind} points].marker.size": list(sizes(weights)),
    }
    if masks.all():
        return found
    across = np.stack([each[:, 0] for each in places])[:, None]
    masks = masks[:1] if len(places) == 1 and (masks == masks[:1]).all() else masks
    return found | {
        f"data[{before}{kind} points].x": list(np.where(masks, across, np.nan)),
        f"data[{before}masked {kind} points].x": list(np.where(masks, np.nan, across)),
    }


def _moves(seen: QueryKeyPlane, look: PlaneStyle, rows: slice = _ALL) -> dict[str, Any]:
    """What follows the query and no weight, (n_query, ...) each, by trace and part."""
    queries = seen.queries[rows]
    arrow = np.stack([np.broadcast_to(seen.origin, queries.shape), queries], axis=1)
    across, levels = levels_of(queries - seen.origin, farthest(seen.queries, seen.keys), look.lines)
    found: dict[str, Any] = {} if look.tells == "places" else {"equal scores.customdata": levels}
    if look.tells == "products":
        found["key points.customdata"] = np.stack([seen.products[rows], seen.shown[rows]], axis=-1)
    for side, axis in enumerate("xy"):
        found[f"equal scores.{axis}"] = across[:, side]
        found[f"arrow.{axis}"] = arrow[:, :, side]
        found[f"arrow head.{axis}"] = arrow[:, 1:, side]
    return found


def levels_of(queries: Numbers, far: float, count: int) -> tuple[Numbers, Numbers]:
    """Lines of equal score of each query, at right angles to it, (n_query, 2, n); and the score on each."""
    length = np.linalg.norm(queries, axis=1, keepdims=True)
    to = np.divide(queries, length, out=np.full_like(queries, np.nan), where=length > 0)
    across = np.stack([-to[:, 1], to[:, 0]], axis=1)
    at = (far * np.linspace(-1, 1, count))[None, :, None, None]
    ends = np.array([-2 * far, 2 * far, np.nan])[None, None, :, None]
    course = at * to[:, None, None] + ends * across[:, None, None]
    scores = np.repeat(at[:, :, 0, 0] * length, 3, axis=1)
    return course.reshape(len(to), -1, 2).transpose(0, 2, 1), scores


def orders_of(weights: Numbers, masks: NDArray[np.bool_]) -> list[Numbers]:
    """Return what keys are named by: one for all steps where these mask alike, else one a step.

    A softmax keeps the order of its scores at any temperature, and so does a sum of several.
    """
    return [weights.sum(axis=0)] if (masks == masks[:1]).all() else list(weights)


# ---- axes ----


def square(*places: Numbers) -> dict[str, Any]:
    """Axes of one length a unit around the origin."""
    far = farthest(*places)
    common = {"range": [-far, far], "zeroline": True, "zerolinecolor": LIGHT.muted}
    return {"x": common, "y": common}


def _titles(kept: Numbers, dimensions: tuple[int, int] | None = None) -> dict[str, Any]:
    """Name both axes, with what each keeps; dimensions from 0, None for the main directions."""
    numbers = (1, 2) if dimensions is None else [each + 1 for each in dimensions]
    titles = []
    for number, share in zip(numbers, kept.tolist(), strict=True):
        told = {"number": number} if np.isnan(share) else {"number": number, "share": as_share(share)}
        if dimensions is None:
            titles.append(
                _("direction {number} keeps {share}", **told)
                if "share" in told
                else _("direction {number}", **told)
            )
        else:
            titles.append(
                _("dimension {number} keeps {share}", **told)
                if "share" in told
                else _("dimension {number}", **told)
            )
    return {"x_title": titles[0], "y_title": titles[1]}
