"""Pictures of heads that share keys, and of the cache of keys and values."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attn_figures import theme
from attn_figures.chart import Chart
from attn_figures.frame import Role, Side
from attn_figures.marks import Mark, line, points, readings, upright
from attn_figures.matrix import ColourScale, Hover, Matrix, Numbers
from attn_figures.multi_head import HeadMaps
from attn_figures.panels import Panel, compose
from attn_figures.picture import Spec
from attn_words import _, _c


def sharing(full: HeadMaps, shared: HeadMaps, num_kv_heads: int, *, head: int, limit: float) -> Spec:
    """Draw which heads read which keys, one head's map, and its difference from the map without sharing.

    Args:
        full: the maps if each head has keys of its own.
        shared: the maps with ``num_kv_heads`` heads of keys.
        limit: the value at the ends of the difference's ramp, the same at all steps.
    """
    n_head = len(shared.weights)
    reads = np.arange(n_head)[:, None] * num_kv_heads // n_head == np.arange(num_kv_heads)
    wiring = Matrix(
        "reads",
        reads.astype(np.float64),
        _("who reads which keys"),
        Side([_("head {number}", number=each + 1) for each in range(n_head)], _("Queries of")),
        Side(
            [_("kv {number}", number=each + 1) for each in range(num_kv_heads)],
            _("Keys and values of"),
            "key",
        ),
        hover=Hover(_("reads"), place=_("{head} and {other}", head="%{y}", other="%{x}")),
        numbered=False,
        marked=(head, None),
    )
    title = _("head {number}, keys of its own", number=head + 1)
    own = full.matrix("own", full.weights[head], title, of=[head])
    title = _("head {number}, shared keys", number=head + 1)
    common = replace(shared.matrix("shared", shared.weights[head], title, of=[head]), names_rows=True)
    change = common.minus(own, _("what sharing changes"), limit=limit)
    return compose([wiring, common, replace(change, names_rows=False)], largest_unit=44.0)


def trade(
    sizes: Sequence[int], cache_sizes: Sequence[int], errors: Sequence[float], here: int, *, x_title: str
) -> Spec:
    """Draw the cache for each token, and the error of the output, against a size, with one size marked.

    Args:
        sizes: numbers of heads of keys, or widths of the latent vector.
        cache_sizes: cached numbers a token.
        errors: the largest change of the output, as a share of its largest number.
        here: the index of the marked size.
    """
    size_hover = readings((x_title, "%{x}"), (_("Kept a token"), "%{y:,}"))
    error_hover = readings((x_title, "%{x}"), (_("Output off by"), "%{y:.3~g}"))
    x = {"range": [0.0, max(sizes) * 1.06 + 0.4], "showgrid": False}

    def curve(name: str, label: str, values: Sequence[float], colour: str, hover: str) -> list[Mark]:
        return [
            line(name, sizes, values, colour, dots=6, hover=hover, label=label),
            points(f"{name} here", sizes[here : here + 1], values[here : here + 1], colour, size=13),
        ]

    charts: list[Panel] = [
        Chart(
            "kept",
            curve("kept", _("kept"), cache_sizes, theme.LIGHT.key, size_hover),
            columns=9,
            rows=5,
            x_title=x_title,
            y_title=_("Kept a token"),
            x=x,
            y={"range": [0, max(cache_sizes) * 1.1]},
            marks=[upright(sizes[here])],
        ),
        Chart(
            "change",
            curve("change", _("change"), errors, theme.LIGHT.output, error_hover),
            columns=9,
            rows=5,
            x_title=x_title,
            y_title=_("Output off by"),
            x=x,
            y={"range": [0, (max(errors) or 1.0) * 1.1]},
            marks=[upright(sizes[here])],
        ),
    ]
    return compose(charts, largest_unit=40.0)


def writing(
    tokens: Sequence[str],
    weights: Numbers,
    key: Numbers,
    value: Numbers,
    costs: tuple[Sequence[int], Sequence[int]],
    *,
    now: int,
) -> Spec:
    """Draw one token being written: its row of weights, the cached keys and values, and the cost.

    Args:
        weights: (n, n) of one head, one row for each token written.
        key, value: (n, d_head) of the head.
        costs: operations a token with the cache, and without.
        now: the index of the token being written; later rows are hatched.
    """
    n = len(tokens)
    there = np.broadcast_to((np.arange(n) <= now)[:, None], (n, n))
    panels: list[Panel] = [
        Matrix(
            "written",
            weights,
            _("weights, row by row"),
            Side.queries(tokens),
            Side.keys(tokens),
            mask=np.tri(n, dtype=bool) & there,
            hover=Hover(blocked=_("not there: later, or not written yet")),
            marked=(now, None),
        )
    ]
    cache: tuple[tuple[str, str, Numbers, Role, str], ...] = (
        ("keys", _("keys kept"), key, "key", _("key")),
        ("values", _("values kept"), value, "value", _("value")),
    )
    for name, title, values, role, quantity in cache:
        shape = values.shape
        panels.append(
            Matrix(
                name,
                values,
                title,
                Side(tokens, _("Token"), "key"),
                Side.numbers(shape[1], _("Dimension"), role),
                ramp=ColourScale("scores", float(max(abs(key).max(), abs(value).max()))),
                hover=Hover(
                    quantity,
                    place=_("{row}, dimension {dimension}", row="%{y}", dimension="%{x}"),
                    blocked=_("not written yet"),
                ),
                mask=np.broadcast_to((np.arange(n) <= now)[:, None], shape),
                marked=(now, None),
            )
        )
    return compose([*panels, _cost(costs, now)], largest_unit=44.0)


def _cost(costs: tuple[Sequence[int], Sequence[int]], now: int) -> Chart:
    ways = [
        ("with the cache", _("with the cache"), theme.LIGHT.key),
        ("without", _c("the cache", "without"), theme.LIGHT.muted),
    ]
    places = list(range(1, len(costs[0]) + 1))
    traces = []
    for (name, label, colour), values in zip(ways, costs, strict=True):
        hover = readings((_("token"), "%{x}"), ("FLOPs", "%{y:,}"), of=label)
        traces += [
            line(name, places, values, colour, dots=5, hover=hover, label=label),
            points(f"{name} here", [places[now]], [values[now]], colour, size=12),
        ]
    return Chart(
        "cost",
        traces,
        columns=9,
        rows=5,
        x_title=_("Token being written"),
        y_title="FLOPs",
        x={"range": [0.5, len(places) + 0.5], "showgrid": False, "tickformat": "d"},
        y={"range": [0, max(costs[1]) * 1.1], "tickformat": ",d"},
        marks=[upright(places[now])],
        legend=[(label, colour) for _name, label, colour in ways],
    )
