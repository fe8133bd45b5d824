"""A visitor's own table, read from bytes; if it cannot be read, the error's message has the line and why."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from itertools import zip_longest
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_words import N_, _, _n, paragraph

_NO_ROWS = N_("The file has no rows of data.")
# A decimal comma looks like a separator, and so does the space in a date: both are tried last.
SEPARATORS = (";", "\t", "|", ",", " ")
SHOWN = 24  # characters of a bad cell that a sentence repeats
MOST_COLUMNS = 200
_MISSING = ("", "na", "n/a", "nan", "null", "none", "-", ".")
Sign = Literal[".", ","]
_UNCLEAR = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # 1,140 is 1140 or 1.14
_GROUPED = re.compile(r"([+-]?\d{1,3})([,.' ])\d{3}(\2\d{3})*([.,]\d*)?$")
_SAME = str.maketrans({"\u2212": "-", "\u00a0": " ", "\u202f": " ", "\u2019": "'"})
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_OR_MONTH = r"(?P<d>\d{1,2})([-/.])(?P<m>\d{1,2})\2(?P<y>\d{4}|\d\d)"
_DATES = tuple(
    re.compile(f"{form}(?P<time>[T ]\\d\\d:\\d\\d.*)?", re.ASCII | re.IGNORECASE)
    for form in (
        _DAY_OR_MONTH,
        r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})([-/.](?P<d>\d{1,2}))?",
        r"(?P<y>\d{4})年(?P<m>\d{1,2})月((?P<d>\d{1,2})日)?",
        r"(?P<d>\d{1,2})[- ](?P<m>[a-z]{3,9})\.?,?[- ](?P<y>\d{4}|\d\d)",
        r"(?P<m>[a-z]{3,9})\.? (?P<d>\d{1,2}),? (?P<y>\d{4})",
    )
)


class TableError(ValueError):
    """The bytes cannot be read as a table; the message tells the visitor why."""


class UnclearError(TableError):
    """A number can be read in two ways, and nothing in the table decides between them."""

    def __init__(self, line: int, column: str, cell: str) -> None:
        """Store both readings of the cell, by decimal sign."""
        where = {"line": line, "column": column, "cell": cell}
        super().__init__(_("Line {line}: {column} holds “{cell}”: choose which number that is.", **where))
        self.readings: Mapping[Sign, str] = {
            ".": f"{_number(cell, '.'):.0f}",
            ",": f"{_number(cell, ','):.3f}",
        }


@dataclass(frozen=True)
class Column:
    """One column: its name, its numbers (NaN where a cell holds none), its cells and their lines in the file.

    If it is `dated`, the numbers are days since 1970-01-01, in UTC if the cells name a time zone; if it is
    an `index`, it counts the rows.
    """

    name: str
    numbers: NDArray[np.float64]
    cells: tuple[str, ...]
    lines: tuple[int, ...]
    dated: bool = False
    index: bool = False

    @property
    def is_numeric(self) -> bool:
        """Whether at least two cells, and more than half of those that are not empty, are numbers."""
        filled = sum(cell.lower() not in _MISSING for cell in self.cells)
        finite = int(np.isfinite(self.numbers).sum())
        return finite >= 2 and finite * 2 > filled


@dataclass(frozen=True)
class OwnTable:
    """The columns of a file, and notes on how the file was read."""

    columns: list[Column]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Pairs:
    """Two columns joined: the pairs of numbers, and notes on rows left out."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    notes: tuple[str, ...]


_Row = tuple[int, list[str]]  # the line of the file, and its cells


