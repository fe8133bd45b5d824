"""Queries and keys of all words in one plane: two clouds, a query's weights in them, lines of equal score."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.geometry import ColourRange
from attn_figures.matrix import Numbers
from attn_figures.names import Asked, Look, Names, farthest, named_points, names_beside
from attn_figures.numbers import as_share
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Picture, Spec
from attn_figures.points import by_row_and_step, levels_of, shares, square, weighted
from attn_words import _

LIGHT = theme.LIGHT
LOOK = Look(side=9.0, most_names=8, of_many=8)
PALEST = 0.25  # the opacity of the first word, where colour tells the place


@dataclass(frozen=True, eq=False)
class InClouds:
    """Where queries and keys of one head stand around their common centre.

    Attributes:
        queries, keys: coordinates, (n, 2) each.
        rises: the direction in which each query's scores rise in the plane, (n, 2).
        explained: the share of squared length that each direction keeps, (2,).
        weights, mask: (n, n), True where a query may attend.
        words: of the tokens.
        by_place: whether colour tells each word's place, and not the weight.
    """

    queries: Numbers
    keys: Numbers
    rises: Numbers
    explained: Numbers
    weights: Numbers
    mask: NDArray[np.bool_]
    words: Sequence[str]
    by_place: bool = False

    @property
    def places(self) -> list[int]:
        """The place of each word, from 1."""
        return [*range(1, len(self.words) + 1)]


@Picture
def clouds(seen: InClouds, *, row: int = 0) -> Spec:
    """Draw both clouds, with the weights of the query in `row` as size, and as colour where that is asked."""
    words = list(map(escape, seen.words))
    at = {path: values[row] for path, values in _moves(seen).items()}
    keys, masked = weighted("", "key", seen.keys, words, seen.weights[row], seen.mask[row])
    keys |= {
        "customdata": at["key points.customdata"],
        "hovertemplate": _(
            "key <b>{key}</b>, place {place}<br>weight <b>{weight}</b>",
            key="%{hovertext}",
            place="%{customdata[1]}",
            weight="%{customdata[0]:.6f}",
        )
        + "<extra></extra>",
    }
    queries = marks.points(
        "query points",
        *seen.queries.T,
        LIGHT.query,
        size=8,
        symbol="diamond",
        hover=_("query <b>{query}</b>, place {place}", query="%{hovertext}", place="%{customdata}"),
    )
    # A click asks there.
    queries |= {"hovertext": words, "customdata": seen.places, "meta": {"cursor": [*range(len(words))]}}
    if seen.by_place:
        paleness = np.linspace(PALEST, 1, len(words)) if len(words) > 1 else np.ones(1)
        ring = {"color": LIGHT.key, "width": 1.5}
        keys["marker"] = {
            "color": LIGHT.key, "opacity": paleness, "size": keys["marker"]["size"], "line": ring,
        }  # fmt: skip
        queries["marker"] = queries["marker"] | {"opacity": paleness}
    asked = marks.points(
        "asked query", at["asked query.x"], at["asked query.y"], LIGHT.query, size=11, symbol="diamond"
    )
    titles = [
        _("direction {number}: {share} of the squared length", number=number, share=as_share(share))
        for number, share in enumerate(seen.explained.tolist(), start=1)
    ]
    told = [(_("queries"), LIGHT.query), (_("keys"), LIGHT.key), (_("equal q·k"), LIGHT.muted)]
    if seen.by_place:
        told.append((_("paler: earlier words"), LIGHT.muted))
    named = key_names(seen, [row])
    chart = Chart(
        "clouds",
        [
            marks.line("equal scores", at["equal scores.x"], at["equal scores.y"], LIGHT.rule, width=1.5),
            keys,
            masked,
            queries,
            asked,
            named_points("key names", named.parts, LIGHT.key),
            named_points("query name", named.asked, LIGHT.query),
        ],
        columns=LOOK.side,
        rows=LOOK.side,
        letter=LOOK.letter,
        x_title=titles[0],
        y_title=titles[1],
        legend=told,
        legend_lines=2 if seen.by_place else 1,
        colours=ColourRange(LIGHT.weights, 0.0, 1.0, _("weight")),
        shows_bar=not seen.by_place,
        **square(seen.queries, seen.keys),
    )
    return compose.spec([chart], largest_unit=64, phone_height=IN_SIGHT)


def cursor(seen: InClouds) -> dict[str, dict[str, Any]]:
    """What follows the query in `clouds`."""
    found = {f"data[{path.replace('.', '].', 1)}": [values] for path, values in _moves(seen).items()}
    shared = shares("", "key", [seen.keys], seen.weights[None], seen.mask[None])
    if seen.by_place:
        del shared["data[key points].marker.color"]
    found |= shared
    named = key_names(seen)
    for name, parts in (("key names", named.parts), ("query name", named.asked)):
        found |= {f"data[{name}].{part}": [values] for part, values in parts.items()}
    return by_row_and_step(found)


def _moves(seen: InClouds) -> dict[str, Any]:
    """What follows the query, (n_query, ...) each, by trace and part."""
    across, _levels = levels_of(seen.rises, farthest(seen.queries, seen.keys), LOOK.lines)
    found: dict[str, Any] = {
        "key points.customdata": np.stack(
            [seen.weights, np.broadcast_to(seen.places, seen.weights.shape)], axis=-1
        ),
    }
    for side, axis in enumerate("xy"):
        found[f"equal scores.{axis}"] = across[:, side]
        found[f"asked query.{axis}"] = seen.queries[:, [side]]
    return found


def key_names(seen: InClouds, rows: Sequence[int] | None = None) -> Names:
    """Return the names of keys, for these queries: see `names_beside`."""
    asked = Asked(seen.queries, seen.words)
    return names_beside(seen.keys, seen.words, seen.weights, LOOK, asked=asked, rows=rows)
