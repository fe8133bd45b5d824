"""A person's own table, read from bytes; where it cannot be, a sentence says which line and why."""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from attn_words import N_, _, _n, paragraph

ENCODINGS = ("utf-8-sig", "utf-16", "cp1252")
SEPARATORS = (";", "\t", "|", ",")  # a decimal comma looks like a separator: the comma is asked last
SHOWN = 24  # characters of a bad cell that a sentence repeats
MOST_COLUMNS = 200
ISO = re.compile(r"\d{4}-\d\d(-\d\d([T ]\d\d:\d\d.*)?)?")
DAY_OR_MONTH = re.compile(r"(\d{1,2})([/.])(\d{1,2})\2(\d{4})(.*)")


class TableError(ValueError):
    """The bytes cannot be read as a table; the message says why, for the person who sent them."""


@dataclass(frozen=True)
class Column:
    """One column: its name, its numbers, NaN where a cell holds none, and the lines of the file.

    Where it is `dated`, the numbers are days since 1970-01-01, of UTC where the cells name a zone.
    """

    name: str
    numbers: NDArray[np.float64]
    cells: tuple[str, ...]
    lines: tuple[int, ...]
    dated: bool = False

    @property
    def is_numeric(self) -> bool:
        """Whether at least two cells, and more than half of those that are not empty, are numbers."""
        filled = sum(bool(cell) for cell in self.cells)
        finite = int(np.isfinite(self.numbers).sum())
        return finite >= 2 and finite * 2 > filled


