"""What a host sets reaches what visitors meet: one server with every setting at once."""

import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, expect
from plotly.offline import get_plotlyjs

from attn_core import load_model
from attn_ui.host.hosting import variables
from attn_ui.host.public_address import own_host
from attn_ui.screen.live_figure import PLOTLY_ROUTE
from tests import planted_bert, small_models
from tests.browser.app_page import AppPage
from tests.browser.conftest import serving

ELSEWHERE = {"ATTENTION_LAB_CACHE", "ATTENTION_LAB_CHANGES"}  # seen inside the process, not from here


def test_host_setting_takes_effect(browser: Browser, tmp_path: Path) -> None:
    bundle, model, lessons = (tmp_path / name for name in ("bundle", "planted", "lessons"))
    for folder in (bundle, model, lessons):
        folder.mkdir()
    text = (
        "---\ntitle: Mine\nabout: Own.\nminutes: 1\n---\n## One\n\n:::{attention} single-head\n:::\n\nOne.\n"
    )
    (lessons / "mine.md").write_text(text, encoding="utf-8")
    planted_bert.write(model)
    (bundle / "plotly-mine.min.js").write_text(f"{get_plotlyjs()}\n// mine\n", encoding="utf-8")
    given: dict[str, Any] = {
        "ATTENTION_LAB_PLOTLY_JS": str(bundle),
        "ATTENTION_LAB_FRAME_ANCESTORS": "https://course.example.edu",
        "ATTENTION_LAB_METRICS": "yes",
        "ATTENTION_LAB_SESSIONS": "1",
        "ATTENTION_LAB_CACHE": "16",
        "ATTENTION_LAB_CHANGES": "20",
        "ATTENTION_LAB_MODEL": str(model),
        "ATTENTION_LAB_LESSONS": str(lessons),
    }
    assert sorted(given) == sorted(variables())
    assert given.keys() >= ELSEWHERE
    with serving("app.py", to="0.0.0.0", **given) as address:
        with urllib.request.urlopen(f"{address}{PLOTLY_ROUTE}/plotly.min.js") as answer:
            assert answer.read().endswith(b"// mine\n")
            policy = answer.headers["Content-Security-Policy"]
        assert policy.endswith("frame-ancestors https://course.example.edu")
        with urllib.request.urlopen(f"{address}/_stcore/metrics") as answer:
            assert answer.status == 200
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        app = AppPage(context.new_page(), address)
        app.open("learned-heads?source=a+real+model")
        app.figure("real").wait_for()
        app.settle()
        assert app.readout("real") == "head 1.2"
        expect(app.page.get_by_text("planted: 2 layers of 2 heads")).to_be_visible()
        app.open("single-head?lesson=mine")
        expect(app.page.locator(".lesson-head h2")).to_have_text("One")
        # The server listens to all: what Share offers is its address in the network, where there is one.
        app.page.get_by_role("button", name="Share").click()
        shared = app.page.url.replace("127.0.0.1", own_host() or "127.0.0.1")
        expect(app.page.locator(".share-link")).to_have_value(shared)
        with urllib.request.urlopen(f"http://{urlsplit(shared).netloc}/_stcore/health") as answer:
            assert answer.read() == b"ok"
        second = context.new_page()
        second.goto(address)
        expect(second.get_by_text("Every place is taken")).to_be_visible()
        context.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["gpt2", "bert", "roberta", "distilbert", "llama"])
@pytest.mark.slow
def test_host_model_saved_by_transformers_is_on_the_page(name: str, browser: Browser, tmp_path: Path) -> None:
    folder = small_models.write(tmp_path / f"own-{name}", name)
    maps = load_model(folder).attend("the cats sat").without_special().maps
    with serving("app.py", ATTENTION_LAB_MODEL=str(folder)) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        app = AppPage(context.new_page(), address)
        app.open("learned-heads?source=a+real+model&text=the+cats+sat&rankby=entropy")
        app.figure("real").wait_for()
        app.settle()
        expect(app.page.get_by_text(f"own-{name}: 3 layers of 4 heads")).to_be_visible()
        expect(app.page.get_by_text("all-MiniLM-L6-v2")).to_have_count(0)
        layer, head = (int(each) - 1 for each in app.readout("real").removeprefix("head ").split("."))
        drawn = np.array(app.trace("real", "weights"), dtype=float)
        np.testing.assert_allclose(np.nan_to_num(drawn), maps[f"layer {layer}"][head], atol=1e-5)
        assert app.errors == []
        context.close()
