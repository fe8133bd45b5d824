"""What the Data tabs offer to take away: whole tables, written anew whenever they are asked for."""

import csv
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.pages import open_page

Offered = dict[str, Callable[[], bytes]]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Offered:
    """The files that a page offers, by their names."""
    files: Offered = {}

    def offer(label: str, content: Callable[[], bytes], *, file_name: str, mime: str, **_: Any) -> None:
        assert (bool(label), mime) == (True, "text/csv")
        files[file_name] = content

    monkeypatch.setattr("streamlit.download_button", offer)
    return files


@pytest.mark.parametrize(
    ("page", "query", "sizes"),
    [
        ("single-head", {"text": "a b c"}, {"single-head-attention.csv": (10, 6)}),
        ("kernel-regression", {"points": "12"}, {"attention-lab-points.csv": (13, 2)}),
        ("positional-encoding", {"text": "a b c", "words": "one-hot"}, {}),
        ("positional-encoding", {"text": "a b c", "scheme": "ALiBi"}, {"positions.csv": (4, 4)}),
        ("positional-encoding", {"text": "a b c", "scheme": "rotary"}, {}),
    ],
)
def test_downloaded_file_is_the_whole_table_each_time(
    page: str, query: dict[str, Any], sizes: dict[str, tuple[int, int]], offered: Offered
) -> None:
    at = open_page(page, **{**query, "tab": "Data"})
    assert not at.exception
    assert offered.keys() >= (sizes.keys() or {"words.csv", "positions.csv"})
    for name, content in offered.items():
        header, *rows = csv.reader(content().decode().splitlines())
        assert {len(row) for row in rows} == {len(header)}
        assert len(rows) > 1
        assert content() == content()
        if name in sizes:
            assert (1 + len(rows), len(header)) == sizes[name]


def test_downloaded_positions_equal_the_computed_ones(offered: Offered) -> None:
    open_page("positional-encoding", text="a b c", scheme="ramp", step="0.5", tab="Data")
    _, *rows = csv.reader(offered["positions.csv"]().decode().splitlines())
    assert [row[0] for row in rows] == ["a", "b", "c"]
    numbers = np.array([row[1:] for row in rows], dtype=float)
    np.testing.assert_array_equal(numbers, np.broadcast_to([[0.0], [0.5], [1.0]], numbers.shape))


@pytest.mark.parametrize(
    ("page", "name"), [("single-head", "single-head-attention.csv"), ("positional-encoding", "words.csv")]
)
def test_downloaded_words_are_no_formulas(page: str, name: str, offered: Offered) -> None:
    open_page(page, text="= a - 2 @", tab="Data")
    _, *rows = csv.reader(offered[name]().decode().splitlines())
    assert {row[0] for row in rows} == {"'=", "a", "'-", "2", "'@"}
