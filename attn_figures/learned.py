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
LOSS, RIGHT = LIGHT.muted, LIGHT.ink
COLOURS = dict(zip(("previous token", "induction", "diagonal", "right place"), LIGHT.series[:4], strict=True))


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
    """How a training went: after each of steps (n,) the loss in nats, the share of right answers, measures.

    ``guessing`` is the loss of saying every symbol alike. Each of ``heads`` is (name of the head, name of the
    measure, values (n,)).
    """

    steps: Numbers
    loss: Numbers
    accuracy: Numbers
    heads: Sequence[tuple[str, str, Numbers]]
    guessing: float


@Picture
def scrubber(maps: Maps, course: Course, at: int) -> Spec:
    """Draw all maps, what the model says, and the course of the training with the present step marked.

    Args:
        maps: of the present step; course: of the whole training; at: the place of the present step in it.
    """
    panels: list[Panel] = [
        replace(_map(maps, head), part=("head", head), shows_shape=False) for head in range(len(maps.weights))
    ]
    return compose.spec(
        [*panels, _said(maps), _chart(course, at, len(maps.sequence))], phone_height=PHONE_HEIGHT, roomy=ROOMY
    )


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


def _chart(course: Course, at: int, n: int) -> Chart:
    """Draw the course of the training beside maps of n rows; the loss as a share of what guessing has."""
    x, here = course.steps, slice(at, at + 1)
    end = float(x[-1]) or 1.0
    loss = course.loss / course.guessing
    # A phone has room for two short words above the chart.
    told = {measure.removesuffix(" token"): COLOURS[measure] for _, measure, _ in course.heads}
    titles = f"<span style='color:{LOSS}'>loss</span>, <span style='color:{RIGHT}'>dotted: right</span>"
    drawn: list[Mark] = [
        line("loss", x, loss, LOSS, hover="step %{x}<br>loss <b>%{customdata:.4f}</b> nats")
        | {"customdata": course.loss},
        line("right", x, course.accuracy, RIGHT, dash="dot", hover="step %{x}<br>right <b>%{y:.1%}</b>"),
        points("loss here", x[here], loss[here], LOSS, size=9),
        points("right here", x[here], course.accuracy[here], RIGHT, size=9),
    ]
    for head, measure, values in course.heads:
        hover = f"step %{{x}}<br>{head}, {measure} <b>%{{y:.3f}}</b>"
        drawn.append(line(f"{head} course", x, values, COLOURS[measure], hover=hover))
        drawn.append(points(f"{head} here", x[here], values[here], COLOURS[measure], size=9))
    return Chart(
        "course",
        drawn,
        columns=max(16.0, 1.5 * n),
        rows=0.85 * n,
        title=titles,
        x_title="Training step",
        x={"range": [-0.02 * end, 1.02 * end], "showgrid": False, "nticks": 4},
        y={"range": [-0.04, max(1.08, 1.02 * float(loss.max()))], "nticks": 4},
        marks=[upright(float(x[at]))],
        legend=list(told.items()),
    )
