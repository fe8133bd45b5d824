"""Lessons: read from Markdown, computed from the pages, refused with file and line where they are not so."""

import math
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from markdown_it import MarkdownIt

from attn_ui.lessons import check, shelf
from attn_ui.lessons.answers import (
    Truth,
    fill_in,
    is_right,
    is_share_in_percent,
    read_number,
    states_truth,
    truth,
)
from attn_ui.lessons.figures import open_link, tables_of
from attn_ui.lessons.lesson import Lesson, LessonError, LessonQuestion, LessonText
from attn_ui.lessons.quantity import format_value, options, parse, value
from attn_ui.lessons.read import MOST_BYTES, MOST_STEPS, read_lesson
from attn_ui.screen.lesson_panel import first_step
from pages import PAGES
from tests.pages import open_sound

HEAD = "---\ntitle: A lesson\nabout: About it.\nminutes: 5\n---\n"
LINK = "single-head?stage=weights"
STEP = f"## One\n\n:::{{attention}} {LINK}\n:::\n\n"
OWN = shelf.files(shelf.OWN)


def asks(options: str, kind: str = "number", text: str = "How much?") -> str:
    return f":::{{question}} {kind}\n---\n{options}\n---\n{text}\n:::\n"


def lesson(*parts: str) -> Lesson:
    return read_lesson(HEAD + STEP + "\n".join(parts), "a-lesson", "a.md")


def the_question(options: str, kind: str = "number") -> LessonQuestion:
    return lesson(asks(options, kind)).steps[0].questions[0]


def softmax(scores: Any) -> Any:
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


# ---- quantities, against NumPy ----


def test_quantities_of_a_map_equal_numpy_on_the_scores() -> None:
    figure = tables_of("single-head?stage=all+at+once")
    scores = figure["scores"].values
    words = ["the", "cat", "sat", "on", "the₂", "mat"]
    weights = softmax(scores / math.sqrt(4))
    for i, query in enumerate(words):
        assert value(parse(f"largest weights[{query}]"), figure) == words[weights[i].argmax()]
        assert value(parse(f"smallest weights[{query}]"), figure) == words[weights[i].argmin()]
        for j, key in enumerate(words):
            assert value(parse(f"weights[{query}, {key}]"), figure) == pytest.approx(weights[i, j], abs=1e-7)
    entropy = -(weights * np.log(weights)).sum(-1)
    wanted = {
        "sum weights[sat]": 1.0,
        "spread weights[sat]": math.exp(entropy[2]),
        "spread weights": np.exp(entropy).mean(),
        "mean scores": scores.mean(),
        "deviation scores": scores.std(),
        "greatest scores": scores.max(),
        "least scores": scores.min(),
        "size scores[cat]": math.sqrt((scores[1] ** 2).sum()),
    }
    for text, number in wanted.items():
        assert value(parse(text), figure) == pytest.approx(number, abs=1e-6), text
    assert options(parse("largest weights[cat]"), figure) == words


def test_masked_cells_are_left_out_and_have_no_number() -> None:
    figure = tables_of("single-head?stage=all+at+once&mask=causal")
    scores = figure["scores"].values
    row = softmax(scores[2, :3] / 2)
    assert value(parse("spread weights[sat]"), figure) == pytest.approx(np.exp(-(row * np.log(row)).sum()))
    assert value(parse("mean weights[sat]"), figure) == pytest.approx(1 / 3)
    assert options(parse("largest weights[sat]"), figure) == ["the", "cat", "sat"]
    with pytest.raises(ValueError, match=r"weights\[the, cat\] is masked"):
        value(parse("weights[the, cat]"), figure)


def test_curve_is_read_at_its_x() -> None:
    """The estimate at 2.5 is the weighted mean of the values, with weights of a Gaussian kernel."""
    figure = tables_of("kernel-regression?h=0.5")
    x, y = np.array(figure["data"].names[0], dtype=float), figure["data"].values
    weights = softmax(-((2.5 - x) ** 2) / (2 * 0.5**2))
    assert value(parse("estimate[2.5]"), figure) == pytest.approx(weights @ y, abs=1e-5)
    with pytest.raises(ValueError, match="an x of the curve, the nearest is"):
        value(parse("estimate[2.51]"), figure)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "a quantity as"),
        ("weights", "a cell in brackets"),
        ("weights[]", "a row, or a row and a column"),
        ("weights[a, b, c]", "a row, or a row and a column"),
        ("weights[the, cat", "a quantity as"),
        ("weights[the, dog]", "one of the, cat, sat"),
        ("Weights[the, cat]", "a panel of the figure: .*weights.*; got 'Weights'"),
        ("weights[the]", "a row and a column in brackets"),
        ("largest weights[the, cat]", "one row in brackets"),
        ("largest weights", "one row in brackets"),
    ],
)
def test_unknown_quantity_names_the_allowed_ones(text: str, wanted: str) -> None:
    with pytest.raises(ValueError, match=wanted):
        value(parse(text), tables_of(LINK))


