"""Pictures of positions among themselves: encodings, similarities, turning vectors, biases, far offsets."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.matrix import Extra, Matrix, Numbers, Ticks
from attn_figures.panels import compose
from attn_figures.picture import Picture, Spec

BODY = 10.0
LIGHT = theme.LIGHT
MOST_WAVES = len(LIGHT.series)


@Picture
def encoding(values: Numbers, dimensions: Sequence[int], *, limit: float, shown: int) -> Spec:
    """Draw an encoding (position, dimension) as a map, and some of its dimensions as waves.

    Shape 0 frames the cursor's row of the map and shape 1 is its line among the waves: see `cursor_at`.
    The last trace holds the cursor's points on the waves.

    Args:
        values: (length, d_model).
        dimensions: which are drawn as waves, at most six.
        limit: the value at the ends of the ramp, the same at all steps.
        shown: how many of the positions are in sight.
    """
    length, width = values.shape
    places = np.arange(length)
    picture = Matrix(
        "encoding",
        values,
        "encoding",
        [str(p) for p in places],
        [str(i) for i in range(width)],
        row_title="Position",
        column_title="Dimension",
        row_role="ink",
        column_role="ink",
        scale="scores",
        limit=limit,
        quantity="value",
        size=(BODY, BODY),
        ticks=(_every(shown), _every(width)),
        shown=(shown, None),
        place="position <b>%{y}</b>, dimension <b>%{x}</b>",
        moves_cursor=True,
        marked=(0, None),
    )
    waves = [
        marks.line(
            f"dimension {dimension}",
            places,
            values[:, dimension],
            colour,
            dots=4 if shown <= 32 else 0,
            hover=f"dimension {dimension}, position <b>%{{x}}</b><br>value <b>%{{y:.6~g}}</b>",
        )
        | {"meta": {"cursor": True}}
        for dimension, colour in zip(dimensions, LIGHT.series, strict=False)
    ]
    cursor = marks.points(
        "cursor", np.zeros(len(waves)), values[0, list(dimensions)], LIGHT.paper, ring=LIGHT.ink, ring_width=2
    )
    chart = Chart(
        "waves",
        [*waves, cursor],
        columns=1.4 * BODY,
        rows=BODY,
        x_title="Position",
        x={"range": [-0.5, shown - 0.5]},
        y={"range": [-1.08 * limit, 1.08 * limit]},
        marks=[marks.upright(0, LIGHT.ink, dash="solid", width=1.5, name="position")],
        legend=[(f"dim. {d}", colour) for d, colour in zip(dimensions, LIGHT.series, strict=False)],
    )
    return compose.spec([picture, chart], largest_unit=38)


def encoding_cursor(values: NDArray[Any], dimensions: Sequence[int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what follows the position cursor of `encoding`: by row, and by (step, row).

    Args:
        values: (n_steps, length, d_model), one encoding a step.
        dimensions: those drawn as waves.
    """
    places = np.arange(values.shape[1], dtype=np.float64)
    rows = {
        "layout.shapes[encoding marked].y0": places - 0.5,
        "layout.shapes[encoding marked].y1": places + 0.5,
        "layout.shapes[position].x0": places,
        "layout.shapes[position].x1": places,
        "data[cursor].x": np.repeat(places[:, None], len(dimensions), axis=1),
    }
    return rows, {"data[cursor].y": values[:, :, list(dimensions)]}


