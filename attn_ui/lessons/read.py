"""Reads a lesson: Markdown with front matter, and MyST's directives in fences of colons.

    ---
    title: Why divide by √dₖ
    about: A sum of more products is larger, and softmax of larger scores is a choice.
    minutes: 20
    ---
    ## A head of width four

    :::{attention} single-head?stage=weights
    :::

    The row *the* gives *cat* {value}`weights[the, cat]` of its weight.

    :::{question} number
    ---
    of: weights[the, mat]
    answer: 0.18
    hint: Look along the row of *the*.
    because: Its score is the second largest.
    ---
    How much does *the* give to *mat*?
    :::

Each heading of the second level is a step, its name in links made from its title.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar, get_args

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from attn_ui.base.navigation import PAGES
from attn_ui.lessons.answers import without_markup
from attn_ui.lessons.lesson import (
    COMPARED,
    Digression,
    Kind,
    Lesson,
    LessonError,
    LessonQuestion,
    LessonStep,
    LessonText,
    Part,
)
from attn_ui.lessons.quantity import Quantity, parse

MOST_BYTES = 200_000
MOST_STEPS = 60
MOST_MINUTES = 240
MOST_OPTIONS = 4_000  # characters between two lines of ---
_Read = TypeVar("_Read")
_KINDS: Sequence[Kind] = get_args(Kind)
_DIRECTIVES = ("attention", "question", "dropdown")
_OF_QUESTION = ("of", "than", "answer", "within", "options", "hint", "because")
_OF_LESSON = ("title", "about", "minutes")
_ROLE = re.compile(r"\{value\}`([^`]*)`")
_NOT_SHOWN = {"html_block": "HTML", "html_inline": "HTML", "image": "an image", "fence": "a block of code"}


@cache
def _markdown() -> MarkdownIt:
    # With HTML on it is found, to be refused: nothing of a lesson is ever shown as HTML.
    return MarkdownIt("commonmark", {"html": True}).use(front_matter_plugin).use(colon_fence_plugin)


def read_lesson(text: str, name: str, file: str) -> Lesson:
    """Read a lesson.

    Args:
        text: of the file; name: of the lesson in links; file: what it is called in a complaint.

    Raises:
        LessonError: what is wrong, with file and line.
    """
    return _Reader(file).lesson(text, name)


def slug(title: str) -> str:
    """Return a title as a name in links.

    >>> slug("Why divide by √dₖ?")
    'why-divide-by-dk'
    """
    plain = unicodedata.normalize("NFKD", title).lower()
    return re.sub(r"[^\w]+", "-", re.sub(r"[^\w\s-]", "", plain)).strip("-")


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.wrong: list[LessonError] = []  # at most one of each field of the head, each part and each step

    def error(self, line: int, reason: str) -> LessonError:
        return LessonError(self.file, line, reason)

    def lesson(self, text: str, name: str) -> Lesson:
        if len(text.encode()) > MOST_BYTES:
            raise self.error(1, f"wanted at most {MOST_BYTES:,} bytes, got {len(text.encode()):,}")
        lines = text.splitlines()
        tokens = _markdown().parse(text)
        self.refuse(tokens, 0)
        if not tokens or tokens[0].type != "front_matter":
            raise self.error(1, "wanted title, about and minutes between two lines of ---, got none")
        title, about, minutes = "", "", 0
        for head in self.collect(self.options, tokens[0].content, 2, _OF_LESSON):
            title = next(self.collect(self.text_of, head, "title", 2, 90), "")
            about = next(self.collect(self.text_of, head, "about", 2, 300), "")
            minutes = next(self.collect(self.minutes, head), 0)
        steps = list(self.steps(tokens[1:], lines))
        if not steps and not self.wrong:
            raise self.error(1, "wanted a step, which begins with a heading `## …`, got none")
        if len(steps) > MOST_STEPS:
            raise self.error(steps[MOST_STEPS].line, f"wanted at most {MOST_STEPS} steps, got {len(steps)}")
        places: dict[str, int] = {}
        for step in steps:
            if places.setdefault(step.name, step.line) != step.line:
                reason = f"the step of line {places[step.name]} is called {step.name!r} in links too"
                self.wrong.append(self.error(step.line, reason))
        if self.wrong:
            self.wrong[0].others = self.wrong[1:]
            raise self.wrong[0]
        return Lesson(name, without_markup(title), without_markup(about), minutes, steps, self.file)

    def refuse(self, tokens: Sequence[Token], above: int) -> None:
        """Raise an error at HTML, images and blocks of code, which a lesson cannot hold."""
        line = above
        for token in tokens:
            line = above + token.map[0] + 1 if token.map else line
            if token.type in _NOT_SHOWN:
                kind = _NOT_SHOWN[token.type]
                raise self.error(line, f"a lesson cannot hold {kind}: {token.content!r:.60}")
            self.refuse([each for each in token.children or () if each.type in _NOT_SHOWN], line)

    def steps(self, tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[LessonStep]:
        """Yield each step: what stands between one heading of the second level and the next."""
        starts = [at for at, token in enumerate(tokens) if token.type == "heading_open" and not token.level]
        first = starts[0] if starts else len(tokens)
        if first:
            line = (tokens[0].map or [0])[0] + 1
            raise self.error(line, "wanted a heading `## …` first: a lesson's text stands in its steps")
        for at, end in pairwise([*starts, len(tokens)]):
            line = (tokens[at].map or [0])[0] + 1
            if tokens[at].tag != "h2":
                heading = lines[line - 1]
                raise self.error(line, f"wanted a heading of the second level, `## …`, got {heading!r:.60}")
            title = tokens[at + 1].content
            if not slug(title):
                raise self.error(line, f"wanted a title with a letter in it, got {title!r:.60}")
            before = len(self.wrong)
            parts = list(self.parts(tokens[at + 3 : end], lines))
            links = [part for part in parts if isinstance(part, str)]
            if len(links) != 1 and len(self.wrong) == before:
                message = f"wanted one `:::{{attention}} LINK` in the step {title!r:.60}, got {len(links)}"
                self.wrong.append(self.error(line, message))
            contents = [part for part in parts if not isinstance(part, str)]
            yield LessonStep(slug(title), without_markup(title), "".join(links[:1]), line, contents)

    def parts(self, tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Part | str]:
        """Yield texts, questions and digressions of a step, and its link as a string."""
        start: int | None = None
        end = 0
        for token in tokens:
            if token.level or token.map is None:
                continue
            if token.type != "colon_fence":
                start = token.map[0] if start is None else start
                end = token.map[1]
                continue
            if start is not None:
                yield from self.collect(self.text, "\n".join(lines[start:end]), start + 1)
                start = None
            yield from self.collect(self.directive, token)
        if start is not None:
            yield from self.collect(self.text, "\n".join(lines[start:end]), start + 1)

    def collect(self, reader: Callable[..., _Read], *of: Any) -> Iterator[_Read]:
        """Yield the reader's result; if it raises a LessonError, store that and yield nothing."""
        try:
            yield reader(*of)
        except LessonError as error:
            self.wrong.append(error)

    def directive(self, token: Token) -> Part | str:
        line = (token.map or [0])[0] + 1
        match = re.fullmatch(r"\{(\w+)\}\s*(.*)", token.info.strip())
        if not match or match[1] not in _DIRECTIVES:
            names = ", ".join(f"{{{name}}}" for name in _DIRECTIVES)
            raise self.error(line, f"wanted one of {names} after the colons, got {token.info.strip()!r:.60}")
        name, argument = match[1], match[2].strip()
        if name == "attention":
            if token.content.strip():
                raise self.error(line + 1, f"wanted nothing under a link, got {token.content.strip()!r:.60}")
            return self.link(argument, line)
        if name == "dropdown":
            if not argument:
                raise self.error(line, "wanted a title after {dropdown}, got none")
            return Digression(argument, self.text(token.content.rstrip(), line + 1))
        return self.question(argument, token.content, line)

    def link(self, link: str, line: int) -> str:
        page = link.partition("?")[0].strip("/")
        if not link or page not in {each.address for each in PAGES}:
            names = ", ".join(each.address or "/" for each in PAGES)
            raise self.error(line, f"wanted a link to a page ({names}), got {link!r:.80}")
        return link.removeprefix("/") if page else link

    def question(self, kind_text: str, content: str, line: int) -> LessonQuestion:
        kind = next((each for each in _KINDS if each == kind_text), None)
        if kind is None:
            raise self.error(line, f"wanted a kind of question ({', '.join(_KINDS)}), got {kind_text!r:.40}")
        inner = _markdown().parse(content)
        if not inner or inner[0].type != "front_matter":
            raise self.error(line + 1, "wanted `of:` and `answer:` between two lines of ---, got none")
        self.refuse(inner, line)
        fields = self.options(inner[0].content, line + 2, _OF_QUESTION)
        below = (inner[0].map or [0, 0])[1]
        text = "\n".join(content.splitlines()[below:]).strip()
        if not text:
            raise self.error(line, "wanted the question itself under the second ---, got none")
        compares = kind in COMPARED
        if compares != ("than" in fields):
            message = "`than:`, what it is compared with" if compares else "no `than:`"
            raise self.error(line, f"wanted {message}, in a question of the kind {kind!r}")
        of = self.quantity(self.text_of(fields, "of", line, 200), line)
        than = self.quantity(self.text_of(fields, "than", line, 200), line) if compares else None
        if of.chooses != (kind == "which") or (than and than.chooses):
            message = "`largest …` or `smallest …` of a row" if kind == "which" else "a number"
            raise self.error(line, f"wanted {message} in `of:`, got {of.name!r}")
        options = fields.get("options", [])
        if not isinstance(options, list) or not all(isinstance(each, str | int | float) for each in options):
            raise self.error(line, f"wanted a list of names as options, got {options!r:.60}")
        because = self.text_of(fields, "because", line, 2000) if "because" in fields else ""
        return LessonQuestion(
            kind,
            self.text(text, line + below + 1),
            of,
            self.text_of(fields, "answer", line, 80),
            line,
            than,
            self.within(fields, line),
            [str(each) for each in options],
            self.text_of(fields, "hint", line, 600) if "hint" in fields else "",
            self.text(because, line) if because else None,
        )

    def text(self, markdown: str, line: int) -> LessonText:
        """Return a text with all quantities in it parsed."""
        quantities = {}
        for match in _ROLE.finditer(markdown):
            here = line + markdown[: match.start()].count("\n")
            quantities[match[0]] = self.quantity(match[1], here)
        unknown = re.search(r"\{(\w+)\}`", _ROLE.sub("", markdown))
        if unknown:
            here = line + markdown[: markdown.index(unknown[0])].count("\n")
            raise self.error(here, f"wanted {{value}}`…`, got {unknown[0]!r}")
        return LessonText(markdown.strip(), line, quantities)

    def quantity(self, text: str, line: int) -> Quantity:
        try:
            return parse(text)
        except ValueError as error:
            raise self.error(line, f"wanted {error}") from None

    def options(self, text: str, line: int, names: Sequence[str]) -> Mapping[str, Any]:
        """Read YAML: a plain mapping without aliases, by which a few lines could fill the memory."""
        if len(text) > MOST_OPTIONS:
            raise self.error(
                line, f"wanted at most {MOST_OPTIONS:,} characters between ---, got {len(text):,}"
            )
        try:
            if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
                raise self.error(line, "wanted plain values, got an alias (*name)")
            fields = yaml.safe_load(text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            here = line + (mark.line if mark else 0)
            problem = getattr(error, "problem", error)
            raise self.error(here, f"wanted `name: value` lines, got {problem}") from None
        except RecursionError:
            raise self.error(line, "wanted `name: value` lines, got too many brackets") from None
        if not isinstance(fields, dict):
            raise self.error(line, f"wanted `name: value` lines, got {text.strip()!r:.60}")
        unknown = [str(name) for name in fields if name not in names]
        if unknown:
            raise self.error(line, f"wanted {', '.join(names)}, got {unknown[0]!r:.40}")
        return fields

    def text_of(self, fields: Mapping[str, Any], name: str, line: int, longest: int) -> str:
        text = fields.get(name)
        if isinstance(text, bool) or not isinstance(text, str | int | float) or not str(text).strip():
            raise self.error(line, f"wanted `{name}:` with a text, got {text!r:.60}")
        if len(str(text)) > longest:
            raise self.error(line, f"wanted at most {longest} characters in `{name}:`, got {len(str(text))}")
        return str(text).strip()

    def minutes(self, head: Mapping[str, Any]) -> int:
        minutes = head.get("minutes")
        if isinstance(minutes, bool) or not isinstance(minutes, int) or not 1 <= minutes <= MOST_MINUTES:
            raise self.error(2, f"wanted `minutes:` from 1 to {MOST_MINUTES}, got {minutes!r:.40}")
        return minutes

    def within(self, fields: Mapping[str, Any], line: int) -> float | None:
        number = fields.get("within")
        if number is None:
            return None
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < float("inf"):
            raise self.error(line, f"wanted a positive number as `within:`, got {number!r:.40}")
        return float(number)