def test_lesson_has_its_own_link_and_form() -> None:
    found = parse("largest head 1[the] at multi-head?heads=2 | .1f")
    assert (found.panel, found.cell, found.of, found.link, found.form) == (
        *("head 1", ("the",), "largest"),
        *("multi-head?heads=2", ".1f"),
    )
    assert " ".join(format_value(0.12345, form) for form in (".3g", ".1f", ".0%", "d")) == "0.123 0.1 12% 0"


# ---- answers ----


def test_number_answer_is_right_within_a_twentieth_or_its_tolerance() -> None:
    figure = tables_of(LINK)
    true = value(parse("weights[the, cat]"), figure)
    assert isinstance(true, float)
    usual = the_question("of: weights[the, cat]\nanswer: 0.54")
    strict = the_question("of: weights[the, cat]\nanswer: 0.54\nwithin: 0.001")
    found = truth(usual, LINK, tables_of)
    assert found.number == pytest.approx(true)
    for off, by_usual, by_strict in ((0.0005, True, True), (0.02, True, False), (0.05, False, False)):
        assert is_right(usual, found, true + off) is by_usual
        assert is_right(strict, found, true - off) is by_strict
    assert not is_right(usual, found, "cat")


def test_whole_number_answer_rejects_a_half_and_a_tie_takes_both() -> None:
    whole = the_question("of: sum weights[the]\nanswer: 1")
    found = truth(whole, LINK, tables_of)
    assert found.answer == "1"
    assert [is_right(whole, found, answer) for answer in (1.0, 1.04, 0.5, 1.4)] == [True, True, False, False]
    link = "single-head?example=I+love+dogs&stage=scores"
    none = the_question(f"of: scores[I, love] at {link}\nanswer: 0")
    found = truth(none, LINK, tables_of)
    assert [is_right(none, found, answer) for answer in (0.0, 0.004, 0.1)] == [True, True, False]
    tie = the_question(
        "of: largest weights[cat] at single-head?text=a+cat+a&stage=weights\nanswer: a₂", "which"
    )
    twins = truth(tie, LINK, tables_of)  # both are the word "a", so both have the same weight
    assert twins.ties == ("a", "a₂")
    assert [is_right(tie, twins, answer) for answer in ("a", "a₂", "cat")] == [True, True, False]
    assert states_truth(tie, twins)
    assert "row cat of weights has 0.4869 on a and a₂, then 0.02614 on cat" in twins.reason
    assert format_value(2048.0) == "2048"


@pytest.mark.parametrize(
    ("answer", "so"),
    [("0.54", True), ("0.537", True), ("0.5", True), ("0.53", False), ("54%", True), ("x", False)],
)
def test_stated_number_is_right_to_its_own_digits(answer: str, so: bool) -> None:
    asked = the_question(f"of: weights[the, cat]\nanswer: {answer}")
    assert states_truth(asked, truth(asked, LINK, tables_of)) is so


def test_comparison_compares_two_numbers() -> None:
    first = the_question("of: weights[the, cat]\nthan: weights[the, mat]\nanswer: the first", "larger")
    found = truth(first, LINK, tables_of)
    assert found.answer == "the first"
    assert found.options == ("the first", "the second", "they are equal")
    same = the_question("of: weights[the, the]\nthan: weights[the, the₂]\nanswer: they are equal", "larger")
    assert truth(same, LINK, tables_of).answer == "they are equal"
    colder = f"of: weights[the, cat]\nthan: weights[the, cat] at {LINK}&t=0.2\nanswer: it rises"
    assert truth(the_question(colder, "trend"), LINK, tables_of).answer == "it rises"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.25", 0.25),
        (" 25% ", 0.25),
        ("−1,5", -1.5),
        ("1e-3", 0.001),
        (".5", 0.5),
        ("2,048", 2048),
        ("3·10^-5", 3e-5),
        ("2 × 10⁻⁸", 2e-8),
    ],
)
def test_number_answer_takes_common_notations(text: str, number: float) -> None:
    assert read_number(text) == pytest.approx(number)


