"""Chapters of the book from lessons: their steps, figures, texts with what is computed, and questions."""

from html import escape

from attn_ui.base.markdown import plain
from attn_ui.lessons import shelf
from attn_ui.lessons.answers import fill_in, truth
from attn_ui.lessons.check import complaints
from attn_ui.lessons.figures import shown_answer, shown_name, tables_of
from attn_ui.lessons.lesson import Digression, Lesson, LessonQuestion, LessonStep, LessonText, Part
from attn_words import _, _n


def lessons() -> list[Lesson]:
    """Return the lessons of this repository in their order, in the current language.

    Raises:
        ValueError: one has faults; the message lists them with file and line.
    """
    every_lesson = [shelf.translation(shelf.open_lesson(file), file) for file in shelf.files(shelf.OWN)]
    if wrong := [line for lesson in every_lesson for line in complaints(lesson)]:
        raise ValueError("\n".join(wrong))
    return every_lesson


def pages(app: str = "") -> dict[str, str]:
    """Return all chapters, and the page that lists them, as MyST Markdown by their files.

    Args:
        app: the address of an app in which the lessons can be followed; "" for none.
    """
    every = lessons()
    return {"chapters/index.md": _contents(every)} | {
        f"chapters/{lesson.name}.md": chapter(lesson, app) for lesson in every
    }


def _contents(every: list[Lesson]) -> str:
    title = _("Lessons")
    about = _("Each chapter is a lesson of the app: drag its figures, answer, and then open the answer.")
    links = "\n".join(f"- [](project:{lesson.name}.md) {_about(lesson)}" for lesson in every)
    names = "\n".join(lesson.name for lesson in every)
    return f"# {title}\n\n{about}\n\n{links}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def _about(lesson: Lesson) -> str:
    minutes = _n("{count} minute.", "{count} minutes.", lesson.minutes)
    return f"{plain(lesson.about)} {minutes}"


def chapter(lesson: Lesson, app: str = "") -> str:
    """Return a lesson as a page in MyST Markdown."""
    head = [f"# {plain(lesson.title)}", _about(lesson)]
    if app:
        walk = _("Walk this lesson in the app")
        head.append(f"[{walk}]({app.rstrip('/')}/?lesson={lesson.name})")
    number = 0
    for step in lesson.steps:
        head.append(f"({lesson.name}-{step.name})=\n## {plain(step.title)}")
        quiet = ":quiet:\n" * bool(step.questions)  # its caption may answer them
        head.append(f":::{{live-attention}} {step.link}\n{quiet}:::")
        for part in step.parts:
            number += isinstance(part, LessonQuestion)
            head.append(_part(part, step, number))
    return "\n\n".join(head) + "\n"


def _part(part: Part, step: LessonStep, number: int) -> str:
    if isinstance(part, LessonText):
        return _filled_in(part, step)
    if isinstance(part, Digression):
        return _folded(part.title, _filled_in(part.text, step))
    return _question(part, step, number)


def _question(question: LessonQuestion, step: LessonStep, number: int) -> str:
    true = truth(question, step.link, tables_of)
    parts = [_filled_in(question.text, step)]
    if true.options:
        parts.append("\n".join(f"- {plain(shown_answer(question, step, each))}" for each in true.options))
    if question.hint:
        parts.append(_folded(_("Hint"), question.hint))
    answer = true.answer if true.number is not None else shown_answer(question, step, true.answer)
    because = _filled_in(question.because, step) if question.because else ""
    computed = _("Computed: {reason}.", reason=plain(true.reason))
    parts.append(_folded(_("Answer"), "\n\n".join(filter(None, (f"**{plain(answer)}**", because, computed)))))
    title = _("Question {number}", number=number)
    return f"::::{{admonition}} {title}\n:class: question\n\n" + "\n\n".join(parts) + "\n::::"


def _filled_in(text: LessonText, step: LessonStep) -> str:
    return fill_in(text, step.link, tables_of, shown_name)


def _folded(title: str, text: str) -> str:
    return f":::{{dropdown}} {escape(title, quote=False)}\n{text}\n:::"
