"""Every setting that a link can carry: its short name, default and allowed range.

The names are public: a link that someone saved must keep working. A name means the same on every page.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

from attn_words import _, _c

_DIGITS = 30  # characters that a number in a table may take
EXACT = 6  # significant digits of a value between two of a slider's
WORDLESS = frozenset("0123456789/√ₖd=×.+-−% ")
"""An option of these characters alone is not translated."""
_FEW = 10  # most values that a sentence lists one by one


class NearestError(ValueError):
    """A number that a setting cannot take; `nearest` is the text of the nearest that it can."""

    def __init__(self, requirement: str, nearest: str) -> None:
        """Take the requirement, and the text that is used instead."""
        super().__init__(requirement)
        self.nearest = nearest


class Parameter(Protocol):
    """What all kinds of settings have in common."""

    @property
    def name(self) -> str:
        """The name in the address."""

    @property
    def default(self) -> Any:
        """The value that is left out of the address."""

    def read(self, text: str) -> Any:
        """Return the value that `text` stands for; ValueError says what was wanted.

        NearestError also has the text that is used instead.
        """


@dataclass(frozen=True)
class Choice:
    """One of a few named options; the address holds the option, `label_of` returns its name on screen.

    If the options are ``views`` of a page, choosing one is a step of the browser's history; those in
    ``chips`` are shown side by side and the others in a list, *More views*. The search finds views, and
    options with a ``kind`` ("mask"), by their names; ``tab`` is the tab that shows them, if the page itself
    does not. ``old_options`` occur in saved links only, each with the link that shows the same now.
    """

    name: str
    default: str
    options: tuple[str, ...]
    views: bool = False
    kind: str = ""
    tab: str = ""
    chips: tuple[str, ...] = ()
    old_options: tuple[tuple[str, str], ...] = ()

    def read(self, text: str) -> str:
        """Return the option itself."""
        if text not in self.options:
            raise ValueError(_("one of {options}", options=", ".join(self.options)))
        return text


# Names of options that saved links name otherwise, by setting and option.
LABELS = {
    ("fault", "place not counted on"): "position not advanced",
    ("flaw", "places from one"): "positions from one",
    ("keep", "all but one word"): "token removed",
    ("slip", "too loud"): "positions too strong",
    ("tab", "Break it"): "Common mistakes",
    ("tab", "Heads add up"): "Sum over heads",
    ("tab", "One or many"): "Single vs multi-head",
    ("tab", "Spellings"): "Implementations",
    **{(setting, "buckets"): "T5 relative bias" for setting in ("beside", "pos", "scheme")},
    **{(setting, "ramp"): "linear positions" for setting in ("beside", "pos", "scheme")},
}


def label(setting: str, option: str) -> str:
    """Return an option's name in English.

    >>> label("tab", "Break it"), label("mask", "causal")
    ('Common mistakes', 'causal')
    """
    return LABELS.get((setting, option), option)


def context(setting: str) -> str:
    """Return the context in which a setting's options are translated; all settings of schemes share one.

    >>> context("pos"), context("mask")
    ('scheme', 'mask')
    """
    return "scheme" if setting in ("pos", "beside") else setting


def label_of(setting: "Choice | MultiChoice", option: str) -> str:
    """Return an option as it is shown; the address has the option itself, in every language.

    >>> label_of(Choice("mask", "none", ("none", "causal")), "causal")
    'causal'
    """
    return option if WORDLESS.issuperset(option) else _c(context(setting.name), label(setting.name, option))


def tab_name(tab: str) -> str:
    """Return the name of a tab, or of a part in it, as it is shown."""
    return _c("tab", "Experiments") if tab == "Experiments" else _c("tab", label("tab", tab))


@dataclass(frozen=True)
class Tabs(Choice):
    """The row of tabs under a figure, one part of it open; some tabs have several parts."""

    row: tuple[tuple[str, tuple[str, ...]], ...] = ()


def page_tabs(
    *,
    arithmetic: tuple[str, ...] = (),
    maths: tuple[str, ...] = ("Maths",),
    experiments: tuple[str, ...] = (),
    checks: tuple[str, ...] = ("Checks",),
    code: tuple[str, ...] = ("Code",),
    data: tuple[str, ...] = (),
) -> Tabs:
    """Return a page's tabs under the names that all pages share; the first one is open by default.

    >>> page_tabs(experiments=("Scale", "Cost")).row[:2]
    (('Maths', ('Maths',)), ('Experiments', ('Scale', 'Cost')))
    """
    groups = (
        ("Arithmetic", arithmetic),
        ("Maths", maths),
        ("Experiments", experiments),
        ("Checks", checks),
        ("Code", code),
        ("Data", data),
    )
    row = tuple((name, parts) for name, parts in groups if parts)
    options = tuple(part for _, parts in row for part in parts)
    return Tabs("tab", options[0], options, row=row)


@dataclass(frozen=True)
class Integer:
    """A whole number from low to high."""

    name: str
    default: int
    low: int
    high: int

    def read(self, text: str) -> int:
        """Return the number."""
        requirement = _("a whole number from {low} to {high}", low=self.low, high=self.high)
        if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 12):
            raise ValueError(requirement)
        number = int(text)
        nearest = min(max(number, self.low), self.high)
        if nearest != number:
            raise NearestError(requirement, str(nearest))
        return number


@dataclass(frozen=True)
class Real:
    """A number from low to high."""

    name: str
    default: float
    low: float
    high: float
    step: float = 0.1

    def read(self, text: str) -> float:
        """Return the number."""
        requirement = _("a number from {low} to {high}", low=f"{self.low:g}", high=f"{self.high:g}")
        number = _read_number(text, requirement)
        nearest = min(max(number, self.low), self.high)
        if nearest != number:
            raise NearestError(requirement, f"{nearest:g}")
        return number


@dataclass(frozen=True)
class Flag:
    """On or off, written true or false."""

    name: str
    default: bool

    def read(self, text: str) -> bool:
        """Return True or False."""
        if text.lower() not in ("true", "false"):
            raise ValueError(_("{one} or {other}", one="true", other="false"))
        return text.lower() == "true"


@dataclass(frozen=True)
class Text:
    """A line of text."""

    name: str
    default: str
    longest: int

    def read(self, text: str) -> str:
        """Return the text as it is."""
        if len(text) > self.longest:
            raise ValueError(_("at most {count} characters", count=self.longest))
        return text


@lru_cache(maxsize=256)
def _write_values(values: tuple[float, ...], form: str) -> tuple[str, ...]:
    return tuple(_write_value(value, form) for value in values)


def _write_value(value: float, form: str) -> str:
    """Write a value in a slider's format; if that loses digits, with `EXACT` significant ones."""
    text = format(value, form)
    return text if float(text) == value else f"{value:.{EXACT}g}"


