"""The benchmarks start, and their peers draw what the app draws; without a browser and without the peers."""

import importlib
import logging
import pkgutil

import pytest
from streamlit.testing.v1 import AppTest

import benchmarks
from attn_ui.host.trial import silence_thread_warnings

ASKED = ("classroom", "first_picture", "interaction", "long_texts")  # the benchmarks that take arguments


@pytest.mark.parametrize("name", [each.name for each in pkgutil.iter_modules(benchmarks.__path__)])
def test_benchmark_script_starts(
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


def test_pages_open_outside_a_server_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    silence_thread_warnings()
    AppTest.from_string("import streamlit as st\nst.write(1)").run()
    assert "ScriptRunContext" not in caplog.text
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").warning("heard")
    assert "heard" in caplog.text  # what it says besides
