"""Tables under a figure: in markdown, of checks, and of many numbers."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from attn_words import N_, _

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

ROUNDED = N_("Computed with all digits; only what is shown is rounded.")


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0) -> str:
    r"""Return a table as markdown; a bar inside a cell does not split it.

    Args:
        header: the title of each column.
        rows: the cells, as markdown; a user's own words must have gone through `markdown.plain`.
        numbers: how many of the last columns hold numbers, which are aligned to the right.

    >>> print(table(["what", "n"], [["|i - j|", "3"]], numbers=1))
    | what | n |
    |:--|--:|
    | \|i - j\| | 3 |
    """
    ruler = [":--"] * (len(header) - numbers) + ["--:"] * numbers
    lines = [_line(header), f"|{'|'.join(ruler)}|"]
    return "\n".join([*lines, *map(_line, rows)])


def numbers_table(columns: Mapping[str, Sequence[Any]], write: Callable[[float], str]) -> "Styler":
    """Return a table of numbers for `st.dataframe`: shown as `write` formats them, saved with all digits.

    Streamlit's own formats write an ASCII minus, even before a number that rounds to zero.

    Args:
        columns: texts and numbers, by the titles of the columns.
        write: formats a number.
    """
    frame = pd.DataFrame(dict(columns))
    # pandas gives each table a new name, by which an equal one would be sent again.
    style = frame.style.set_uuid("numbers")
    return style.format(dict.fromkeys(frame.select_dtypes("number").columns, write))


def checks_table(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return a table of checks: one row for each thing that must hold, one column for each computation.

    Args:
        columns: the checks of each computation, each an `attn_core.Check`, by its title.
    """
    rows = (
        [_(row[0].name), *(_verdict(each.passed, each.verdict) for each in row)]
        for row in zip(*columns.values(), strict=True)
    )
    return table([_("What must hold"), *columns], rows)


def _verdict(is_right: bool, words: str) -> str:
    words = re.sub(r"(?<![\w.])-(?=\d)|(?<=\de)-(?=\d)", "−", words)
    return f":material/check: {words}" if is_right else f":material/close: **{words}**"


def _line(cells: Iterable[str]) -> str:
    bars = (cell.replace("\\|", "|").replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(bars)} |"
