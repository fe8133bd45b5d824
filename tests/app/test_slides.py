"""Lists of links, and what the command says where it can make no slides."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit

import pytest

from attn_live.captions import texts_in
from attn_ui.base.links import bad_settings
from attn_ui.base.parameters import Choice
from attn_ui.export import handout, slides
from attn_ui.lessons import shelf
from attn_ui.lessons.link_list import read_list
from attn_words import LANGUAGES, speaking
from pages import PAGES as VALUES
from tests.messages import figure_at
from tests.pages import PAGES

ROOT = Path(__file__).resolve().parents[2]
LONG = "+".join(f"word{place}" for place in range(16))
BY_HAND = re.compile(
    r"\b(click|hover|drag|press)|pointing at|pointer|点击|单击|悬停|指针(?!转)|指向即|拖|按下", re.I
)
VIEWS = [
    (address, f"{setting.name}={quote_plus(option)}{more}")
    for address, (_folder, settings) in PAGES.items()
    for setting in settings
    if isinstance(setting, Choice) and setting.views
    for option in setting.options
    for more in ("", f"&text={LONG}")
    if not more or "points" in option
]


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("/", ""),
        ("/?t=0.10", "?t=0.10"),
        ("single-head", "single-head"),
        ("/multi-head?heads=2", "multi-head?heads=2"),
        ("https://lab.example.org/single-head?text=a+b", "single-head?text=a+b"),
        ("http://lab.example.org/course/lab/single-head", "single-head"),
        ("http://lab.example.org", ""),
    ],
)
def test_links_lead_to_pages(link: str, path: str) -> None:
    (found,), bad = read_list(f"{link}   A title of words\n")
    assert (found.path, found.title, bad) == (path, "A title of words", [])


@pytest.mark.parametrize(
    "line",
    [
        *("hello", "singel-head", "ftp://x/single-head", "javascript:alert(1)", "http:///single-head"),
        *("//single-head", "https://lab.example.org/other", "[http://x", "single-head/../secret"),
    ],
)
def test_lines_without_a_link_are_named_and_the_rest_stays(line: str) -> None:
    found, bad = read_list(f"\ufeff# a list\n\nsingle-head\n{line}\nmulti-head Two\n")
    assert [each.link for each in found] == ["single-head", "multi-head"]
    assert bad == [f"line 4 is no link to a page: {line!r}"]


def test_lecture_has_every_page_and_valid_links() -> None:
    found, bad = read_list((ROOT / "docs" / "lecture.txt").read_text())
    assert bad == []
    assert {urlsplit(line.path).path for line in found} == set(PAGES)
    for line in found:
        parts = urlsplit(line.path)
        assert bad_settings(PAGES[parts.path][1], parse_qs(parts.query, keep_blank_values=True)) == []
        assert line.title


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_lesson_slides_have_no_latex(spoken: str) -> None:
    with speaking(spoken):
        asked = [
            parse_qs(urlsplit(line.path).query).get("say", [""])[0]
            for file in sorted((ROOT / "lessons").glob("*.md"))
            for line in slides.lines_of(file)[0]
        ]
    assert sum("√" in each for each in asked) >= 2
    assert any("32" in each and "(7, 8, 9)" in each for each in asked)  # after what leads to a question
    assert [each for each in asked if re.search(r"[\\{}$]", each)] == []


@pytest.mark.parametrize("text", ["", "# nothing\n", "hello\n"])
def test_list_without_links_makes_nothing(text: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "links.txt").write_text(text)
    assert slides.main([str(tmp_path / "links.txt"), "--out", str(tmp_path)]) == 2
    assert "there is no link in" in capsys.readouterr().err


def test_missing_list_or_folder_is_a_sentence(tmp_path: Path, capsys: Any) -> None:
    links = tmp_path / "links.txt"
    links.write_text("single-head\n")
    file = tmp_path / "file"
    file.write_text("in the way")
    for arguments, said in (
        ([tmp_path / "none.txt"], "wanted a list of links as text"),
        ([links, "--out", file / "below"], "wanted a folder that can be written to"),
    ):
        assert slides.main(list(map(str, arguments))) == 2
        assert said in capsys.readouterr().err


def test_slides_without_chromium_end_with_code_2_and_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text("single-head\n")
    options = [str(tmp_path / "links.txt"), "--out", str(tmp_path), "--chromium", str(tmp_path / "none")]
    # A process of its own: two of Playwright's loops do not go together.
    command = [sys.executable, "-m", "attn_ui.export.slides", *options]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "no Chromium could be started" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.sample(16)
@pytest.mark.parametrize("spoken", LANGUAGES)
@pytest.mark.parametrize(("address", "link"), VIEWS)
def test_saved_or_printed_sentences_mention_no_pointer(address: str, link: str, spoken: str) -> None:
    with speaking(spoken):
        figure = VALUES[address].at(f"{link}&lang={spoken}").view.figure
        if figure is None:
            return
        said = [figure.alt, figure.caption, *(texts_in(figure.captions) if figure.captions else ())]
        layout = figure_at(figure.steps, 0)["layout"]
    said += [str(each.get("text", "")) for each in layout.get("annotations", ())]
    asked = [text for text in said if BY_HAND.search(text)]
    assert asked == []


@pytest.mark.parametrize("spoken", LANGUAGES)
@pytest.mark.parametrize("file", shelf.files(shelf.OWN), ids=lambda file: file.stem)
def test_lesson_slides_mention_no_pointer(file: Path, spoken: str) -> None:
    with speaking(spoken):
        lines, bad = slides.lines_of(file)
    asked = [parse_qs(urlsplit(line.path).query).get("say", [""])[0] for line in lines]
    assert (bad, [text for text in asked if BY_HAND.search(text)]) == ([], [])


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9", "lab.example.invalid", "https://lab.example.invalid"]
)
@pytest.mark.parametrize("command", [slides, handout])
def test_address_without_an_app_is_reported_once_and_nothing_is_made(
    command: Any, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was told once a slide, and a deck was named that was not there."""
    given = ROOT / ("docs/lecture.txt" if command is slides else "lessons/3-why-divide-by-the-root.md")
    assert command.main([str(given), "--out", str(tmp_path / "out"), "--address", address]) == 2
    out, told = capsys.readouterr()
    assert out == ""
    assert f"--address: wanted that of an app that runs, got '{address}' (" in told
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "out").exists()