@Picture
def similarity(
    values: Numbers,
    bands: tuple[Numbers, Numbers, Numbers],
    *,
    limits: tuple[float, float],
    quantity: str,
    shown: int,
) -> Spec:
    """Draw what positions say of each pair as a map, and over the offset: range, mean, one position's own.

    Args:
        values: (length, length).
        bands: least, mean and greatest value at each offset from 1 - length to length - 1.
        limits: lowest and highest value of the curve; the map's ramp is symmetric around zero.
        quantity: what a value is called.
        shown: how many of the positions are in sight.
    """
    length = len(values)
    low, mean, high = bands
    names = [str(p) for p in range(length)]
    picture = Matrix(
        "similarity",
        values,
        quantity,
        names,
        names,
        row_title="Position",
        column_title="Position",
        row_role="ink",
        column_role="ink",
        scale="scores",
        limit=max(map(abs, limits)),
        quantity=quantity,
        size=(BODY, BODY),
        ticks=(_every(shown), _every(shown)),
        shown=(shown, shown),
        place="positions <b>%{y}</b> and <b>%{x}</b>",
        moves_cursor=True,
        marked=(0, None),
    )
    offsets = np.arange(1 - length, length)
    drawn = [
        *marks.band(
            ("least", "greatest"),
            offsets,
            low,
            high,
            theme.rgba(LIGHT.hatch, 0.45),
            hover="offset <b>%{x}</b><br>%{customdata[0]:.4~g} to %{customdata[1]:.4~g}",
        ),
        marks.line("mean", offsets, mean, LIGHT.query),
        marks.line(
            "own",
            np.arange(length),
            values[0],
            LIGHT.key,
            width=1.5,
            dash="dot",
            hover="offset <b>%{x}</b><br>seen from this position <b>%{y:.6~g}</b>",
        ),
    ]
    margin = 0.06 * (limits[1] - limits[0] or 1.0)
    chart = Chart(
        "curve",
        drawn,
        columns=1.4 * BODY,
        rows=BODY,
        x_title="Offset (key position − query position)",
        x={"range": [0.5 - shown, shown - 0.5]},
        y={"range": [limits[0] - margin, limits[1] + margin]},
        marks=[marks.upright(0, LIGHT.rule, dash="solid", width=1.5)],
        legend=[
            ("mean", LIGHT.query),
            ("lowest to highest", LIGHT.muted),
            ("from one position", LIGHT.key),
        ],
    )
    return compose.spec([picture, chart], largest_unit=38)


