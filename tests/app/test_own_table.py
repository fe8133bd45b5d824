"""A person's own table: read if it can be read, else a sentence says which line and why."""

import contextlib
import math
from unittest.mock import MagicMock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.kernel_regression import own_table
from pages.kernel_regression.own_table import Column, Sign, TableError, UnclearError, pair, read_table
from pages.kernel_regression.tabs.data import choose_columns


def read(data: bytes, *, most_bytes: int = 10_000, most_rows: int = 50) -> list[Column]:
    return read_table(data, most_bytes=most_bytes, most_rows=most_rows).columns


@pytest.mark.parametrize(
    "data",
    [
        b"x,y\n1,2.5\n3,-4\n",
        b"\xef\xbb\xbfx,y\r\n1,2.5\r\n3,-4\r\n",  # a byte-order mark, Windows line ends
        "x,y\n1,2.5\n3,-4\n".encode("utf-16"),
        b"x;y\n1;2,5\n3;-4\n",  # semicolons and decimal commas
        b"x;y\n1;2.5\n3;-4\n",  # semicolons and decimal points
        b"x\ty\n1\t2.5\n3\t-4\n",
        b"x,y\r1,2.5\r3,-4\r",  # the line ends of an old Mac
        b'x,y\n"1","2,5"\n3,"-4"\n',  # decimal commas between commas, quoted
        "x;y\n1;2,5\n3;\u22124\n".encode(),  # a typographic minus
        b"x,y\n1,2.5\n\n3,-4\n\n",  # blank lines
        b"x, y\n 1 , 2.5\n 3 , -4\n",
    ],
)
def test_table_of_two_points_is_read_in_every_notation(data: bytes) -> None:
    x, y = read(data)
    assert (x.name, y.name) == ("x", "y")
    np.testing.assert_array_equal(x.numbers, [1, 3])
    np.testing.assert_array_equal(y.numbers, [2.5, -4])


def test_table_without_a_header_numbers_its_columns() -> None:
    x, y = read(b"1;2,5\n3;4\n")
    assert (x.name, y.name) == ("column 1", "column 2")
    np.testing.assert_array_equal(y.numbers, [2.5, 4])


@pytest.mark.parametrize(
    ("encoding", "name", "note"),
    [
        ("utf-8", "身高", None),
        ("gbk", "身高", "GB18030"),
        ("utf-16", "身高", "UTF-16"),
        ("utf-16-le", "身高", "UTF-16-LE"),
        ("utf-16-be", "Größe", "UTF-16-BE"),
        ("cp1252", "Größe", "CP1252"),  # its second half would be one rare Chinese character
        ("cp1252", "µm", "CP1252"),  # one common character of Big5
        ("big5", "房屋面積", "BIG5"),
        ("cp1251", "Площадь", "CP1251"),
    ],
)
def test_table_in_an_old_encoding_is_read_and_noted(encoding: str, name: str, note: str | None) -> None:
    table = read_table(f"{name};y\n1;2\n3;4\n".encode(encoding), most_bytes=999, most_rows=9)
    assert [column.name for column in table.columns] == [name, "y"]
    assert [each.split()[-1] for each in table.notes if "UTF-8" in each] == ([f"{note}."] if note else [])


def test_table_cells_that_say_missing_do_not_make_a_column_text() -> None:
    x, y = read(b"x,y\n1,NA\n2,3\n3,4\n4,-\n")
    np.testing.assert_array_equal(y.numbers, [math.nan, 3, 4, math.nan])
    assert "2 of 4 rows are left out; the first is line 2" in pair(x, y).notes[0]


def test_table_thousands_separators_are_distinguished_from_decimals() -> None:
    assert read(b'x,y\n"1,234",1\n"12,345.5",2\n')[0].numbers.tolist() == [1234, 12345.5]
    assert read(b"x;y\n1.234,5;1\n2,5;2\n")[0].numbers.tolist() == [1234.5, 2.5]
    assert read(b"x;y\n1.234;1\n2.5;2\n")[0].numbers.tolist() == [1.234, 2.5]


