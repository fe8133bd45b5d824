"""Pin what is on screen as A, and compare: the button, the line while something is pinned, the figure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attn_ui.base.markdown import plain
from attn_ui.base.page import Page, View
from attn_ui.base.parameters import Parameter
from attn_ui.base.pin import COMPARE, LONGEST, PIN, Pin
from attn_ui.base.pinned import PinComparison, compare_pin
from attn_ui.screen import address, settings_file, state
from attn_words import N_, _

_MESSAGE = "_pin_said"  # why the last press pinned nothing
_CHOOSER = "compare-panel"
_ALIKE = N_("**A** is pinned, and **B** is the same until you change something.")


def show(settings: Sequence[Parameter]) -> None:
    """Show the button that pins."""
    pin = Pin(tuple(settings))
    st.button(_("Pin to compare"), icon=":material/push_pin:", key="pin", on_click=_pin, args=(pin,))


def show_message() -> None:
    """Show why the last press pinned nothing."""
    if message := st.session_state.pop(_MESSAGE, ""):
        st.warning(message, icon=":material/info:")


def compare_view(page: Page[Any, Any], view: View[Any]) -> View[Any]:
    """Return the view, with A, B and B − A in place of its figure where something is pinned."""
    pin = Pin(tuple(page.settings))
    text = _text(pin)
    if text is None:
        return view
    places = [state.position(each.steps) if each else 0 for each in _sliders(view)]
    panel = st.query_params.get(COMPARE.name, COMPARE.default)
    comparison = (
        compare_pin(
            page.pinned(text), view.figure, panel=panel, labels=state.labels(), places=(places[0], places[1])
        )
        if view.is_linked
        else PinComparison(why=_("A pin is a link, and no link has a file of your own: nothing is compared."))
    )
    for bad in comparison.dropped(panel):
        address.drop_setting(bad)
    _line(pin, comparison)
    return replace(view, figure=comparison.figure) if comparison.figure else view


def _sliders(view: View[Any]) -> tuple[Any, Any]:
    return (view.figure.slider, view.figure.rows) if view.figure else (None, None)


def _text(pin: Pin) -> str | None:
    """Return the pin in the address; None without one, or if an invalid one was typed."""
    text = st.query_params.get(PIN)
    try:
        return None if text is None else pin.read(text)
    except ValueError:
        return None


def _line(pin: Pin, comparison: PinComparison) -> None:
    """Show what A and B are, a choice of the panel, and buttons that swap them and clear."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="pinned"):
        if comparison.why:
            st.markdown(comparison.why, width="content")
        else:
            sides = [("A", comparison.a), ("B", comparison.b)]
            sides_text = " · ".join(f"**{letter}:** {plain(words)}" for letter, words in sides if words)
            st.markdown(sides_text or _(_ALIKE), width="content")
        if len(comparison.panels) > 1:
            st.session_state[_CHOOSER] = comparison.panel
            st.selectbox(
                _("Compare"),
                list(comparison.panels),
                format_func=lambda name: comparison.panels[name],
                key=_CHOOSER,
                on_change=_choose,
                label_visibility="collapsed",
                width=180,
            )
        if comparison.figure:
            st.button(_("Swap"), key="pin-swap", on_click=_swap, args=(pin,))
        st.button(_("Clear"), key="pin-clear", on_click=_clear)


def _of_address(pin: Pin) -> str:
    return pin.of({name: st.query_params.get_all(name) for name in st.query_params})


def _pin(pin: Pin) -> None:
    text = _of_address(pin)
    if len(text) > LONGEST or state.left_out(pin.settings):
        st.session_state[_MESSAGE] = _("Not pinned: the settings are too long for a link, and a pin is one.")
        return
    state.put_in_address(PIN, text)


def _swap(pin: Pin) -> None:
    """Show A's settings, and pin what the page showed."""
    a = _text(pin)
    if a is None:
        return
    b = _of_address(pin)
    settings_file.take_over(pin.values(a), pin.about)
    state.put_in_address(PIN, b)


def _clear() -> None:
    for name in (PIN, COMPARE.name):
        state.put_in_address(name)


def _choose() -> None:
    """Take the panel that was chosen; the list may report late, when nothing is pinned any more."""
    if state.is_in_address(PIN):
        state.put_in_address(COMPARE.name, st.session_state[_CHOOSER])
