"""The server as a visitor meets it: headers, Plotly's own file, nothing from elsewhere."""

import tomllib
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Page
from plotly.offline import get_plotlyjs
from uvicorn.loops.auto import auto_loop_factory

from attn_ui.live_figure import PLOTLY_ROUTE
from attn_ui.security import HEADERS
from tests.browser.app_page import READY

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("path", ["/", "/single-head", "/_stcore/health", f"{PLOTLY_ROUTE}/plotly.min.js"])
def test_every_answer_carries_the_security_headers(server: str, path: str) -> None:
    with urllib.request.urlopen(server + path) as answer:
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_plotly_is_served_from_the_installed_package_and_kept(server: str) -> None:
    with urllib.request.urlopen(f"{server}{PLOTLY_ROUTE}/plotly.min.js?v=1") as answer:
        assert "immutable" in answer.headers["Cache-Control"]
        assert answer.read().decode() == get_plotlyjs()
    with urllib.request.urlopen(f"{server}{PLOTLY_ROUTE}/plotly.min.js") as answer:
        assert "immutable" not in (answer.headers["Cache-Control"] or "")


@pytest.mark.parametrize("path", ["../requirements.txt", "%2e%2e/__init__.py", "..%2f__init__.py"])
def test_the_plotly_route_serves_nothing_else(tab: Page, server: str, path: str) -> None:
    answer = tab.request.get(f"{server}{PLOTLY_ROUTE}/{path}")
    assert "import" not in answer.text()
    assert "torch" not in answer.text()


def test_nothing_is_fetched_from_elsewhere(tab: Page, server: str) -> None:
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    for path in ("", "kernel-regression", "single-head", "positional-encoding", "multi-head"):
        tab.goto(f"{server}/{path}")
        tab.wait_for_selector(READY)
        tab.wait_for_selector(".live-figure[data-state=drawn]")
    own = (server, server.replace("http", "ws"), "data:", f"blob:{server}")
    assert [url for url in asked if not url.startswith(own)] == []
    assert len(asked) > 20


def test_the_server_runs_on_uvloop() -> None:
    # Only there does Streamlit's server send small answers without waiting (TCP_NODELAY).
    assert auto_loop_factory().__module__.startswith("uvloop")


def test_the_settings_that_matter_are_set() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["showEmailPrompt"] is False
    assert settings["server"]["maxUploadSize"] == 1
    assert settings["runner"]["postScriptGC"] is False
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["client"]["showErrorDetails"] == "none"
