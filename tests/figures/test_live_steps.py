"""The live figure of a notebook: what its widget brings to the browser is what was handed over."""

import builtins
import subprocess
import sys
import zlib
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.offline import get_plotlyjs

from attn_figures import live, theme
from attn_figures.multi_head import HeadMaps, every_head
from attn_live.packing import Cursor
from tests.messages import caption_at, figure_at, parts


def heads(step: int) -> HeadMaps:
    scores = np.random.default_rng(5).normal(size=(2, 3, 4)) * (1 + step)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    return HeadMaps(weights, weights[0] @ np.eye(4)[:, :2], list("abc"), list("pqrs"))


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return np.asarray(value).tolist() if isinstance(value, np.ndarray) else value


def test_live_message_steps_equal_the_figures() -> None:
    figures = [every_head(heads(step), slots=2) for step in range(3)]
    widget = live(
        figures, ["cold", "warm", "hot"], label="Temper", captions=["**a**", "b", "c"], name="heads"
    )
    head, said, packed = parts(widget.message)
    for step, figure in enumerate(figures):
        read = figure_at(packed, step)
        for trace, wanted in zip(read["data"], figure["data"], strict=True):
            if trace["type"] == "heatmap":
                np.testing.assert_allclose(trace["z"], wanted["z"], rtol=1e-6)
        assert plain(read["layout"]) == plain(figure["layout"])
    assert head["slider"]["texts"] == ["cold", "warm", "hot"]
    assert head["slider"]["label"] == "Temper"
    assert caption_at(said, 0) == [("b", "a")]
    assert head["colours"]["print"][theme.LIGHT.paper] == "#FFFFFF"
    assert zlib.decompress(widget.library).decode() == get_plotlyjs()
    assert live(figures).message != live(figures).message  # each figure keeps its own place


def test_live_takes_plotly_figures_and_a_cursor() -> None:
    figures = [go.Figure(go.Bar(y=[step, 2.0 * step], name="bars")) for step in (1, 2)]
    cursor = Cursor(2, by_step={"data[bars].y": np.array([[[1.0, 2.0], [3, 4]], [[5, 6], [7, 8]]])})
    widget = live(figures, cursor=cursor, rows=["one", "other"])
    head, _, packed = parts(widget.message)
    assert figure_at(packed, 1, 0)["data"][0]["y"].tolist() == [5.0, 6.0]
    assert head["slider"]["texts"] == ["1", "2"]
    assert head["cursor"]["texts"] == ["one", "other"]


def test_live_widget_reports_its_sliders() -> None:
    widget = live(go.Figure(go.Bar(y=[1.0])))
    assert (widget.step, widget.row, widget.cell) == (0, 0, None)
    widget.view = {"step": 3, "row": 1, "cell": {"trace": "weights", "row": 2, "column": 4, "at": 1.0}}
    assert (widget.step, widget.row, widget.cell) == (3, 1, ("weights", 2, 4))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"steps": ["a"]}, "2 figures need as many texts for the slider, got 1"),
        ({"captions": ["a"]}, "2 positions, so it needs 2 sentences, got 1"),
        ({"cursor": Cursor(2), "rows": ["a"]}, "2 rows need as many texts"),
    ],
)
def test_live_arguments_that_do_not_fit_raise(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        live([go.Figure(go.Bar(y=[1.0])), go.Figure(go.Bar(y=[2.0]))], **more)


def test_live_without_anywidget_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "attn_live.widget":
            raise ModuleNotFoundError("No module named 'anywidget'")
        return found(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install anywidget"):
        live([go.Figure(go.Bar(y=[1.0]))])


def test_live_imports_anywidget_only_when_called() -> None:
    code = "import sys, attn_figures; print(sorted({'anywidget', 'streamlit', 'IPython'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