@dataclass(frozen=True)
class Steps:
    """The values of a live figure's slider, in order; the address holds the value, never its position.

    A page may offer only some of the values (`dataclasses.replace(HEADS, values=...)`), and adds one that
    lies between two of them if a link has it (`attn_ui.screen.state.with_exact_value`). The default is left
    out of the address, unless `always_written`. If no value between them is possible, `only` describes those
    that are. With `page_explains`, the page itself explains why it shows another value. The values in
    `landmarks` are kept when others are left out.
    """

    name: str
    default: float
    values: tuple[float, ...]
    form: str = ".3g"
    always_written: bool = False
    only: str = ""
    page_explains: bool = False
    landmarks: tuple[float, ...] = ()

    def read(self, text: str) -> float:
        """Return the number."""
        number = _read_number(text, self.requirement())
        nearest = self.nearest_value(number)
        if nearest != number:
            raise NearestError(self.requirement(), self.text(nearest))
        return nearest

    def requirement(self) -> str:
        """Describe the possible values."""
        low, high = f"{min(self.values):g}", f"{max(self.values):g}"
        if self.only and len(self.values) <= _FEW:
            return _("{wanted}: {values}", wanted=_(self.only), values=", ".join(self.texts()))
        if self.only:
            return _("{wanted} from {low} to {high}", wanted=_(self.only), low=low, high=high)
        if self._whole:
            return _("a whole number from {low} to {high}", low=low, high=high)
        return _("a number from {low} to {high}, of at most {count} digits", low=low, high=high, count=EXACT)

    def nearest_value(self, number: float) -> float:
        """Return the value that is used for a number: itself, or the nearest possible one.

        >>> Steps("t", 1.0, (0.5, 1.0, 2.0)).nearest_value(0.7)
        0.7
        >>> Steps("n", 1, (1, 4), ".0f").nearest_value(2.4)
        2
        """
        if self.only or number in self.values:
            return self.values[self.nearest(number)]
        inside = min(max(number, self.values[0]), self.values[-1])
        return round(inside) if self._whole else float(f"{inside:.{EXACT}g}")

    def nearest(self, value: float) -> int:
        """Return the position of the value nearest to `value`."""
        if value in self.values:  # nearly always, in fifty calls a run
            return self.values.index(value)
        return min(range(len(self.values)), key=lambda i: abs(self.values[i] - value))

    def text(self, value: float) -> str:
        """Return a value as it is written in the address and beside the slider."""
        return _write_value(value, self.form)

    def texts(self) -> list[str]:
        """Return each value as it is written in the address and beside the slider."""
        return list(_write_values(self.values, self.form))

    def with_value(self, value: float) -> "Steps":
        """Return the slider with one value more, in its place."""
        return replace(self, values=tuple(sorted({*self.values, value})))

    def thinned(self, stride: int) -> "Steps":
        """Return the slider with every ``stride``-th value from the default on, both ends and the landmarks.

        >>> Steps("n", 3, tuple(range(9))).thinned(4).values
        (0, 3, 7, 8)
        >>> Steps("n", 3, tuple(range(9)), landmarks=(5,)).thinned(4).values
        (0, 3, 5, 7, 8)
        """
        thinned = self.values[self.nearest(self.default) % stride :: stride]
        values = {self.values[0], *thinned, *self.landmarks, self.values[-1]}
        return replace(self, values=tuple(sorted(values)))

    def fitting(self, numbers_a_step: int, most: int) -> "Steps":
        """Return the slider with so few values that a figure has at most `most` numbers in all steps."""
        stride, slider = 1, self
        while stride < len(self.values) and numbers_a_step * len(slider.values) > most:
            stride *= 2
            slider = self.thinned(stride)
        return slider

    @property
    def _whole(self) -> bool:
        return self.form == ".0f"


