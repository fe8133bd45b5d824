"""Writes the text of a program: the functions of this package that it calls, its numbers and its lines."""

import ast
import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from textwrap import fill, indent
from typing import Any

import numpy as np
from numpy.typing import NDArray

PYTORCH, NUMPY, SHORT = "PyTorch", "NumPy", "attn_core"
ARCHIVE = "numbers.npz"
MOST_WRITTEN = 64  # numbers of one array; if one has more, a file holds all but short ones
SHORT_ARRAY = 8
Array = NDArray[Any]
Numbers = Mapping[str, Any]  # arrays by their names
WIDTH = 96  # characters of a line of numbers
WORDS = ("words", "queries", "keys")
# The first that leaves the printed results unchanged is used to write numbers; else they have all digits.
_DIGITS = (4, 6, 7, 8, 9)
_FLOAT64 = "torch.set_default_dtype(torch.float64)"
_DECIMALS = {
    "torch": "torch.set_printoptions(sci_mode=False, linewidth=120)",
    "np": 'np.set_printoptions(precision=4, suppress=True, floatmode="fixed", linewidth=120)',
}


@dataclass(frozen=True, eq=False)
class Program:
    """A program in one language.

    Attributes:
        language: "PyTorch", "NumPy" or "attn_core".
        lines: its computation, with functions of this package, which are the same in PyTorch and in NumPy,
            or with the packages of this app.
        numbers: its input arrays, by name.
        prints: the variables to print, those in `WORDS` as words; last: the lines after that.
        digits: of the written numbers; None for the fewest that leave the printed results unchanged.
    """

    language: str
    lines: str
    numbers: Numbers = field(default_factory=dict)
    prints: Sequence[str] = ()
    last: str = ""
    digits: int | None = None

    def text(self, *, whole: bool = False) -> str:
        """Return the program's text; a `whole` program has all numbers in it and reads no file."""
        computes = "\n".join([*self._lines_of_numbers({} if whole else self._large), self.lines.strip("\n")])
        tells = [
            f'print("{name}:", *{name})' if name in WORDS else f'print("{name}:", {name}, sep="\\n")'
            for name in self.prints
        ]
        ends = "\n".join([*[_DECIMALS[self._framework]] * bool(tells), *tells, *filter(None, [self.last])])
        defined = _sources_of(self.language, f"{computes}\n{ends}")
        sets = _FLOAT64 if self._framework == "torch" and (self.numbers or defined) else ""
        imported = imports(self.language, "\n".join([sets, *defined, computes, ends]))
        head = "\n\n".join(filter(None, [imported, sets]))
        body = "\n\n".join(filter(None, [computes, ends]))
        return ("\n\n\n" if defined else "\n\n").join(filter(None, [head, *defined, body])) + "\n"

    def archive(self) -> bytes:
        """Return the contents of the file that the program reads; empty if it reads none."""
        file = io.BytesIO()
        if self.is_read:
            np.savez_compressed(file, allow_pickle=False, **self._large)
        return file.getvalue()

    @property
    def is_read(self) -> bool:
        """Whether the program reads the archive, since an array has too many numbers to be written."""
        return bool(self._large)

    @cached_property
    def _framework(self) -> str:
        return "np" if self.language == NUMPY else "torch"

    @cached_property
    def _arrays(self) -> dict[str, Array]:
        return {name: np.asarray(each) for name, each in self.numbers.items()}

    @cached_property
    def _large(self) -> dict[str, Array]:
        """The arrays to read from the archive, by name."""
        is_read = any(array.size > MOST_WRITTEN for array in self._arrays.values())
        most = SHORT_ARRAY if is_read else MOST_WRITTEN
        return {name: array for name, array in self._arrays.items() if array.size > most}

    def _lines_of_numbers(self, names: Collection[str]) -> Iterator[str]:
        """Yield the lines that define the arrays; those that read ``names`` from the archive come first."""
        take, call = "{}", "np.array"
        if self._framework == "torch":
            take, call = "torch.from_numpy({})", "torch.tensor"
        if names:
            yield f'with np.load("{ARCHIVE}") as file:'
        for name in names:
            yield f"    {name} = {take}  # {self._arrays[name].shape}".format(f'file["{name}"]')
        digits = self.digits or self.fewest_digits()
        for name, array in self._arrays.items():
            if name not in names:
                exact = name in self._large
                yield f"{name} = {_literal(_rounded(array, None if exact else digits), call)}"

    def _results(self, digits: int | None = None) -> list[Array]:
        """Return the arrays to print, to four decimals, computed by NumPy from numbers of so many digits."""
        scope = dict(numpy_functions())
        for name, array in self._arrays.items():
            scope[name] = _rounded(array, None if name in self._large else digits)
        exec(self.lines, scope)
        names = [name for name in self.prints if name not in WORDS]
        return [np.round(np.asarray(scope[name], dtype=float), 4) for name in names]

    def fewest_digits(self) -> int | None:
        """Return the fewest digits of numbers that leave the printed results unchanged; None means all."""
        torch_alone = functions(PYTORCH).keys() - functions(NUMPY).keys()
        if self.language == SHORT or not self.prints or torch_alone & _names(self.lines):
            return _DIGITS[-1]
        exact = self._results()
        same = partial(np.array_equal, equal_nan=True)
        return next((each for each in _DIGITS if all(map(same, self._results(each), exact))), None)


