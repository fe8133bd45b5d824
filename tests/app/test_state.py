"""Sliders, typed tables and clicked cells survive: in the address, over pages, against the browser's echo."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from attn_ui.base.parameters import Cells, Table
from attn_ui.screen import state

TABLE = Table("Q", 3, 4)


@pytest.mark.parametrize(
    "text",
    ["a", "1,2;3", "1,nan", "1,inf", "1e9", "1;2;3;4", "1,2,3,4,5", ";", "1,", "<script>", "1,2" * 2000],
)
def test_bad_table_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="at most 3 rows of at most 4 numbers"):
        TABLE.read(text)


def test_table_survives_a_round_trip_through_text() -> None:
    rows = ((1.0, -2.5), (0.001, 999.0), (-0.125, 1e-7))
    assert TABLE.rows(TABLE.text(rows)) == rows


@pytest.mark.parametrize("text", ["1", "1.", ".1", "1.64", "1.2,", "-1.2", "1.2.3", "٣.١", "a.b"])
def test_bad_cells_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="each from 0 to 63"):
        Cells("cells", 64).read(text)


def _script() -> None:
    from dataclasses import replace

    import streamlit as st

    from attn_ui.base.parameters import Cells, Steps, Table
    from attn_ui.screen import state

    table, cells = Table("Q", 3, 4), Cells("blocked", 64)
    slider = Steps("h", 1.0, (0.5, 1.0, 2.0, 4.0))
    first = "entered" not in st.session_state
    state.sync((table, cells, slider), entered=first)
    st.session_state.entered = True
    st.button("long", on_click=state.write_setting, args=(table, ",".join(["1.00001"] * 500)))
    for new in ("1", "2", "1,2;3,4"):
        st.button(f"Q {new}", on_click=state.write_setting, args=(table, new))
    for at in range(4):
        st.button(f"h {at}", on_click=state.report, args=(slider, at))
    some = replace(slider, values=(1.0, 4.0), only="1 or 4")
    for at in range(5):
        label = f"exact {at}"
        st.button(label, on_click=lambda at=at: state.report(state.with_exact_value(slider), at))
    st.button("move to 0.7", on_click=state.move, args=(slider, 0.7000001))
    st.button("h of 1 and 4", on_click=lambda: st.session_state.update(few=True))
    few = bool(st.session_state.get("few"))
    if few:
        state.show(some)
    h, steps = state.value(some if few else slider), state.with_exact_value(slider).values
    st.json({"Q": state.text(table), "h": h, "commanded": state.commanded(slider), "steps": steps})


# The setting, how a test changes it to three values in turn, how each shows on the page and in the address.
SLIDER = ("h", ["h 0", "h 2", "h 3"], ["0.5", "2.0", "4.0"], ["0.5", "2", "4"])
TYPED = ("Q", ["Q 1", "Q 2", "Q 1,2;3,4"], ["1", "2", "1,2;3,4"], ["1", "2", "1,2;3,4"])
EITHER = pytest.mark.parametrize(
    ("name", "changes", "shown", "texts"), [SLIDER, TYPED], ids=["slider", "typed"]
)


def _change(at: AppTest, label: str) -> None:
    next(button for button in at.button if button.label == label).click().run()


def _value_on_page(at: AppTest, name: str) -> str:
    return str(json.loads(at.json[0].value)[name])


def _address(at: AppTest) -> dict[str, str]:
    return {name: text if isinstance(text, str) else text[-1] for name, text in at.query_params.items()}


def _come_back(at: AppTest, name: str, text: str | None) -> None:
    """Run once more with another text in the browser's address."""
    if text is None:
        del at.query_params[name]
    else:
        at.query_params[name] = text
    at.run()


def test_link_is_read_and_a_bad_one_is_dropped() -> None:
    at = AppTest.from_function(_script)
    at.query_params.update({"Q": "5,6", "blocked": "9.x", "h": "2"})
    at.run()
    assert (_value_on_page(at, "Q"), _value_on_page(at, "h")) == ("5,6", "2.0")
    assert _address(at) == {"Q": "5,6", "h": "2"}


@EITHER
def test_address_written_by_this_session_is_an_echo(
    name: str, changes: list[str], shown: list[str], texts: list[str]
) -> None:
    at = AppTest.from_function(_script).run()
    for label in changes:
        _change(at, label)
    for echo in (None, *texts):  # any of them, however many came between
        _come_back(at, name, echo)
        assert _value_on_page(at, name) == shown[-1]
        assert _address(at)[name] == texts[-1]


@EITHER
def test_address_is_right_after_the_back_button(
    monkeypatch: pytest.MonkeyPatch, name: str, changes: list[str], shown: list[str], texts: list[str]
) -> None:
    at = AppTest.from_function(_script).run()
    default = _value_on_page(at, name)
    for label in changes:
        _change(at, label)
    for before, wanted in ((texts[1], shown[1]), (texts[0], shown[0]), (None, default), (texts[2], shown[2])):
        with monkeypatch.context() as back:
            back.setattr(state, "is_history_step", lambda: True)
            _come_back(at, name, before)
        assert _value_on_page(at, name) == wanted
        assert _address(at).get(name) == before


