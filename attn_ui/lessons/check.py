"""Checks lessons: `python -m attn_ui.lessons.check [FILES]`, by default all lessons of this app."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from attn_ui.lessons import shelf
from attn_ui.lessons.answers import Figures, fill_in, states_truth, truth
from attn_ui.lessons.figures import tables_of
from attn_ui.lessons.lesson import Digression, Lesson, LessonError, LessonQuestion, LessonStep, LessonText
from attn_words import LOCALES


def complaints(lesson: Lesson, figures: Figures = tables_of) -> list[str]:
    """Return a sentence for everything that is wrong in a lesson, with file and line.

    Faults are: a link with a setting that its page does not have, a quantity that its figure does not have,
    and a stated answer that is not the computed one.
    """
    return [complaint for step in lesson.steps for complaint in _of_step(lesson, step, figures)]


def disagreements(lesson: Lesson, own: Lesson) -> list[str]:
    """Return a sentence for each difference of a translation from its lesson: steps, links, answers."""
    messages = []
    for step, other in zip_longest(lesson.steps, own.steps):
        if step is None or other is None or step.link != other.link:
            ours, theirs = (each.link if each else "none" for each in (step, other))
            line = step.line if step else 1
            messages.append(f"{lesson.file}, line {line}: wanted the step {theirs} of {own.file}, got {ours}")
            continue
        questions, originals = ([_untranslated(each) for each in one.questions] for one in (step, other))
        if questions != originals:
            messages.append(
                f"{lesson.file}, line {step.line}: wanted the questions of {own.file}: {originals}"
            )
    return messages


def _untranslated(question: LessonQuestion) -> tuple[object, ...]:
    """Return the parts of a question that are the same in every language."""
    return (
        question.kind,
        question.of,
        question.than,
        question.answer,
        question.within,
        tuple(question.options),
    )


def _of_step(lesson: Lesson, step: LessonStep, figures: Figures) -> Iterator[str]:
    try:
        figures(step.link)
    except (ValueError, LookupError) as error:
        yield f"{lesson.file}, line {step.line}: in the step {step.title!r}: {error}"
        return
    for part in step.parts:
        for text in _texts(part):
            try:
                fill_in(text, step.link, figures)
            except (ValueError, LookupError) as error:
                yield f"{lesson.file}, line {text.line}: wanted {error}"
        if isinstance(part, LessonQuestion):
            yield from _problems(lesson, part, step, figures)


def _problems(lesson: Lesson, question: LessonQuestion, step: LessonStep, figures: Figures) -> Iterator[str]:
    place = f"{lesson.file}, line {question.line}"
    try:
        true = truth(question, step.link, figures)
    except (ValueError, LookupError) as error:
        yield f"{place}: wanted {error}"
        return
    if not states_truth(question, true):
        yield f"{place}: the answer is {true.answer} ({true.reason}), the lesson states {question.answer!r}"
    if question.options and true.answer not in question.options:
        yield f"{place}: none of the options is the answer, {true.answer}"


def _texts(part: LessonText | LessonQuestion | Digression) -> list[LessonText]:
    if isinstance(part, LessonText):
        return [part]
    if isinstance(part, Digression):
        return [part.text]
    return [part.text, *([part.because] if part.because else [])]


def main(arguments: Sequence[str] | None = None) -> int:
    """Check lessons; return 0 where nothing is wrong."""
    parser = argparse.ArgumentParser(prog="python -m attn_ui.lessons.check", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="lessons, or folders of them")
    options = parser.parse_args(arguments)
    paths = options.files or [shelf.OWN, *(shelf.OWN / folder for folder in LOCALES.values())]
    files = [file for path in paths for file in (shelf.files(path) if path.is_dir() else [path])]
    if not files:
        print(f"lesson-check: no lesson in {', '.join(map(str, options.files))}", file=sys.stderr)
        return 2
    n_wrong = 0
    for file in files:
        try:
            lesson = shelf.open_lesson(file)
        except LessonError as error:
            messages = [str(each) for each in (error, *error.others)]
        else:
            messages = complaints(lesson)
            if own := shelf.original(file):
                messages += disagreements(lesson, shelf.open_lesson(own))
        for sentence in messages:
            print(f"lesson-check: {sentence}", file=sys.stderr)
        n_wrong += bool(messages)
        if not messages:
            n_questions = sum(len(step.questions) for step in lesson.steps)
            counts = f"{len(lesson.steps)} steps, {n_questions} questions"
            print(f"{lesson.file}: {counts}, all answers are as computed")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
