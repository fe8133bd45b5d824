"""Queries, keys and values as points: a query's arrow, lines of equal score, weights as colour and size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.geometry import ColourRange
from attn_figures.matrix import Numbers, may_not_attend
from attn_figures.names import Asked, Look, Names, farthest, named_points, names_beside
from attn_figures.numbers import as_share
from attn_figures.panels import IN_SIGHT, Absent, Panel, compose
from attn_figures.picture import Picture, Spec
from attn_words import _

LIGHT = theme.LIGHT
TWO_ABREAST = 920  # pixels that eight planes take on a phone, two in a line
UNDER_VIEWS = 420  # pixels that a window of 1024 x 768 has between two lines of views and two sliders
SMALLEST, LARGEST = 8.0, 30.0  # pixels of a key with no weight, and with all
_ALL = slice(None)


@dataclass(frozen=True, eq=False)
class InPlane:
    """Where queries and keys of one head stand in their plane.

    Attributes:
        queries, keys: coordinates, (n_query, 2) and (n_key, 2).
        explained: the share of squared length that each direction keeps, (2,); NaN where all are zero.
        products: q·k as the vectors have them, (n_query, n_key); the plane shows a part of each.
        dimensions: the two that the plane is of, from 0; None where it is that of the main directions.
    """

    queries: Numbers
    keys: Numbers
    explained: Numbers
    products: Numbers
    dimensions: tuple[int, int] | None = None

    @property
    def shown(self) -> Numbers:
        """The part of each q·k that the plane shows, (n_query, n_key)."""
        found: Numbers = self.queries @ self.keys.T
        return found

    def is_as(self, other: "InPlane") -> bool:
        """Whether all stand at the same places as in another."""
        mine, theirs = ((each.queries, each.keys, each.products) for each in (self, other))
        return self is other or all(map(np.array_equal, mine, theirs))


@dataclass(frozen=True, eq=False)
class Points:
    """Where the vectors of one head stand in their planes.

    Attributes:
        plane: of queries and keys.
        values: coordinates in the plane of values, (n_key, 2); to_values: its directions, (2, d_v).
        kept: the share of squared length that each direction of that plane keeps, (2,).
        moved: of each query, how many keys have another rank by what the plane shows of scores, (n_query,).
    """

    plane: InPlane
    values: Numbers
    to_values: Numbers
    kept: Numbers
    moved: NDArray[np.int64]


WHOLE = Look()
SMALL = Look(side=4.0, lines=5, most_names=4, of_many=3, diamond=6.0, tells_products=False, pixels=150.0)


@dataclass(frozen=True, eq=False)
class Plane:
    """One of several planes: where queries and keys stand, weights and mask (n_query, n_key), its title."""

    seen: InPlane
    weights: Numbers
    mask: NDArray[np.bool_]
    title: str


@dataclass(frozen=True, eq=False)
class Following:
    """One of several planes at all steps, None where it is not there; weights and masks (n_steps, ...)."""

    planes: Sequence[InPlane | None]
    weights: Numbers
    masks: NDArray[np.bool_]


@Picture
def points(
    seen: Points,
    words: tuple[Sequence[str], Sequence[str]],
    attended: tuple[Numbers, NDArray[np.bool_], Numbers],
    *,
    row: int = 0,
) -> Spec:
    """Draw queries and keys in one plane, and values with the output of the query in `row` in another.

    Args:
        seen: where they stand.
        words: of the queries and of the keys.
        attended: weights and mask, (n_query, n_key), True where a query may attend; output, (n_query, d_v).
        row: the query, from 0.
    """
    weights, mask, output = attended
    left = replace(
        plane_chart("plane", seen.plane, words, (weights, mask), row=row),
        legend=[(_("queries"), LIGHT.query), (_("keys"), LIGHT.key), (_("equal q·k"), LIGHT.muted)],
        shows_bar=True,
        **_titles(seen.plane),
    )
    made = output[row] @ seen.to_values.T
    right = Chart(
        "values",
        [
            *weighted("", "value", seen.values, list(map(escape, words[1])), weights[row], mask[row]),
            named_points("value names", value_names(seen, words[1], weights, [row]).parts, LIGHT.value),
            marks.points("output point", *made[:, None], LIGHT.ink, size=14, symbol="x"),
        ],
        columns=WHOLE.side,
        rows=WHOLE.side,
        legend=[(_("values"), LIGHT.value), (_("output"), LIGHT.ink)],
        letter=WHOLE.letter,
        colours=ColourRange(LIGHT.weights, 0.0, 1.0, _("weight")),
        **square(seen.values),
        **_main_titles(seen.kept),
    )
    return compose.spec([left, right], largest_unit=56, phone_height=IN_SIGHT)


@Picture
def small_multiples(
    planes: Sequence[Plane],
    words: tuple[Sequence[str], Sequence[str]],
    *,
    slots: int,
    order: Sequence[int],
    row: int = 0,
) -> Spec:
    """Draw the planes of several heads in the given order, with room for `slots` of them.

    Args:
        planes: one a head.
        words: of the queries and of the keys.
        slots: how many heads the step with the most of them has.
        order: heads, from 0, in the order in which they stand.
        row: the query, from 0.
    """
    panels: list[Panel | Absent] = []
    for place, head in enumerate([*order, *range(len(planes), slots)]):
        here = planes[head] if head < len(planes) else planes[0]
        chart = replace(
            plane_chart(
                f"plane {head + 1}",
                here.seen,
                words,
                (here.weights, here.mask),
                row=row,
                before=_head(head),
                look=SMALL,
            ),
            title=here.title,
            shows_bar=place == 0,
        )
        quiet = {"showticklabels": False}
        chart = replace(chart, x=chart.x | quiet, y=chart.y | quiet)
        panels.append(chart if head < len(planes) else Absent(chart))
    return compose.spec(panels, largest_unit=64, phone_height=TWO_ABREAST, laptop_height=UNDER_VIEWS)


def follow_small(
    heads: Sequence[Following], words: tuple[Sequence[str], Sequence[str]]
) -> dict[str, dict[str, Any]]:
    """What follows the query in `small_multiples`, as `Cursor` takes it."""
    found: dict[str, list[Any]] = {}
    for head, each in enumerate(heads):
        there = next(plane for plane in each.planes if plane is not None)
        planes = [there if plane is None else plane for plane in each.planes]
        if all(plane.is_as(there) for plane in planes):
            planes = [there]
        found |= follow(planes, words, each.weights, each.masks, before=_head(head), look=SMALL)
    return by_row_and_step(found)


def _head(head: int) -> str:
    """Return what the names of a head's traces begin with."""
    return f"head {head + 1} "


