"""A page's numbers to take away: as a program in three languages, or as a formula."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from attn_ui.base.markdown import listed
from attn_words import _, paragraph
from programs.writing import ARCHIVE, NUMPY, PYTORCH, SHORT, WORDS, Numbers, Program, word_list

LATEX = "LaTeX"


@dataclass(frozen=True, eq=False)
class Programs:
    """The programs of what is on screen, and its formula.

    Attributes:
        lines: what those in PyTorch and in NumPy compute from the numbers, see `programs.writing.Program`.
        numbers: what they start from; prints: the names of what they print.
        short: the lines with attn_core, and what is drawn after them; sampled: the names of the numbers that
            these lines sample from a seed themselves.
        formula: makes LaTeX with the present numbers.
        last: lines after what those in PyTorch and in NumPy print; learns: after those in PyTorch, which
            alone follows gradients, described by `learns_note`.
    """

    lines: str
    numbers: Numbers
    prints: Sequence[str]
    short: tuple[str, str]
    formula: Callable[[], str]
    sampled: Collection[str] = ()
    last: str = ""
    learns: str = ""
    learns_note: str = ""

    def program(self, kind: str) -> Program:
        """Return the program in a language: "PyTorch", "NumPy" or "attn_core"."""
        if kind == SHORT:
            numbers = {name: each for name, each in self.numbers.items() if name not in self.sampled}
            digits = self.program(NUMPY).fewest_digits() if numbers else None
            return Program(SHORT, self.short[0], numbers, self.prints, self.short[1], digits)
        last = self.learns if kind == PYTORCH and self.learns else self.last
        return Program(kind, self.lines, self.numbers, self.prints, last)

    def text(self, kind: str) -> str:
        """Return a program, or the formula."""
        return self.formula() if kind == LATEX else self.program(kind).text()

    def describe(self, kind: str) -> str:
        """Say what the program of a kind needs and prints."""
        if kind == LATEX:
            return _("The formula with the numbers on this page, for a text or a slide.")
        with_torch = _("Runs with PyTorch alone.")
        if self.program(PYTORCH).is_read:
            with_torch = _("Runs with PyTorch, and NumPy to read its numbers.")
        needs = {
            PYTORCH: with_torch,
            NUMPY: _("Runs with NumPy alone."),
            SHORT: _("The short one, with the packages of this app: `pip install .` in its folder."),
        }[kind]
        names = [f"`{name}`" for name in self.prints if name not in WORDS]
        prints = _("It prints {numbers}.", numbers=listed(names))
        return paragraph(needs, file_note(self.program(kind)), prints, self.learns_note * (kind == PYTORCH))


@dataclass(frozen=True, eq=False)
class OneProgram:
    """The only program of what is on screen, and what it needs and prints, in words."""

    program: Program
    description: str

    def text(self, kind: str = SHORT) -> str:
        """Return it."""
        return self.program.text()

    def describe(self) -> str:
        """Say what it needs and prints."""
        return paragraph(self.description, file_note(self.program))


def words_of(queries: Sequence[object], keys: Sequence[object]) -> tuple[list[str], list[str]]:
    """Return what a program calls the words of its queries and of its keys, and the lines that have them."""
    if list(queries) == list(keys):
        return ["words"], [word_list("words", map(str, queries))]
    return ["queries", "keys"], [
        word_list("queries", map(str, queries)),
        word_list("keys", map(str, keys)),
    ]


def attends_where(mask: str) -> str:
    """Write attention by a program's scores; mask: where a query may attend, nothing where everywhere."""
    return f"attend_masked(scores, V, {mask})" if mask else "attend(scores, V)"


def file_note(program: Program) -> str:
    """Say which file stands beside a program; nothing where it has all numbers in it."""
    if not program.is_read:
        return ""
    return _("It reads `{file}`, which is handed over with it.", file=ARCHIVE)
