"""Rotary positions past the trained length: how far pairs turn, how much slower, and the scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart, ticks
from attn_figures.marks import readings
from attn_figures.matrix import Numbers
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

LIGHT = theme.LIGHT
PLAIN = LIGHT.series[1]
CHOSEN = LIGHT.series[0]
_MOST_POWERS = 6
_LEGEND = 3  # lines, a curve each: two names side by side are wider than a chart on a phone


@dataclass(frozen=True)
class ScaledTurns:
    """One rotary scaling at one factor, beside unscaled rotary positions.

    Attributes:
        trained_turns: full turns of each pair over the trained length, (n_pair,).
        plain, scaled: the same over the longer length, without scaling and with it.
        slower: how many times slower each pair turns, (n_pair,), by the scaling's name.
        offsets: (n_offset,) from 1 on; plain_scores, scores: without scaling and with it, (n_offset,).
    """

    trained_turns: Numbers
    plain: Numbers
    scaled: Numbers
    slower: Mapping[str, Numbers]
    scaling: str
    offsets: NDArray[Any]
    plain_scores: Numbers
    scores: Numbers
    trained: int


@dataclass(frozen=True)
class AxisEnds:
    """The ends of the axes, equal at all steps: of turns, of the slowing, of scores."""

    turns: tuple[float, float]
    slower: float
    scores: tuple[float, float]


def scaling(at: ScaledTurns, ends: AxisEnds, labels: Mapping[str, str]) -> Spec:
    """Draw how far pairs turn, how many times slower with each scaling, and the scores by offset.

    Angles and offsets that training did not reach are shaded.
    """
    panels = [each(at, ends, labels) for each in (_turns, _slower, _scores)]
    return compose(panels, largest_unit=36)


def _turns(at: ScaledTurns, ends: AxisEnds, labels: Mapping[str, str]) -> Chart:
    pairs = np.arange(len(at.trained_turns))
    low, high = ends.turns
    # "in training" comes last: where the scaled line has the same values, it lies on top.
    curves = (
        ("turns plain", _("longer, unscaled"), at.plain, PLAIN, 2.0),
        ("turns scaled", labels[at.scaling], at.scaled, CHOSEN, 4.0),
        ("turns seen", _("in training"), at.trained_turns, LIGHT.ink, 1.5),
    )
    lines = [
        marks.line(
            name,
            pairs,
            turns,
            colour,
            width=width,
            dots=_dots(pairs) if name == "turns scaled" else 0,
            label=what,
            hover=readings((_("pair"), "%{x}"), (_("times round"), "%{y:.4~g}"), of=what),
        )
        for name, what, turns, colour, width in curves
    ]
    once = {"type": "line", "x0": 0, "x1": 1, "xref": " domain", "y0": 1, "y1": 1}
    return Chart(
        "turns",
        [_unseen(pairs, at.trained_turns), *lines],
        columns=9,
        rows=8,
        x_title=_("Pair of dimensions"),
        y_title=_("Times round"),
        x=_over_pairs(len(pairs)),
        y={"type": "log", "range": [np.log10(low) - 0.15, np.log10(high) + 0.15]} | _powers(low, high),
        marks=[once | {"line": {"width": 1, "dash": "dot", "color": LIGHT.ink}}],
        legend=[(what, colour) for _name, what, _values, colour, _width in curves],
        legend_lines=_LEGEND,
    )


def _unseen(pairs: NDArray[Any], turns: Numbers) -> marks.Mark:
    """Return the area of angles that pairs never had in training: from their turns to one full turn."""
    upper = np.maximum(turns, 1.0)
    fill = theme.rgba(LIGHT.masked, 0.7)
    x = np.concatenate([pairs, pairs[::-1]]).astype(float)
    return marks.area("turns seen ground", x, np.concatenate([turns, upper[::-1]]), fill)


def _slower(at: ScaledTurns, ends: AxisEnds, labels: Mapping[str, str]) -> Chart:
    pairs = np.arange(len(at.trained_turns))
    lines, legend = [], []
    others = iter((LIGHT.series[2], LIGHT.series[3]))
    for name, times in at.slower.items():
        is_chosen = name == at.scaling
        colour = CHOSEN if is_chosen else next(others)
        legend.append((labels[name], colour))
        lines.append(
            marks.line(
                f"slower {name}",
                pairs,
                times,
                colour,
                width=3 if is_chosen else 1.5,
                dash="solid" if is_chosen else "dot",
                dots=_dots(pairs) if is_chosen else 0,
                label=labels[name],
                hover=readings((_("pair"), "%{x}"), (_("times slower"), "%{y:.4~g}"), of=labels[name]),
            )
        )
    most = max(ends.slower, 2.0)
    places = [float(2**power) for power in range(int(np.log2(most)) + 1)]
    return Chart(
        "slower",
        lines,
        columns=9,
        rows=8,
        x_title=_("Pair of dimensions"),
        y_title=_("Times slower"),
        x=_over_pairs(len(pairs)),
        y={
            "type": "log",
            "range": [-0.05 * np.log10(most), 1.05 * np.log10(most)],
            **ticks(places, [f"{each:g}" for each in places]),
        },
        legend=legend,
        legend_lines=_LEGEND,
    )


def _scores(at: ScaledTurns, ends: AxisEnds, labels: Mapping[str, str]) -> Chart:
    curves = (
        ("score plain", _("unscaled"), at.plain_scores, PLAIN, 1.5),
        ("score scaled", labels[at.scaling], at.scores, CHOSEN, 2.5),
    )
    lines = [
        marks.line(
            name,
            at.offsets,
            scores,
            colour,
            width=width,
            label=what,
            hover=readings((_("offset"), "%{x}"), (_("score"), "%{y:.6~g}"), of=what),
        )
        for name, what, scores, colour, width in curves
    ]
    last, (low, high) = float(at.offsets[-1]), ends.scores
    margin = 0.05 * (high - low)
    return Chart(
        "score",
        lines,
        columns=9,
        rows=8,
        x_title=_("Offset"),
        y_title=_("Score"),
        x={"type": "log", "range": [-0.03, np.log10(last * 1.05)]} | _powers(1.0, last),
        y={"range": [low - margin, high + margin], "nticks": 6},
        marks=[marks.ground(at.trained, last * 1.05)],
        legend=[(what, colour) for _name, what, _values, colour, _width in curves],
        legend_lines=_LEGEND,
    )


def _dots(pairs: NDArray[Any]) -> float:
    return 7 if len(pairs) <= 16 else 4


def _over_pairs(count: int) -> dict[str, Any]:
    return {"range": [-0.5, count - 0.5], "nticks": 6, "tickformat": "d"}


def _powers(low: float, high: float) -> dict[str, Any]:
    """Return ticks at whole powers of ten, about six at most."""
    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    stride = -(-(last - first + 1) // _MOST_POWERS)
    places = [10.0**power for power in range(first - first % stride, last + 1, stride)]
    return ticks(places, [f"{each:g}" for each in places])
