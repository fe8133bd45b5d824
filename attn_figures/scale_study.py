"""Why scores are divided by sqrt(d_k), and what a mask saves: curves over a width and over a length."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.marks import Mark
from attn_figures.matrix import Numbers
from attn_figures.panels import compose
from attn_figures.picture import Picture, Spec

UNSCALED, SCALED = theme.LIGHT.series[1], theme.LIGHT.series[0]
_BOTH = (("unscaled", UNSCALED), ("scaled by 1/√dₖ", SCALED))


@Picture
def scale_picture(widths: Sequence[int], curves: Mapping[str, Numbers], weights: Numbers, at: int) -> Spec:
    """Draw one query's weights at width ``widths[at]`` and, over all widths, how the softmax fares.

    Args:
        widths: d_k, ascending.
        curves: by name, (2, n_width): unscaled, then scaled. "variance" has a logarithmic axis.
        weights: (2, n_width, n_key) of one query.
        at: which width is marked.
    """
    n_key = weights.shape[-1]
    bars = [
        marks.bar(
            f"weights {name}",
            np.arange(1, n_key + 1),
            weights[index, at],
            colour,
            hover=f"key %{{x}}, {name}<br>weight <b>%{{y:.6f}}</b>",
        )
        for index, (name, colour) in enumerate(_BOTH)
    ]
    first = Chart(
        "weights",
        bars,
        6,
        4,
        x_title="key",
        y_title="weight of one query",
        y={"range": [0, 1]},
        legend=_BOTH,
    )
    return compose.spec([first, *(_curve(name, widths, both, at) for name, both in curves.items())])


def _curve(name: str, widths: Sequence[int], both: Numbers, at: int) -> Chart:
    x = np.array(widths)
    here = slice(at, at + 1)
    drawn: list[Mark] = []
    for values, (word, colour) in zip(both, _BOTH, strict=True):
        hover = f"d<sub>k</sub> %{{x}}, {word}<br>{name} <b>%{{y:.6~g}}</b>"
        drawn += [
            marks.line(f"{name} {word}", x, values, colour, hover=hover),
            marks.points(f"{name} {word} here", x[here], values[here], colour, size=9, hover=hover),
        ]
    y: dict[str, Any] = {"type": "log", "dtick": 1} if name == "variance" else {"rangemode": "tozero"}
    places = [4**power for power in range(int(math.log(widths[-1], 4) + 1e-9) + 1)]
    ticks = {"type": "log", "tickmode": "array", "tickvals": places, "ticktext": list(map(str, places))}
    return Chart(name, drawn, 6, 4, x_title="dₖ", y_title=name, x=ticks, y=y)


@Picture
def cost_picture(lengths: Sequence[int], costs: Mapping[str, Numbers], here: int, masked: str) -> Spec:
    """Draw what attention costs over the number of tokens, full and under a mask, on logarithmic axes.

    Args:
        lengths: n, ascending.
        costs: by name, (2, n_length): full attention, then under the mask.
        here: the present number of tokens, marked by a line.
        masked: what the mask is called.
    """
    names = (("full", theme.LIGHT.series[5]), (masked, theme.LIGHT.series[0]))
    panels: list[Chart] = []
    for name, both in costs.items():
        drawn = [
            marks.line(
                f"{name} {word}",
                np.array(lengths),
                both[index],
                colour,
                dash="dot" if index == 0 else "solid",
                dots=5,
                hover=f"%{{x}} tokens, {word}<br>{name} <b>%{{y:,.0f}}</b>",
            )
            for index, (word, colour) in enumerate(names)
        ]
        axis = {"type": "log", "dtick": 1}
        panels.append(
            Chart(
                name,
                drawn,
                5,
                4,
                x_title="tokens n",
                y_title=name,
                x=axis,
                y=axis | {"tickformat": "~s"},
                marks=[marks.upright(here, dash="dash")],
                legend=names if not panels else (),
            )
        )
    return compose.spec(panels)