def test_table_text_columns_are_left_out_and_names_made_distinct() -> None:
    columns = read(b"who,a,a,\nAnn,1,2,3\nBob,4,5,6\n")
    assert [column.name for column in columns] == ["who", "a", "a (3)", "column 4"]
    assert [column.is_numeric for column in columns] == [False, True, True, True]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no rows of data"),
        (b" \n \n", "no rows of data"),
        (b";\n;\n", "no rows of data"),
        (b"x,y\n1," + b"2" * 140_000, "Line 2 cannot be read"),
        (b"x,y\n", "no rows of data"),
        (b"x\n1\n2\n", r"Two columns of numbers are needed.* of 1 in the file 1 can be"),
        (b"a,b\nred,1\nblue,2\n", r"Line 2: a holds “red”, which is not a finite number\."),
        (b"x,y\n1,nan\n2,inf\n", r"Line 2: y holds “nan”"),
        (b"x,y\n1,\n2,\n", r"Line 2: y holds “”"),
        (b"x,y\n1,2\n", "Two columns of numbers are needed"),  # one row
        (b"\x89PNG\r\n\x00\x00\x00", "not text"),
        (b"x,y\n" + b"1,2\n" * 51, "51 rows of data; at most 50"),
        (b"x,y\n" + b"1,2\n" * 3000, "12,004 bytes; at most 10,000"),
    ],
)
def test_table_that_cannot_be_read_gives_the_reason(data: bytes, message: str) -> None:
    with pytest.raises(TableError, match=message):
        read(data, most_bytes=10_000 if b"2" * 99 not in data else 10**6)


def test_table_rows_without_numbers_are_left_out_and_the_first_named() -> None:
    pairs = pair(*read(b"x,y\n1,2\nthree,4\n5,\n6,7\n8,inf\n9,9\n"))
    np.testing.assert_array_equal(pairs.x, [1, 6, 9])
    np.testing.assert_array_equal(pairs.y, [2, 7, 9])
    assert pairs.notes == ("3 of 6 rows are left out; the first is line 3, where x holds “three”.",)


def test_table_line_numbers_count_blank_lines() -> None:
    (note,) = pair(*read(b"x,y\n\n1,2\n\n\n?,4\n6,7\n")).notes
    assert "line 6" in note


def test_table_repeated_keys_stay_and_are_named() -> None:
    pairs = pair(*read(b"x,y\n1,2\n1,4\n3,5\n"))
    np.testing.assert_array_equal(pairs.x, [1, 1, 3])
    assert pairs.notes == ("1 row with an x seen before: each counts as a key of its own.",)


def test_table_columns_without_common_rows_are_refused() -> None:
    with pytest.raises(TableError, match="Two points are needed; there are 1"):
        pair(*read(b"x,y\n1,2\n,4\n,5\n6,\n7,\n"))


def test_table_numbers_too_large_to_draw_are_refused() -> None:
    with pytest.raises(TableError, match="Line 3: y is beyond 1e100"):
        pair(*read(b"x,y\n1,2\n2,1e200\n3,4\n"))


def test_table_thinning_keeps_the_order_and_is_deterministic() -> None:
    kept = own_table.draw_indices(700, 500, seed=0)
    assert len(set(kept)) == 500
    assert (np.diff(kept) > 0).all()
    np.testing.assert_array_equal(kept, own_table.draw_indices(700, 500, seed=0))


@given(st.binary(max_size=300))
def test_table_of_any_bytes_is_read_or_refused_with_a_sentence(data: bytes) -> None:
    with contextlib.suppress(TableError):
        assert sum(column.is_numeric for column in read(data)) >= 2


@pytest.mark.parametrize(
    "cells",
    [
        ("2024-01-31", "2024-02-01"),
        ("2024-01-31T00:00", "2024-02-01 00:00:00"),
        ("2024-01-31T05:00+05:00", "2024-01-31T23:00-01:00"),
        ("31/1/2024", "1/2/2024"),  # 31 is no month, so the day comes first
        ("1/31/2024", "2/1/2024"),
        ("31.01.2024", "01.02.2024"),
    ],
)
def test_table_dates_become_days(cells: tuple[str, str]) -> None:
    when, much = read(f"when,much\n{cells[0]},1\n{cells[1]},2\n".encode())
    assert (when.dated, much.dated) == (True, False)
    np.testing.assert_array_equal(when.numbers, [19753, 19754])


def test_table_ambiguous_dates_are_refused() -> None:
    with pytest.raises(TableError, match="whether day or month comes first: write dates as 2024-01-31"):
        read(b"when,much\n3/4/2024,1\n5/6/2024,2\n")
    same = read(b"when,much\n3/3/2024,1\n4/4/2024,2\n")[0]
    assert same.dated


def test_table_years_and_unix_seconds_stay_numbers() -> None:
    for cell in ("2024", "1700000000", "20240131"):
        column = read(f"when,much\n{cell},1\n{cell}.5,2\n".encode())[0]
        assert column.is_numeric
        assert not column.dated


def test_table_invalid_date_is_named() -> None:
    x, y = read(b"when,much\n2024-01-31,1\n2024-02-30,2\n2024-02-01,3\n")
    assert "line 3, where when holds \u201c2024-02-30\u201d." in pair(x, y).notes[0]


