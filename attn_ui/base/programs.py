"""A page's numbers to take away: as a program in three spellings, or as a formula."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attn_ui.base.markdown import listed
from attn_ui.base.numpy_code import in_numpy
from attn_ui.base.program_needs import draws_as_torch, runs_with
from attn_words import _, paragraph

MOST_CELLS = 8  # rows and columns of a matrix in a formula


@dataclass(frozen=True)
class Programs:
    """The programs of what is on screen, and its formula; each is made when it is asked for.

    Attributes:
        torch: in PyTorch.
        short: with attn_core and attn_figures.
        formula: LaTeX with the present numbers.
        prints: what each program prints, in words; "" where its own names tell. torch_adds: a sentence on
            what the one in PyTorch prints besides.
        numpy: in NumPy; made from the one in PyTorch unless it is given.
        package: one that the short one needs besides, by its name; it imports this app's alone.
        reads: what of this app's folder those in PyTorch and in NumPy read, in words.
    """

    torch: Callable[[], str]
    short: Callable[[], str]
    formula: Callable[[], str]
    prints: str = ""
    torch_adds: str = ""
    numpy: Callable[[], str] | None = None
    package: str = ""
    reads: str = ""

    def text(self, kind: str) -> str:
        """Return one of them: "PyTorch", "NumPy", "attn_core" or "LaTeX"."""
        if kind == "NumPy" and self.numpy is None:
            return in_numpy(self.torch())
        made = {"PyTorch": self.torch, "NumPy": self.numpy, "attn_core": self.short, "LaTeX": self.formula}
        make = made.get(kind)
        if make is None:
            raise ValueError(f"one of {', '.join(made)}; got {kind!r}")
        return make()

    def says(self, kind: str, text: str) -> str:
        """Say what the program of a kind needs and prints, by its own lines."""
        if kind == "LaTeX":
            return _("The formula with the numbers on this page, for a text or a slide.")
        drawn = kind == "NumPy" and draws_as_torch(text)
        again = _("It draws the numbers that PyTorch's generator draws.") if drawn else ""
        names = [f"`{name}`" for name in re.findall(r'^print\("(\w+):"', text, re.MULTILINE)]
        prints = _("It prints {numbers}.", numbers=self.prints or listed(names))
        return paragraph(self._needs(kind, text), again, prints, self.torch_adds * (kind == "PyTorch"))

    def _needs(self, kind: str, text: str) -> str:
        if kind == "attn_core" and self.package:
            return _(
                "The short one, with the packages of this app: `pip install .` in its folder, and the "
                "package `{package}`.",
                package=self.package,
            )
        if kind == "attn_core":
            return _("The short one, with the packages of this app: `pip install .` in its folder.")
        if self.reads:
            return _(
                "Runs in this app's folder, where it reads {files}, with {packages}.",
                files=self.reads,
                packages=runs_with(text),
            )
        return _("Runs as it is, with {packages}.", packages=runs_with(text))


@dataclass(frozen=True)
class OneProgram:
    """The only program of what is on screen.

    Attributes:
        program: makes it; says: what it needs and prints, in words.
    """

    program: Callable[[], str]
    says: str

    def text(self, kind: str = "attn_core") -> str:
        """Return it."""
        if kind != "attn_core":
            raise ValueError(f"one of attn_core; got {kind!r}")
        return self.program()


def printing(*names: str) -> str:
    r"""Return the end of a program in PyTorch: it prints what is on the page, in plain decimals.

    >>> print(printing("weights"), end="")
    torch.set_printoptions(sci_mode=False, linewidth=120)
    print("weights:", weights, sep="\n")
    """
    lines = "".join(f'print("{name}:", {name}, sep="\\n")\n' for name in names)
    return f"torch.set_printoptions(sci_mode=False, linewidth=120)\n{lines}"


def in_latex(rows: Sequence[Sequence[float]]) -> str:
    r"""Write a matrix; of a large one its first rows and columns, with dots for the others.

    >>> in_latex([[1.0, 0.0], [0.25, 0.75]])
    '\\begin{pmatrix} 1.00 & 0.00 \\\\ 0.25 & 0.75 \\end{pmatrix}'
    >>> in_latex([[-0.001]])
    '\\begin{pmatrix} 0.00 \\end{pmatrix}'
    """
    cut = [list(row) for row in rows[:MOST_CELLS]]
    # A second rounding takes the sign from what the first one makes zero.
    lines = [" & ".join(f"{float(f'{cell:.2f}') + 0.0:.2f}" for cell in row[:MOST_CELLS]) for row in cut]
    if len(rows[0]) > MOST_CELLS:
        lines = [rf"{line} & \cdots" for line in lines]
    if len(rows) > MOST_CELLS:
        lines.append(" & ".join([r"\vdots"] * min(len(rows[0]), MOST_CELLS)))
    joined = r" \\ ".join(lines)
    return rf"\begin{{pmatrix}} {joined} \end{{pmatrix}}"
