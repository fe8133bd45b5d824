"""Streamlit's own controls, tied to a setting: its name, range and default, its place in the address."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import streamlit as st

from attn_ui.base.controls import list_choices, yes_or_no
from attn_ui.base.markdown import plain
from attn_ui.base.parameters import Choice, Flag, Integer, MultiChoice, Real, Steps, Text, label_of
from attn_ui.screen import option_names
from attn_ui.screen.address import show, show_several
from attn_ui.screen.state import answer, describe, move, position, tie, times_shown, with_exact_value
from attn_ui.streamlit_inside.run import is_history_step
from attn_words import _


def _tied(name: str) -> dict[str, Any]:
    return {"key": name, "bind": "query-params", "persist_state": "session"}


def _tied_by_name(setting: Choice | MultiChoice, names: Sequence[str] = ()) -> dict[str, Any]:
    """Return the arguments that bind options to a setting; renamed ones are bound to its key alone."""
    if not option_names.is_renamed(setting):
        return _tied(setting.name)
    labels = {option: label_of(setting, option) for option in setting.options}
    labels |= {str(number): plain(name) for number, name in enumerate(names)}
    return {"key": setting.name, "persist_state": "session", "format_func": labels.__getitem__}


def _note(name: str, value: Any, label: str, reading: str, more: dict[str, Any]) -> None:
    """Store a control's value, its label and the text of its value; no text if the control is disabled."""
    tie(name, value)
    describe(name, label, None if more.get("disabled") else reading)


def _unless_set(setting: Choice | MultiChoice, start: dict[str, Any]) -> dict[str, Any]:
    """Return a control's default, unless the session has its value: Streamlit takes one of the two."""
    return {} if option_names.is_renamed(setting) and setting.name in st.session_state else start


def choose(choice: Choice, label: str, **more: Any) -> str:
    """Offer the options in a drop-down list; return the chosen one."""
    tied, start = _tied_by_name(choice), {"index": choice.options.index(choice.default)}
    option: str = st.selectbox(label, choice.options, **_unless_set(choice, start), **tied, **more)
    option_names.write_choice(choice, option)
    _note(choice.name, option, label, label_of(choice, option), more)
    return option


def peek(setting: Choice | Flag | Integer | Real | Text) -> Any:
    """Return the value of a setting's control; the address's before it is drawn, and after *Back*."""
    if setting.name in st.session_state and not is_history_step():
        return st.session_state[setting.name]
    text = st.query_params.get(setting.name)
    try:
        return setting.default if text is None else setting.read(text)
    except ValueError:
        return setting.default


def segment(choice: Choice, label: str, **more: Any) -> str:
    """Offer a few short options side by side, and others in a list."""
    tied, start = _tied_by_name(choice), {"default": choice.default}
    in_list = [each for each in choice.options if each not in choice.chips] if choice.chips else []
    beside = [each for each in choice.options if each not in in_list or each == peek(choice)]
    with (
        st.container(horizontal=True, vertical_alignment="center", gap="small") if in_list else nullcontext()
    ):
        option: str = st.segmented_control(
            label, beside, required=True, **_unless_set(choice, start), **tied, **more
        )
        if in_list:
            _list_views(choice, in_list)
    option_names.write_choice(choice, option)
    _note(choice.name, option, label, label_of(choice, option), more)
    return option


def _list_views(choice: Choice, in_list: Sequence[str]) -> None:
    """List the views that have no chip; the one that is chosen gets a chip for as long as it is shown."""
    key = f"more-{choice.name}"

    def take() -> None:
        answer(choice.name, st.session_state[key])
        st.session_state[key] = None

    views = _("More views")
    labels = {each: label_of(choice, each) for each in in_list}
    st.selectbox(
        *(views, in_list, None, labels.__getitem__),
        key=key,
        placeholder=views,
        label_visibility="collapsed",
        on_change=take,
        width=170,
    )


def whole(setting: Integer, label: str, **more: Any) -> int:
    """Read a whole number with a slider, or with a field where the range is long."""
    make: Any = st.slider if setting.high - setting.low <= 128 else st.number_input
    tied = _tied(setting.name)
    number: int = make(label, setting.low, setting.high, setting.default, **tied, **more)
    _note(setting.name, number, label, str(number), more)
    return number


def real(setting: Real, label: str, **more: Any) -> float:
    """Read a number with a slider."""
    tied = _tied(setting.name)
    # With all its digits: a link may name a number between two steps.
    number: float = st.slider(
        label, setting.low, setting.high, setting.default, setting.step, format="%g", **tied, **more
    )
    _note(setting.name, number, label, f"{number:g}", more)
    return number


def flag(setting: Flag, label: str, **more: Any) -> bool:
    """Offer a switch."""
    on = bool(st.toggle(label, setting.default, **_tied(setting.name), **more))
    _note(setting.name, on, label, yes_or_no(on), more)
    return on


def line(setting: Text, label: str, **more: Any) -> str:
    """Read a line of text."""
    text: str = st.text_input(
        label, setting.default, max_chars=setting.longest, **_tied(setting.name), **more
    )
    _note(setting.name, text, label, text, more)
    return text


def several(
    setting: MultiChoice, label: str, available: Sequence[str], names: Sequence[str] = (), **more: Any
) -> list[str]:
    """Offer switches for some options, any number of which may be on.

    A chosen option that is no longer available is dropped, also from the address.
    """
    chosen_before = st.session_state.get(setting.name) or []
    if not set(chosen_before) <= set(available):
        st.session_state[setting.name] = [each for each in chosen_before if each in available]
    tied, start = _tied_by_name(setting, names), {"default": [*setting.default]}
    selection: list[str] = st.pills(
        label, available, selection_mode="multi", **_unless_set(setting, start), **tied, **more
    )
    show_several(replace(setting, options=tuple(available)))
    option_names.write_choice(setting, selection)
    _note(setting.name, selection, label, list_choices(setting, selection, names), more)
    return selection


def step(steps: Steps, label: str, **more: Any) -> float:
    """Offer a setting in the sidebar that may be a live figure's slider elsewhere; return its value.

    The value is kept with those of live sliders, so that a link and both controls agree.
    """
    show(steps := with_exact_value(steps))
    key, texts = f"step-{steps.name}", steps.texts()
    st.session_state[key] = texts[position(steps)]
    st.select_slider(
        label, texts, key=key, on_change=lambda: _move_to_option(steps, texts, st.session_state[key]), **more
    )
    describe(steps.name, label, st.session_state[key])
    return steps.values[position(steps)]


def _move_to_option(steps: Steps, options_here: Sequence[Any], option: Any) -> None:
    """Set a slider to the option chosen from a list; ignore one that the list no longer has."""
    if option in options_here:
        move(steps, steps.values[options_here.index(option)])


def pick(steps: Steps, label: str, names: Sequence[str], **more: Any) -> int:
    """Offer by name what a click or a slider can also choose; return its index.

    The value is kept in `attn_ui.screen.state`, so several lists of one setting agree.
    """
    again = times_shown(steps)
    key = f"pick-{steps.name}" if again == 1 else f"pick-{steps.name}-{again}"
    steps = replace(steps, values=steps.values[: len(names)])
    show(steps)
    positions = range(len(steps.values))
    st.session_state[key] = position(steps)
    st.selectbox(
        label,
        positions,
        format_func=lambda index: names[index],
        key=key,
        on_change=lambda: _move_to_option(steps, positions, st.session_state[key]),
        **more,
    )
    place = int(st.session_state[key])
    describe(steps.name, label, names[place])
    return place
