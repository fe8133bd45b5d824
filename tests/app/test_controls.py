"""Controls of a setting: several lists of one setting agree, and a bad tab is said like any bad setting."""

import pytest
from streamlit.testing.v1 import AppTest

from attn_ui.frame import tabs
from attn_ui.navigation import PAGES, Listed
from attn_ui.parameters import Choice
from tests.pages import open_sound


def _two_lists() -> None:
    import streamlit as st

    from attn_ui import controls, state
    from attn_ui.parameters import Steps

    head = Steps("head", 1, (1, 2, 3), ".0f")
    state.sync((head,), entered="entered" not in st.session_state)
    st.session_state.entered = True
    chosen = [controls.pick(head, "Head", ("one", "two", "three")) for _ in range(2)]
    st.text(f"{chosen} {state.value(head)}")


def test_a_setting_can_be_picked_in_two_places() -> None:
    at = AppTest.from_function(_two_lists).run()
    assert not at.exception
    for which, position in ((0, 2), (1, 1), (0, 0)):
        at.selectbox[which].select_index(position).run()
        assert at.text[0].value == f"[{position}, {position}] {position + 1}"
        assert [box.index for box in at.selectbox] == [position, position]


def test_a_page_lists_the_tabs_that_it_has() -> None:
    with pytest.raises(ValueError, match="tabs required: Maths, Code; got Maths, Data"):
        tabs(Choice("tab", "", ("Maths", "Code")), {"Maths": lambda: None, "Data": lambda: None})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.title)
def test_a_wrong_tab_is_said(page: Listed) -> None:
    at = open_sound(page.address, tab="Nonsense")
    assert any("The link's `tab` was `Nonsense`; wanted: " in caption.value for caption in at.caption)
    assert "tab" not in at.query_params