def test_table_dates_cannot_be_values() -> None:
    with pytest.raises(
        TableError, match="at most one of them dates; of 2 in the file 2 can be read, 2 of them dates"
    ):
        read(b"a,b\n2024-01-31,2024-01-31\n2024-02-01,2024-02-03\n")


JAN_31 = 19753.0  # days after 1970-01-01 that 2024-01-31 is, by `date -d 2024-01-31 +%s` / 86400
# Of each file: the first columns' names and numbers, and what a note must hold.
ODD: dict[str, tuple[dict[str, list[float]], str]] = {
    "x\ty\n600\t900.5\n750\t1,140\n": ({"x": [600, 750], "y": [900.5, 1140]}, "“1,140” is read as 1140"),
    "x;y\n600;900,5\n750;1.140\n": ({"x": [600, 750], "y": [900.5, 1140]}, "“900,5” is read as 900.5"),
    "x\ty\n1\t1,000,000\n2\t2,500\n": ({"x": [1, 2], "y": [1e6, 2500]}, "“1,000,000” is read as 1000000"),
    "x\ty\n0,5\t1\n0,7\t2\n": ({"x": [0.5, 0.7], "y": [1, 2]}, "“0,5” is read as 0.5"),
    "x;y\n1 234,5;2\n2 345,5;3\n": ({"x": [1234.5, 2345.5], "y": [2, 3]}, "is read as 1234.5"),
    "x;y\n1'234.5;2\n2'345.5;3\n": ({"x": [1234.5, 2345.5], "y": [2, 3]}, "is read as 1234.5"),
    '"v" "d"\n"1" 4 2\n"2" 4 10\n"3" 7 4\n': ({"v": [4, 4, 7], "d": [2, 10, 4]}, "counts the rows"),
    "speed\tdist\n1\t4\t2\n2\t4\t10\n": ({"speed": [4, 4], "dist": [2, 10]}, "counts the rows"),
    "speed,dist\n1,4,2\n2,4,10\n3,7,4\n": ({"speed": [4, 4, 7], "dist": [2, 10, 4]}, "counts the rows"),
    ",x,y\n0,1.5,2\n1,2.5,3\n2,3.5,1\n": ({"x": [1.5, 2.5, 3.5], "y": [2, 3, 1]}, "counts the rows"),
    "#,x,y\n1,5,6\n2,6,7\n3,8,9\n": ({"x": [5, 6, 8], "y": [6, 7, 9]}, "counts the rows"),
    "x,y\n1,2,\n3,4,\n6,7,\n": ({"x": [1, 3, 6], "y": [2, 4, 7]}, "Line 1 names"),
    "Beans, 2024\nday,height,w\n1,2,3\n2,3,4\n": ({"day": [1, 2], "height": [2, 3]}, "comment: line 1"),
    "Measured in May, 2024\nx,y\n1,2\n2,3\n": ({"x": [1, 2], "y": [2, 3]}, "comment: line 1"),
    "Beans, Jena, 2024\n\nx,y\n1,2\n2,3\n3,4\n": ({"x": [1, 2, 3], "y": [2, 3, 4]}, "comment: line 1"),
    "Beans,,\nday,height,w\n1,2,3\n2,3,4\n": ({"day": [1, 2], "height": [2, 3]}, "comment: line 1"),
    "Beans\n\nday,height\n1,2\n2,3\n": ({"day": [1, 2], "height": [2, 3]}, "Line 3 names"),
    "# made by a tool\n# in May\nday height\n1 2\n2 3\n": ({"day": [1, 2], "height": [2, 3]}, "2 lines"),
    "~ note\nx;y\n1;2\n~ more\n3;4\n": ({"x": [1, 3], "y": [2, 4]}, "2 lines"),
    "sep=;\nx;y\n1;2,5\n3;4\n": ({"x": [1, 3], "y": [2.5, 4]}, "“;”"),
    "sep=,\nx,y\n1,2\n3,4\n": ({"x": [1, 3], "y": [2, 4]}, "“,”"),
    "1.00e+00 2.50e+00\n3.00e+00 4.00e+00\n": ({"column 1": [1, 3], "column 2": [2.5, 4]}, "“ ”"),
    "# x y\n1.00e+00 2.50e+00\n3.00e+00 4.00e+00\n": ({"x": [1, 3], "y": [2.5, 4]}, "Line 1 names"),
    "   x     y\n  1.0   2.5\n 10.0   3.5\n": ({"x": [1, 10], "y": [2.5, 3.5]}, "“ ”"),
    "x|y\n1|2\n3|4\n": ({"x": [1, 3], "y": [2, 4]}, "“|”"),
    "when,y\n2024/01/31,1\n2024/02/01,2\n": ({"when": [JAN_31, JAN_31 + 1]}, "is read as 2024-01-31"),
    "when,y\n31 Jan 2024,1\n1 Feb 2024,2\n": ({"when": [JAN_31, JAN_31 + 1]}, "is read as 2024-01-31"),
    "when,y\n31/01/24,1\n01/02/24,2\n": ({"when": [JAN_31, JAN_31 + 1]}, "is read as 2024-01-31"),
    "when,y\n01/31/24,1\n02/01/24,2\n": ({"when": [JAN_31, JAN_31 + 1]}, "is read as 2024-01-31"),
    "when,y\n2024年1月31日,1\n2024年2月1日,2\n": ({"when": [JAN_31, JAN_31 + 1]}, "is read as 2024-01-31"),
    'when,y\n"Jan 31, 2024",1\n"Feb 1, 2024",2\n': ({"when": [JAN_31, JAN_31 + 1]}, "is read as 2024-01-31"),
    "when;y\n31.1.24 12:00;1,5\n1.2.24;2\n": ({"when": [JAN_31 + 0.5, JAN_31 + 1]}, "2024-01-31T12:00:00"),
    "% t v\n1 2\n2 3\n3 5\n": ({"t": [1, 2, 3], "v": [2, 3, 5]}, "Line 1 names"),
    "t,v\ns,m\n1,2\n2,3\n3,4\n": ({"t": [math.nan, 1, 2, 3], "v": [math.nan, 2, 3, 4]}, "Line 1 names"),
}


