"""Why scores are divided by sqrt(d_k), and what a mask saves: curves over d_k and over the length."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attn_figures import marks, theme
from attn_figures.chart import Chart, ticks
from attn_figures.marks import Mark, readings
from attn_figures.matrix import Numbers
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import N_, _

UNSCALED, SCALED = theme.LIGHT.series[1], theme.LIGHT.series[0]
VARIANCE = N_("variance")  # the curve with a logarithmic axis
_BOTH = ((N_("unscaled"), UNSCALED), (N_("scaled by 1/√dₖ"), SCALED))
MEASURES = VARIANCE, N_("entropy"), N_("largest weight"), N_("gradient size")
COSTS = N_("pairs"), N_("operations"), N_("bytes")


def scale_picture(widths: Sequence[int], curves: Mapping[str, Numbers], weights: Numbers, at: int) -> Spec:
    """Draw one query's weights at width ``widths[at]``, and measures of the softmax over all widths.

    Args:
        curves: (2, n_width), unscaled and scaled, by name, a message; `VARIANCE` has a logarithmic axis.
        weights: (2, n_width, n_key) of one query, unscaled and scaled.
    """
    n_key = weights.shape[-1]
    bars = [
        marks.bar(
            f"weights {name}",
            np.arange(1, n_key + 1),
            weights[index, at],
            colour,
            hover=readings((_("key"), "%{x}"), (_("weight"), "%{y:.6f}"), of=_(name)),
        )
        for index, (name, colour) in enumerate(_BOTH)
    ]
    first = Chart(
        "weights",
        bars,
        6,
        4,
        x_title=_("key"),
        y_title=_("weight of one query"),
        y={"range": [0, 1]},
        legend=[(_(name), colour) for name, colour in _BOTH],
    )
    return compose([first, *(_curve(name, widths, both, at) for name, both in curves.items())])


def _curve(name: str, widths: Sequence[int], both: Numbers, at: int) -> Chart:
    x = np.array(widths)
    here = slice(at, at + 1)
    traces: list[Mark] = []
    for values, (word, colour) in zip(both, _BOTH, strict=True):
        hover = readings(("d<sub>k</sub>", "%{x}"), (_(name), "%{y:.6~g}"), of=_(word))
        label = _("{measure}: {name}", measure=_(name), name=_(word))
        traces += [
            marks.line(f"{name} {word}", x, values, colour, hover=hover, label=label),
            marks.points(f"{name} {word} here", x[here], values[here], colour, size=9, hover=hover),
        ]
    y: dict[str, Any] = {"type": "log", "dtick": 1} if name == VARIANCE else {"rangemode": "tozero"}
    places = [4**power for power in range(int(math.log(widths[-1], 4) + 1e-9) + 1)]
    x_axis = {"type": "log", **ticks(places, list(map(str, places)))}
    return Chart(name, traces, 6, 4, x_title="dₖ", y_title=_(name), x=x_axis, y=y)


def cost_picture(
    lengths: Sequence[int], costs: Mapping[str, Numbers], here: int, masked: str, label: str = ""
) -> Spec:
    """Draw the cost of attention over the number of tokens, full and under a mask, on logarithmic axes.

    Args:
        costs: (2 or 3, n_length), full attention, masked, perhaps linear attention, by name, a message.
        here: the current number of tokens, marked by a line.
        masked: the mask's name in traces; label: shown in its place, unless empty.
    """
    series = theme.LIGHT.series
    every = (
        ("full", _("full"), series[5]),
        (masked, label or masked, series[0]),
        ("linear", _("linear"), series[1]),
    )
    panels: list[Chart] = []
    for name, both in costs.items():
        names = every[: len(both)]
        lines = [
            marks.line(
                f"{name} {word}",
                np.array(lengths),
                both[index],
                colour,
                dash="dot" if index == 0 else "solid",
                dots=5,
                hover=readings((_("tokens"), "%{x}"), (_(name), "%{y:,.0f}"), of=text),
                label=_("{measure}: {name}", measure=_(name), name=text),
            )
            for index, (word, text, colour) in enumerate(names)
        ]
        axis = {"type": "log", "dtick": 1}
        panels.append(
            Chart(
                name,
                lines,
                5,
                4,
                x_title=_("tokens n"),
                y_title=_(name),
                x=axis,
                y=axis | {"tickformat": "~s"},
                marks=[marks.upright(here, dash="dash")],
                legend=[(text, colour) for _word, text, colour in names] if not panels else (),
            )
        )
    return compose(panels)
