"""Numbers as a CSV file to download."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st


def offer_csv(label: str, name: str, content: Callable[[], bytes], **more: Any) -> None:
    """Offer a CSV file; it is written at the click, and the page does not run again.

    Args:
        label: of the button.
        name: of the file.
        content: returns its bytes.
        more: further arguments of `st.download_button`.
    """
    st.download_button(label, content, file_name=name, mime="text/csv", on_click="ignore", **more)


def csv_of(columns: Mapping[str, Sequence[object]]) -> bytes:
    r"""Write the columns of a table as CSV, in which no text can act as a spreadsheet formula.

    >>> csv_of({"x": ["a, b", "=1+1", "-5"], "y": [0.5, -2, None]})
    b'x,y\n"a, b",0.5\n\'=1+1,-2\n-5,\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(_safe, row) for row in (columns, *zip(*columns.values(), strict=True)))
    return text.getvalue().encode()


def _safe(cell: object) -> object:
    """Put an apostrophe before a text that would be a formula, as `numbers.js` does."""
    if not isinstance(cell, str) or not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