def read_table(data: bytes, *, most_bytes: int, most_rows: int, decimal: Sign | None = None) -> OwnTable:
    """Read a table; its separator, header line and decimal sign are guessed, and the notes state each guess.

    Dates are read as numbers too: 2024-01-31, 2024/1/31, 2024年1月31日, 31 Jan 2024, with or without a time,
    and 31/1/24 if other cells of the column show which number is the day. `decimal` is the decimal sign to
    use if the table does not show it.

    Raises:
        UnclearError: a number such as 1,140, and `decimal` is None.
        TableError: the table is empty or too large, or has no two columns of numbers.
    """
    _bound("bytes", len(data), most_bytes)
    text, encoding = _decode(data)
    lines = text.translate(_SAME).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    n_lines = len(lines) - lines.count("")
    if n_lines > 4 * most_rows:  # too many even with comments and multi-line cells: not read at all
        _bound("rows", n_lines - 1, most_rows)
    match = re.fullmatch(r"sep=(.)", lines[0].strip("\n"), re.IGNORECASE)
    if match:
        lines[0] = ""
    remarks = _remarks(lines)
    for at in remarks:
        lines[at] = ""
    separator = match[1] if match else _separator([line for line in lines if line.strip()][:50])
    rows = list(_rows(lines, separator))
    if not text.strip("".join(SEPARATORS) + '"\r\n') or not rows:
        raise TableError(_(_NO_ROWS))
    _bound("rows", len(rows) - 1, most_rows)
    cells_of = {at: next(_rows([text], separator), (0, []))[1] for at, text in remarks.items()}
    names, body, notes = _split(rows, cells_of, gaps=separator != " ")
    if not body:
        raise TableError(_(_NO_ROWS))
    _bound("columns", len(names), MOST_COLUMNS)
    columns, examples = _columns(names, body, decimal)
    numeric = [column for column in columns if column.is_numeric]
    if len(numeric) < 2 or all(column.dated for column in numeric):
        raise TableError(_why_too_few(columns, numeric))
    if columns[0].index:
        notes.append(_("The first column has no name and counts the rows."))
    by = _("Columns are separated by “{sign}”.", sign=separator.replace("\t", r"\t"))
    if encoding:
        notes.append(_("The file is not in UTF-8: its letters are read as {encoding}.", encoding=encoding))
    return OwnTable(columns, (by, *notes, *examples))


def pair(x: Column, y: Column) -> Pairs:
    """Join two columns; rows without two finite numbers are left out and counted in a note.

    Raises:
        TableError: fewer than two pairs, or a number beyond 1e100.
    """
    good = np.isfinite(x.numbers) & np.isfinite(y.numbers)
    notes = []
    bad = np.flatnonzero(~good)
    if len(bad):
        first = bad[0]
        column = x if not np.isfinite(x.numbers[first]) else y
        notes.append(
            _(
                "{count} of {rows} rows are left out; the first is line {line}, where {column} holds "
                "“{cell}”.",
                count=len(bad),
                rows=len(good),
                line=column.lines[first],
                column=column.name,
                cell=_short(column.cells[first]),
            )
        )
    if good.sum() < 2:
        few = _("Two points are needed; there are {count}.", count=good.sum())
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


def draw_indices(n: int, most: int, seed: int) -> NDArray[np.int_]:
    """Return ascending indices of `n` points, at most `most` of them, drawn at random from the seed."""
    return np.sort(np.random.default_rng(seed).choice(n, size=min(most, n), replace=False))


def _bound(what: str, count: int, most: int) -> None:
    if count > most:
        raise TableError(_(_TOO_MANY[what], count=f"{count:,}", most=f"{most:,}"))