@dataclass(frozen=True)
class Table:
    """Rows of numbers: "1,2,3;4,5,6" is two rows of three. Empty text stands for no table."""

    name: str
    most_rows: int
    most_columns: int
    default: str = ""
    longest: int = 3000  # characters, so that a link stays a link
    exact: bool = False  # whether numbers are written with all their digits

    def read(self, text: str) -> str:
        """Return the text itself when it is a table within bounds, and short enough for a link."""
        self.rows(text)
        if len(text) > self.longest:
            raise ValueError(
                _("{wanted}, in at most {count} characters", wanted=self._requirement(), count=self.longest)
            )
        return text

    def rows(self, text: str) -> tuple[tuple[float, ...], ...]:
        """Return the numbers.

        >>> Table("Q", 2, 3).rows("1,2,3;4,5.5,-6")
        ((1.0, 2.0, 3.0), (4.0, 5.5, -6.0))
        """
        if not text:
            return ()
        requirement = self._requirement()
        if len(text) > self.most_rows * self.most_columns * _DIGITS:
            raise ValueError(requirement)
        try:
            rows = tuple(tuple(float(cell) for cell in row.split(",")) for row in text.split(";"))
        except ValueError:
            raise ValueError(requirement) from None
        widths = {len(row) for row in rows}
        fits = len(rows) <= self.most_rows and len(widths) == 1 and max(widths) <= self.most_columns
        if not fits or not all(abs(number) <= 1000 for row in rows for number in row):
            raise ValueError(requirement)
        return rows

    def _requirement(self) -> str:
        return _(
            "at most {rows} rows of at most {columns} numbers from -1000 to 1000, as in {example}",
            rows=self.most_rows,
            columns=self.most_columns,
            example="1,2,3;4,5,6",
        )

    def text(self, rows: Sequence[Sequence[float]]) -> str:
        """Write numbers as the address has them, six significant digits each unless they are exact.

        >>> Table("Q", 2, 3).text([[1.0, 2.0], [0.1234567, -3.5]])
        '1,2;0.123457,-3.5'
        >>> Table("W_q", 2, 3, exact=True).text([[1.0, 2.0], [0.1234567, -3.5]])
        '1,2;0.1234567,-3.5'
        """
        return ";".join(",".join(map(self._write_number, row)) for row in rows)

    def _write_number(self, number: float) -> str:
        return repr(float(number)).removesuffix(".0") if self.exact else f"{number:.6g}"


