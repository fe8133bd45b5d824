"""Pictures of positions by offset: rotating vectors, and how schemes score far offsets."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.marks import readings
from attn_figures.matrix import Numbers
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

LIGHT = theme.LIGHT


def turning(
    angles: Numbers, pairs: Sequence[int], frequencies: Numbers, curve: Numbers, *, n_visible: int
) -> Spec:
    """Draw a query and a key, turned by rotary positions, in some pairs of dimensions; the score by offset.

    Args:
        angles: (2, n_pair) in radians: of the query, of the key.
        pairs: the indices of the pairs of dimensions that are drawn.
        frequencies: radians a position, one a pair.
        curve: the score at each offset from 0 on.
        n_visible: the number of offsets in sight.
    """
    panels = [
        _circle(pair, angles[0, number], angles[1, number], frequencies[number], has_legend=number == 0)
        for number, pair in enumerate(pairs)
    ]
    hover = readings((_("offset"), "%{x}"), (_("score"), "%{y:.6f}"))
    score = Chart(
        "score",
        [
            marks.line("score", np.arange(len(curve)), curve, LIGHT.query, hover=hover, label=_("score")),
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
        x_title=_("Offset (key − query)"),
        y_title=_("Score"),
        x={"range": [-0.5, n_visible - 0.5]},
        y={"range": [-1.08, 1.08]},
    )
    return compose([*panels, score], largest_unit=34)


def turning_cursor(
    angles: NDArray[Any], pairs: Sequence[int], curve: Numbers
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of `turning` that change with the offset: by row, and by (step, row).

    Args:
        angles: the key's, (n_steps, n_rows, n_pair).
    """
    zero = np.zeros_like(angles[..., 0])
    by_step: dict[str, Any] = {}
    for number, pair in enumerate(pairs):
        by_step[f"data[key {pair}].x"] = np.stack([zero, np.cos(angles[..., number])], -1)
        by_step[f"data[key {pair}].y"] = np.stack([zero, np.sin(angles[..., number])], -1)
    places = np.arange(angles.shape[1], dtype=np.float64)
    return {"data[here].x": places[:, None], "data[here].y": curve[: len(places), None]}, by_step


def _circle(number: int, query: float, key: float, omega: float, *, has_legend: bool) -> Chart:
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
            hover=_(
                "{side}, pair {number}<br>{place}", side=side, number=number, place="(%{x:.4f}, %{y:.4f})"
            ),
        )
        for name, side, angle, colour, width in (
            ("query", _("query"), query, LIGHT.query, 4),
            ("key", _("key"), key, LIGHT.key, 3),
        )
    ]
    bare = {"range": [-1.15, 1.15], "showticklabels": False, "showgrid": False}
    return Chart(
        f"pair {number}",
        [rim, *arrows],
        columns=5,
        rows=5,
        title=_("pair {number}<br>{turn} rad/pos.", number=number, turn=f"{omega:.2g}"),
        x=bare,
        y=bare,
        legend=[(_("query"), LIGHT.query), (_("key"), LIGHT.key)] if has_legend else (),
    )


def far_offsets(
    curves: Mapping[str, Numbers], trained: int, marked: Mapping[str, int], labels: Mapping[str, str] = {}
) -> Spec:
    """Draw each scheme's score over the offset, within the trained length and beyond it.

    Args:
        curves: scores by offset, 1 at offset 0, by the scheme's name; of equal lengths.
        trained: the trained length; offsets beyond it are shaded.
        marked: an offset to mark with a point, by the scheme's name.
        labels: shown in place of the schemes' names, where they differ.
    """
    panels = []
    for (name, curve), colour in zip(curves.items(), LIGHT.series, strict=False):
        length, label = len(curve), labels.get(name, name)
        hover = readings((_("offset"), "%{x}"), (_("relative to offset 0"), "%{y:.6~g}"), of=label)
        line = marks.line(name, np.arange(length), curve, colour, hover=hover, label=label)
        at = marked.get(name)
        point = marks.points(
            f"{name} return",
            np.array([] if at is None else [float(at)]),
            np.array([] if at is None else [curve[at]]),
            LIGHT.paper,
            size=11,
            ring=LIGHT.ink,
            ring_width=2,
            hover=hover,
        )
        panels.append(
            Chart(
                name,
                [line, point],
                columns=9,
                rows=8,
                x_title=_("Offset"),
                x={"range": [-0.5, length - 0.5], "nticks": 5},
                y={"range": [-0.85, 1.1], "nticks": 5},
                marks=[marks.ground(trained - 0.5, length - 0.5)],
                legend=[(label, colour)],
            )
        )
    return compose(panels, largest_unit=36)
