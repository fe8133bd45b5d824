"""Pictures of a model while it learns: every head's map, its predictions, and the training history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.chart import Chart
from attn_figures.frame import Side
from attn_figures.geometry import Axes
from attn_figures.marks import Mark, line, points, readings, upright
from attn_figures.matrix import PAIRS, ColourScale, Hover, Matrix, Numbers, Pick, comma
from attn_figures.multi_head import PHONE_HEIGHT, ROOMY, ROOT, text_map
from attn_figures.panels import Panel, compose
from attn_figures.picture import Spec
from attn_words import N_, _, _c, cached

LIGHT = theme.LIGHT
LONGEST_TITLE = len("1.1 previous token 0.00")
COURSES = 16  # training histories whose curves are cached
LOSS, RIGHT = LIGHT.muted, LIGHT.ink
MEASURES = N_("previous token"), N_("induction"), N_("diagonal"), N_("right place")
COLOURS = dict(zip(MEASURES, LIGHT.series[:4], strict=True))
SHORT = {MEASURES[0]: N_("previous")}  # a phone has room for two short words above the chart


@dataclass(frozen=True, eq=False)
class ModelMaps:
    """The attention maps and the predictions of a model for one sequence.

    ``weights`` (n_head, n, n) hold the heads of all layers, ``probabilities`` (n, n_symbol) the predictions;
    ``answers`` are the indices of the right symbols, None for a row without one.
    """

    weights: Numbers
    names: Sequence[str]
    titles: Sequence[str]
    sequence: Sequence[str]
    probabilities: Numbers
    symbols: Sequence[str]
    answers: Sequence[int | None]
    mask: NDArray[np.bool_] | None = None
    heads_per_layer: int = 0  # 0: all are of one layer


@dataclass(frozen=True, eq=False)
class TrainingHistory:
    """The history of a training: at each of ``steps`` (n,) the loss in nats, the accuracy, and measures.

    ``guessing`` is the loss of equal probabilities. Each of ``heads`` is (name of the head, name of the
    measure, values (n,)); ``labels`` are shown in place of the heads' names.
    """

    steps: Numbers
    loss: Numbers
    accuracy: Numbers
    heads: Sequence[tuple[str, str, Numbers]]
    guessing: float
    labels: Mapping[str, str] = field(default_factory=dict)


def scrubber(maps: ModelMaps, course: TrainingHistory, at: int) -> Spec:
    """Draw all maps, the predictions, and the training history with the step of index ``at`` marked.

    The predictions follow the maps of the first layer, the history those of the last.
    """
    panels: list[Panel] = [_map(maps, head) for head in range(len(maps.weights))]
    first = maps.heads_per_layer or len(panels)
    panels[first:first] = [_predictions(maps)]
    panels.append(_chart(course, at, len(maps.sequence)))
    return compose(panels, phone_height=PHONE_HEIGHT, roomy=ROOMY)


def _map(maps: ModelMaps, head: int) -> Matrix:
    return text_map(
        maps.names[head],
        maps.weights[head],
        maps.titles[head],
        maps.sequence,
        mask=maps.mask,
        pick=replace(PAIRS, part=("head", head)),
        longest_title=LONGEST_TITLE,
        numbered=False,
    )


@dataclass(frozen=True)
class PredictionMatrix(Matrix):
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


def _predictions(maps: ModelMaps) -> PredictionMatrix:
    return PredictionMatrix(
        "prediction",
        maps.probabilities,
        _("prediction"),
        Side(maps.sequence, _("At")),
        Side(maps.symbols, _("Symbol"), "output"),
        hover=Hover(_("probability"), words=(_("at"), _("says"))),
        ramp=ColourScale(bar=_("weight"), power=ROOT),
        pick=Pick(together="prediction"),
        shows_shape=False,
        numbered=False,
        answers=maps.answers,
    )


@cached(COURSES)
def _lines(course: TrainingHistory) -> list[Mark]:
    """Return the curves that all steps share: the loss divided by ``guessing``, the accuracy, measures."""
    x, share = course.steps, course.loss / course.guessing
    hover = readings((_("step"), "%{x}"), (_("loss"), "%{customdata:.4f}"))
    loss = line("loss", x, share, LOSS, hover=hover, label=_("loss"))
    hover = readings((_("step"), "%{x}"), (_c("share of answers", "right"), "%{y:.1%}"))
    right = line(
        "right", x, course.accuracy, RIGHT, dash="dot", hover=hover, label=_c("share of answers", "right")
    )
    lines = [loss | {"customdata": course.loss}, right]
    for head, measure, values in course.heads:
        label = course.labels.get(head, head)
        hover = readings((_("step"), "%{x}"), (_(measure), "%{y:.3f}"), of=label)
        label = _("{head} course", head=label)
        lines.append(line(f"{head} course", x, values, COLOURS[measure], hover=hover, label=label))
    return lines


def _here(curve: Mark, at: int) -> Mark:
    """Return a point on a curve, at the step of index ``at``."""
    x, y = (curve[axis][at : at + 1] for axis in "xy")
    return points(f"{curve['name'].removesuffix(' course')} here", x, y, curve["line"]["color"], size=9)


def _chart(course: TrainingHistory, at: int, n: int) -> Chart:
    """Return the chart of the training, sized to stand beside maps of n rows."""
    loss, right, *heads = _lines(course)
    end = float(course.steps[-1]) or 1.0
    legend = {_(SHORT.get(measure, measure)): COLOURS[measure] for _head, measure, _values in course.heads}
    loss_title, right_title = (
        f"<span style='color:{colour}'>{label}</span>"
        for colour, label in ((LOSS, _("loss")), (RIGHT, _("dotted: accuracy")))
    )
    titles = f"{loss_title}{comma()}{right_title}"
    traces = [loss, right, _here(loss, at), _here(right, at)]
    for head in heads:
        traces += [head, _here(head, at)]
    return Chart(
        "course",
        traces,
        columns=max(16.0, 1.5 * n),
        rows=0.85 * n,
        title=titles,
        x_title=_("Training step"),
        x={"range": [-0.02 * end, 1.02 * end], "showgrid": False, "nticks": 4},
        y={"range": [-0.04, max(1.08, 1.02 * float(loss["y"].max()))], "nticks": 4},
        marks=[upright(float(course.steps[at]))],
        legend=list(legend.items()),
    )