def _decode(data: bytes) -> tuple[str, str]:
    """Return the text and the name of its encoding, "" for UTF-8."""
    nulls = data[1::2].count(0), data[::2].count(0)
    is_wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    wide = "utf-16" if is_wide else "utf-16-le" if nulls[0] > nulls[1] else "utf-16-be"
    for encoding in (wide,) if is_wide or any(nulls) else ("utf-8-sig", *_LOOKS_RIGHT, "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeError:
            continue
        if "\0" not in text and _LOOKS_RIGHT.get(encoding, bool)(text or " "):
            return text, "" if encoding == "utf-8-sig" else encoding.upper()
    raise TableError(_("The file is not text: save the table as CSV in UTF-8."))


def _is_common(text: str, encoding: str, leads: range, least_trail: int) -> bool:
    """Whether most non-ASCII characters are common ones of the encoding: they are not if it is wrong."""
    codes = [letter.encode(encoding) for letter in text if not letter.isascii()]
    common = [code for code in codes if len(code) == 2 and code[0] in leads and code[1] > least_trail]
    return 2 * len(common) > len(codes)


_LOOKS_RIGHT: Mapping[str, Callable[[str], bool]] = {
    "gb18030": lambda text: _is_common(text, "gb18030", range(0xB0, 0xD8), 0xA0),
    # A single Chinese character may be the "µm" of another encoding.
    "big5": lambda text: (
        re.search(r"[\u4e00-\u9fff]{2}", text) is not None and _is_common(text, "big5", range(0xA4, 0xC7), 0)
    ),
    "cp1251": lambda text: re.search("[А-Яа-яЁё]{3}", text) is not None,
}
"""The test that decoded text must pass for each old encoding, in the order of trial."""


def _remarks(lines: Sequence[str]) -> dict[int, str]:
    """Return lines that begin with #, ~ or % by index, without the sign; {} unless two others remain."""
    marked = {
        at: line.lstrip()[1:].lstrip("#~% ") for at, line in enumerate(lines) if line.lstrip()[:1] in {*"#~%"}
    }
    filled = sum(bool(line.strip()) for line in lines)
    return marked if filled - len(marked) >= 2 else {}


def _separator(head: Sequence[str]) -> str:
    """Return the first separator that splits nearly all of these lines into equally many cells."""

    def evenness(separator: str) -> float:
        counts = Counter(len(cells) for _, cells in _rows(head, separator))
        many = max(counts, key=lambda count: (counts[count], count), default=1)
        # Two lines may differ: one above the header, and a header that is one cell short.
        return counts[many] / max(1, counts.total() - 2 * (counts.total() > 2)) if many > 1 else 0.0

    return next((separator for separator in SEPARATORS if evenness(separator) >= 0.8), ",")


def _rows(lines: Sequence[str], separator: str) -> Iterator[_Row]:
    """Yield the rows that are not empty, each with its last line; " " as separator includes tabs."""
    if separator == " ":
        lines = [line.replace("\t", " ").strip() for line in lines]
    reader = csv.reader(io.StringIO("\n".join(lines)), delimiter=separator, skipinitialspace=True)
    try:
        for cells in reader:
            row = [cell.strip() for cell in cells]
            if any(row):
                yield reader.line_num, row
    except csv.Error as error:
        cannot = _("Line {line} cannot be read: {error}.", line=reader.line_num, error=error)
        raise TableError(cannot) from None


def _split(
    rows: list[_Row], remarks: Mapping[int, list[str]], *, gaps: bool
) -> tuple[list[str], list[_Row], list[str]]:
    """Return the names of the columns, the rows under them, and notes on header, title and comment lines.

    With `gaps` a row may end before its last column; without, as between spaces, any cell might be missing.
    """
    longest = max(len(cells) for _, cells in rows)
    while not any(cells[-1] for _, cells in rows if len(cells) == longest):  # every line ends in a separator
        longest -= 1
        rows = [(line, cells[:longest]) for line, cells in rows]
    counts = Counter(len(cells) for _, cells in rows)
    width = max(counts, key=lambda count: (counts[count], count))
    notes = []
    titles = [line + 1 for line in remarks]
    while len(rows) > 1 and _is_title(rows[0][1], rows[1][1], width):
        titles.append(rows.pop(0)[0])
    line, first = rows[0]
    if len(first) == width - 1 > 0 and len(rows) > 1 and len(rows[1][1]) == width:
        names, rows = ["", *first], rows[1:]
        notes.append(_("Line {line} names the columns.", line=line))
    elif all(_is_value(cell) for cell in first):
        remark_lines = [at for at, cells in remarks.items() if at < line and len(cells) == width]
        is_named = bool(remark_lines) and not any(_is_value(cell) for cell in remarks[remark_lines[-1]])
        names = remarks[remark_lines[-1]] if is_named else [""] * len(first)
        if is_named:
            titles.remove(remark_lines[-1] + 1)
            notes.append(_("Line {line} names the columns.", line=remark_lines[-1] + 1))
        else:
            notes.append(_("No line names the columns."))
    else:
        names, rows = first, rows[1:]
        notes.append(_("Line {line} names the columns.", line=line))
    if titles:
        notes.append(
            _n(
                "{count} line is taken for a title or a comment: line {line}.",
                "{count} lines are taken for titles or comments, the first line {line}.",
                len(titles),
                line=min(titles),
            )
        )
    for line, cells in rows:
        while len(cells) > len(names) and not cells[-1]:
            cells.pop()
        if len(cells) > len(names) or (len(cells) < len(names) and not gaps):
            raise TableError(
                _(
                    "Line {line} has {count} cells, and {columns} columns are named: a cell that holds the "
                    "separator is wanted in quotes.",
                    line=line,
                    count=len(cells),
                    columns=len(names),
                )
            )
    return names, rows, notes


def _is_title(cells: Sequence[str], following: Sequence[str], width: int) -> bool:
    """Whether a row is a title above the header: one cell alone, or no names while the next row has them."""
    names_follow = len(following) == width and all(following) and not any(map(_is_value, following))
    if not names_follow:
        return width > 1 and len(cells) == 1
    return (width > 1 and sum(map(bool, cells)) != width) or any(map(_is_value, cells))


def _is_value(cell: str) -> bool:
    readings = _number(cell, "."), _number(cell, ","), date_of(cell), date_of(cell, by_month=True)
    return any(map(math.isfinite, readings))


def _columns(
    names: Sequence[str], rows: Sequence[_Row], decimal: Sign | None
) -> tuple[list[Column], list[str]]:
    """Return the columns, and for each column with unusual cells a note on how one of them was read."""
    lines = tuple(line for line, _ in rows)
    table = [each[1:] for each in zip_longest(names, *(cells for _, cells in rows), fillvalue="")]
    titles = _different(names)
    signs = [_signs(cells) for cells in table]
    everywhere = {sign for each in signs for sign in each}
    columns: list[Column] = []
    examples: list[str] = []
    for name, cells, own in zip(titles, table, signs, strict=True):
        if len(own) > 1:
            raise TableError(
                _(
                    "Lines {lines}: {column} holds {cells}: one decimal sign is wanted.",
                    lines=", ".join(str(lines[at]) for at in own.values()),
                    column=name,
                    cells=", ".join(f"“{_short(cells[at])}”" for at in own.values()),
                )
            )
        sign = next(iter(own or (everywhere if len(everywhere) == 1 else ())), decimal)
        column = Column(name, _each(cells, partial(_number, decimal=sign or ".")), cells, lines)
        if not column.is_numeric:
            dates = Column(name, _dates(cells), cells, lines, dated=True)
            column = dates if dates.is_numeric else column
        elif sign is None:
            for line, cell in zip(lines, cells, strict=True):
                if _UNCLEAR.fullmatch(cell):
                    raise UnclearError(line, name, cell)
        first = not columns and not names[0] and np.isfinite(column.numbers).all()
        columns.append(replace(column, index=bool(first and (np.diff(column.numbers) == 1).all())))
        examples += _example(column, sign or ".")
    return columns, examples


def _signs(cells: Sequence[str]) -> dict[Sign, int]:
    """Return the decimal signs that a column's cells prove, each with the index of the first cell that does.

    1.140,5 proves a comma, 1,140,000 a point; 1,140 and 1.140 prove neither.
    """
    signs: dict[Sign, int] = {}
    for at, cell in enumerate(cells):
        commas, points = cell.count(","), cell.count(".")
        if commas and points:
            sign: Sign = "," if cell.rfind(",") > cell.rfind(".") else "."
        else:
            sign = "," if commas == 1 or points > 1 else "."
        if not commas + points or sign in signs:
            continue
        is_clear = commas + points > 1 or not _UNCLEAR.fullmatch(cell.replace(".", ","))
        if is_clear and math.isfinite(_number(cell, sign)):
            signs[sign] = at
    return signs


def _number(cell: str, decimal: Sign) -> float:
    """Return the number in a cell, NaN if there is none; infinities are kept."""
    if cell[:1].isalpha() or "_" in cell:
        return math.nan
    grouped = _GROUPED.match(cell)
    if grouped and grouped[2] != decimal and (grouped[4] or decimal)[0] == decimal:
        cell = cell.replace(grouped[2], "")
    try:
        return float(cell if decimal == "." else cell.replace(".", " ").replace(",", "."))
    except ValueError:
        return math.nan


def _each(cells: Sequence[str], parse: Callable[[str], float]) -> NDArray[np.float64]:
    values = {cell: parse(cell) for cell in set(cells)}
    return np.array([values[cell] for cell in cells])


def date_of(cell: str, *, by_month: bool = False) -> float:
    """Return the days from 1970-01-01 to a date, with or without a time; NaN if the cell holds no date.

    >>> date_of("2024-01-31"), date_of("2024-01-31 10:30"), date_of("2024-01-31T10:30:00+10:30")
    (19753.0, 19753.4375, 19753.0)
    >>> date_of("31 Jan 2024"), date_of("1/31/24", by_month=True), date_of("2024年1月31日")
    (19753.0, 19753.0, 19753.0)
    """
    may_be = cell[:1].isdigit() or (cell[:1].isalpha() and cell[-1:].isdigit())
    match = next((match for form in _DATES if may_be and (match := form.fullmatch(cell))), None)
    if match is None:
        return math.nan
    year, month, day = match["y"], match["m"].lower()[:3], match["d"] or "1"
    if by_month and match.re is _DATES[0]:
        month, day = day, month
    century = "" if len(year) == 4 else "20" if year < "69" else "19"  # as POSIX has it
    number = _MONTHS.index(month) + 1 if month in _MONTHS else month
    try:
        if not match["time"]:
            return float(date(int(century + year), int(number), int(day)).toordinal() - 719_163)
        when = datetime.fromisoformat(f"{century}{year}-{number:0>2}-{day:0>2}{match['time']}")
        when = when.replace(tzinfo=when.tzinfo or UTC)
        return (when - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() / 86_400
    except (ValueError, OverflowError):
        return math.nan


def _dates(cells: Sequence[str]) -> NDArray[np.float64]:
    """Return the dates of a column, all NaN if both day and month could come first."""
    by_day = _each(cells, date_of)
    if not any(re.match(_DAY_OR_MONTH, cell) for cell in cells):
        return by_day
    by_month = _each(cells, partial(date_of, by_month=True))
    if np.array_equal(by_day, by_month, equal_nan=True):
        return by_day
    # The right order reads every cell that either order reads; if both do, the column decides nothing.
    either = np.isfinite(by_day) | np.isfinite(by_month)
    whole = [dates for dates in (by_day, by_month) if np.array_equal(np.isfinite(dates), either)]
    return whole[0] if len(whole) == 1 else np.full(len(cells), np.nan)


def _example(column: Column, sign: Sign) -> Iterator[str]:
    """Yield a note on how the first unusual cell was read, or nothing."""
    if sign == "." and not column.dated and not set("".join(column.cells)) & set(",' "):
        return
    for cell, number in zip(column.cells, column.numbers, strict=True):
        is_plain = (
            cell[4:5] == "-" if column.dated else not set(cell) & set(",' ") and _number(cell, ".") == number
        )
        if math.isfinite(number) and not is_plain:
            text = str(np.datetime64(round(number * 86_400), "s")) if column.dated else f"{number:.15g}"
            text = text.removesuffix("T00:00:00")
            what = {"column": column.name, "cell": _short(cell), "number": text}
            yield _("{column}: “{cell}” is read as {number}.", **what)
            return


def _different(names: Sequence[str]) -> list[str]:
    """Return the column names, with a number where one is empty or repeated, so that all differ."""
    titles: list[str] = []
    for number, name in enumerate(names, 1):
        plain = "".join(c for c in name.strip() if c.isprintable())[:40] or _(
            "column {number}", number=number
        )
        titles.append(plain if plain not in titles else f"{plain} ({number})")
    return titles


def _why_too_few(columns: Sequence[Column], numeric: Sequence[Column]) -> str:
    requirement = _(
        "Two columns of numbers are needed, at most one of them dates; of {count} in the file {numeric} can "
        "be read, {dated} of them dates.",
        count=len(columns),
        numeric=len(numeric),
        dated=sum(column.dated for column in numeric),
    )
    return paragraph(requirement, _first_bad(column for column in columns if not column.is_numeric))


def _first_bad(columns: Iterable[Column]) -> str:
    """Return a sentence on the first cell that is no finite number; "" if all are."""
    for column in columns:
        for line, cell, number in zip(column.lines, column.cells, column.numbers, strict=True):
            where = {"line": line, "column": column.name, "cell": _short(cell)}
            if math.isfinite(date_of(cell)) or math.isfinite(date_of(cell, by_month=True)):
                return _(
                    "Line {line}: {column} holds “{cell}”, and nothing in the column says whether day or "
                    "month comes first: write dates as 2024-01-31.",
                    **where,
                )
            if not math.isfinite(number):
                return _("Line {line}: {column} holds “{cell}”, which is not a finite number.", **where)
    return ""


def _short(cell: str) -> str:
    return cell if len(cell) <= SHOWN else f"{cell[: SHOWN - 1]}…"


_TOO_MANY: Mapping[str, str] = {
    "bytes": N_("The file has {count} bytes; at most {most} are read."),
    "rows": N_("The file has {count} rows of data; at most {most} are read."),
    "columns": N_("The file has {count} columns; at most {most} are read."),
}
