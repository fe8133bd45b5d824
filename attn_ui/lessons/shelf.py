"""All lessons by their names: the app's own, its lecture (`docs/lecture.txt`), those in a host's folder."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from attn_ui.host.hosting import hosting
from attn_ui.lessons.lesson import Lesson, LessonError, LessonStep
from attn_ui.lessons.link_list import read_list
from attn_ui.lessons.read import MOST_BYTES, read_lesson, slug
from attn_words import LOCALES, SOURCE, _, cached, language

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "lessons"
LECTURE = ROOT / "docs" / "lecture.txt"
MOST_FILES = 200


@dataclass(frozen=True)
class Shelf:
    """Lessons by their names, in their order; and a sentence for each file that could not be opened."""

    lessons: Mapping[str, Lesson]
    complaints: tuple[str, ...] = ()

    def lesson(self, name: str) -> Lesson | None:
        """Return a lesson by its name, or by its file's; None where there is none."""
        matches = (each for each in self.lessons.values() if name in (each.name, Path(each.file).stem))
        return next(matches, None)


def files(folder: Path) -> list[Path]:
    """Return the lessons of a folder, by name; none where the folder is not there."""
    if not folder.is_dir():
        return []
    paths = sorted(path for path in folder.iterdir() if path.suffix in (".md", ".txt") and path.is_file())
    return [path for path in paths if path.stem.upper() != "README"][:MOST_FILES]


def open_lesson(file: Path) -> Lesson:
    """Read a lesson, or a list of links as one; an unchanged file is not read again.

    Raises:
        LessonError: it cannot be read, with file and line.
    """
    try:
        about = file.stat()
    except OSError as error:
        raise LessonError(str(file), 1, f"wanted a file that can be read: {error.strerror}") from None
    return _read_file(file, about.st_mtime_ns, about.st_size)


def translation(lesson: Lesson, file: Path) -> Lesson:
    """Return a lesson in the current language; the lesson itself if it is not translated.

    A translation has the lesson's name and those of its steps: links are the same in every language.

    Raises:
        LessonError: the translation cannot be read, or has other steps.
    """
    other = file.parent / LOCALES[language()] / file.name if language() in LOCALES else file
    if other == file or not other.is_file():
        return lesson
    other_lesson = open_lesson(other)
    if [step.link for step in other_lesson.steps] != [step.link for step in lesson.steps]:
        raise LessonError(other_lesson.file, 1, f"wanted the {len(lesson.steps)} steps of {lesson.file}")
    steps = [replace(step, name=own.name) for step, own in zip(other_lesson.steps, lesson.steps, strict=True)]
    return replace(other_lesson, name=lesson.name, steps=steps)


def language_of_folder(file: Path) -> str:
    """Return the language of a file in a folder of translations; that of the source anywhere else.

    >>> language_of_folder(Path("lessons/zh_CN/1.md")), language_of_folder(Path("lessons/1.md"))
    ('zh', 'en')
    """
    folder = file.resolve().parent.name
    return next((each for each, locale in LOCALES.items() if locale == folder), SOURCE)


def original(file: Path) -> Path | None:
    """Return the file that a lesson's file is a translation of; None if it is no translation."""
    own = file.parent.parent / file.name
    return own if file.parent.name in LOCALES.values() and own.is_file() else None


@cached(MOST_FILES)
def _read_file(file: Path, changed: int, n_bytes: int) -> Lesson:
    del changed
    name = str(file.relative_to(ROOT)) if file.is_relative_to(ROOT) else file.name
    number = re.compile(r"\d+[-_ ]+")  # a number puts files in order, and is no name
    in_links = slug(number.sub("", file.stem, count=1) if number.match(file.stem) else file.stem)
    if n_bytes > MOST_BYTES:
        raise LessonError(name, 1, f"wanted at most {MOST_BYTES:,} bytes, got {n_bytes:,}")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise LessonError(name, 1, f"wanted a file that can be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise LessonError(name, 1, f"wanted text in UTF-8: {error.reason} at byte {error.start}") from None
    return list_lesson(text, in_links, name) if file.suffix == ".txt" else read_lesson(text, in_links, name)


def list_lesson(text: str, name: str, file: str) -> Lesson:
    """Return a list of links as a lesson without text: one step for each link.

    Raises:
        LessonError: a line is no link, or there is no link.
    """
    lines, bad = read_list(text)
    if bad or not lines:
        raise LessonError(file, 1, bad[0] if bad else "wanted a link a line, got none")
    first = text.lstrip("\ufeff").splitlines()[0]
    title = first.lstrip("# ").strip() if first.startswith("#") else name
    steps, names = [], set[str]()
    for line in lines:
        step_title = line.title or line.link
        at = slug(step_title) or f"step-{line.number}"
        at = at if at not in names else f"{at}-{line.number}"
        names.add(at)
        steps.append(LessonStep(at, step_title, line.path, line.number))
    about = _("{count} pictures, one after the other.", count=len(steps))
    return Lesson(name, title, about, len(steps), steps, file)


def shelf() -> Shelf:
    """Return all lessons; a changed file is read again, one with faults is reported and left out."""
    own = hosting().lessons
    lessons: dict[str, Lesson] = {}
    complaints = []
    for file in [*files(OWN), *([LECTURE] if LECTURE.is_file() else []), *(files(own) if own else [])]:
        try:
            lesson = open_lesson(file)
        except LessonError as error:
            complaints.append(str(error))
            continue
        try:
            lesson = translation(lesson, file)
        except LessonError as error:  # in English then
            complaints.append(str(error))
        if lesson.name in lessons:
            complaints.append(f"{file.name}: another lesson is called {lesson.name!r}; rename the file")
            continue
        lessons[lesson.name] = lesson
    return Shelf(lessons, tuple(complaints))
