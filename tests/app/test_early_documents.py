"""The still pictures that stand before the app: all there, none too many, and each as its page says it."""

import gzip
import json
import re

import pytest

from attn_live.captions import spans
from attn_ui.base.navigation import PAGES, PageEntry
from attn_ui.host import early_picture
from attn_words import LANGUAGES, _, speaking
from docs.draw_stills import fingerprint
from pages import PAGES as BUILT

MOST_BYTES = 45_000  # of one picture as it travels, with its letters
PLACES = json.loads(early_picture.PLACES.read_text(encoding="utf-8"))


def name_of(page: PageEntry) -> str:
    return page.address or page.folder


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_early_title_and_sentence_equal_the_pages(page: PageEntry) -> None:
    built = BUILT[page.address]
    for spoken in LANGUAGES:
        with speaking(spoken):
            title, about = _(built.title), _(built.about)
        known = PLACES[name_of(page)][spoken]
        assert known["title"] == title
        assert [tuple(run) for run in known["about"]] == spans(about)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_early_picture_equals_the_figure_that_follows(page: PageEntry) -> None:
    for spoken in LANGUAGES:
        with speaking(spoken):
            result = fingerprint(BUILT[page.address].at("").figure())
        known = PLACES[name_of(page)][spoken].get("figure")
        assert known == result, f"make stills PAGE={name_of(page)}"


def test_early_pictures_exist_for_each_arrangement_and_scheme() -> None:
    drawn = {
        (name_of(page), spoken, size)
        for page in PAGES
        for spoken in LANGUAGES
        for size in PLACES[name_of(page)][spoken]["words"]
    }
    for of, spoken, size in drawn:
        width, height = map(int, size.split("x"))
        assert [width, height] in PLACES[of][spoken]["screens"]
        served = early_picture.content(f"{of}.{size}.{spoken}.svg")
        assert isinstance(served, str)
        box = re.search(r'viewBox="0 0 (\d+) (\d+)"', served)
        assert box is not None
        assert (int(box[1]), int(box[2])) == (width, height), size
        told = [
            set(re.findall(r"(--\d+):", rule))
            for scheme in early_picture.SCHEMES
            for rule in re.findall(rf"\[data-scheme={scheme}\]\{{(.*?)\}}", served)
        ]
        assert told == [set(re.findall(r"var\((--\d+)\)", served))] * 2, size
        pictures = [served.count(f'<image class="{scheme}"') for scheme in early_picture.SCHEMES]
        assert pictures[0] == pictures[1]
        assert "<?word" not in served
        assert len(gzip.compress(served.encode())) < MOST_BYTES, size
        assert not re.search(r"<script|\bon\w+=|https?://(?!www\.w3\.org/)", served), size
    for page in PAGES:
        for spoken in LANGUAGES:
            assert len([1 for of, other, _size in drawn if (of, other) == (name_of(page), spoken)]) == 3
    assert {path.stem for path in early_picture.STILLS.glob("*.svg")} == {
        f"{of}.{size}" for of, _, size in drawn
    }


def test_early_pictures_are_few_and_small() -> None:
    files = [path for path in early_picture.STILLS.iterdir() if path.is_file()]
    assert len(files) <= 60
    assert sum(path.stat().st_size for path in files) <= 2_000_000


def test_early_html_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    spoilt = json.loads(json.dumps(PLACES))
    spoilt["overview"]["en"] |= {"title": "<b>1</b>", "about": [["", "a & <i>"], ["b", "</b>"]]}
    monkeypatch.setattr(early_picture, "_places", lambda: spoilt)
    made = early_picture.skeleton(PAGES[0], "en")
    assert '<h1>&lt;b&gt;1&lt;/b&gt;</h1><p>a &amp; &lt;i&gt;<span class="b">&lt;/b&gt;</span></p>' in made


def test_early_picture_is_absent_in_an_undrawn_language() -> None:
    assert early_picture.insert_picture("<title><body>", PAGES[0], "en-XA") == "<title><body>"