@pytest.mark.parametrize("text", ODD)
def test_table_odd_files_are_read_and_the_format_is_noted(text: str) -> None:
    wanted, note = ODD[text]
    table = read_table(text.encode(), most_bytes=10_000, most_rows=50)
    columns = {column.name: column.numbers for column in table.columns if not column.index}
    for name, numbers in wanted.items():
        np.testing.assert_array_equal(columns[name], numbers)
    assert next(iter(columns)) == next(iter(wanted))
    assert note in " ".join(table.notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,2\n3,4,5\n6,7\n8,9\n", "Line 3 has 3 cells, and 2 columns"),
        ("x;y\n2,5;1\n2.5;2\n3,5;3\n", "Lines 2, 3: x holds “2,5”, “2.5”"),
        ("when,y\n01/02/24,1\n03/04/24,2\n", "Line 2: when holds “01/02/24”.* day or month"),
        ("x,y\n1,10%\n2,20%\n", "Line 2: y holds “10%”"),
        ("Body mass  Heart rate\n1.5  60\n2.5  70\n3.5  80\n", "Line 2 has 2 cells, and 4 columns"),
        ("when,y\n1/31/2024 8:05 PM,1\n2/1/2024 9:00 AM,2\n", "holds “1/31/2024 8:05 PM”, which is not"),
    ],
)
def test_table_ambiguous_lines_are_refused_with_their_number(text: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        read(text.encode())


@pytest.mark.parametrize(
    "text", ["x\ty\n600\t900\n750\t1,140\n", "x;y\n600;900\n750;1,140\n", 'x,y\n600,900\n750,"1,140"\n']
)
def test_table_ambiguous_number_asks_for_its_meaning(text: str) -> None:
    with pytest.raises(UnclearError, match="Line 3: y holds “1,140”") as asked:
        read(text.encode())
    assert asked.value.readings == {".": "1140", ",": "1.140"}
    readings: tuple[tuple[Sign, float], ...] = ((".", 1140), (",", 1.14))
    for decimal, number in readings:
        table = read_table(text.encode(), most_bytes=999, most_rows=9, decimal=decimal)
        np.testing.assert_array_equal(table.columns[1].numbers, [900, number])


def test_table_row_counter_is_not_used_as_keys() -> None:
    assert [each.name for each in choose_columns(read(b",x,y\n0,1.5,2\n1,2.5,3\n"))] == ["x", "y"]
    assert [each.name for each in choose_columns(read(b",y\n0,2\n1,3\n"))] == ["column 1", "y"]
    assert not any(each.index for each in read(b",x,y\ninf,1,2\ninf,2,3\n"))


def test_table_lines_past_the_bound_are_counted_and_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a million of them took 1.2 s."""
    monkeypatch.setattr(own_table, "_rows", MagicMock(side_effect=AssertionError("read")))
    with pytest.raises(TableError, match="1,999 rows of data; at most 50"):
        read(b"1,2\n\n" * 2000)