@EITHER
def test_going_back_to_a_page_omits_what_its_address_omits(
    monkeypatch: pytest.MonkeyPatch, name: str, changes: list[str], shown: list[str], texts: list[str]
) -> None:
    at = AppTest.from_function(_script).run()
    default = _value_on_page(at, name)
    _change(at, changes[0])
    del at.session_state["entered"]
    monkeypatch.setattr(state, "is_history_step", lambda: True)
    _come_back(at, name, None)
    assert _value_on_page(at, name) == default


@EITHER
def test_text_never_written_by_the_session_is_another_link(
    name: str, changes: list[str], shown: list[str], texts: list[str]
) -> None:
    at = AppTest.from_function(_script).run()
    _change(at, changes[0])
    _come_back(at, name, texts[2])
    assert _value_on_page(at, name) == shown[2]


@EITHER
def test_change_is_not_undone_by_the_address_of_its_own_run(
    name: str, changes: list[str], shown: list[str], texts: list[str]
) -> None:
    at = AppTest.from_function(_script)
    at.query_params[name] = texts[1]
    at.run()
    _change(at, changes[2])  # the run starts with the address as it was
    assert _value_on_page(at, name) == shown[2]
    assert _address(at)[name] == texts[2]


def test_address_moves_the_slider_on_screen_and_a_report_does_not() -> None:
    at = AppTest.from_function(_script).run()
    _change(at, "h 3")
    assert _value_on_page(at, "commanded") == "1"
    _come_back(at, "h", "2")  # a link: never written here
    assert _value_on_page(at, "commanded") == "2"


@EITHER
def test_entering_a_page_without_an_address_restores_it(
    name: str, changes: list[str], shown: list[str], texts: list[str]
) -> None:
    at = AppTest.from_function(_script).run()
    _change(at, changes[2])
    del at.session_state["entered"]
    _come_back(at, name, None)
    assert _address(at)[name] == texts[2]


def test_table_too_long_for_a_link_is_kept_without_one() -> None:
    at = AppTest.from_function(_script).run()
    _change(at, "Q 1,2;3,4")
    _change(at, "long")
    assert "Q" not in at.query_params
    assert "1.00001" in _value_on_page(at, "Q")


@pytest.mark.parametrize(
    ("at", "held", "address"), [("3.1", "4.0", "4"), ("0.5", "1.0", None), ("4", "4.0", "4")]
)
def test_address_has_the_shown_value_where_fewer_are_available(
    at: str, held: str, address: str | None
) -> None:
    page = AppTest.from_function(_script)
    page.query_params["h"] = at
    page.run()
    _change(page, "h of 1 and 4")
    assert _value_on_page(page, "h") == held
    assert _address(page).get("h") == address


def test_value_between_steps_stays_until_the_page_is_left() -> None:
    at = AppTest.from_function(_script)
    at.query_params["h"] = "0.7"
    at.run()
    whole, exact = "[0.5, 1.0, 2.0, 4.0]", "[0.5, 0.7, 1.0, 2.0, 4.0]"
    assert (_value_on_page(at, "h"), _value_on_page(at, "steps"), _address(at)["h"]) == ("0.7", exact, "0.7")
    _change(at, "exact 4")
    assert (_value_on_page(at, "h"), _value_on_page(at, "steps"), _address(at)["h"]) == ("4.0", exact, "4")
    _change(at, "exact 1")
    assert (_value_on_page(at, "h"), _address(at)["h"]) == ("0.7", "0.7")
    _change(at, "exact 0")
    del at.session_state["entered"]  # another page was shown, and now this one again
    at.run()
    assert (_value_on_page(at, "h"), _value_on_page(at, "steps")) == ("0.5", whole)
    _change(at, "move to 0.7")  # a button may ask for any value, of at most six digits
    assert (_value_on_page(at, "h"), _value_on_page(at, "steps"), _address(at)["h"]) == ("0.7", exact, "0.7")


def test_settings_left_out_of_a_link_are_named() -> None:
    def script() -> None:
        import streamlit as st

        from attn_ui.base.parameters import Integer, Table
        from attn_ui.screen import state

        tables = [Table("Q", 64, 16), Table("K", 64, 16)]
        state.write_setting(tables[0], ";".join(["0.12345,0.12345"] * 64 * 4))
        state.write_setting(tables[1], "1,2")
        st.write(state.left_out([*tables, Integer("n", 1, 0, 2)]))
        st.write(sorted(st.query_params))

    at = AppTest.from_function(script).run()
    assert not at.exception
    assert [each.value for each in at.json] == ['["Q"]', '["K"]']
