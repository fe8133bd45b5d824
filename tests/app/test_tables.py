"""Tables keep their cells: a bar in a cell splits none; what is rounded in them says so."""

import pytest

from attn_core import Check
from attn_ui.base.parameters import Tabs
from attn_ui.screen.tables import ROUNDED, checks_table, table
from tests.pages import PAGES, open_sound

WRITTEN_OUT = [
    address
    for address, (_, settings) in PAGES.items()
    if any(isinstance(each, Tabs) and "Arithmetic" in each.options for each in settings)
]


def test_bar_character_stays_inside_its_cell() -> None:
    line = table(["a", "b"], [["|x|", "already \\| escaped"]]).splitlines()[-1]
    assert line == r"| \|x\| | already \| escaped |"


def test_failed_check_is_bold_with_a_cross_in_the_table() -> None:
    said = checks_table({"here": [Check("one", 0.0), Check("two", 3.0)]})
    *_head, one, two = said.splitlines()
    assert one == f"| one | :material/check: {Check('one', 0.0).verdict} |"
    assert two == f"| two | :material/close: **{Check('two', 3.0).verdict}** |"


@pytest.mark.parametrize("address", WRITTEN_OUT)
def test_rounded_arithmetic_says_so(address: str) -> None:
    page = open_sound(address, tab="Arithmetic")
    assert any(ROUNDED in each.value for each in (*page.markdown, *page.caption))


def test_arithmetic_of_every_page_is_checked() -> None:
    assert len(WRITTEN_OUT) == 5
