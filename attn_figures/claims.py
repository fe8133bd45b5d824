"""The evidence of a claim: a chart for each measure, a curve for each case with its spread over seeds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attn_figures import theme
from attn_figures.chart import Chart, ticks
from attn_figures.marks import Mark, area, line, points, readings, upright
from attn_figures.matrix import Numbers, comma
from attn_figures.numbers import number, power_of_ten
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_figures.widths import letters
from attn_words import _

LEAST = 1e-16  # smaller values are drawn here on a logarithmic axis
PHONE_HEIGHT = 560
MOST_ON_A_LINE = 28  # letters of a legend that a phone has room for


def measure_charts(
    over: str,
    x: Sequence[float],
    measures: Mapping[str, Mapping[str, Numbers]],
    at: int,
    *,
    is_log: bool,
    logarithmic: Mapping[str, bool],
) -> Spec:
    """Draw one chart for each measure, its curves with a band of one standard deviation.

    Args:
        measures: the curves of each measure, (n_seed, n_x), by name; a single seed has no band.
        at: the index into ``x`` that is marked.
        logarithmic: the measures to draw, in this order, and whether each has a logarithmic axis.
    """
    names = list(dict.fromkeys(name for curves in measures.values() for name in curves))
    colours = dict(zip(names, theme.LIGHT.series, strict=False))
    many = len(logarithmic) > 3
    shown_curves: set[str] = set()
    charts = []
    for name, y_is_log in logarithmic.items():
        chart = _chart(
            over,
            np.array(x, dtype=np.float64),
            name,
            measures[name],
            at,
            is_log=is_log,
            y_is_log=y_is_log,
            rows=3.5 if many else 7,
            colours={curve: colour for curve, colour in colours.items() if curve in measures[name]},
            has_legend=not shown_curves >= measures[name].keys(),
        )
        shown_curves |= measures[name].keys()
        charts.append(chart)
    return compose(charts, largest_unit=40.0, phone_height=PHONE_HEIGHT)


def _chart(
    over: str,
    x: Numbers,
    measure: str,
    curves: Mapping[str, Numbers],
    at: int,
    *,
    is_log: bool,
    y_is_log: bool,
    rows: float,
    colours: Mapping[str, str],
    has_legend: bool,
) -> Chart:
    bands: list[Mark] = []
    traces: list[Mark] = []
    lowest, highest = np.inf, -np.inf
    for name, values in curves.items():
        heights = np.log10(np.maximum(values, LEAST)) if y_is_log else values
        mean = heights.mean(axis=0)
        deviation = heights.std(axis=0, ddof=1) if len(values) > 1 else np.zeros_like(mean)
        low, high = mean - deviation, mean + deviation
        lowest, highest = min(lowest, float(low.min())), max(highest, float(high.max()))
        if y_is_log:
            mean, low, high = 10**mean, 10**low, 10**high
        colour = colours[name]
        if len(values) > 1:
            outline = np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])
            bands.append(area(f"{measure}, {name}: ± 1 sd", *outline, theme.rgba(colour, 0.14)))
        hover = readings((over, "%{x}"), (_(measure), "%{y:.4~g}"), of=_(name))
        traces += [
            line(
                f"{measure}, {name}", x, mean, colour, width=2.2, dots=0 if len(x) > 20 else 5, hover=hover,
                label=f"{_(measure)}{comma()}{_(name)}",
            ),
            points(f"{measure}, {name} here", x[at : at + 1], mean[at : at + 1], colour, size=11),
        ]  # fmt: skip
    margin = 0.06 * (highest - lowest) or 0.5
    y: dict[str, Any] = {"range": [min(lowest, 0.0 if not y_is_log else lowest) - margin, highest + margin]}
    if y_is_log:
        y |= {"type": "log"} | _powers(lowest - margin, highest + margin)
    across: dict[str, Any] = {"showgrid": False}
    if is_log:
        across |= {
            "type": "log",
            **ticks(x, [f"{each:g}" for each in x]),
            "range": [np.log10(x[0] * 0.88), np.log10(x[-1] / 0.88)],
        }
    else:
        room = 0.04 * (x[-1] - x[0])
        across |= {"range": [x[0] - room, x[-1] + room]}
    return Chart(
        measure,
        [*bands, *traces],
        columns=11,
        rows=rows,
        x_title=over,
        y_title=_(measure),
        x=across,
        y=y,
        marks=[upright(float(x[at]))],
        legend=[(_(name), colours[name]) for name in curves] if has_legend else (),
        legend_lines=2 if sum(letters(_(name)) for name in curves) > MOST_ON_A_LINE else 1,
    )


def _powers(low: float, high: float) -> dict[str, Any]:
    """Return ticks at whole powers of ten on a logarithmic axis, seven at most."""
    first, last = int(np.ceil(low)), int(np.floor(high))
    every = max(1, -(-(last - first + 1) // 7))
    exponents = range(first, last + 1, every)
    return ticks([10.0**each for each in exponents], [_power(each) for each in exponents])


def _power(exponent: int) -> str:
    """Return a power of ten as text: written out near 1, else with its exponent.

    >>> [_power(each) for each in (-4, -2, 0, 4, 6)]
    ['10⁻⁴', '0.01', '1', '10,000', '10⁶']
    """
    near = -3 < exponent < 6
    return number(10.0**exponent) if near else power_of_ten(exponent)
