"""Lessons in a browser: every step walked, answered wrongly and rightly, left, come back to and reloaded."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from attn_ui.lessons import shelf
from attn_ui.lessons.answers import Truth, is_right, truth
from attn_ui.lessons.figures import tables_of
from attn_ui.lessons.lesson import Lesson, LessonQuestion
from attn_ui.screen.lesson_panel import MOST_PILLS, Place, href
from tests.browser.app_page import AppPage
from tests.browser.axe import violations

LESSONS = shelf.files(shelf.OWN)
OVERFLOWS = """(panel) => [...panel.querySelectorAll('*')].filter((each) =>
    each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === 'visible'
    && each.clientWidth && getComputedStyle(each).display !== 'inline' && !each.closest('.katex'))
    .map((each) => each.outerHTML.slice(0, 120))"""


def panel(app: AppPage) -> Locator:
    return app.page.locator(".st-key-lesson")


def at_step(app: AppPage, lesson: Lesson, place: int) -> None:
    """The panel is at a step, and the page beside it is the step's own."""
    step = lesson.steps[place]
    expect(panel(app).locator("h2")).to_have_text(step.title)
    app.settle()
    assert panel(app).locator(".katex-error").count() == 0
    assert panel(app).evaluate(OVERFLOWS) == []
    assert app.page.locator(".live-figure:visible").count() > 0, step.title
    assert app.page.get_by_text("The default is used.").count() == 0, step.link
    expect(panel(app).locator("a[aria-current=step]")).to_have_count(1)


def wrong(question: LessonQuestion, true: Truth) -> str:
    if true.number is not None:
        return f"{10 * abs(true.number) + 7:.3f}"
    return next(option for option in true.options if not is_right(question, true, option))


def answer(app: AppPage, place: Place, true: Truth, said: str) -> None:
    lesson, step, index = place
    box = panel(app).locator(f".st-key-lesson-asks-{index}")
    if true.number is not None:
        field = box.get_by_role("textbox")
        field.fill(said)
        field.press("Enter")
    elif len(true.options) <= MOST_PILLS:
        box.get_by_test_id("stButtonGroup").get_by_text(said, exact=True).click()
    else:
        app.choose(f"lesson-{lesson}-{step}-{index}", said)


def walk(app: AppPage, lesson: Lesson, answers: range) -> None:
    """Walk a lesson; the questions of these of its steps are answered, wrongly and rightly."""
    for place, step in enumerate(lesson.steps):
        at_step(app, lesson, place)
        for index, part in enumerate(step.parts if place in answers else ()):
            if not isinstance(part, LessonQuestion):
                continue
            true = truth(part, step.link, tables_of)
            reply = panel(app).locator(f".st-key-lesson-reply-{index}")
            here = (lesson.name, step.name, index)
            answer(app, here, true, wrong(part, true))
            expect(reply).to_contain_text("Not yet")
            answer(app, here, true, true.answer if true.number is None else f"{true.number!r}")
            expect(reply).to_contain_text("Right.")
        waits = app.page.locator(".lesson-waits")
        expect(waits).to_have_count(0 if place in answers else len(step.questions))
        if place + 1 < len(lesson.steps):
            panel(app).get_by_text("Next →").click()


@pytest.mark.essential
@pytest.mark.sample(1)
@pytest.mark.still
@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.stem)
def test_lesson_steps_open_and_questions_take_the_right_answer(
    file: Path, app: AppPage, request: pytest.FixtureRequest
) -> None:
    """Every third step is answered, each lesson from another; with --wide all are."""
    lesson = shelf.open_lesson(file)
    app.open(href(lesson.steps[0].link, lesson, lesson.steps[0]))
    wide = request.config.getoption("--wide")
    answers = range(len(lesson.steps)) if wide else range(LESSONS.index(file) % 3, len(lesson.steps), 3)
    walk(app, lesson, answers)
    done = [step for place, step in enumerate(lesson.steps[:-1]) if step.questions and place in answers]
    expect(panel(app).locator("a.lesson-done")).to_have_count(len(done))


