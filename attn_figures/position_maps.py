"""Pictures of pairs of positions: maps of encodings, similarities and biases, with curves beside them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.frame import Role, Side, few_ticks
from attn_figures.marks import readings
from attn_figures.matrix import ColourScale, Extra, Hover, Matrix, Numbers, Pick, frame_at
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _, _c

BODY = 10.0
LIGHT = theme.LIGHT
MOST_WAVES = len(LIGHT.series)
_CURSOR: dict[str, Any] = {"roles": ("ink", "ink"), "pick": Pick(moves_cursor=True), "marked": (0, None)}


def encoding(values: Numbers, dimensions: Sequence[int], *, limit: float, n_visible: int) -> Spec:
    """Draw an encoding (position, dimension) as a map, and some of its dimensions as waves.

    The cursor's row of the map is framed, its position marked on the waves; `encoding_cursor` moves both.

    Args:
        dimensions: the indices of those drawn as waves, at most six.
        limit: the value at the ends of the ramp, the same at all steps.
        n_visible: the number of positions in sight.
    """
    picture = _map(
        "encoding",
        values,
        _("encoding"),
        (_("Position"), _("Dimension")),
        n_visible=(n_visible, None),
        limit=limit,
        hover=Hover(_("value"), words=(_("position"), _("dimension"))),
        **_CURSOR,
    )
    waves = [
        _wave(values, dimension, colour, dotted=n_visible <= 32)
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
        x_title=_("Position"),
        x={"range": [-0.5, n_visible - 0.5]},
        y={"range": [-1.08 * limit, 1.08 * limit]},
        marks=[marks.upright(0, LIGHT.ink, dash="solid", width=1.5, name="position")],
        legend=[
            (_("dim. {number}", number=d), colour)
            for d, colour in zip(dimensions, LIGHT.series, strict=False)
        ],
    )
    return compose([picture, chart], largest_unit=38)


def _wave(values: Numbers, dimension: int, colour: str, *, dotted: bool) -> marks.Mark:
    """Draw one dimension over the positions; a click on a point of it moves the cursor to that position."""
    wave = marks.line(
        f"dimension {dimension}",
        np.arange(len(values)),
        values[:, dimension],
        colour,
        dots=4 if dotted else 0,
        hover=readings((_("dimension"), dimension), (_("position"), "%{x}"), (_("value"), "%{y:.6~g}")),
        label=_("dimension {number}", number=dimension),
    )
    return wave | {"meta": {"cursor": True} | wave.get("meta", {})}


def encoding_cursor(values: NDArray[Any], dimensions: Sequence[int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of `encoding` that change with the cursor's position: by row, and by (step, row).

    Args:
        values: (n_steps, length, d_model), one encoding a step.
    """
    places = np.arange(values.shape[1], dtype=np.float64)
    rows = frame_at("encoding", row=places) | {
        "layout.shapes[position].x0": places,
        "layout.shapes[position].x1": places,
        "data[cursor].x": np.repeat(places[:, None], len(dimensions), axis=1),
    }
    return rows, {"data[cursor].y": values[:, :, list(dimensions)]}


