"""Why scores are divided by sqrt(d_k), and what a mask saves: curves over a width and over a length."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attn_figures import theme
from attn_figures.chart import Chart
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
        {
            "type": "bar",
            "name": f"weights {name}",
            "x": np.arange(1, n_key + 1),
            "y": weights[index, at],
            "marker": {"color": colour},
            "hovertemplate": f"key %{{x}}, {name}<br>weight <b>%{{y:.6f}}</b><extra></extra>",
        }
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
    drawn: list[dict[str, Any]] = []
    for index, (word, colour) in enumerate(_BOTH):
        hover = f"d<sub>k</sub> %{{x}}, {word}<br>{name} <b>%{{y:.6~g}}</b><extra></extra>"
        line = {"name": f"{name} {word}", "mode": "lines", "line": {"color": colour, "width": 2}}
        mark = {"name": f"{name} {word} here", "mode": "markers", "marker": {"color": colour, "size": 9}}
        drawn += [
            {"type": "scatter", "x": x, "y": both[index], "hovertemplate": hover} | line,
            {
                "type": "scatter",
                "x": x[at : at + 1],
                "y": both[index, at : at + 1],
                "hovertemplate": hover,
            }
            | mark,
        ]
    y: dict[str, Any] = {"type": "log", "dtick": 1} if name == "variance" else {"rangemode": "tozero"}
    ticks = {
        "type": "log",
        "tickmode": "array",
        "tickvals": x[::2],
        "ticktext": [str(w) for w in widths[::2]],
    }
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
            {
                "type": "scatter",
                "name": f"{name} {word}",
                "x": np.array(lengths),
                "y": both[index],
                "mode": "lines+markers",
                "line": {"color": colour, "width": 2, "dash": "dot" if index == 0 else "solid"},
                "marker": {"size": 5},
                "hovertemplate": f"%{{x}} tokens, {word}<br>{name} <b>%{{y:,.0f}}</b><extra></extra>",
            }
            for index, (word, colour) in enumerate(names)
        ]
        mark = {
            "type": "line",
            "x0": here,
            "x1": here,
            "y0": 0,
            "y1": 1,
            "yref": " domain",
            "line": {"color": theme.LIGHT.muted, "width": 1, "dash": "dash"},
        }
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
                marks=[mark],
                legend=names if not panels else (),
            )
        )
    return compose.spec(panels)