@pytest.mark.essential
@pytest.mark.still
def test_lesson_step_is_restored_after_changes_and_a_reload(app: AppPage) -> None:
    lesson = shelf.open_lesson(shelf.OWN / "3-why-divide-by-the-root.md")
    place = next(i for i, step in enumerate(lesson.steps) if step.link.startswith("single-head?"))
    step = lesson.steps[place]
    app.open(href(step.link, lesson, step))
    at_step(app, lesson, place)
    settings = app.query
    app.choose("more-stage", "diagram")
    assert "stage=diagram" in app.query
    app.page.reload()
    at_step(app, lesson, place)  # what was changed stays, and so does the lesson
    assert "stage=diagram" in app.query
    panel(app).get_by_text("Reset this step").click()
    app.page.wait_for_url(lambda url: "stage=diagram" not in url)
    app.settle()
    assert sorted(app.query.split("&")) == sorted(settings.split("&"))
    app.page.go_back()
    app.page.wait_for_url(lambda url: "stage=diagram" in url)
    app.settle()
    app.page.get_by_role("link", name="Overview").first.click()
    app.page.get_by_text("Back to the lesson").click()
    expect(panel(app).locator("h2")).to_have_text(step.title)
    app.settle()
    panel(app).get_by_text("Leave the lesson").click()
    expect(panel(app)).to_have_count(0)
    app.settle()
    assert "lesson=" not in app.query
    assert app.page.get_by_text("Back to the lesson").count() == 0


@pytest.mark.still
@pytest.mark.parametrize("width", [1280, 390])
def test_lesson_panel_is_accessible_and_leaves_the_figure_in_sight(width: int, app: AppPage) -> None:
    lesson = shelf.open_lesson(shelf.OWN / "3-why-divide-by-the-root.md")
    step = next(step for step in lesson.steps if step.questions)
    app.page.set_viewport_size({"width": width, "height": 844})
    app.open(href(step.link, lesson, step))
    box, picture = panel(app).bounding_box(), app.page.locator(".live-stage:visible").first.bounding_box()
    assert box
    assert picture
    assert box["x"] + box["width"] <= width + 1
    if width == 390:
        assert picture["y"] + 120 < box["y"], "a good part of the picture stands clear of the sheet"
        panel(app).get_by_label("Fold the lesson").click()
        folded = panel(app).bounding_box()
        assert folded
        assert folded["height"] < 80
        panel(app).get_by_label("Fold the lesson").click()
    else:
        assert picture["x"] + picture["width"] <= box["x"]
    assert violations(app) == []


@pytest.mark.still
def test_lesson_on_a_projector_follows_a_presenters_remote(app: AppPage) -> None:
    lesson = shelf.open_lesson(shelf.OWN / "3-why-divide-by-the-root.md")
    first = lesson.steps[0]
    app.open(f"{href(first.link, lesson, first)}&projector=true")
    told = app.page.locator(".live-figure[data-projector] .live-told")
    says = app.page.locator(".live-figure[data-projector] .live-says")
    for place in (0, 1):
        asked = [each.text.markdown for each in lesson.steps[place].questions]
        assert asked
        for number, markdown in enumerate(asked):
            expect(told).to_contain_text(" ".join(re.split(r"[*$`{]", markdown)[0].split()))
            expect(says).to_be_hidden()  # it may be the answer
            if number + 1 < len(asked):
                app.page.keyboard.press("PageDown")
        app.page.keyboard.press("PageDown")
        expect(says).to_be_visible()
        app.page.keyboard.press("PageDown")
        expect(app.page.locator(".lesson-head h2")).to_have_text(lesson.steps[place + 1].title)
        app.settle()
    app.page.keyboard.press("PageUp")
    expect(app.page.locator(".lesson-head h2")).to_have_text(lesson.steps[1].title)
    app.settle()
    app.page.keyboard.press("Escape")
    expect(app.page.locator(".live-figure[data-projector]")).to_have_count(0)
