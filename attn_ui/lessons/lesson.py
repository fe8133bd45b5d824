"""What a lesson is: steps, each a state of a page with text and questions; answers are computed there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from attn_ui.lessons.quantity import Quantity
from attn_words import N_

Kind = Literal["number", "which", "larger", "trend"]
"""Type a number; choose a name; say which of two is larger; say if it rises from one link to another."""
COMPARED: Mapping[Kind, tuple[str, str, str]] = {
    "larger": (N_("the first"), N_("the second"), N_("they are equal")),
    "trend": (N_("it falls"), N_("it rises"), N_("it stays")),
}
"""The answers to a comparison of two numbers: the first is larger, the second is, neither.

Lessons of every language have these words; a page translates them by `_`.
"""


class LessonError(ValueError):
    """A fault in a lesson, with its file and line."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        """Join the place and the reason into the message."""
        super().__init__(f"{file}, line {line}: {reason}")
        self.line = line
        self.others: list[LessonError] = []  # of the same file, further down


@dataclass(frozen=True)
class LessonText:
    """A text as markdown, with quantities in it that are computed when it is shown."""

    markdown: str
    line: int
    quantities: Mapping[str, Quantity] = field(default_factory=dict)  # by the marks that stand for them


@dataclass(frozen=True)
class LessonQuestion:
    """A question with its answer.

    Attributes:
        kind: how it is answered.
        text: the question, as markdown.
        of: the quantity in question; than: the one that it is compared with.
        answer: the answer as the lesson states it, compared with the computed one.
        within: the tolerance for a number; None for 5 % of it, or for half of its last digit if that is more.
        options: the names to choose from; empty for all that there are.
        hint: shown after a wrong answer; because: shown with the right one.
    """

    kind: Kind
    text: LessonText
    of: Quantity
    answer: str
    line: int
    than: Quantity | None = None
    within: float | None = None
    options: Sequence[str] = ()
    hint: str = ""
    because: LessonText | None = None


@dataclass(frozen=True)
class Digression:
    """A passage that is folded until somebody opens it: a title and its text."""

    title: str
    text: LessonText


Part = LessonText | LessonQuestion | Digression


@dataclass(frozen=True)
class LessonStep:
    """One step: its name in links, its title, the link that it shows, and its texts and questions."""

    name: str
    title: str
    link: str
    line: int
    parts: Sequence[Part] = ()

    @property
    def questions(self) -> list[LessonQuestion]:
        """Its questions."""
        return [part for part in self.parts if isinstance(part, LessonQuestion)]


@dataclass(frozen=True)
class Lesson:
    """A lesson: its name in links, its title, one sentence about it, how long it takes, and its steps."""

    name: str
    title: str
    about: str
    minutes: int
    steps: Sequence[LessonStep]
    file: str = ""

    def step(self, name: str) -> int | None:
        """Return the index of a step by its name; None if there is none."""
        return next((place for place, step in enumerate(self.steps) if step.name == name), None)
