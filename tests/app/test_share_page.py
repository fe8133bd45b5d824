"""Share, "Put it on my page": a figure as HTML with its files, made only when somebody asks for it."""

import base64
import hashlib
import io
import json
import sys
import zipfile
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
import torch
from markdown_it import MarkdownIt
from plotly.offline import get_plotlyjs_version
from streamlit.testing.v1 import AppTest

from attn_ui.publish import files, letters
from attn_ui.publish.element import element
from attn_ui.publish.figure import figure_of_link
from attn_ui.publish.snippet import archive, snippet
from attn_ui.screen import share, state
from attn_ui.streamlit_inside import front_end
from attn_words import LANGUAGES, speaking
from pages import PAGES
from pages.learned_heads.settings import FROM_FILE
from tests.messages import figure_at
from tests.pages import ROUTER, open_page

HOSTILE = "</script><img src=x onerror=alert(1)> <live-figure> --> \"'&lt; ](javascript:x)"
APP = "https://lab.example.org/base/"


class Read(HTMLParser):
    """What a browser would make of a piece of HTML: its elements, and the text of each kind of element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def shape(self) -> set[tuple[str, str]]:
        """Every element with every attribute that it has, but for their values."""
        return {(tag, name) for tag, attributes in self.elements for name in ("", *attributes)}

    @property
    def said(self) -> str:
        return " ".join("".join(text for tag, text in self.texts if tag != "script").split())

    @property
    def message(self) -> bytes:
        (text,) = [text for tag, text in self.texts if tag == "script"]
        return base64.b64decode(text, validate=True)


def map_values(message: bytes) -> dict[str, Any]:
    """The figure as a message opens it: every panel's numbers by its name."""
    head_size = int.from_bytes(message[:4], "little")
    head = json.loads(message[4 : 4 + head_size])
    rest = message[4 + head_size :]
    packed = rest[4 + int.from_bytes(rest[:4], "little") :]
    figure = figure_at(packed, head["slider"]["index"], (head["cursor"] or {"index": 0})["index"])
    return {each["name"]: np.asarray(each["z"], dtype=float) for each in figure["data"] if "z" in each}


