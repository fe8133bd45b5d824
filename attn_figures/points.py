"""Queries, keys and values as points: a query's arrow, lines of equal score, weights as colour and size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.geometry import ColourRange
from attn_figures.matrix import Numbers, may_not_attend
from attn_figures.numbers import as_share
from attn_figures.panels import IN_SIGHT, Absent, Panel, compose
from attn_figures.picture import Picture, Spec
from attn_figures.widths import letters, shortened
from attn_words import _

LIGHT = theme.LIGHT
SIDE = 7.0  # units of a square panel
ROOM = 1.25  # of the farthest coordinate, for words beside points
LINES = 9  # of equal score, to both sides of the origin
MOST_NAMES = 12  # keys that are all named beside their points
MOST_OF_MANY = 8  # of more keys, so many that have the largest weights are named, where there is room
TWO_ABREAST = 920  # pixels that eight planes take on a phone, two in a line
SMALLEST, LARGEST = 8.0, 30.0  # pixels of a key with no weight, and with all
FEW_LETTERS = 6  # of a name, where all are there: 9 words of 14 letters have no room in a pane of 260 pixels
LONGEST = 14  # letters of a name beside its point; pointing at it tells all of them
_LETTER, _LINE = 7.5, 18.0  # pixels of a letter's width, and of a line of words
_ALL = slice(None)
_BESIDE = "\u2003"  # a space as wide as the largest point is, halved, keeps a word beside its point


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


@dataclass(frozen=True)
class Look:
    """How planes are drawn: how large, with how many lines, and how much of them is named."""

    side: float = SIDE
    lines: int = LINES
    most_names: int = MOST_NAMES
    of_many: int = MOST_OF_MANY
    diamond: float = 8.0  # pixels of a query
    tells_products: bool = True  # whether pointing at a key tells what the plane shows of its q·k
    pixels: float = 260.0  # of a side where it is narrowest: what has room there has room anywhere

    def names_all(self, words: Sequence[str]) -> bool:
        """Return whether all words are named: few, and no long ones, which would lie on one another.

        >>> WHOLE.names_all(["cat"] * 9), WHOLE.names_all(["incomprehensibility"] * 9)
        (True, False)
        """
        room = FEW_LETTERS * self.most_names
        return (
            len(words) <= self.most_names and sum(letters(shortened(word, LONGEST)) for word in words) <= room
        )


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
    answering = list(map(escape, words[1]))
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
            *weighted("", "value", seen.values, answering, weights[row], mask[row]),
            named_points(
                "value names", names_beside(seen.values, answering, weights[[row]], WHOLE), LIGHT.value
            ),
            marks.points("output point", *made[:, None], LIGHT.ink, size=14, symbol="x"),
        ],
        columns=SIDE,
        rows=SIDE,
        legend=[(_("values"), LIGHT.value), (_("output"), LIGHT.ink)],
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
    return compose.spec(panels, largest_unit=64, phone_height=TWO_ABREAST)


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
    at = {path: values[0] for path, values in _moves(seen, asking, look, slice(row, row + 1)).items()}
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
    asks = marks.words(
        f"{before}query name", at["query name.x"], at["query name.y"], at["query name.text"]
    ) | {"textposition": at["query name.textposition"], "cliponaxis": False}
    asks["textfont"] = asks["textfont"] | {"color": LIGHT.query}
    asked = [(seen.queries[row], asking[row])]
    named = names_beside(seen.keys, answering, weights[[row]], look, queries=seen.queries, asked=asked)
    return Chart(
        name,
        [
            lines | {"customdata": at["equal scores.customdata"]},
            marks.line(f"{before}arrow", at["arrow.x"], at["arrow.y"], LIGHT.query, width=3),
            marks.points(f"{before}arrow head", at["arrow head.x"], at["arrow head.y"], LIGHT.query, size=10),
            keys,
            masked,
            named_points(f"{before}key names", named, LIGHT.key),
            queries,
            asks,
        ],
        columns=look.side,
        rows=look.side,
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
    answering = list(map(escape, words[1]))
    found = follow([seen.plane], words, weights, masks)
    made = outputs @ seen.to_values.T
    found |= {f"data[output point].{axis}": list(made[..., [i]]) for i, axis in enumerate("xy")}
    found |= shares("", "value", [seen.values], weights, masks)
    if not WHOLE.names_all(answering):
        named = [names_beside(seen.values, answering, each, WHOLE) for each in orders_of(weights, masks)]
        found |= {f"data[value names].{part}": [each[part] for each in named] for part in named[0]}
    return by_row_and_step(found)


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
    asking, answering = (list(map(escape, some)) for some in words)
    still = [_moves(each, asking, look) for each in planes]
    found = {
        f"data[{before}{path.replace('.', '].', 1)}": [each[path] for each in still] for path in still[0]
    }
    found |= shares(before, "key", [each.keys for each in planes], weights, masks)
    if not look.names_all(answering):
        orders = orders_of(weights, masks) if len(planes) == 1 else list(weights)
        named = [
            names_beside(
                each.keys,
                answering,
                order,
                look,
                queries=each.queries,
                asked=list(zip(each.queries, asking, strict=True)),
            )
            for each, order in zip([*planes] * (len(orders) // len(planes)), orders, strict=True)
        ]
        found |= {f"data[{before}key names].{part}": [each[part] for each in named] for part in named[0]}
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


def _moves(seen: InPlane, asking: Sequence[str], look: Look, rows: slice = _ALL) -> dict[str, Any]:
    """What follows the query and no weight, (n_query, ...) each, by trace and part."""
    queries = seen.queries[rows]
    arrow = np.stack([0 * queries, queries], axis=1)  # from the origin to each query
    across, levels = levels_of(queries, farthest(seen.queries, seen.keys), look.lines)
    found: dict[str, Any] = {
        "equal scores.customdata": levels,
        "query name.text": [[f"<b>{each}</b>"] for each in asking[rows]],
        # Beyond the tip, where the arrow does not cross it.
        "query name.textposition": [[beyond(each)] for each in queries],
    }
    if look.tells_products:
        found["key points.customdata"] = np.stack([seen.products[rows], seen.shown[rows]], axis=-1)
    for side, axis in enumerate("xy"):
        found[f"equal scores.{axis}"] = across[:, side]
        found[f"arrow.{axis}"] = arrow[:, :, side]
        found[f"arrow head.{axis}"] = arrow[:, 1:, side]
        found[f"query name.{axis}"] = queries[:, [side]]
    return found


def beyond(query: Numbers) -> str:
    """Return on which side of a query its name stands: away from the origin."""
    return "bottom center" if query[1] < 0 else "top center"


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


# ---- words beside points ----


def orders_of(weights: Numbers, masks: NDArray[np.bool_]) -> list[Numbers]:
    """Return what keys are named by: one for all steps where these mask alike, else one a step.

    A softmax keeps the order of its scores at any temperature, and so does a sum of several.
    """
    return [weights.sum(axis=0)] if (masks == masks[:1]).all() else list(weights)


def named_points(name: str, names: Mapping[str, Any], colour: str) -> marks.Mark:
    """Write the first row of `names_beside`."""
    x, y, text, sides = (names[part][0] for part in ("x", "y", "text", "textposition"))
    said = marks.words(name, x, y, list(text)) | {"textposition": list(sides)}
    return said | {
        "textfont": said["textfont"] | {"color": colour},
        "meta": {"placed": True},
        "cliponaxis": False,
    }


def names_beside(
    places: Numbers,
    words: Sequence[str],
    weights: Numbers,
    look: Look,
    *,
    queries: Numbers | None = None,
    asked: Sequence[tuple[Numbers, str]] = (),
) -> dict[str, Any]:
    """Return which words stand where beside their points, (n, most) each, by part of a trace.

    Few are all there, in one place whatever the weights. Of many those of the largest weights are, as far as
    there is room between them and the name of the query.

    Args:
        places: of the points, and their words.
        words: one a point.
        weights: of so many queries, (n, n_key).
        look: how many are named.
        queries: where all queries stand; asked: of each row of the weights the query's place, and its name.
    """
    few = look.names_all(words)
    far = farthest(places) if queries is None else farthest(places, queries)
    every = places if queries is None else np.vstack([places, queries])
    room = _Room(places, _joined(places, [shortened(word, LONGEST) for word in words]), every, far, look)
    rows = [room.beside(range(len(words)))] if few else []
    for row, given in enumerate(weights if not few else ()):
        name = [room.beyond(*asked[row])] if asked else []
        order = [key for key in np.argsort(-given, kind="stable").tolist() if given[key] > 0]
        rows.append(room.beside(order, taken=name, most=look.of_many))
    if few:
        rows *= len(weights)
    blank = (np.nan, np.nan, "", "middle right")
    most = len(words) if few else look.of_many
    columns = zip(*([*row, *[blank] * (most - len(row))] for row in rows), strict=True)
    x, y, text, sides = zip(*(zip(*column, strict=True) for column in columns), strict=True)
    return {
        "x": np.array(x, dtype=float).T,
        "y": np.array(y, dtype=float).T,
        "text": np.array(text).T,
        "textposition": np.array(sides).T,
    }


_Box = tuple[float, float, float, float]
_Name = tuple[float, float, str, str]


@dataclass(frozen=True, eq=False)
class _Room:
    """The room beside points, in pixels of a narrow panel."""

    places: Numbers
    words: Sequence[str]
    every: Numbers  # points, those of the queries too
    far: float
    look: Look

    def beside(
        self, order: Sequence[int], *, taken: Sequence[_Box] = (), most: int | None = None
    ) -> list[_Name]:
        """Return words in this order, each on a side that is free; of many, others than the first may go."""
        boxes, found = list(taken), list[_Name]()
        for key in order:
            if not self.words[key] or (most is not None and len(found) == most):
                continue
            right, left = self._boxes(key)
            free = [box for box in (right, left) if self._is_free(box, boxes)]
            free.sort(key=self._hides)
            if most is not None and found and not free:
                continue
            box = free[0] if free else right
            boxes.append(box)
            x, y = self.places[key].tolist()
            side = "right" if box is right else "left"
            said = _BESIDE + self.words[key] if side == "right" else self.words[key] + _BESIDE
            found.append((x, y, said, f"middle {side}"))
        return found

    def beyond(self, place: Numbers, word: str) -> _Box:
        """Return the room that the name of a query takes."""
        x, y = self._pixels(place)
        half, low = _LETTER * letters(word) / 2, y - _LINE * (place[1] < 0)
        return x - half, low, x + half, low + _LINE

    def _hides(self, box: _Box) -> int:
        """Count the points that a word would lie on."""
        x, y = (self.every * self.look.pixels / 2 / self.far).T
        inside = (box[0] < x) & (x < box[2]) & (box[1] < y) & (y < box[3])
        return int(inside.sum())

    def _boxes(self, key: int) -> tuple[_Box, _Box]:
        x, y = self._pixels(self.places[key])
        near, wide = _LINE * 0.75, _LETTER * letters(self.words[key])
        low, high = y - _LINE / 2, y + _LINE / 2
        return (x + near, low, x + near + wide, high), (x - near - wide, low, x - near, high)

    def _pixels(self, place: Numbers) -> tuple[float, float]:
        x, y = (place * self.look.pixels / 2 / self.far).tolist()
        return x, y

    def _is_free(self, box: _Box, taken: Sequence[_Box]) -> bool:
        half = self.look.pixels / 2
        inside = -half <= box[0] and box[2] <= half
        return inside and not any(
            box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
            for other in taken
        )


def _joined(places: Numbers, words: Sequence[str]) -> list[str]:
    """Write words that stand at one place once, together; the others stay empty."""
    at = [tuple(each) for each in np.round(places, 9).tolist()]
    return [
        ", ".join(word for other, word in zip(at, words, strict=True) if other == place)
        if at.index(place) == number
        else ""
        for number, place in enumerate(at)
    ]


# ---- axes ----


def farthest(*places: Numbers) -> float:
    """Return how far axes reach to both sides of the origin, for all these places."""
    return ROOM * max(*(float(np.abs(each).max()) for each in places), 1e-12)


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