@pytest.mark.parametrize("text", ["", "nan", "inf", "1/4", "0.2.5", "1e999", "abc", "1,2,3"])
def test_text_answer_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="wanted a number"):
        read_number(text)


def test_lesson_text_has_the_numbers_of_its_link() -> None:
    part = (
        lesson("It is {value}`weights[the, cat] | .2f`, and {value}`largest weights[cat]`.").steps[0].parts[0]
    )
    assert isinstance(part, LessonText)
    assert fill_in(part, LINK, tables_of) == "It is 0.54, and on."


# ---- what a file must be ----


@pytest.mark.parametrize(
    ("text", "line", "wanted"),
    [
        ("", 1, "wanted title, about and minutes"),
        ("# Title\n", 1, "wanted title, about and minutes"),
        (HEAD, 1, "wanted a step"),
        (HEAD.replace("5", "five") + STEP, 2, "wanted `minutes:` from 1 to 240"),
        (HEAD.replace("about: About it.", "colour: red") + STEP, 2, "minutes, got 'colour'"),
        (HEAD.replace("title: A lesson", "title: [a, b]") + STEP, 2, "wanted `title:` with a text"),
        ("---\ntitle: &a [x]\nabout: *a\nminutes: 5\n---\n" + STEP, 2, "plain values, got an alias"),
        ("---\ntitle: {a: [\n---\n" + STEP, 2, "wanted `name: value` lines"),
        (HEAD + "Text first.\n\n" + STEP, 6, "wanted a heading"),
        (HEAD + "# One\n", 6, "wanted a heading of the second level"),
        (HEAD + "## One\n\nText.\n", 6, "wanted one `:::{attention} LINK`"),
        (HEAD + STEP + STEP, 11, "the step of line 6 is called 'one' in links too"),
        (HEAD + "## !!!\n", 6, "wanted a title with a letter"),
        (HEAD + STEP.replace("single-head", "single-foot"), 8, "wanted a link to a page"),
        (HEAD + STEP.replace("single-head", "https://x.org/single-head"), 8, "wanted a link to a page"),
        (HEAD + STEP + "<b onclick=x>bold</b>\n", 11, "cannot hold HTML"),
        (HEAD + STEP + "<script>alert(1)</script>\n", 11, "cannot hold HTML"),
        (HEAD + STEP + "![a](http://x.org/a.png)\n", 11, "cannot hold an image"),
        (HEAD + STEP + "```\ncode\n```\n", 11, "cannot hold a block of code"),
        (HEAD + STEP + ":::{quiz}\n:::\n", 11, "wanted one of {attention}, {question}, {dropdown}"),
        (HEAD + STEP + ":::{dropdown}\ntext\n:::\n", 11, "wanted a title after {dropdown}"),
        (HEAD + STEP + ":::{question} essay\n:::\n", 11, "wanted a kind of question"),
        (HEAD + STEP + asks("of: weights[the, cat]"), 11, "wanted `answer:` with a text"),
        (HEAD + STEP + asks("of: weights[the, cat]\nanswer: 0.5\nscore: 3"), 13, "got 'score'"),
        (HEAD + STEP + asks("of: weights[the\nanswer: 0.5"), 11, "wanted a quantity as"),
        (HEAD + STEP + asks("of: largest weights[the]\nanswer: cat"), 11, "wanted a number in `of:`"),
        (HEAD + STEP + asks("of: weights[the, cat]\nanswer: cat", "which"), 11, "wanted `largest …`"),
        (HEAD + STEP + asks("of: weights[the, cat]\nanswer: it rises", "trend"), 11, "wanted `than:`"),
        (HEAD + STEP + asks("of: weights[the, cat]\nanswer: 1\nwithin: 0"), 11, "a positive number"),
        (HEAD + STEP + asks("of: weights[the, cat]\nanswer: 1", text=""), 11, "wanted the question itself"),
        (HEAD + STEP + "{value}`weights[`\n", 11, "wanted a quantity as"),
        (HEAD + STEP + "One.\n\n{number}`weights[the, cat]`\n", 13, "wanted {value}`…`"),
        (
            HEAD + "".join(STEP.replace("One", f"S{i}") for i in range(MOST_STEPS + 1)),
            306,
            "at most 60 steps",
        ),
        ("x" * (MOST_BYTES + 1), 1, "wanted at most 200,000 bytes"),
    ],
)
def test_lesson_error_names_file_and_line(text: str, line: int, wanted: str) -> None:
    with pytest.raises(LessonError) as found:
        read_lesson(text, "a-lesson", "a.md")
    assert str(found.value).startswith(f"a.md, line {line}: ")
    assert wanted in str(found.value)