def similarity_cursor(length: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what follows the position cursor of `similarity`: arrays by row, and rows of drawn arrays."""
    places = np.arange(length, dtype=np.float64)
    rows = {
        "layout.shapes[similarity marked].y0": places - 0.5,
        "layout.shapes[similarity marked].y1": places + 0.5,
        "data[own].x": places[None, :] - places[:, None],
    }
    return rows, {"data[own].y": "data[similarity].z"}


@Picture
def turning(
    angles: Numbers, pairs: Sequence[int], frequencies: Numbers, curve: Numbers, *, shown: int
) -> Spec:
    """Draw how rotary positions turn some pairs of a query and a key, and the score over the offset.

    Args:
        angles: (2, n_pair) in radians: of the query, of the key.
        pairs: which pairs of dimensions these are.
        frequencies: radians a position, one a pair.
        curve: the score at each offset from 0 on.
        shown: offsets in sight.
    """
    panels = [
        _circle(pair, angles[0, number], angles[1, number], frequencies[number], named=number == 0)
        for number, pair in enumerate(pairs)
    ]
    hover = "offset <b>%{x}</b><br>score <b>%{y:.6f}</b>"
    score = Chart(
        "score",
        [
            marks.line("score", np.arange(len(curve)), curve, LIGHT.query, hover=hover),
            marks.points(
                "here",
                np.zeros(1),
                curve[:1],
                LIGHT.key,
                size=12,
                ring=LIGHT.paper,
                ring_width=2,
                hover=hover,
            ),
        ],
        columns=12,
        rows=5,
        x_title="Offset (key − query)",
        y_title="Score",
        x={"range": [-0.5, shown - 0.5]},
        y={"range": [-1.08, 1.08]},
    )
    return compose.spec([*panels, score], largest_unit=34)


def turning_cursor(
    angles: NDArray[Any], pairs: Sequence[int], curve: Numbers
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what follows the offset slider of `turning`: by row, and by (step, row).

    Args:
        angles: of the key, (n_steps, n_rows, n_pair).
        pairs: which pairs of dimensions these are.
        curve: the score at each offset.
    """
    zero = np.zeros_like(angles[..., 0])
    by_step: dict[str, Any] = {}
    for number, pair in enumerate(pairs):
        by_step[f"data[key {pair}].x"] = np.stack([zero, np.cos(angles[..., number])], -1)
        by_step[f"data[key {pair}].y"] = np.stack([zero, np.sin(angles[..., number])], -1)
    places = np.arange(angles.shape[1], dtype=np.float64)
    return {"data[here].x": places[:, None], "data[here].y": curve[: len(places), None]}, by_step


def _circle(number: int, query: float, key: float, omega: float, *, named: bool) -> Chart:
    around = np.linspace(0, 2 * np.pi, 73)
    rim = marks.line(f"rim {number}", np.cos(around), np.sin(around), LIGHT.rule, width=1.5)
    arrows = [
        marks.line(
            f"{name} {number}",
            np.array([0.0, np.cos(angle)]),
            np.array([0.0, np.sin(angle)]),
            colour,
            width=width,
            dots=[0, 11],
            hover=f"{name}, pair {number}<br>(%{{x:.4f}}, %{{y:.4f}})",
        )
        for name, angle, colour, width in (("query", query, LIGHT.query, 4), ("key", key, LIGHT.key, 3))
    ]
    hidden = {"range": [-1.15, 1.15], "showticklabels": False, "showgrid": False}
    return Chart(
        f"pair {number}",
        [rim, *arrows],
        columns=5,
        rows=5,
        title=f"pair {number}<br>{omega:.2g} rad/pos.",
        x=hidden,
        y=hidden,
        legend=[("query", LIGHT.query), ("key", LIGHT.key)] if named else (),
    )


@Picture
def bias(values: Numbers, curves: Numbers, head: int, *, buckets: Numbers | None = None) -> Spec:
    """Draw one head's bias (query, key), and every head's over the offset with this head's in colour.

    Args:
        values: (n, n).
        curves: (n_head, 2 n - 1), offsets from 1 - n to n - 1.
        head: which one, from 0.
        buckets: the bucket of each pair, (n, n), told on hover.
    """
    n = len(values)
    names = [str(p) for p in range(n)]
    limit = float(abs(curves).max()) or 1.0
    picture = Matrix(
        "bias",
        values,
        f"bias of head {head + 1}",
        names,
        names,
        row_title="Query position",
        column_title="Key position",
        scale="scores",
        limit=limit,
        quantity="bias",
        size=(BODY, BODY),
        ticks=(_every(n), _every(n)),
        extra=Extra([] if buckets is None else [("bucket", buckets)]),
        place="query position <b>%{y}</b>, key position <b>%{x}</b>",
    )
    lines = [
        marks.line(
            f"head {number + 1}",
            np.arange(1 - n, n),
            curve,
            LIGHT.query if number == head else LIGHT.hatch,
            width=3 if number == head else 1,
            shape="linear" if buckets is None else "hvh",
            hover=f"head {number + 1}, offset <b>%{{x}}</b><br>bias <b>%{{y:.6~g}}</b>",
        )
        for number, curve in enumerate(curves)
    ]
    chart = Chart(
        "curves",
        lines,
        columns=1.4 * BODY,
        rows=BODY,
        x_title="Offset (key position − query position)",
        legend=[(f"head {head + 1}", LIGHT.query), ("the other heads", LIGHT.muted)],
    )
    return compose.spec([picture, chart], largest_unit=38)


@Picture
def far(curves: Mapping[str, Numbers], trained: int, marked: Mapping[str, int]) -> Spec:
    """Draw how each scheme sees offsets up to and past the length it was trained on.

    Args:
        curves: 1 at offset 0, one a scheme, by its name; equal lengths.
        trained: the training length; what lies beyond is shaded.
        marked: an offset to point at, by the scheme's name.
    """
    panels = []
    for (name, curve), colour in zip(curves.items(), LIGHT.series, strict=False):
        length = len(curve)
        hover = f"{name}, offset <b>%{{x}}</b><br><b>%{{y:.6~g}}</b>"
        line = marks.line(name, np.arange(length), curve, colour, hover=hover)
        at = marked.get(name)
        point = marks.points(
            f"{name} return",
            np.array([] if at is None else [float(at)]),
            np.array([] if at is None else [curve[at]]),
            LIGHT.paper,
            size=11,
            ring=LIGHT.ink,
            ring_width=2,
            hover="highest past training: offset <b>%{x}</b>, <b>%{y:.6~g}</b>",
        )
        beyond = {
            "type": "rect",
            "x0": trained - 0.5,
            "x1": length - 0.5,
            "y0": 0,
            "y1": 1,
            "yref": " domain",
            "fillcolor": theme.rgba(LIGHT.masked, 0.7),
            "line": {"width": 0},
            "layer": "below",
        }
        panels.append(
            Chart(
                name,
                [line, point],
                columns=9,
                rows=8,
                x_title="Offset",
                x={"range": [-0.5, length - 0.5], "nticks": 5},
                y={"range": [-0.85, 1.1], "nticks": 5},
                marks=[beyond],
                legend=[(name, colour)],
            )
        )
    return compose.spec(panels, largest_unit=36)


def _every(count: int) -> Ticks:
    """Label about eight places of an axis, at a distance that is a power of two."""
    step = 1 << max(0, math.ceil(math.log2(count / 8)))
    return [(place, str(place)) for place in range(0, count, step)]
