"""Pictures of a model while it learns: every head's map, what it says, and how far it has come."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.chart import Chart
from attn_figures.geometry import Axes
from attn_figures.marks import Mark, line, points, upright
from attn_figures.matrix import KEY_TITLE, QUERY_TITLE, Matrix
from attn_figures.panels import Panel, compose
from attn_figures.picture import Picture, Spec

Numbers = NDArray[np.float64]
LIGHT = theme.LIGHT
ROOT = 2.0  # as on the other pages: the ramp is spent on small weights, over the same [0, 1]
PHONE_HEIGHT = 640
ROOMY = (494, 664)
ACCURACY = LIGHT.ink
COLOURS = dict(zip(("previous token", "induction", "diagonal", "right place"), LIGHT.series, strict=False))


@dataclass(frozen=True, eq=False)
class Maps:
    """What a model does with one sequence.

    weights (n_head, n, n), heads over all layers; said (n, n_symbol), the probability of each symbol;
    answers: the right symbol's place among the symbols for each row, None where there is none.
    """

    weights: Numbers
    names: Sequence[str]
    titles: Sequence[str]
    sequence: Sequence[str]
    said: Numbers
    symbols: Sequence[str]
    answers: Sequence[int | None]
    mask: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Course:
    """How a training went: after each of steps (n,) the loss, the accuracy, and measures by head's name.

    Each of ``heads`` is (name of the head, name of the measure, values (n,)).
    """

    steps: Numbers
    loss: Numbers
    accuracy: Numbers
    heads: Sequence[tuple[str, str, Numbers]]


@Picture
def scrubber(maps: Maps, course: Course, at: int) -> Spec:
    """Draw all maps, what the model says, and the course of the training with the present step marked.

    Args:
        maps: of the present step; course: of the whole training; at: the place of the present step in it.
    """
    panels: list[Panel] = [
        replace(_map(maps, head), part=("head", head), shows_shape=False) for head in range(len(maps.weights))
    ]
    return compose.spec([*panels, _said(maps), *_charts(course, at)], phone_height=PHONE_HEIGHT, roomy=ROOMY)


def _map(maps: Maps, head: int) -> Matrix:
    return Matrix(
        maps.names[head],
        maps.weights[head],
        maps.titles[head],
        rows=maps.sequence,
        columns=maps.sequence,
        row_title=QUERY_TITLE,
        column_title=KEY_TITLE,
        mask=maps.mask,
        cells="query-key",
        chosen=("query", "key"),
        ramp_power=ROOT,
        numbered=False,
    )


@dataclass(frozen=True)
class Said(Matrix):
    """The probability of each symbol at each place, with a frame around every right answer."""

    answers: Sequence[int | None] = ()

    def shapes(self, axes: Axes) -> list[dict[str, Any]]:
        """Return the frames."""
        line = {"color": LIGHT.value, "width": 1.5}
        return [
            {"type": "rect", "name": f"answer {row}", "line": line, "xref": axes.x, "yref": axes.y}
            | {"x0": answer - 0.5, "x1": answer + 0.5, "y0": row - 0.5, "y1": row + 0.5}
            for row, answer in enumerate(self.answers)
            if answer is not None
        ]


def _said(maps: Maps) -> Said:
    return Said(
        "prediction",
        maps.said,
        "what it says",
        rows=maps.sequence,
        columns=maps.symbols,
        row_title="At",
        column_title="Symbol",
        column_role="output",
        quantity="probability",
        bar="weight",
        cells="prediction",
        words=("at", "says"),
        ramp_power=ROOT,
        shows_shape=False,
        numbered=False,
        answers=maps.answers,
    )


def _charts(course: Course, at: int) -> list[Panel]:
    x = course.steps
    end = float(x[-1]) or 1.0
    across = {"range": [-0.02 * end, 1.02 * end], "showgrid": False, "nticks": 5}
    highest = float(course.loss.max())
    loss = [
        line("loss", x, course.loss, ACCURACY, hover="step %{x}<br>loss <b>%{y:.4f}</b> nats"),
        points("loss here", x[at : at + 1], course.loss[at : at + 1], ACCURACY, size=10),
    ]
    shares: list[Mark] = [
        line("accuracy", x, course.accuracy, ACCURACY, dash="dot", hover="step %{x}<br>right <b>%{y:.1%}</b>")
    ]
    for head, measure, values in course.heads:
        hover = f"step %{{x}}<br>{head}, {measure} <b>%{{y:.3f}}</b>"
        shares.append(line(f"{head} course", x, values, COLOURS[measure], hover=hover))
        shares.append(points(f"{head} here", x[at : at + 1], values[at : at + 1], COLOURS[measure], size=9))
    told = {measure: COLOURS[measure] for _, measure, _ in course.heads}
    common = {"columns": 20, "rows": 9, "x_title": "Training step", "x": across}
    return [
        Chart(
            "loss chart", loss, y_title="Loss (nats)", y={"range": [0, 1.05 * highest], "nticks": 4},
            marks=[upright(float(x[at]))], **common,
        ),
        Chart(
            "shares chart", shares, y_title="Share", y={"range": [-0.03, 1.05], "nticks": 4},
            marks=[upright(float(x[at]))],
            legend=[("dotted: right answers", LIGHT.muted), *told.items()], **common,
        ),
    ]  # fmt: skip