@dataclass(frozen=True)
class Pairs:
    """Two columns joined: the pairs of numbers, and what was left out, in words."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    notes: tuple[str, ...]


def read_table(data: bytes, *, most_bytes: int, most_rows: int) -> list[Column]:
    """Read a table with a header line: commas, semicolons or tabs, decimal points or commas, any encoding.

    A column of dates is one of numbers too: 2024-01-31, with a time or without, and 31/1/2024 where the
    column itself says which number is the day.

    Raises:
        TableError: nothing in it, too much in it, or no two columns of numbers.
    """
    if len(data) > most_bytes:
        raise TableError(
            _(
                "The file has {count} bytes; at most {most} are read.",
                count=f"{len(data):,}",
                most=f"{most_bytes:,}",
            )
        )
    text = _decode(data)
    if not text.strip():
        raise TableError(_("The file is empty."))
    separator = _separator(text)
    rows = [(line, cells) for line, cells in _rows(text, separator) if any(cell.strip() for cell in cells)]
    if not rows:
        raise TableError(_("The file has no cell with anything in it."))
    if len(rows) - 1 > most_rows:
        raise TableError(
            _(
                "The file has {count} rows of data; at most {most} are read.",
                count=f"{len(rows) - 1:,}",
                most=f"{most_rows:,}",
            )
        )
    columns = _columns(rows, decimal_comma=separator != ",")
    numeric = [column for column in columns if column.is_numeric]
    if len(numeric) < 2 or all(column.dated for column in numeric):
        raise TableError(_why_too_few(columns, numeric))
    return columns


def pair(x: Column, y: Column) -> Pairs:
    """Join two columns; pairs with a cell that is no finite number are left out and named.

    Raises:
        TableError: fewer than two pairs, or numbers too far apart to draw.
    """
    good = np.isfinite(x.numbers) & np.isfinite(y.numbers)
    notes = []
    bad = np.flatnonzero(~good)
    if len(bad):
        first = bad[0]
        column = x if not np.isfinite(x.numbers[first]) else y
        notes.append(
            _(
                _LEFT_OUT[_held(column.cells[first], column.dated)],
                count=len(bad),
                rows=len(good),
                line=column.lines[first],
                column=column.name,
                cell=_short(column.cells[first]),
            )
        )
    if good.sum() < 2:
        few = _("Two points are needed; the file has {count}.", count=good.sum())
        raise TableError(paragraph(few, *notes))
    kept_x, kept_y = x.numbers[good], y.numbers[good]
    for column, numbers in ((x, kept_x), (y, kept_y)):
        if np.abs(numbers).max() > 1e100:
            line = np.asarray(column.lines)[good][np.abs(numbers).argmax()]
            raise TableError(
                _("Line {line}: {column} is beyond 1e100, too large to draw.", line=line, column=column.name)
            )
    repeated = len(kept_x) - len(np.unique(kept_x))
    if repeated:
        notes.append(
            _n(
                "{count} row with an {x} seen before: each counts as a key of its own.",
                "{count} rows with an {x} seen before: each counts as a key of its own.",
                repeated,
                x=x.name,
            )
        )
    return Pairs(kept_x, kept_y, tuple(notes))


def thin(x: NDArray[np.float64], y: NDArray[np.float64], most: int, seed: int) -> NDArray[np.int_]:
    """Choose which of too many points to keep: at random from the seed, in their own order."""
    return np.sort(np.random.default_rng(seed).choice(len(x), size=min(most, len(x)), replace=False))


def _decode(data: bytes) -> str:
    encodings = ENCODINGS if data[:2] in (b"\xff\xfe", b"\xfe\xff") else (ENCODINGS[0], ENCODINGS[2])
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeError:
            continue
        if "\0" in text:
            break
        return text
    raise TableError(_("The file is not text: save the table as CSV in UTF-8."))


def _separator(text: str) -> str:
    """The first separator that splits nearly all of the first lines into as many cells as the first one."""
    head = "\n".join([line for line in text.splitlines() if line.strip()][:50])

    def evenness(separator: str) -> float:
        counts = [len(cells) for _, cells in _rows(head, separator)]
        return counts.count(counts[0]) / len(counts) if counts[0] > 1 else 0.0

    return next((separator for separator in SEPARATORS if evenness(separator) >= 0.8), ",")


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=None), delimiter=separator)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        cannot = _("Line {line} cannot be read: {error}.", line=reader.line_num, error=error)
        raise TableError(cannot) from None


def _columns(rows: Sequence[tuple[int, list[str]]], *, decimal_comma: bool) -> list[Column]:
    first = rows[0][1]
    headless = all(
        math.isfinite(_number(cell, decimal_comma)) or math.isfinite(date_of(cell)) for cell in first
    )
    names = [_unnamed(position) for position in range(len(first))] if headless else first
    body = rows if headless else rows[1:]
    if not body:
        raise TableError(_("The file has a header and no rows."))
    if len(names) > MOST_COLUMNS:
        raise TableError(
            _(
                "The file has {count} columns; at most {most} are read.",
                count=len(names),
                most=MOST_COLUMNS,
            )
        )
    missing = [""] * len(names)
    table = [[cell.strip() for cell in (*cells, *missing)][: len(names)] for _, cells in body]
    lines = tuple(line for line, _ in body)
    columns = []
    for position, name in enumerate(_different(names)):
        cells = tuple(row[position] for row in table)
        numbers = np.array([_number(cell, decimal_comma) for cell in cells])
        column = Column(name, numbers, cells, lines)
        if not column.is_numeric:
            dates = Column(name, _dates(cells), cells, lines, dated=True)
            column = dates if dates.is_numeric else column
        columns.append(column)
    return columns


def date_of(cell: str) -> float:
    """Days from 1970-01-01 to an ISO date, with a time or without; NaN where the cell holds none.

    >>> date_of("2024-01-31"), date_of("2024-01-31 10:30"), date_of("2024-01-31T10:30:00+10:30")
    (19753.0, 19753.4375, 19753.0)
    """
    if not ISO.fullmatch(cell):
        return math.nan
    try:
        found = datetime.fromisoformat(cell if len(cell) > len("2024-01") else f"{cell}-01")
        found = found.replace(tzinfo=found.tzinfo or UTC)
        return (found - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() / 86_400
    except (ValueError, OverflowError):
        return math.nan


def _dates(cells: Sequence[str]) -> NDArray[np.float64]:
    """The dates of a column; none where it could be read by the day or by the month first."""
    by_day, by_month = (
        np.array([date_of(_turned(cell, day, month)) for cell in cells]) for day, month in ((1, 3), (3, 1))
    )
    if np.array_equal(by_day, by_month, equal_nan=True):
        return by_day
    # The right reading reads every cell that either can read; if both do, the column does not say.
    either = np.isfinite(by_day) | np.isfinite(by_month)
    whole = [dates for dates in (by_day, by_month) if np.array_equal(np.isfinite(dates), either)]
    return whole[0] if len(whole) == 1 else np.full(len(cells), np.nan)


def _turned(cell: str, day: int, month: int) -> str:
    """Write 31/1/2024 as 2024-01-31, given which of its groups are day and month."""
    found = DAY_OR_MONTH.fullmatch(cell)
    return f"{found[4]}-{found[month]:0>2}-{found[day]:0>2}{found[5]}" if found else cell


def _number(cell: str, decimal_comma: bool) -> float:
    """The number that a cell holds, NaN when it holds none; infinities are kept, to be named."""
    text = cell.strip().replace("\u2212", "-").replace("\u00a0", "").replace(" ", "")
    thousands = "." if decimal_comma else ","
    whole = text.split("," if decimal_comma else ".")[0]
    # In a table with decimal commas "1.234,5" has a point for thousands, but "1.234" alone a decimal one.
    if re.fullmatch(rf"[+-]?\d{{1,3}}(\{thousands}\d{{3}})+", whole) and (not decimal_comma or "," in text):
        text = text.replace(thousands, "")
    if text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    try:
        return float(text) if "_" not in text else math.nan
    except ValueError:
        return math.nan


def _different(names: Sequence[str]) -> list[str]:
    """Give empty and repeated names a number, so that each can be chosen."""
    seen: list[str] = []
    for position, name in enumerate(names):
        plain = "".join(c for c in name.strip() if c.isprintable())[:40] or _unnamed(position)
        seen.append(plain if plain not in seen else f"{plain} ({position + 1})")
    return seen


def _unnamed(position: int) -> str:
    return _("column {number}", number=position + 1)


def _why_too_few(columns: Sequence[Column], numeric: Sequence[Column]) -> str:
    if len(numeric) > 1:
        return _n(
            "Two columns of numbers are needed; the file has {count} column, but dates can be keys alone: "
            "one more column of numbers is needed.",
            "Two columns of numbers are needed; the file has {count} columns, but dates can be keys alone: "
            "one more column of numbers is needed.",
            len(columns),
        )
    if numeric:
        needed = _n(
            "Two columns of numbers are needed; the file has {count} column, {numeric} of them with numbers.",
            "Two columns of numbers are needed; the file has {count} columns, {numeric} of them with "
            "numbers.",
            len(columns),
            numeric=len(numeric),
        )
    else:
        needed = _n(
            "Two columns of numbers are needed; the file has {count} column, none with at least two numbers.",
            "Two columns of numbers are needed; the file has {count} columns, none with at least two "
            "numbers.",
            len(columns),
        )
    return paragraph(needed, _first_bad(column for column in columns if not column.is_numeric))


def _first_bad(columns: Iterable[Column]) -> str:
    """Say where the first cell is that is no number; nothing where all are."""
    for column in columns:
        for line, cell, number in zip(column.lines, column.cells, column.numbers, strict=True):
            where = {"line": line, "column": column.name}
            if DAY_OR_MONTH.fullmatch(cell):
                return _(
                    "Line {line}: {column} holds “{cell}”, and nothing in the column says whether day or "
                    "month comes first: write dates as 2024-01-31.",
                    **where,
                    cell=cell[:SHOWN],
                )
            if not math.isfinite(number):
                return _(_BAD[_held(cell)], **where, cell=_short(cell))
    return ""


def _held(cell: str, dated: bool = False) -> str:
    """Return what a cell that cannot be used holds."""
    if not cell:
        return "nothing"
    return "no date" if dated else "no number"


def _short(cell: str) -> str:
    return cell if len(cell) <= SHOWN else f"{cell[: SHOWN - 1]}…"


_BAD: Mapping[str, str] = {
    "nothing": N_("Line {line}: {column} is blank."),
    "no number": N_("Line {line}: {column} holds “{cell}”, which is not a finite number."),
}
_LEFT_OUT: Mapping[str, str] = {
    "nothing": N_("{count} of {rows} rows are left out; the first is line {line}, where {column} is blank."),
    "no date": N_(
        "{count} of {rows} rows are left out; the first is line {line}, where {column} holds “{cell}”, which "
        "is not a date."
    ),
    "no number": N_(
        "{count} of {rows} rows are left out; the first is line {line}, where {column} holds “{cell}”, which "
        "is not a finite number."
    ),
}