def test_lesson_format_errors_are_reported_together(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "1-a.md"
    parts = (
        ":::{question} riddle\n:::",
        "{value}`weights[`",
        "## B",
        ":::{attention} no-page\n:::",
        "## C",
        "## B",
    )
    head = re.sub("minutes: .*", "minutes: many", HEAD)
    file.write_text(head + STEP + "\n\n".join(parts), encoding="utf-8")
    assert check.main([str(file)]) == 1
    assert re.findall(r"1-a\.md, line (\d+)", capsys.readouterr().err) == [
        "2",
        "11",
        "14",
        "18",
        "21",
        "23",
        "23",
    ]


def test_lesson_titles_are_plain_words() -> None:
    text = (HEAD + STEP).replace("title: ", "title: $d_k$ and ").replace("## ", "## How $T$ *cools* ")
    read_text = read_lesson(text, "a", "a.md")
    assert "$" not in read_text.title + read_text.steps[0].title
    assert read_text.steps[0].title.startswith("How T cools")


@pytest.mark.slow
def test_lesson_with_deep_brackets_or_large_size_is_refused_at_once(tmp_path: Path) -> None:
    deep, big = tmp_path / "deep.md", tmp_path / "big.md"
    deep.write_text("---\ntitle: " + "[" * 3_000 + "\n---\n", encoding="utf-8")
    big.write_text(HEAD + STEP + "word " * 1_000_000, encoding="utf-8")
    for file in (deep, big):
        with pytest.raises(LessonError, match=r"line [12]"):
            shelf.open_lesson(file)


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        (asks("of: weights[the, cat]\nanswer: 0.6"), "the answer is 0.537"),
        (asks("of: largest weights[the]\nanswer: sat", "which"), "the answer is cat"),
        (asks("of: largest weights[the]\nanswer: cat\noptions: [sat, mat]", "which"), "none of the options"),
        (asks("of: weights[the, dog]\nanswer: 0.6"), "wanted one of the, cat"),
        ("A text with {value}`weights[the, dog]`.", "wanted one of the, cat"),
        (asks("of: weights[the, cat] at single-head?stage=nothing\nanswer: 1"), "`stage` was `nothing`"),
    ],
)
def test_lesson_with_a_false_statement_is_reported(parts: str, wanted: str) -> None:
    (complaint,) = check.complaints(lesson(parts))
    assert complaint.startswith("a.md, line 11: ")
    assert wanted in complaint


def test_lesson_link_with_an_unknown_setting_is_reported() -> None:
    text = HEAD + STEP.replace("stage=weights", "staeg=weights")
    (complaint,) = check.complaints(read_lesson(text, "a", "a.md"))
    assert "line 6" in complaint
    assert "`staeg`" in complaint


# ---- the lessons of this app ----


@pytest.mark.parametrize("file", OWN, ids=lambda file: str(file.stem))
def test_lessons_of_the_app_are_all_true(file: Path) -> None:
    assert check.complaints(shelf.open_lesson(file)) == []


def test_answer_is_hidden_before_the_question_is_answered() -> None:
    first, second, *_ = shelf.shelf().lessons["why-divide-by-the-root"].steps
    shown = open_link(first.link).figure()["data"]  # the scores are covered
    assert 50 not in [
        number for trace in shown if trace["type"] == "heatmap" for number in np.ravel(trace["z"])
    ]
    assert truth(first.questions[0], first.link, tables_of).number == 50
    assert "weights" not in [trace["name"] for trace in open_link(second.link).figure()["data"]]


def texts_of(lesson: Lesson) -> list[LessonText]:
    """All texts of a lesson, in their order."""
    found = []
    for step in lesson.steps:
        for part in step.parts:
            if isinstance(part, LessonText):
                found.append(part)
            elif isinstance(part, LessonQuestion):
                found += [part.text, *([part.because] if part.because else [])]
            else:
                found.append(part.text)
    return found