def similarity(
    values: Numbers,
    bands: tuple[Numbers, Numbers, Numbers],
    *,
    limits: tuple[float, float],
    quantity: str,
    n_visible: int,
) -> Spec:
    """Draw the similarity of all pairs of positions, and over the offset its range, mean and one position's.

    Args:
        bands: least, mean and greatest value at each offset from 1 - length to length - 1.
        limits: lowest and highest value of the curves; the map's ramp is symmetric around zero.
        n_visible: the number of positions in sight.
    """
    length = len(values)
    low, mean, high = bands
    picture = _map(
        "similarity",
        values,
        quantity,
        (_("Position"), _("Position")),
        n_visible=(n_visible, n_visible),
        limit=max(map(abs, limits)),
        hover=Hover(quantity, place=readings((_("position"), "%{y}"), (_("position"), "%{x}"))),
        **_CURSOR,
    )
    offsets = np.arange(1 - length, length)
    traces = [
        *marks.band(
            ("least", "greatest"),
            offsets,
            low,
            high,
            theme.rgba(LIGHT.hatch, 0.45),
            hover=readings(
                (_("offset"), "%{x}"),
                (_("lowest to highest"), "%{customdata[0]:.4~g} … %{customdata[1]:.4~g}"),
            ),
        ),
        marks.line("mean", offsets, mean, LIGHT.query, label=_("mean")),
        marks.line(
            "own",
            np.arange(length),
            values[0],
            LIGHT.key,
            width=1.5,
            dash="dot",
            hover=readings((_("offset"), "%{x}"), (_("from one position"), "%{y:.6~g}")),
            label=_c("one position's", "own"),
        ),
    ]
    margin = 0.06 * (limits[1] - limits[0] or 1.0)
    chart = Chart(
        "curve",
        traces,
        columns=1.4 * BODY,
        rows=BODY,
        x_title=_("Offset (key position − query position)"),
        x={"range": [0.5 - n_visible, n_visible - 0.5]},
        y={"range": [limits[0] - margin, limits[1] + margin]},
        marks=[marks.upright(0, LIGHT.rule, dash="solid", width=1.5)],
        legend=[
            (_("mean"), LIGHT.query),
            (_("lowest to highest"), LIGHT.muted),
            (_("from one position"), LIGHT.key),
        ],
    )
    return compose([picture, chart], largest_unit=38)


def similarity_cursor(length: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the settings of `similarity` that change with the cursor: by row, and as rows of arrays."""
    places = np.arange(length, dtype=np.float64)
    rows = frame_at("similarity", row=places) | {"data[own].x": places[None, :] - places[:, None]}
    return rows, {"data[own].y": "data[similarity].z"}


def bias(values: Numbers, curves: Numbers, head: int, *, buckets: Numbers | None = None) -> Spec:
    """Draw one head's bias (query, key), and every head's bias over the offset, with this head's in colour.

    Args:
        curves: (n_head, 2 n - 1), offsets from 1 - n to n - 1.
        buckets: the bucket of each pair, (n, n), for the hover.
    """
    n = len(values)
    picture = _map(
        "bias",
        values,
        _("bias of head {number}", number=head + 1),
        (_("Query position"), _("Key position")),
        limit=float(abs(curves).max()) or 1.0,
        hover=Hover(
            _("bias"),
            words=(_("query position"), _("key position")),
            extra=Extra([] if buckets is None else [(_("bucket"), buckets)]),
        ),
    )
    lines = [
        marks.line(
            f"head {number + 1}",
            np.arange(1 - n, n),
            curve,
            LIGHT.query if number == head else LIGHT.hatch,
            width=3 if number == head else 1,
            shape="linear" if buckets is None else "hvh",
            hover=readings(
                (_("offset"), "%{x}"), (_("bias"), "%{y:.6~g}"), of=_("head {number}", number=number + 1)
            ),
            label=_("head {number}", number=number + 1),
        )
        for number, curve in enumerate(curves)
    ]
    chart = Chart(
        "curves",
        lines,
        columns=1.4 * BODY,
        rows=BODY,
        x_title=_("Offset (key position − query position)"),
        legend=[(_("head {number}", number=head + 1), LIGHT.query), (_("the other heads"), LIGHT.muted)],
    )
    return compose([picture, chart], largest_unit=38)


def _map(
    name: str,
    values: Numbers,
    title: str,
    titles: tuple[str, str],
    *,
    limit: float,
    roles: tuple[Role, Role] = ("query", "key"),
    n_visible: tuple[int | None, int | None] = (None, None),
    **more: Any,
) -> Matrix:
    """Return a map whose rows and columns are numbered from 0; a few of the visible ones have labels."""
    labels = ([str(place) for place in range(count)] for count in values.shape)
    rows, columns = (
        Side(each, title_of_side, role, few_ticks(each[:count]), count)
        for each, title_of_side, role, count in zip(labels, titles, roles, n_visible, strict=True)
    )
    return Matrix(
        name, values, title, rows, columns, ramp=ColourScale("scores", limit), size=(BODY, BODY), **more
    )
