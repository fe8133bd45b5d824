"""Queries, keys and values as points: a query's arrow, lines of equal score, weights as colour and size."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.geometry import ColourRange
from attn_figures.matrix import Numbers, may_not_attend
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Picture, Spec
from attn_words import _

LIGHT = theme.LIGHT
SIDE = 7.0  # units of a square panel
ROOM = 1.25  # of the farthest coordinate, for words beside points
LINES = np.linspace(-1, 1, 9)  # where lines of equal score stand, in shares of the farthest coordinate
MOST_NAMES = 12  # keys that are named beside their points; beyond that pointing tells
SMALLEST, LARGEST = 8.0, 30.0  # pixels of a key with no weight, and with all


@dataclass(frozen=True, eq=False)
class Points:
    """Where the vectors of one head stand in their planes.

    Attributes:
        queries, keys: coordinates in the plane of queries and keys, (n_query, 2) and (n_key, 2).
        values: coordinates in the plane of values, (n_key, 2); to_values: its directions, (2, d_v).
        moved: of each query, how many keys have another rank by what the plane shows of scores, (n_query,).
        explained: the share of squared length that each direction keeps, of both planes, (2,) each.
    """

    queries: Numbers
    keys: Numbers
    values: Numbers
    to_values: Numbers
    explained: tuple[Numbers, Numbers]
    moved: NDArray[np.int64]


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
    asking, answering = ([escape(each) for each in some] for some in words)
    arrow, levels = _arrow(seen), _levels(seen)
    across = levels[0][row]
    given = weights[row], mask[row]
    weighed = _("key <b>{key}</b><br>weight <b>{weight}</b>", key="%{hovertext}", weight="%{customdata:.6f}")
    queries = marks.points(
        "query points",
        *seen.queries.T,
        LIGHT.query,
        size=8,
        symbol="diamond",
        hover=_("query <b>{query}</b>", query="%{hovertext}"),
    )
    # A click asks there. The words of the others would lie on those of the keys: pointing at them tells.
    queries |= {"hovertext": asking, "meta": {"cursor": list(range(len(asking)))}}
    x, y = seen.queries[[row]].T
    named = marks.words("query name", x, y, [_beside(asking[row])])
    named["textfont"] = named["textfont"] | {"color": LIGHT.query}
    head = marks.points("arrow head", *arrow[row][1:].T, LIGHT.query, size=10)
    left = Chart(
        "plane",
        [
            marks.line(
                "equal scores", across[0], across[1], LIGHT.rule, width=1.5, hover="q·k = %{customdata:.4g}"
            )
            | {"customdata": levels[1][row]},
            marks.line("arrow", arrow[row][:, 0], arrow[row][:, 1], LIGHT.query, width=3),
            head,
            *_weighted("key", seen.keys, answering, *given, hover=weighed),
            queries,
            named | {"textposition": "top center", "cliponaxis": False},
        ],
        columns=SIDE,
        rows=SIDE,
        legend=[(_("queries"), LIGHT.query), (_("keys"), LIGHT.key), (_("equal scores"), LIGHT.muted)],
        colours=ColourRange(LIGHT.weights, 0.0, 1.0, _("weight")),
        shows_bar=True,
        **_square(np.concatenate([seen.queries, seen.keys]), seen.explained[0]),
    )
    made = output @ seen.to_values.T
    drawn = marks.points("output point", *made[row][:, None], LIGHT.ink, size=14, symbol="x")
    right = Chart(
        "values",
        [*_weighted("value", seen.values, answering, *given, hover=weighed), drawn],
        columns=SIDE,
        rows=SIDE,
        legend=[(_("values"), LIGHT.value), (_("output"), LIGHT.ink)],
        colours=ColourRange(LIGHT.weights, 0.0, 1.0, _("weight")),
        **_square(np.concatenate([seen.values, 0 * seen.values]), seen.explained[1]),
    )
    return compose.spec([left, right], largest_unit=56, phone_height=IN_SIGHT)


def cursor(
    seen: Points, queries: Sequence[str], weights: Numbers, masks: NDArray[np.bool_], outputs: Numbers
) -> dict[str, Any]:
    """What follows the query in `points`: by row, and by step and row; arrays (n_steps, n_query, ...)."""
    arrow, levels = _arrow(seen), _levels(seen)
    changes: dict[str, Any] = {"data[equal scores].customdata": levels[1]}
    changes["data[query name].text"] = [[_beside(escape(each))] for each in queries]
    for side, axis in enumerate("xy"):
        changes[f"data[equal scores].{axis}"] = levels[0][:, side]
        changes[f"data[arrow].{axis}"] = arrow[:, :, side]
        changes[f"data[query name].{axis}"] = seen.queries[:, [side]]
        changes[f"data[arrow head].{axis}"] = arrow[:, 1:, side]
    made = outputs @ seen.to_values.T
    by_step: dict[str, Any] = {f"data[output point].{axis}": made[..., [i]] for i, axis in enumerate("xy")}
    for name, places in (("key", seen.keys), ("value", seen.values)):
        by_step[f"data[{name} points].marker.color"] = weights
        by_step[f"data[{name} points].marker.size"] = sizes(weights)
        by_step[f"data[{name} points].customdata"] = weights
        by_step[f"data[{name} points].x"] = np.where(masks, places[:, 0], np.nan)
        by_step[f"data[masked {name} points].x"] = np.where(masks, np.nan, places[:, 0])
    return {"changes": changes, "by_step": by_step}


def sizes(weights: Numbers) -> Numbers:
    """Return the diameter of each key: its area grows with its weight."""
    found: Numbers = np.sqrt(SMALLEST**2 + (LARGEST**2 - SMALLEST**2) * weights)
    return found


def _weighted(
    name: str, places: Numbers, words: Sequence[str], weights: Numbers, may: NDArray[np.bool_], *, hover: str
) -> list[marks.Mark]:
    """Points coloured and sized by weight; hollow where masked; and their words."""
    colour = LIGHT.key if name == "key" else LIGHT.value
    x, y = places.T
    drawn = marks.points(
        f"{name} points", np.where(may, x, np.nan), y, weights, size=sizes(weights), ring=colour, hover=hover
    )
    drawn["marker"] = drawn["marker"] | {"coloraxis": "panel"}
    hollow = marks.points(
        f"masked {name} points",
        np.where(may, np.nan, x),
        y,
        LIGHT.muted,
        size=12,
        symbol="circle-x-open",
        hover=_("key <b>{key}</b><br>{masked}", key="%{hovertext}", masked=may_not_attend()),
    )
    # A space as wide as the largest point is, halved, keeps a word beside its point.
    few = len(words) <= MOST_NAMES
    beside = [f"\u2003{each}" if each and few else "" for each in _joined(places, words)]
    said = marks.words(f"{name} names", x, y, beside) | {"textposition": "middle right"}
    said["textfont"] = said["textfont"] | {"color": colour}
    return [drawn | {"customdata": weights, "hovertext": words}, hollow | {"hovertext": words}, said]


def _beside(word: str) -> str:
    return f"<b>{word}</b>"


def _joined(places: Numbers, words: Sequence[str]) -> list[str]:
    """Write words that stand at one place once, together; the others stay empty."""
    at = [tuple(each) for each in np.round(places, 9).tolist()]
    return [
        ", ".join(word for other, word in zip(at, words, strict=True) if other == place)
        if at.index(place) == number
        else ""
        for number, place in enumerate(at)
    ]


def _arrow(seen: Points) -> Numbers:
    """From the origin to each query, (n_query, 2 ends, 2)."""
    return np.stack([0 * seen.queries, seen.queries], axis=1)


def _levels(seen: Points) -> tuple[Numbers, Numbers]:
    """Lines of equal score of each query, at right angles to it, (n_query, 2, n); and the score on each."""
    far = ROOM * max(np.abs(seen.queries).max(), np.abs(seen.keys).max(), 1e-12)
    length = np.linalg.norm(seen.queries, axis=1, keepdims=True)
    to = np.divide(seen.queries, length, out=np.full_like(seen.queries, np.nan), where=length > 0)
    across = np.stack([-to[:, 1], to[:, 0]], axis=1)
    at = (far * LINES)[None, :, None, None]
    ends = np.array([-2 * far, 2 * far, np.nan])[None, None, :, None]
    course = at * to[:, None, None] + ends * across[:, None, None]
    scores = np.repeat(far * LINES * length, 3, axis=1)
    return course.reshape(len(to), -1, 2).transpose(0, 2, 1), scores


def _square(places: Numbers, explained: Numbers) -> dict[str, Any]:
    """Axes of one length a unit around the origin, with what each direction keeps."""
    far = ROOM * max(float(np.abs(places).max()), 1e-12)
    titles = [
        _("direction {number}: {share:.0%} of the squared length", number=number, share=float(share))
        for number, share in enumerate(explained, start=1)
    ]
    common = {"range": [-far, far], "zeroline": True, "zerolinecolor": LIGHT.muted}
    return {"x_title": titles[0], "y_title": titles[1], "x": common, "y": common}
