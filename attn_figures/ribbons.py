"""Two sentences with ribbons between them, as wide as weights."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.chart import Chart
from attn_figures.frame import Side, middles_of_parts
from attn_figures.marks import area, words
from attn_figures.matrix import Matrix, Numbers
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Spec
from attn_words import _

LIGHT = theme.LIGHT
WIDE = 0.56  # width of all ribbons of one query together, as a share of a row
BENDS = 12  # segments of a ribbon's edge
COLUMNS = 7.5
_BESIDE = 0.04  # of the ribbons' length, between their ends and the words
_ROOM = 0.62  # of their length, for the words of either side


def ribbons(weights: Numbers, queries: Sequence[str], keys: Sequence[str]) -> Spec:
    """Draw both sentences with ribbons between them, and the weights as a map with the same rows."""
    n_query, n_key = weights.shape
    x, y = outlines(weights[None])
    traces = [
        area(f"ribbons {query + 1}", x, y[0, query], theme.rgba(LIGHT.query, 0.4)) for query in range(n_query)
    ]
    for name, side, places, colour, at in (
        ("queries", queries, np.arange(n_query), LIGHT.query, -_BESIDE),
        ("keys", keys, middles_of_parts(n_key, n_query), LIGHT.key, 1 + _BESIDE),
    ):
        labels = words(name, np.full(len(side), at), places, [escape(word) for word in side])
        labels["textfont"] = labels["textfont"] | {"color": colour}
        traces.append(labels | {"textposition": f"middle {'left' if at < 0 else 'right'}"})
    bare: dict[str, Any] = {"showticklabels": False, "showgrid": False}
    chart = Chart(
        "ribbons",
        traces,
        columns=COLUMNS,
        rows=n_query,
        legend=[(_("ribbons as wide as weights"), LIGHT.muted)],
        x=bare | {"range": [-_ROOM, 1 + _ROOM]},
        y=bare | {"range": [n_query - 0.5, -0.5]},
    )
    every = Matrix("weights", weights, _("weights"), Side.queries(queries), Side.keys(keys), names_rows=True)
    return compose([chart, every], phone_height=IN_SIGHT)


def outlines(weights: NDArray[np.float64]) -> tuple[Numbers, NDArray[np.float64]]:
    """Return the ribbons' outlines: x (n_points,), the same for all, and y (n_steps, n_query, n_points).

    A ribbon is as wide as its weight, times `WIDE`. At either end the ribbons of a word lie side by side, in
    the order of the words at their other ends. NaN separates ribbons.

    Args:
        weights: (n_steps, n_query, n_key).
    """
    n_steps, n_query, n_key = weights.shape
    along = np.linspace(0, 1, BENDS + 1)
    bend = along**2 * (3 - 2 * along)
    widths = WIDE * weights
    starts = _stack(np.arange(n_query, dtype=np.float64)[:, None], widths, axis=2)
    ends = _stack(middles_of_parts(n_key, n_query), widths, axis=1)
    upper = starts[..., None] + (ends - starts)[..., None] * bend
    lower = upper + widths[..., None]
    gap = np.full((n_steps, n_query, n_key, 1), np.nan)
    y = np.concatenate([upper, lower[..., ::-1], gap], axis=-1)
    x = np.tile(np.concatenate([along, along[::-1], [np.nan]]), n_key)
    return x, y.reshape(n_steps, n_query, -1)


def _stack(middles: Numbers, widths: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return the start of each ribbon; those along an axis lie side by side around their middle."""
    before = widths.cumsum(axis=axis) - widths
    begins: NDArray[np.float64] = middles - widths.sum(axis=axis, keepdims=True) / 2 + before
    return begins
