"""Pictures of heads that share keys, and of keys that are kept from token to token."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.chart import Chart
from attn_figures.marks import Mark, line, points, upright
from attn_figures.matrix import KEY_TITLE, QUERY_TITLE, Matrix
from attn_figures.multi_head import Heads
from attn_figures.panels import Panel, compose
from attn_figures.picture import Picture, Spec

Numbers = NDArray[np.float64]
MOST_TOKENS = 24  # whose kept keys and values are drawn


@Picture
def sharing(full: Heads, shared: Heads, num_kv_heads: int, *, head: int, limit: float) -> Spec:
    """Draw which heads read which keys, the map of one head, and what it changes against keys of its own.

    Args:
        full: the maps with as many heads of keys as of queries.
        shared: the maps with `num_kv_heads` of them.
        num_kv_heads: how many heads of keys there are.
        head: whose map is drawn, from 0.
        limit: the end of the colours of the change, the same at all steps.
    """
    n_head = len(shared.weights)
    reads = np.arange(n_head)[:, None] * num_kv_heads // n_head == np.arange(num_kv_heads)
    wiring = Matrix(
        "reads",
        reads.astype(np.float64),
        "who reads which keys",
        rows=[f"head {each + 1}" for each in range(n_head)],
        columns=[f"kv {each + 1}" for each in range(num_kv_heads)],
        row_title="Queries of",
        column_title="Keys and values of",
        quantity="reads",
        place="%{y} and %{x}",
        numbered=False,
        marked=(head, None),
    )
    own = full.matrix("own", full.weights[head], f"head {head + 1}, keys of its own", of=[head])
    common = replace(
        shared.matrix("shared", shared.weights[head], f"head {head + 1}, shared keys", of=[head]),
        names_rows=True,
    )
    change = common.minus(own, "what sharing changes", limit=limit)
    return compose.spec([wiring, common, replace(change, names_rows=False)], largest_unit=44.0)


@Picture
def trade(
    sizes: Sequence[int], kept: Sequence[int], errors: Sequence[float], here: int, *, x_title: str
) -> Spec:
    """Draw what is kept for each token, and how far the output is off, against a size; one is chosen.

    Args:
        sizes: how many heads of keys, or the width of the latent vector.
        kept: numbers kept a token.
        errors: the largest change of the output, as a share of its largest number.
        here: the place of the chosen one among the sizes.
        x_title: what the sizes are.
    """
    x = {"range": [0.0, max(sizes) * 1.06 + 0.4], "showgrid": False}

    def drawn(name: str, values: Sequence[float], colour: str, hover: str) -> list[Mark]:
        return [
            line(name, sizes, values, colour, dots=6, hover=hover),
            points(f"{name} here", sizes[here : here + 1], values[here : here + 1], colour, size=13),
        ]

    charts: list[Panel] = [
        Chart(
            "kept",
            drawn("kept", kept, theme.LIGHT.key, "%{x}: <b>%{y:,}</b> numbers a token"),
            columns=9,
            rows=5,
            x_title=x_title,
            y_title="Kept a token",
            x=x,
            y={"range": [0, max(kept) * 1.1]},
            marks=[upright(sizes[here])],
        ),
        Chart(
            "change",
            drawn("change", errors, theme.LIGHT.output, "%{x}: off by <b>%{y:.3~g}</b> of the largest"),
            columns=9,
            rows=5,
            x_title=x_title,
            y_title="Output off by",
            x=x,
            y={"range": [0, (max(errors) or 1.0) * 1.1]},
            marks=[upright(sizes[here])],
        ),
    ]
    return compose.spec(charts, largest_unit=40.0)


@Picture
def writing(
    tokens: Sequence[str], weights: Numbers, key: Numbers, value: Numbers, now: int, *, limit: float
) -> Spec:
    """Draw the token that is being written: its row of weights, and the keys and values that are kept.

    Args:
        tokens: as typed.
        weights: (n, n) of one head, each row written in its turn.
        key, value: (n, d_head) of the head of keys that it reads.
        now: the token being written, from 0; later rows are not there yet.
        limit: the end of the colours of keys and values.
    """
    n = len(tokens)
    there = np.broadcast_to((np.arange(n) <= now)[:, None], (n, n))
    causal = np.tri(n, dtype=bool) & there
    written = Matrix(
        "written",
        weights,
        "weights, row by row",
        rows=tokens,
        columns=tokens,
        row_title=QUERY_TITLE,
        column_title=KEY_TITLE,
        mask=causal,
        blocked="not there: later, or not written yet",
        marked=(now, None),
    )
    panels: list[Panel] = [written]
    for name, values, role in (("keys", key, "key"), ("values", value, "value")):
        shape = values.shape
        panels.append(
            Matrix(
                name,
                values,
                f"{name} kept",
                rows=tokens,
                columns=[str(d) for d in range(1, shape[1] + 1)],
                row_title="Token",
                column_title="Dimension",
                row_role="key",
                column_role="key" if role == "key" else "value",
                scale="scores",
                limit=limit,
                quantity=role,
                mask=np.broadcast_to((np.arange(n) <= now)[:, None], shape),
                blocked="not written yet",
                marked=(now, None),
                place="%{y}, dimension %{x}",
            )
        )
    return compose.spec(panels, largest_unit=44.0)


@Picture
def writing_cost(cached: Sequence[int], uncached: Sequence[int], now: int) -> Spec:
    """Draw the operations that each token takes with the cache and without, on a logarithmic axis.

    Args:
        cached, uncached: operations, one a token.
        now: the token being written, from 0.
    """
    places = list(range(1, len(cached) + 1))
    drawn = []
    legend = [("with the cache", theme.LIGHT.key), ("without", theme.LIGHT.muted)]
    for (name, colour), values in zip(legend, (cached, uncached), strict=True):
        drawn += [
            line(name, places, values, colour, dots=5, hover=f"token %{{x}}, {name}: <b>%{{y:,}}</b> FLOPs"),
            points(f"{name} here", [places[now]], [values[now]], colour, size=12),
        ]
    chart = Chart(
        "cost",
        drawn,
        columns=16,
        rows=5,
        x_title="Token being written",
        y_title="FLOPs",
        x={"range": [0.5, len(cached) + 0.5], "showgrid": False, "tickformat": "d"},
        y={"type": "log", "dtick": 1},
        marks=[upright(places[now])],
        legend=legend,
    )
    return compose.spec([chart], largest_unit=44.0)
