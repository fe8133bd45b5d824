"""The benchmarks start, and their peers draw what the app draws; without a browser and without the peers."""

import base64
import importlib
import json
import logging
import pkgutil
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

import benchmarks
from attn_live.arrays import Crossed
from attn_ui.streamlit_inside.logs import say_nothing_of_threads
from benchmarks.apps import maps
from benchmarks.apps.bare import settled_figures

ASKED = ("classroom", "first_picture", "interaction", "long_texts")  # the benchmarks that take arguments


@pytest.mark.parametrize("name", [each.name for each in pkgutil.iter_modules(benchmarks.__path__)])
def test_a_benchmark_can_be_started(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if name in ("core", "sentence"):
        pytest.importorskip("transformers" if name == "sentence" else "statsmodels", reason="its peer")
    module = importlib.import_module(f"benchmarks.{name}")
    if name in ASKED:
        monkeypatch.setattr("sys.argv", [name, "--help"])
        with pytest.raises(SystemExit) as ended:
            module.main()
        assert ended.value.code == 0
        assert "usage" in capsys.readouterr().out


def read(value: Any) -> Any:
    """What `bare.html` makes of it: float32 in rows of as many columns; all else stays."""
    if isinstance(value, dict) and "f4" in value:
        return np.frombuffer(base64.b64decode(value["f4"]), "<f4").reshape(value["shape"])
    if isinstance(value, dict):
        return {name: read(inner) for name, inner in value.items()}
    return [read(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("size", maps.SIZES)
def test_the_bare_page_has_the_app_s_figures(size: tuple[int, int]) -> None:
    n_token, n_head = size
    drawn = [read(figure) for figure in json.loads(settled_figures(n_token, n_head))]
    assert len(drawn) == maps.N_STEP
    go.Figure(drawn[-1])  # nothing that Plotly would refuse
    for figure, step in zip(drawn, maps.weights(n_token, n_head), strict=True):
        of_heads = [trace for trace in figure["data"] if "coloraxis" in trace]
        assert len(of_heads) == n_head
        for head, trace in enumerate(of_heads):
            np.testing.assert_allclose(trace["z"], step[head], rtol=1e-6)


def test_words_of_cells_are_spelt_out_on_the_bare_page() -> None:
    held = maps.figures(64, 1)[0]["data"][0]["hovertext"]
    assert isinstance(held, Crossed)  # rows and columns apart, which Plotly alone cannot read
    spelt = json.loads(settled_figures(64, 1))[0]["data"][0]["hovertext"]
    assert len(spelt) == 64
    for row, words in zip(held.rows, spelt, strict=True):
        assert words == [row + column for column in held.columns]


def test_pages_are_opened_outside_a_server_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    say_nothing_of_threads()
    AppTest.from_string("import streamlit as st\nst.write(1)").run()
    assert "ScriptRunContext" not in caplog.text
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").warning("heard")
    assert "heard" in caplog.text  # what it says besides
