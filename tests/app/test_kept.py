"""Typed tables and clicked cells survive: in the address, over pages, and against the browser's echo."""

import pytest
from streamlit.testing.v1 import AppTest

from attn_ui.parameters import Cells, Table

TABLE = Table("Q", 3, 4)


@pytest.mark.parametrize(
    "text",
    ["a", "1,2;3", "1,nan", "1,inf", "1e9", "1;2;3;4", "1,2,3,4,5", ";", "1,", "<script>", "1,2" * 2000],
)
def test_bad_table_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="at most 3 rows of at most 4 numbers"):
        TABLE.read(text)


def test_table_survives_being_written() -> None:
    rows = ((1.0, -2.5), (0.001, 999.0), (-0.125, 1e-7))
    assert TABLE.rows(TABLE.text(rows)) == rows


@pytest.mark.parametrize("text", ["1", "1.", ".1", "1.64", "1.2,", "-1.2", "1.2.3", "٣.١", "a.b"])
def test_bad_cells_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="each from 0 to 63"):
        Cells("cells", 64).read(text)


def _script() -> None:
    import streamlit as st  # noqa: PLC0415

    from attn_ui import kept  # noqa: PLC0415
    from attn_ui.parameters import Cells, Table  # noqa: PLC0415

    table, cells = Table("Q", 3, 4), Cells("blocked", 64)
    first = "entered" not in st.session_state
    kept.sync((table, cells), entered=first)
    st.session_state.entered = True
    st.button("keep", on_click=kept.keep, args=(table, "1,2;3,4"))
    st.button("long", on_click=kept.keep, args=(table, ",".join(["1.00001"] * 500)))
    st.write(kept.text(table), kept.text(cells), kept.revision(table))


def _shown(at: AppTest) -> list[str]:
    return [markdown.value for markdown in at.markdown]


def _address(at: AppTest) -> dict[str, str]:
    return {name: text if isinstance(text, str) else text[-1] for name, text in at.query_params.items()}


def test_link_is_read_and_a_bad_one_is_dropped() -> None:
    at = AppTest.from_function(_script)
    at.query_params["Q"] = "5,6"
    at.query_params["blocked"] = "9.x"
    at.run()
    assert _shown(at)[0].startswith("5,6")
    assert _address(at) == {"Q": "5,6"}


def test_what_is_kept_stands_in_the_address_and_outlives_its_echo() -> None:
    at = AppTest.from_function(_script).run()
    at.button[0].click().run()
    assert _address(at)["Q"] == "1,2;3,4"
    del at.query_params["Q"]  # the browser reruns with the address it had a moment ago
    at.run()
    assert _shown(at)[0].startswith("1,2;3,4")
    at.query_params["Q"] = "7"  # another link
    at.run()
    assert _shown(at)[0].startswith("7")


def test_entering_a_page_without_it_brings_it_back() -> None:
    at = AppTest.from_function(_script).run()
    at.button[0].click().run()
    del at.session_state["entered"]
    del at.query_params["Q"]
    at.run()
    assert _address(at)["Q"] == "1,2;3,4"


def test_table_too_long_for_a_link_is_kept_without_one() -> None:
    at = AppTest.from_function(_script).run()
    at.button[0].click().run()
    at.button[1].click().run()
    assert "Q" not in at.query_params
    assert "1.00001" in _shown(at)[0]