def quoted(text: str) -> str:
    r"""Return a text as a Python literal, in double quotes if all its characters are printable.

    >>> print(quoted("it's"), quoted("\n"))
    "it's" '\n'
    """
    return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)


def word_list(name: str, words: Iterable[str]) -> str:
    """Return the line, or the lines, that assign a list of words to a name.

    >>> word_list("words", ["the", "cat"])
    'words = ["the", "cat"]'
    """
    # A space within a word is no place to break the line.
    joined = ", ".join(quoted(word).replace(" ", "\0") for word in words)
    line = f"{name} = [{joined}]"
    if len(line) > WIDTH:
        rows = fill(f"{joined},", WIDTH - 4, break_long_words=False, break_on_hyphens=False)
        line = f"{name} = [\n{indent(rows, '    ')}\n]"
    return line.replace("\0", " ")


def script(name: str) -> str:
    """Return the text of a program that has a file of its own in this package."""
    return Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")


# ---- numbers ----


def _as_written(number: str) -> str:
    """Return numbers as Python code: infinity and not-a-number by their names in ``math``."""
    return number.replace("inf", "math.inf").replace("nan", "math.nan")


def _rounded(array: Array, digits: int | None) -> Array:
    """Return a copy with ``digits`` significant digits, or with all if None."""
    if digits is None or array.dtype.kind != "f":
        return array.copy()
    return np.array([float(f"{each:.{digits}g}") for each in array.ravel()]).reshape(array.shape)


def _literal(array: Array, call: str) -> str:
    """Return an array as code: on one line, or with a line for each row, several for a long row."""
    text = _as_written(str(array.tolist()))
    if len(text) < WIDTH - 30 and (array.ndim < 2 or len(array) == 1):
        return f"{call}({text})"
    shape = f".reshape{array.shape}" if array.ndim > 2 else f"  # {array.shape}"
    table = array.reshape(-1, array.shape[-1]).tolist()
    rows = [f"{row}," for row in table] if array.ndim > 1 else [f"{text[1:-1]},"]
    lines = [fill(_as_written(row), WIDTH - 4, subsequent_indent=" " * (array.ndim > 1)) for row in rows]
    return "\n".join([f"{call}([", *(indent(line, "    ") for line in lines), f"]){shape}"])


# ---- functions and imports ----


@cache
def _files(language: str) -> tuple[tuple[str, ast.Module], ...]:
    """Return the text and syntax tree of each file of a language; none of the files is imported."""
    here = Path(__file__).parent
    folder = "numpy" if language == NUMPY else "pytorch"
    files = [*[here / "packages.py"] * (language == SHORT), here / "arrays.py"]
    files += sorted((here / folder).glob("*.py"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    if language == NUMPY:  # `arrays` is written with names of torch that NumPy has too
        texts[0] = texts[0].replace("import torch", "import numpy as np").replace("torch.", "np.")
    return tuple((text, ast.parse(text)) for text in texts)


@cache
def functions(language: str) -> dict[str, str]:
    """Return the source of each function of a language, by name."""
    return {
        node.name: "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])
        for text, tree in _files(language)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }


@cache
def numpy_functions() -> dict[str, Any]:
    """Return the functions of NumPy's programs, and the modules that lines may use, by name."""
    scope: dict[str, Any] = {}
    for text, _tree in reversed(_files(NUMPY)):  # the functions for both languages come last
        exec(text, scope)
    return scope


def _names(text: str) -> set[str]:
    r"""Return the names that a text uses and does not assign.

    >>> sorted(_names("x = f(y)\nprint(x.z)"))
    ['f', 'print', 'y']
    """
    nodes = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)]
    return {each.id for each in nodes} - {each.id for each in nodes if not isinstance(each.ctx, ast.Load)}


def _sources_of(language: str, text: str) -> list[str]:
    """Return the sources of the functions that a text calls, directly or not, in the order of their files."""
    packaged = {each.asname or each.name for each in _packaged()} if language == SHORT else set()
    sources = {name: each for name, each in functions(language).items() if name not in packaged}
    callees, names = set[str](), _names(text)
    while more := (names & sources.keys()) - callees:
        callees |= more
        names = set[str]().union(*(_names(sources[name]) for name in more))
    return [source for name, source in sources.items() if name in callees]


def _packaged() -> list[ast.alias]:
    """Return the names that short programs import, those in `packages.py`."""
    _text, tree = _files(SHORT)[0]
    return [each for node in tree.body if isinstance(node, ast.ImportFrom) for each in node.names]


def imports(language: str, text: str) -> str:
    """Return the import statements that a text needs, in the form of the files here."""
    missing = _names(text)
    groups: list[list[str]] = [[], [], []]  # of Python, of others, of this app
    for _text, tree in (*_files(language), *_files(NUMPY)):
        for node in tree.body:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            names = [each for each in node.names if (each.asname or each.name) in missing]
            statement = ast.unparse(type(node)(**{**vars(node), "names": names}))
            root = re.split(r"[ .]", statement)[1]
            if names and root != "programs":
                missing -= {each.asname or each.name for each in names}
                if len(statement) > WIDTH:
                    first, *more = statement.replace("import ", "import (\n    ").split(", ")
                    statement = ",\n    ".join([first, *more]) + ",\n)"
                groups[2 if root.startswith("attn") else int(root != "math")].append(statement)
    plain_first = (sorted(sorted(group), key=lambda line: line[0] == "f") for group in groups if group)
    return "\n\n".join("\n".join(group) for group in plain_first)
