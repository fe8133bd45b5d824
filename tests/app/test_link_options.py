"""Lesson links: what they hide, what they say, and that nothing in them becomes markup or style."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from attn_ui.base import link_options
from attn_ui.base.bounds import MAX_CSV_BYTES, MAX_MAPS_BYTES, MAX_SETTINGS_BYTES
from attn_ui.base.parameters import Flag
from tests.pages import PAGES, ROUTER, open_page, open_sound

opened = partial(open_sound, "single-head")
SETTINGS = (Flag("bias", False),)


def own_html(app: AppTest) -> str:
    """All HTML that the page writes itself."""
    return "\n".join(element.proto.body for element in app.get("html"))


def test_embed_link_hides_parts_names_them_and_keeps_the_page() -> None:
    app = opened(hide="tabs,bias", say='Look at <b onclick="x">row 2</b> & **wait**', projector="true")
    page = own_html(app)
    assert "[data-testid=stTabs] { display: none" in page
    assert ".st-key-bias" in page
    assert "Look at &lt;b onclick=&quot;x&quot;&gt;row 2&lt;/b&gt; &amp; **wait**" in page
    assert not [each.value for each in app.warning if "The link's " in each.value]
    assert app.query_params["projector"] == "true"


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("hide", "tabs,{}body{display:none}", "names of what to hide"),
        ("hide", "nothing of the kind", "names of what to hide"),
        ("say", "x" * 301, "at most 300 characters"),
        ("projector", "yes", "true or false"),
    ],
)
def test_embed_link_with_a_bad_part_drops_and_names_it(name: str, text: str, wanted: str) -> None:
    app = opened(**{name: text})
    dropped = [each.value for each in app.warning if "The link's " in each.value]
    assert len(dropped) == 1
    assert f"`{name}`" in dropped[0]
    assert wanted in dropped[0]
    assert name not in app.query_params
    assert "body{" not in own_html(app)


def test_embed_style_takes_known_names_only() -> None:
    hidden = link_options.hide_setting(SETTINGS)
    assert hidden.read("words,bias") == "words,bias"
    for text in ("bias;", "bias, words", "st-key-bias", "words,,bias"):
        with pytest.raises(ValueError, match="names of what to hide"):
            hidden.read(text)


@dataclass
class Opened:
    """The panel of Teach or Share as it is once it was opened: a test has no browser to open it."""

    panel: Any
    open: bool = True

    def __enter__(self) -> None:
        self.panel.__enter__()

    def __exit__(self, *reason: object) -> None:
        self.panel.__exit__(*reason)


@pytest.mark.parametrize("page", [page for page, (_, settings) in PAGES.items() if len(settings) > 1])
def test_lesson_hides_controls_by_their_labels(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "popover", lambda *_, **__: Opened(st.container()))
    app = AppTest.from_file(ROUTER, default_timeout=300)
    app = open_page(page, app.run())
    offered = list(app.multiselect(key="teach-hide").options)
    assert offered[: len(link_options.PARTS)] == list(link_options.PARTS.values())
    names = {setting.name for setting in PAGES[page][1]}
    kinds = ("selectbox", "number_input", "slider", "toggle", "text_input", "select_slider", "button_group")
    shown = {
        element.key.removeprefix("pick-").removeprefix("step-"): getattr(element, "label", "")
        for kind in kinds
        for element in app.get(kind)
        if element.key
    }
    words = {label for key, label in shown.items() if key in names - {*link_options.PARTS}}
    assert words <= set(offered)
    assert not names & set(offered)
    assert len(set(offered)) == len(offered)


def test_upload_field_states_the_limit_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "popover", lambda *_, **__: Opened(st.container()))
    said = {
        element.proto.label: 1_000_000 * element.proto.max_upload_size_mb
        for page, link in (("kernel-regression", {"tab": "Data"}), ("learned-heads", {"source": "your own"}))
        for element in open_sound(page, **link).get("file_uploader")
    }
    assert {label.partition(" (")[0]: limit for label, limit in said.items()} == {
        "Open a file of settings": MAX_SETTINGS_BYTES,
        "CSV file": MAX_CSV_BYTES,
        "Attention weights": MAX_MAPS_BYTES,
    }
