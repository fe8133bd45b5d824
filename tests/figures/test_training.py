"""The picture of a model while it learns: what is drawn is what was given."""

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attn_figures.training import ModelMaps, TrainingHistory, scrubber
from tests.plotly_figure import as_plotly

RANDOM = np.random.default_rng(5)


def maps(n_head: int = 3, n: int = 5, n_symbol: int = 4) -> ModelMaps:
    weights, said = RANDOM.random((n_head, n, n)), RANDOM.random((n, n_symbol))
    return ModelMaps(
        weights / weights.sum(axis=-1, keepdims=True),
        [f"head 1.{head + 1}" for head in range(n_head)],
        [f"title {head}" for head in range(n_head)],
        list("abbca"),
        said / said.sum(axis=-1, keepdims=True),
        list("abc·"),
        [None, 2, None, 0, 3],
    )


def course() -> TrainingHistory:
    heads = [("head 1.1", "induction", RANDOM.random(6)), ("head 1.2", "diagonal", RANDOM.random(6))]
    return TrainingHistory(
        np.arange(0.0, 30.0, 5.0), 3 * RANDOM.random(6), RANDOM.random(6), heads, math.log(4)
    )


def traces(figure: go.Figure) -> dict[str, Any]:
    found = {trace.name: trace for trace in figure.data}
    assert len(found) == len(figure.data)
    return found


def test_scrubber_has_all_heads_predictions_and_history() -> None:
    drawn_maps, drawn_course = maps(), course()
    figure = as_plotly(scrubber(drawn_maps, drawn_course, 2))
    drawn = traces(figure)
    for head in range(3):
        np.testing.assert_allclose(drawn[f"head 1.{head + 1}"].z, drawn_maps.weights[head])
    np.testing.assert_allclose(drawn["prediction"].z, drawn_maps.probabilities)
    np.testing.assert_allclose(drawn["loss"].y, drawn_course.loss / math.log(4))
    np.testing.assert_allclose(drawn["loss"].customdata, drawn_course.loss)  # the hover tells nats
    np.testing.assert_allclose(drawn["right"].y, drawn_course.accuracy)
    np.testing.assert_allclose(drawn["head 1.2 course"].y, drawn_course.heads[1][2])
    assert list(drawn["head 1.1 here"].x) == [10.0]
    np.testing.assert_allclose(drawn["right here"].y, drawn_course.accuracy[2:3])
    uprights = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert [shape.x0 for shape in uprights] == [10.0]


def test_predictions_frame_right_answers_only() -> None:
    figure = as_plotly(scrubber(maps(), course(), 0))
    frames = {shape.name: shape for shape in figure.layout.shapes if (shape.name or "").startswith("answer")}
    assert {name: (each.x0, each.y0) for name, each in frames.items()} == {
        "answer 1": (1.5, 0.5),
        "answer 3": (-0.5, 2.5),
        "answer 4": (2.5, 3.5),
    }