@pytest.mark.parametrize("file", sorted(shelf.OWN.glob("*.md")), ids=lambda file: file.stem)
def test_translated_lesson_has_equal_questions_and_numbers(file: Path) -> None:
    """So its answers are as computed, and the numbers and formulas of its texts are the same."""
    own, other = shelf.open_lesson(file), shelf.open_lesson(file.parent / "zh_CN" / file.name)
    assert check.disagreements(other, own) == []
    for text, chinese in zip(texts_of(own), texts_of(other), strict=True):
        assert sorted(text.quantities) == sorted(chinese.quantities)
        formulas = [sorted(re.findall(r"\$\$.+\$\$", each.markdown)) for each in (text, chinese)]
        assert formulas[0] == formulas[1]
        assert re.search("[一-鿿]", chinese.markdown) or not re.search("[a-z]{3} [a-z]{3}", chinese.markdown)
        # As Chinese is set: full-width marks, and nothing that Markdown would leave as a star.
        assert not re.search("[一-鿿][,;:?!]", chinese.markdown), chinese.markdown
        plain = re.sub(r"\$[^$]+\$|`[^`]*`", "", chinese.markdown)
        inline = [each for token in MarkdownIt().parse(plain) for each in token.children or ()]
        assert not [each.content for each in inline if each.type == "text" and "*" in each.content]


@pytest.mark.slow
def test_lecture_is_a_lesson_too() -> None:
    lecture = shelf.shelf().lessons["lecture"]
    assert check.complaints(lecture) == []
    assert len(lecture.steps) == len({step.name for step in lecture.steps}) > 20


def test_hosts_lessons_are_listed_and_a_wrong_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "10 mine.md").write_text(HEAD + STEP, encoding="utf-8")
    (tmp_path / "wrong.md").write_text(HEAD + STEP + STEP, encoding="utf-8")
    (tmp_path / "latin.md").write_bytes(HEAD.encode() + b"\xff\xfe")
    monkeypatch.setenv("ATTENTION_LAB_LESSONS", str(tmp_path))
    on_shelf = shelf.shelf()
    assert list(on_shelf.lessons)[-1] == "mine"
    assert len(on_shelf.lessons) == len(OWN) + 2
    assert [text.split(",")[0] for text in on_shelf.complaints] == ["latin.md", "wrong.md"]
    # A file that was changed is read again.
    (tmp_path / "wrong.md").write_text(HEAD.replace("A lesson", "Another") + STEP, encoding="utf-8")
    assert shelf.shelf().lessons["wrong"].title == "Another"
    app = open_sound("")
    assert "latin\\.md, line 1" in " ".join(each.value for each in app.warning)


def test_lesson_check_names_each_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(HEAD + STEP + asks("of: weights[the, cat]\nanswer: 0.54"), encoding="utf-8")
    bad.write_text(HEAD + STEP + asks("of: weights[the, cat]\nanswer: 0.64"), encoding="utf-8")
    assert check.main([str(good)]) == 0
    assert "good.md: 1 steps, 1 questions, all answers are as computed" in capsys.readouterr().out
    assert check.main([str(tmp_path)]) == 1
    assert "bad.md, line 11: the answer is 0.537" in capsys.readouterr().err
    assert check.main([str(tmp_path / "none.md")]) == 1


# ---- on screen, without a browser ----


def test_answer_is_checked_and_remembered_for_its_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HEAD + STEP + asks("of: weights[the, cat]\nanswer: 0.54\nhint: Look *there*.\nbecause: So it is.")
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    monkeypatch.setenv("ATTENTION_LAB_LESSONS", str(tmp_path))
    app = open_sound("single-head", stage="weights", lesson="mine.one")
    field = "lesson-mine-one-0"

    def written_on() -> str:
        return " ".join(each.value for each in app.markdown)

    def answer(text: str) -> None:
        app.text_input(key=field).set_value(text).run()

    assert "How much?" in written_on()
    answer("a lot")
    assert "A number is wanted" in written_on()
    answer("0.1")
    assert "Not yet" in written_on()
    assert "Look \\*there\\*" in written_on()
    assert not [button for button in app.button if button.label == "Show the answer"]
    answer("0.2")
    assert [button for button in app.button if button.label == "Show the answer"]
    answer("54%")
    assert "**Right.**" in written_on()
    assert "So it is." in written_on()
    assert app.query_params["lesson"] == "mine.one"


