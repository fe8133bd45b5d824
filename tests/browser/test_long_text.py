"""A real model that reads a long text, as somebody sees who waits for it."""

import re
from pathlib import Path

import transformers
from playwright.sync_api import Browser, expect

from tests.browser.app_page import AppPage
from tests.browser.conftest import serving
from tests.small_models import DECODER, random_model, sentencepiece_like

LAYERS = 12
SETTINGS = {
    **DECODER,
    "hidden_size": 256,
    "num_attention_heads": 32,  # half a second a layer: who looks sees it
    "num_hidden_layers": LAYERS,
    "max_position_embeddings": 4096,
}
TEXT = "+".join(["the cat sat on the mat".replace(" ", "+")] * 700)


def test_long_text_layers_show_progress_and_can_be_changed_meanwhile(
    browser: Browser, tmp_path: Path
) -> None:
    random_model(transformers.LlamaConfig(**SETTINGS)).save_pretrained(tmp_path)
    sentencepiece_like().save(str(tmp_path / "tokenizer.json"))
    with serving("app.py", ATTENTION_LAB_MODEL=str(tmp_path)) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        app = AppPage(context.new_page(), address)
        app.page.goto(f"{address}/learned-heads?source=a+real+model&layer={LAYERS}&text={TEXT}")
        told = app.page.get_by_text(re.compile(rf"Layer \d+ of {LAYERS} is being read"))
        expect(told).to_contain_text(re.compile("Layer [4-9] of"), timeout=60_000)
        layer = app.page.locator(".st-key-step-layer").get_by_role("slider")
        layer.press("Home")
        app.figure("long").wait_for()
        expect(told).to_have_count(0)
        app.settle()
        assert app.readout("long") == "head 1.1"
        layer.press("End")
        told.wait_for()
        expect(told).to_have_count(0, timeout=60_000)
        app.settle()
        assert app.readout("long") == f"head {LAYERS}.1"
        assert app.errors == []
        context.close()
