"""The still pictures that stand before the app: all there, none too many, and each as its page says it."""

import gzip
import json
import re

import pytest

from attn_live.says import runs
from attn_ui.base.navigation import PAGES, Listed
from attn_ui.host import early
from attn_words import LANGUAGES, _, speaking
from docs.draw_stills import fingerprint
from pages import PAGES as BUILT

MOST_BYTES = 45_000  # of one picture as it travels, with its letters
PLACES = json.loads(early.PLACES.read_text(encoding="utf-8"))


def name_of(page: Listed) -> str:
    return page.address or page.folder


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_title_and_sentence_are_the_pages_own(page: Listed) -> None:
    built = BUILT[page.address]
    for spoken in LANGUAGES:
        with speaking(spoken):
            title, about = _(built.title), _(built.about)
        known = PLACES[name_of(page)][spoken]
        assert known["title"] == title
        assert [tuple(run) for run in known["about"]] == runs(about)
    assert PLACES[name_of(page)]["enters"] is bool(built.enters)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_each_picture_is_of_the_figure_that_comes_after_it(page: Listed) -> None:
    for spoken in LANGUAGES:
        with speaking(spoken):
            now = fingerprint(BUILT[page.address].at("").figure())
        known = PLACES[name_of(page)][spoken].get("figure")
        assert known == now, f"make stills PAGE={name_of(page)}"


def test_each_picture_is_of_an_arrangement_in_both_schemes_and_small() -> None:
    found = {path.name for path in early.STILLS.glob("*.svg")}
    for name in found:
        of, spoken, size, scheme, _suffix = name.split(".")
        width, height = map(int, size.split("x"))
        assert [width, height] in PLACES[of][spoken]["screens"]
        other = {"light": "dark", "dark": "light"}[scheme]
        assert f"{of}.{spoken}.{size}.{other}.svg" in found
        served = early.content(name)
        assert isinstance(served, str)
        box = re.search(r'viewBox="0 0 (\d+) (\d+)"', served)
        assert box is not None
        assert (int(box[1]), int(box[2])) == (width, height), name
        assert len(gzip.compress(served.encode())) < MOST_BYTES, name
        assert not re.search(r"<script|\bon\w+=|https?://(?!www\.w3\.org/)", served), name
    for page in PAGES:
        for spoken in LANGUAGES:
            assert any(name.startswith(f"{name_of(page)}.{spoken}.") for name in found)


def test_what_is_written_into_the_html_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    spoilt = json.loads(json.dumps(PLACES))
    spoilt["overview"]["en"] |= {"title": "<b>1</b>", "about": [["", "a & <i>"], ["b", "</b>"]]}
    monkeypatch.setattr(early, "_places", lambda: spoilt)
    made = early.skeleton(PAGES[0], "en")
    assert '<h1>&lt;b&gt;1&lt;/b&gt;</h1><p>a &amp; &lt;i&gt;<span class="b">&lt;/b&gt;</span></p>' in made


def test_there_is_none_in_a_language_that_nothing_was_drawn_in() -> None:
    assert early.placed("<title><body>", PAGES[0], "en-XA") == "<title><body>"