def in_zip(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        assert packed.testzip() is None
        assert {each.external_attr >> 16 for each in packed.infolist()} == {0o644}
        return {name: packed.read(name) for name in packed.namelist()}


# ---- the snippet ----


@pytest.mark.slow
@pytest.mark.parametrize("spoken", LANGUAGES)
def test_snippet_has_figure_and_sentence_of_its_link(spoken: str) -> None:
    with speaking(spoken):
        html = snippet("single-head?mask=causal&t=0.5", APP)
        read = Read(html)
        said = PAGES["single-head"].at("mask=causal&t=0.5").sentence
        program = figure_of_link("single-head?mask=causal&t=0.5").program
    assert len(MarkdownIt().parse(html)) == 1  # a blank line would end its block
    assert "\n\n" in program
    assert program in unescape(html)
    panels = map_values(read.message)
    scores = torch.tensor(panels["scores"]) / (4**0.5 * 0.5)  # d_k is 4, the temperature a half
    later = torch.ones(6, 6, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(-1)
    np.testing.assert_allclose(np.nan_to_num(panels["weights"]), weights, atol=2e-6)
    assert " ".join(said.split()) in read.said
    (figure,) = read.of("live-figure")
    assert figure["lang"] == spoken
    (leads,) = read.of("a")
    assert leads["href"] == f"{APP}single-head?mask=causal&t=0.5"
    assert read.of("img") == []  # no picture that is nowhere
    assert Read(snippet("single-head")).of("a") == []


@pytest.mark.slow
@pytest.mark.parametrize("spoken", LANGUAGES)
def test_snippet_archive_has_every_file_it_names(spoken: str) -> None:
    with speaking(spoken):
        read = Read(snippet("multi-head"))
    named = [each["src"] for each in read.of("script") if each.get("src")]
    named += [each["href"] for each in read.of("link")]
    there = in_zip(archive())
    assert len(named) == 2 + (spoken != "en")
    for address in named:
        assert address is not None
        assert address.partition("?")[0] in there
    assert there["attention-lab/attention-lab.js"].decode() == files.module()
    assert any(name.startswith("attention-lab/plotly-") for name in there)
    assert archive.__wrapped__() == archive()  # the same bytes from another process


def test_snippet_escapes_typed_text() -> None:
    harmless = Read(snippet("single-head?text=a b c d e f g", APP))
    hostile = Read(snippet(f"single-head?text={HOSTILE.replace('&', '%26')}", APP))
    assert hostile.shape == harmless.shape
    assert len(hostile.of("script")) == len(harmless.of("script"))
    assert "Query “<”:" in hostile.said  # the first of its tokens


def test_snippet_escapes_every_text_of_a_figure() -> None:
    figure = figure_of_link("single-head?mask=causal")

    def filled(text: str) -> Read:
        """All that a figure says, said otherwise."""
        bars = [replace(each, name=text, label=text, text=text) for each in figure.bars]
        tables = {text: {text: [text]}}
        runs = [("", text), ("query", text)]
        other = replace(
            figure, link=text, name=text, alt=text, sentence=runs, longest=runs, bars=bars, tables=tables,
            program=text,
        )  # fmt: skip
        return Read(element(other, "", APP, message="AAAA", stills=False))

    plain, hostile = filled("harmless"), filled(HOSTILE)
    assert hostile.elements != plain.elements  # in its attributes' values
    assert [(tag, [*attributes]) for tag, attributes in hostile.elements] == [
        (tag, [*attributes]) for tag, attributes in plain.elements
    ]
    assert hostile.said.count(HOSTILE) == plain.said.count("harmless") > 5


def test_snippet_keeps_a_cover_and_a_pin() -> None:
    covered = Read(snippet("single-head?cover=weights"))
    assert "weights" in map_values(Read(snippet("single-head")).message)
    found = map_values(covered.message)
    assert "weights" not in found or not np.isfinite(found["weights"]).any()
    assert covered.of("details") == []  # neither numbers nor a program that prints them
    both = map_values(Read(snippet("single-head?pin=mask%3Dcausal")).message)
    assert {"A", "B"} <= {*both}
    assert np.isnan(both["A"]).any()  # causal
    assert np.isfinite(both["B"]).all()


def test_snippet_without_fonttools_has_the_whole_font(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app's server has none."""
    monkeypatch.setitem(sys.modules, "fontTools.subset", None)
    for cut in (letters.site_font, letters.font_of_text, files.stylesheet, archive):
        cut.cache_clear()
    try:
        style = in_zip(archive())["attention-lab/attention-lab.css"].decode()
        read = Read(snippet("single-head"))
    finally:
        for cut in (letters.site_font, letters.font_of_text, files.stylesheet, archive):
            cut.cache_clear()
    font = base64.b64encode(front_end.font("SourceSansVF-Upright").read_bytes()).decode()
    assert font in style
    assert str(read.of("link")[0]["href"]).endswith(f"?v={hashlib.sha256(style.encode()).hexdigest()[:12]}")


# ---- the panel ----


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The links of which a figure was made."""
    links: list[str] = []

    def spied(link: str, app: str) -> str:
        links.append(link)
        return snippet(link, app)

    monkeypatch.setattr(share, "_shared_snippet", spied)
    return links


def opened(is_open: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def popover(_label: str, **_more: Any) -> Any:
        panel = st.container()
        panel.open = is_open  # type: ignore[attr-defined]  # as a popover that somebody has opened, or not
        return panel

    monkeypatch.setattr(st, "popover", popover)


def session(page: str = "single-head", /, *, asks: bool = True, **query: str) -> AppTest:
    app = AppTest.from_file(ROUTER, default_timeout=300).run()  # the overview
    app.session_state["share-page"] = asks
    app = open_page(page, app, **query)
    assert not app.exception
    return app


@pytest.mark.parametrize(("is_open", "asks"), [(False, True), (True, False), (True, True)])
def test_snippet_figure_is_made_only_on_request(
    is_open: bool, asks: bool, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(is_open, monkeypatch)
    app = session(asks=asks, mask="causal")
    wanted = is_open and asks
    assert {*made} == ({"single-head?mask=causal"} if wanted else set())
    code = [each.value for each in app.code if "{attention}" in each.value]
    assert code == (["```{attention} single-head?mask=causal\n```"] if wanted else [])


@pytest.mark.slow
def test_snippet_leaves_out_frame_options(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    opened(True, monkeypatch)
    framed: dict[str, Any] = {
        "hide": "mask",
        "say": "ViewOptions",
        "projector": "true",
        "lang": "zh",
        "pin": "t=0.5",
    }
    app = session(mask="causal", **framed)
    assert {*made} == {"single-head?mask=causal&lang=zh&pin=t%3D0.5"}
    assert "```{attention} single-head?mask=causal&pin=t%3D0.5\n```" in [each.value for each in app.code]
    assert "放到我的网页上" in [each.label for each in app.toggle]


def test_snippet_of_the_overview_has_a_directive_name(
    made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(True, monkeypatch)
    app = session("")
    assert made
    assert "```{attention} /\n```" in [each.value for each in app.code]


def test_snippet_keeps_covered_panels_covered_and_says_so(
    made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(True, monkeypatch)
    app = session(cover="weights")
    assert {*made} == {"single-head?cover=weights"}
    assert any("covered there too" in each.value for each in app.caption)


def test_snippet_of_a_figure_without_a_link_is_refused(
    made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(True, monkeypatch)
    monkeypatch.setattr(state, "left_out", lambda _settings: ["W_q"])
    app = session()
    assert made == []
    assert any("cannot be put on a page" in each.value and "W\\_q" in each.value for each in app.warning)


def test_snippet_of_a_page_without_a_figure_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    opened(True, monkeypatch)
    app = session("learned-heads", source=FROM_FILE)
    assert any("cannot be put on a page" in each.value for each in app.warning)


def test_snippet_archive_has_the_plotly_of_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = tmp_path / "plotly-cartesian.min.js"
    bundle.write_text(f"/** plotly.js (cartesian - minified) v{get_plotlyjs_version()} */ // a small one")
    monkeypatch.setenv("ATTENTION_LAB_PLOTLY_JS", str(tmp_path))
    there = in_zip(share.files())
    assert there[f"attention-lab/plotly-{get_plotlyjs_version()}.min.js"] == bundle.read_bytes()
    monkeypatch.delenv("ATTENTION_LAB_PLOTLY_JS")
    assert len(share.files()) > 500_000