@dataclass(frozen=True)
class Cells:
    """Cells of a map: "0.2,1.0" is query 0 with key 2, and query 1 with key 0."""

    name: str
    most: int  # rows or columns
    default: str = ""

    def read(self, text: str) -> str:
        """Return the text itself when it is a list of cells."""
        self.cells(text)
        return text

    def cells(self, text: str) -> frozenset[tuple[int, int]]:
        """Return the cells as (query, key).

        >>> sorted(Cells("cells", 64).cells("0.2,1.0"))
        [(0, 2), (1, 0)]
        """
        if not text:
            return frozenset()
        cells = set()
        for part in text.split(","):
            query, dot, key = part.partition(".")
            whole = all(side.isascii() and side.isdigit() and len(side) < 4 for side in (query, key))
            if not (dot and whole and int(query) < self.most and int(key) < self.most):
                raise ValueError(
                    _(
                        "cells as query.key, each from 0 to {most}, as in {example}",
                        most=self.most - 1,
                        example="0.2,1.0",
                    )
                )
            cells.add((int(query), int(key)))
        return frozenset(cells)

    def text(self, cells: Iterable[tuple[int, int]]) -> str:
        """Return cells in the form that the address has."""
        return ",".join(f"{query}.{key}" for query, key in sorted(cells))


@dataclass(frozen=True)
class Sight:
    """The part of a long map that is in sight; "" is all of it.

    "120.64.32" is 32 keys side by side around the 64th, and as large a part around the 120th query.
    """

    name: str
    most: int  # queries or keys
    default: str = ""

    def read(self, text: str) -> str:
        """Return the text itself when it is a part of a map."""
        self.part(text)
        return text

    def part(self, text: str) -> tuple[int, int, int] | None:
        """Return the query and the key in the middle, counted from 1, and how many keys are in sight.

        >>> Sight("zoom", 4096).part("120.64.32"), Sight("zoom", 4096).part("")
        ((120, 64, 32), None)
        """
        if not text:
            return None
        numbers = text.split(".")
        whole = all(each.isascii() and each.isdigit() and len(each) < 6 for each in numbers)
        if not whole or len(numbers) != 3 or not all(1 <= int(each) <= self.most for each in numbers):
            raise ValueError(
                _(
                    "query.key.keys in sight, each from 1 to {most}, as in {example}",
                    most=f"{self.most:,}",
                    example="120.64.32",
                )
            )
        query, key, count = map(int, numbers)
        return query, key, count


@dataclass(frozen=True)
class MultiChoice:
    """Any number of named options; the address repeats the name once for each.

    Options that are ``numbered`` are indices of the page's words, counted from 0, and shown as the words.
    """

    name: str
    options: tuple[str, ...]
    default: tuple[str, ...] = ()
    numbered: bool = False

    def read(self, text: str) -> str:
        """Return one option."""
        if text in self.options:
            return text
        raise ValueError(self.requirement())

    def requirement(self) -> str:
        """Describe the possible options."""
        if self.numbered:
            last = self.options[-1]
            example = "&".join(f"{self.name}={text}" for text in dict.fromkeys((self.options[0], last)))
            return _(
                "whole numbers from {first} to {last}, each at most once, as in {example}",
                first=self.options[0],
                last=last,
                example=example,
            )
        return _("any of {options}, each at most once", options=", ".join(self.options))


def _read_number(text: str, requirement: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(requirement) from None
    if not math.isfinite(number):
        raise ValueError(requirement)
    return number


def rungs(low: float, high: float, of_ten: Sequence[float], form: str) -> tuple[float, ...]:
    """Return numbers from low to high with the same digits in every power of ten, each rounded by `form`.

    So the page computes with exactly the numbers that it shows.

    >>> rungs(0.5, 25.0, (1, 2, 5), ".2f")
    (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 25.0)
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    numbers = (float(format(rung * 10.0**power, form)) for power in powers for rung in of_ten)
    return tuple(sorted({low, *(rung for rung in numbers if low < rung < high), high}))


def parameters_by_name(parameters: Sequence[Parameter]) -> dict[str, Parameter]:
    """Index parameters by name."""
    return {parameter.name: parameter for parameter in parameters}
