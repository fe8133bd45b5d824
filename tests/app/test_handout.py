"""A lesson on paper: room for answers and none of them in one file, all of them in the other."""

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from types import ModuleType

import pytest

from attn_ui.export import handout, slides
from attn_ui.lessons import shelf
from attn_ui.lessons.answers import truth
from attn_ui.lessons.figures import tables_of
from attn_ui.lessons.lesson import Digression, LessonQuestion
from attn_words import language

LESSON = """---
title: A <b>lesson</b> & more
about: About it.
minutes: 5
---
## One

:::{attention} single-head?stage=weights
:::

*the* gives {value}`weights[the, mat] | .4f`, by $\\sqrt{d_k}$.

:::{question} number
---
of: weights[the, cat]
answer: 0.54
hint: A hint.
because: A cause.
---
How much?
:::

:::{question} which
---
of: largest weights[the]
answer: cat
---
Which?
:::

:::{dropdown} Think
A thought.
:::
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.md"
    path.write_text(LESSON, encoding="utf-8")
    return path


@pytest.mark.parametrize("command", [handout, slides])
def test_handout_has_the_language_of_its_folder(
    command: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A Chinese lesson came out with English pictures and headings."""

    def heard(_path: str | None) -> None:
        raise slides.SlidesError(f"spoken: {language()}")

    monkeypatch.setattr(command, "chromium", heard)
    for folder, more, spoken in (
        ("zh_CN", [], "zh"),
        ("zh_CN", ["--language", "en"], "en"),
        (".", [], "en"),
        (".", ["--language", "zh"], "zh"),
    ):
        file = tmp_path / folder / "mine.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(LESSON, encoding="utf-8")
        assert command.main([str(file), "--out", str(tmp_path / "out"), *more]) == 2
        assert capsys.readouterr().err.endswith(f"spoken: {spoken}\n")


def words(document: str) -> str:
    return " ".join(unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", document, flags=re.DOTALL)).split())


def test_handout_has_no_answers_and_solutions_have_all(file: Path) -> None:
    lesson = shelf.open_lesson(file)
    blank, solved = (handout.document(lesson, {}, answers=each) for each in (False, True))
    (step,) = lesson.steps
    number = truth(step.questions[0], step.link, tables_of).answer
    for told in (number, "A cause.", "A thought.", "A hint."):
        assert told not in words(blank), told
    for told in (number, "A cause.", "A thought."):
        assert told in words(solved), told
    assert blank.count("class='line'") == 3 * handout.LINES
    assert "class='right'" not in blank
    assert re.findall(r"<span class='right'>(.*?)</span>", solved) == ["cat"]
    assert "<math" in blank
    assert "A &lt;b&gt;lesson&lt;/b&gt; &amp; more" in blank
    true = truth(step.questions[0], step.link, tables_of).number
    assert true == pytest.approx(0.5369, abs=5e-5)


@pytest.mark.parametrize("path", shelf.files(shelf.OWN), ids=lambda path: str(path.stem))
def test_handout_prints_each_lesson_whole(path: Path) -> None:
    lesson = shelf.open_lesson(path)
    blank, solved = (words(handout.document(lesson, {}, answers=each)) for each in (False, True))
    for number, step in enumerate(lesson.steps, start=1):
        assert f"{number}. {step.title}" in blank
        for part in step.parts:
            if isinstance(part, LessonQuestion):
                assert truth(part, step.link, tables_of).answer in solved
            elif isinstance(part, Digression):
                assert part.title in blank
    assert "{value}" not in solved
    assert "\\(" not in solved
    assert len(solved) > len(blank)


def test_handout_slides_have_the_questions_of_a_lesson() -> None:
    path = shelf.files(shelf.OWN)[0]
    lines, bad = slides.lines_of(path)
    lesson = shelf.open_lesson(path)
    assert bad == []
    assert [line.title for line in lines] == [step.title for step in lesson.steps]
    asked = [step for step in lesson.steps if step.questions]
    assert sum("say=" in line.path for line in lines) == len(asked) > 5


def test_handout_of_a_file_that_is_no_lesson_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.md"
    bad.write_text(LESSON.replace("answer: 0.54", "answer: 0.64"), encoding="utf-8")
    assert handout.main([str(bad), "--out", str(tmp_path)]) == 2
    assert "bad.md, line 13: the answer is 0.537" in capsys.readouterr().err
    assert handout.main([str(tmp_path / "none.md"), "--out", str(tmp_path)]) == 2
    assert "wanted a file that can be read" in capsys.readouterr().err
    bad.write_text("no lesson", encoding="utf-8")
    with pytest.raises(slides.SlidesError, match=r"bad\.md, line 1: wanted title"):
        slides.lines_of(bad)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_handout_of_an_unknown_lesson_is_refused() -> None:
    command = ["make", "--dry-run", "handout", "LESSON="]
    made = subprocess.run(command, cwd=shelf.ROOT, capture_output=True, text=True, check=False)
    assert made.returncode
    assert "a handout is of a lesson: make handout LESSON=lessons/FILE.md" in made.stderr