def test_caption_is_hidden_until_answers_or_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = {"the": 0.54, "sat": 0.02}
    questions = [asks(f"of: weights[{word}, cat]\nanswer: {share}") for word, share in shares.items()]
    (tmp_path / "mine.md").write_text(HEAD + STEP + "\n".join(questions), encoding="utf-8")
    monkeypatch.setenv("ATTENTION_LAB_LESSONS", str(tmp_path))
    app = open_sound("single-head", stage="weights", lesson="mine.one")

    def waiting() -> int:
        return sum(str(each.proto.body).count('<i class="lesson-waits"') for each in app.get("html"))

    assert waiting() == 2
    app.text_input(key="lesson-mine-one-0").set_value("54%").run()
    assert waiting() == 1
    app.text_input(key="lesson-mine-one-1").set_value("a lot").run()
    assert waiting() == 1  # no hint was given
    app.text_input(key="lesson-mine-one-1").set_value("7").run()
    assert waiting() == 0


def test_lesson_last_step_counts_first_tries_and_links_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = {"the": 0.54, "sat": 0.02}
    questions = [asks(f"of: weights[{word}, cat]\nanswer: {share}") for word, share in shares.items()]
    last = STEP.replace("One", "Two")
    (tmp_path / "1-mine.md").write_text(f"{HEAD}{STEP}{questions[0]}\n{last}{questions[1]}", encoding="utf-8")
    (tmp_path / "2-next.md").write_text(f"{HEAD}{STEP}".replace("A lesson", "Another"), encoding="utf-8")
    monkeypatch.setenv("ATTENTION_LAB_LESSONS", str(tmp_path))
    app = open_sound("single-head", stage="weights", lesson="mine.one")
    app.text_input(key="lesson-mine-one-0").set_value("0.1").run()
    app.text_input(key="lesson-mine-one-0").set_value("0.54").run()

    def end() -> str:
        return "".join(each.proto.body for each in app.get("html") if "lesson-end" in each.proto.body)

    assert not end()
    app.query_params["lesson"] = "mine.two"
    app.run()
    assert "0 of 2 " in end()
    app.text_input(key="lesson-mine-two-0").set_value("0.02").run()
    assert "1 of 2 " in end()
    assert re.findall(">([^<]+)</a>", end()) == [
        "One",
        "Another",
    ]  # the step that was missed, the next lesson


def test_percent_answer_says_how_to_type_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD + STEP + asks("of: weights[the, cat]\nanswer: 0.54")
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    monkeypatch.setenv("ATTENTION_LAB_LESSONS", str(tmp_path))
    app = open_sound("single-head", stage="weights", lesson="mine.one")
    app.text_input(key="lesson-mine-one-0").set_value("54").run()
    assert any("As a percentage it is typed 54%." in each.value for each in app.markdown)
    question = the_question("of: weights[the, cat]\nanswer: 0.54")
    told = {(0.54, 54.0): True, (0.54, 30.0): False, (0.0, 0.4): False, (50, 5000): False}
    for (number, typed), is_told in told.items():
        assert is_share_in_percent(question, Truth("", "", number), typed) is is_told


def test_unknown_lesson_and_step_are_named() -> None:
    app = open_sound("single-head", lesson="nothing`here\u202e\x1b")
    assert "`nothing?here??`; there are: " in app.warning[0].value
    app = open_sound("single-head", lesson="lecture.nothing")
    assert any("no step called `nothing`" in each.value for each in app.caption)


def test_lesson_without_a_step_opens_at_the_first() -> None:
    step = shelf.shelf().lessons["does-order-matter"].steps[0]
    told = dict(parse_qsl(step.link.partition("?")[2])) | {"lesson": f"does-order-matter.{step.name}"}
    for name in ("does-order-matter", "4-does-order-matter"):
        page, _, query = first_step(f"lesson={name}&t=2&lang=zh").partition("?")
        assert page == step.link.partition("?")[0]
        assert dict(parse_qsl(query)) == told | {"lang": "zh"}  # not the settings of another page
    assert [first_step(query) for query in ("", "lesson=nothing", urlencode(told))] == ["", "", ""]


def test_pages_are_unchanged_without_a_lesson() -> None:
    """What a lesson adds to a link is no setting of a page."""
    at = PAGES["single-head"].at("stage=weights&lesson=mine.one")
    assert at.dropped == []
    assert at.sentence == PAGES["single-head"].at("stage=weights").sentence
    assert Truth("a", "b").options == ()