def plane_chart(
    name: str,
    seen: InPlane,
    words: tuple[Sequence[str], Sequence[str]],
    attended: tuple[Numbers, NDArray[np.bool_]],
    *,
    row: int = 0,
    before: str = "",
    look: Look = WHOLE,
) -> Chart:
    """Draw queries and keys in one plane, with the arrow and the lines of the query in `row`.

    Args:
        name: the panel's; before: what the names of its traces begin with.
        seen: where they stand.
        words: of the queries and of the keys.
        attended: weights and mask, (n_query, n_key).
        row: the query, from 0.
        look: how it is drawn.
    """
    weights, mask = attended
    asking, answering = (list(map(escape, some)) for some in words)
    at = {path: values[0] for path, values in _moves(seen, look, slice(row, row + 1)).items()}
    lines = marks.line(
        f"{before}equal scores",
        at["equal scores.x"],
        at["equal scores.y"],
        LIGHT.rule,
        width=1.5,
        hover="q·k = %{customdata:.4g}",
    )
    keys, masked = weighted(before, "key", seen.keys, answering, weights[row], mask[row])
    if look.tells_products:
        keys |= {"customdata": at["key points.customdata"], "hovertemplate": f"{_of_pair()}<extra></extra>"}
    queries = marks.points(
        f"{before}query points",
        *seen.queries.T,
        LIGHT.query,
        size=look.diamond,
        symbol="diamond",
        hover=_("query <b>{query}</b>", query="%{hovertext}"),
    )
    # A click asks there. The words of the others would lie on those of the keys: pointing at them tells.
    queries |= {"hovertext": asking, "meta": {"cursor": list(range(len(asking)))}}
    named = key_names(seen, words, weights, look, [row])
    return Chart(
        name,
        [
            lines | {"customdata": at["equal scores.customdata"]},
            marks.line(f"{before}arrow", at["arrow.x"], at["arrow.y"], LIGHT.query, width=3),
            marks.points(f"{before}arrow head", at["arrow head.x"], at["arrow head.y"], LIGHT.query, size=10),
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
    )


def cursor(
    seen: Points,
    words: tuple[Sequence[str], Sequence[str]],
    weights: Numbers,
    masks: NDArray[np.bool_],
    outputs: Numbers,
) -> dict[str, Any]:
    """What follows the query in `points`: by row, and by step and row; arrays (n_steps, n_query, ...)."""
    found = follow([seen.plane], words, weights, masks)
    made = outputs @ seen.to_values.T
    found |= {f"data[output point].{axis}": list(made[..., [i]]) for i, axis in enumerate("xy")}
    found |= shares("", "value", [seen.values], weights, masks)
    if not WHOLE.names_all(words[1]):
        named = [value_names(seen, words[1], each).parts for each in orders_of(weights, masks)]
        found |= {f"data[value names].{part}": [each[part] for each in named] for part in named[0]}
    return by_row_and_step(found)


def key_names(
    seen: InPlane,
    words: tuple[Sequence[str], Sequence[str]],
    weights: Numbers,
    look: Look = WHOLE,
    rows: Sequence[int] | None = None,
) -> Names:
    """Return the names of keys in a plane, for these queries: see `names_beside`."""
    return names_beside(seen.keys, words[1], weights, look, asked=Asked(seen.queries, words[0]), rows=rows)


@lru_cache(maxsize=64)
def keys_left(
    seen: InPlane, asking: tuple[str, ...], answering: tuple[str, ...], look: Look = WHOLE
) -> Sequence[int]:
    """Return how many keys have no name where all are to have one, for each query; whatever their weights."""
    return key_names(seen, (asking, answering), np.ones((len(asking), len(answering))), look).left


@lru_cache(maxsize=64)
def points_left(seen: Points, asking: tuple[str, ...], answering: tuple[str, ...]) -> Sequence[int]:
    """Return how many keys and values have no name in `points` where all are to have one, for each query."""
    values = value_names(seen, answering, np.ones((1, len(answering)))).left[0]
    return [keys + values for keys in keys_left(seen.plane, asking, answering)]


def value_names(
    seen: Points, words: Sequence[str], weights: Numbers, rows: Sequence[int] | None = None
) -> Names:
    """Return the names of values in their plane, for these queries."""
    return names_beside(seen.values, words, weights, WHOLE, rows=rows)


def follow(
    planes: Sequence[InPlane],
    words: tuple[Sequence[str], Sequence[str]],
    weights: Numbers,
    masks: NDArray[np.bool_],
    *,
    before: str = "",
    look: Look = WHOLE,
) -> dict[str, list[Any]]:
    """Return what follows the query in `plane_chart`, by its path: a value a step, or one for all of them.

    Args:
        planes: one a step, or one for all.
        words: of the queries and of the keys.
        weights, masks: (n_steps, n_query, n_key).
        before, look: as the chart has them.
    """
    still = [_moves(each, look) for each in planes]
    found = {
        f"data[{before}{path.replace('.', '].', 1)}": [each[path] for each in still] for path in still[0]
    }
    found |= shares(before, "key", [each.keys for each in planes], weights, masks)
    if look.names_all(words[1]):
        orders = [weights[0]] * len(planes)  # the same are named whatever their weights
    else:
        orders = orders_of(weights, masks) if len(planes) == 1 else list(weights)
    every = planes if len(planes) == len(orders) else [planes[0]] * len(orders)
    named = [key_names(each, words, order, look) for each, order in zip(every, orders, strict=True)]
    for part in named[0].parts:
        found[f"data[{before}key names].{part}"] = [each.parts[part] for each in named]
        found[f"data[{before}query name].{part}"] = [each.asked[part] for each in named]
    return found


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


def of_weight() -> str:
    """What pointing at a key says of its weight."""
    return _("key <b>{key}</b><br>weight <b>{weight}</b>", key="%{hovertext}", weight="%{marker.color:.6f}")


def _of_pair() -> str:
    part = _(
        "q·k <b>{whole}</b>, of which the plane shows <b>{shown}</b>",
        whole="%{customdata[0]:.6g}",
        shown="%{customdata[1]:.6g}",
    )
    return f"{of_weight()}<br>{part}"


def weighted(
    before: str, kind: str, places: Numbers, words: Sequence[str], *attended: NDArray[Any]
) -> tuple[marks.Mark, marks.Mark]:
    """Points coloured and sized by weight, and the hollow ones of those that are masked.

    Args:
        before: what their names begin with; kind: "key" or "value".
        places: (n_key, 2); words: of the keys.
        attended: weights and mask, (n_key,).
    """
    (weights, may), (x, y) = attended, places.T
    ring = LIGHT.value if kind == "value" else LIGHT.key
    drawn = marks.points(
        f"{before}{kind} points",
        np.where(may, x, np.nan),
        y,
        weights,
        size=sizes(weights),
        ring=ring,
        hover=of_weight(),
    )
    # Left to Plotly, points of several sizes are seen through, and no colour is the bar's.
    drawn["marker"] = drawn["marker"] | {"coloraxis": "panel", "opacity": 1}
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
    before: str, kind: str, places: Sequence[Numbers], weights: Numbers, masks: NDArray[np.bool_]
) -> dict[str, list[Any]]:
    """What of `weighted` follows query and step; places one for all steps, or one each."""
    found = {
        f"data[{before}{kind} points].marker.color": list(weights),
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


def _moves(seen: InPlane, look: Look, rows: slice = _ALL) -> dict[str, Any]:
    """What follows the query and no weight, (n_query, ...) each, by trace and part."""
    queries = seen.queries[rows]
    arrow = np.stack([0 * queries, queries], axis=1)  # from the origin to each query
    across, levels = levels_of(queries, farthest(seen.queries, seen.keys), look.lines)
    found: dict[str, Any] = {"equal scores.customdata": levels}
    if look.tells_products:
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


def _titles(seen: InPlane) -> dict[str, Any]:
    """Name both axes, with what each keeps."""
    if seen.dimensions is None:
        return _main_titles(seen.explained)
    titles = [
        _("dimension {number}", number=number + 1)
        if np.isnan(share)
        else _("dimension {number} keeps {share}", number=number + 1, share=as_share(share))
        for number, share in zip(seen.dimensions, seen.explained.tolist(), strict=True)
    ]
    return {"x_title": titles[0], "y_title": titles[1]}


def _main_titles(explained: Numbers) -> dict[str, Any]:
    titles = [
        _("direction {number}", number=number)
        if np.isnan(share)
        else _("direction {number} keeps {share}", number=number, share=as_share(share))
        for number, share in enumerate(explained.tolist(), start=1)
    ]
    return {"x_title": titles[0], "y_title": titles[1]}
