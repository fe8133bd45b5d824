"""A page's numbers as a program in PyTorch, NumPy or attn_core, or as a formula in LaTeX."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from attn_ui.base.markdown import all_of
from attn_words import _, paragraph
from programs.writing import ARCHIVE, NUMPY, SHORT, WORDS, Numbers, Program, word_list

LATEX = "LaTeX"
More = tuple[Sequence[str], Sequence[str]]
"""Further lines of a program, after its weights and output, and the names of what they print."""
_SAMPLED = ("X", "W_q", "W_k", "W_v", "W_o")  # what attn_core draws from a seed


@dataclass(frozen=True, eq=False)
class Programs:
    """The programs of what is on screen, and its formula.

    Attributes:
        lines: of those in PyTorch and NumPy, computing from the numbers: see `programs.writing.Program`.
        numbers: what they start from; prints: the names of what they print.
        short: the lines with attn_core; sampled: the numbers that these sample from a seed themselves.
        formula: returns LaTeX with the present numbers.
        last: by language, lines after what is printed.
    """

    lines: Sequence[str]
    numbers: Numbers
    prints: Sequence[str]
    short: Sequence[str]
    formula: Callable[[], str]
    sampled: Collection[str] = ()
    last: Mapping[str, str] = field(default_factory=dict)

    def program(self, kind: str) -> Program:
        """Return the program in a language: "PyTorch", "NumPy" or "attn_core"."""
        last = self.last.get(kind, "")
        if kind != SHORT:
            return Program(kind, "\n".join(self.lines), self.numbers, self.prints, last)
        numbers = {name: each for name, each in self.numbers.items() if name not in self.sampled}
        digits = self.program(NUMPY).fewest_digits() if numbers else None
        return Program(SHORT, "\n".join(self.short), numbers, self.prints, last, digits)

    def text(self, kind: str) -> str:
        """Return a program, or the formula."""
        return self.formula() if kind == LATEX else self.program(kind).text()

    def describe(self, kind: str) -> str:
        """Describe one program: what it needs and prints."""
        if kind == LATEX:
            return _("The formula with the numbers on this page, for a text or a slide.")
        program = self.program(kind)
        packages = ["NumPy"] if kind == NUMPY else ["PyTorch", "NumPy"] if program.is_read else ["PyTorch"]
        needs = _("Runs with {packages} alone.", packages=all_of(packages))
        if kind == SHORT:
            needs = _("The short one, with the packages of this app: `pip install .` in its folder.")
        names = [name for name in self.prints if name not in WORDS]
        names += re.findall(r'print\("(.+?):"', program.last)
        prints = _("It prints {numbers}.", numbers=all_of([f"`{name}`" for name in names]))
        return paragraph(needs, file_note(program), prints)


@dataclass(frozen=True, eq=False)
class OneProgram:
    """The only program of what is on screen, and what it needs and prints, in words."""

    program: Program
    description: str

    def text(self, kind: str = SHORT) -> str:
        """Return the program."""
        return self.program.text()

    def describe(self) -> str:
        """Describe the program: what it needs and prints."""
        return paragraph(self.description, file_note(self.program))


def attention_programs(
    sides: tuple[Sequence[object], Sequence[object]],
    starts: tuple[Numbers, Sequence[str]],
    attends: Sequence[str],
    call: str,
    formula: Callable[[], str],
    *,
    samples: Sequence[str] = (),
    more: More = ((), ()),
) -> Programs:
    """Return the programs of attention from words to an output.

    Args:
        sides: the words of queries and keys.
        starts: the numbers, and the lines from them to Q, K, V and the mask.
        attends: the lines of the scores, of the weights, and of the output.
        call: of attn_core, for the first two; samples: the lines that draw the numbers from a seed.
        more: further lines, after the weights and the output.
    """
    (names, words), (numbers, lines) = words_of(*sides), starts
    (scores, mixes, *merges), (goes_on, prints) = attends, more
    mixed = mixes.partition(",")[0]
    shortly = [f"result = {call}", f"weights, {mixed} = result.weights, result.output", *merges]
    shortly += [scores] * any("scores" in line for line in goes_on)
    return Programs(
        [*words, *lines, *attends, *goes_on],
        numbers,
        (*names, "weights", "output", *prints),
        [*words, *samples, *lines, *shortly, *goes_on],
        formula,
        _SAMPLED if samples else (),
        {SHORT: f"show(weights, {names[0]}, keys={names[-1]}, output=output).show()"},
    )


def words_of(queries: Sequence[object], keys: Sequence[object]) -> tuple[list[str], list[str]]:
    """Return the names of the query and key words in a program, and the lines that define them."""
    sides = {"words": queries} if list(queries) == list(keys) else {"queries": queries, "keys": keys}
    return [*sides], [word_list(name, map(str, words)) for name, words in sides.items()]


def attends_where(mask: str) -> str:
    """Return a program's call of attention; mask: an expression for where queries may attend, "" for all."""
    return f"attend_masked(scores, V, {mask})" if mask else "attend(scores, V)"


def file_note(program: Program) -> str:
    """Return a sentence on the file that a program reads; "" if it holds all its numbers itself."""
    if not program.is_read:
        return ""
    return _("It reads `{file}`, which is handed over with it.", file=ARCHIVE)
