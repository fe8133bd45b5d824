"""Tables keep their cells: a bar in a cell splits none."""

from attn_ui.tables import checks_table, table


def test_a_bar_inside_a_cell_stays_there() -> None:
    line = table(["a", "b"], [["|x|", "already \\| escaped"]]).splitlines()[-1]
    assert line == r"| \|x\| | already \| escaped |"


def test_a_failed_check_stands_out() -> None:
    said = checks_table(["one", "two"], {"here": [(True, "holds exactly"), (False, "fails, off by 3")]})
    assert said.splitlines()[-1] == "| two | :material/close: **fails, off by 3** |"
