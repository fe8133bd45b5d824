"""Values of our own controls, kept equal in the session, on screen and in the address.

They are live sliders, typed tables, clicked cells and open tabs. Each is changed by the visitor (a report
from the browser, an edit), by the program (a button) or by the address (a link, the back button). A run may
start before the newest text has reached the browser's address, so a text there that this session once wrote
is ignored as an echo. After the browser's back or forward button the address decides instead, also by what it
leaves out.

A live slider is moved by the browser itself; it is commanded to another position only when `revision`
changes, so that a report never echoes back.
"""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from attn_ui.base.parameters import Cells, Parameter, Sight, Steps, Table, Tabs
from attn_ui.screen import option_names
from attn_ui.streamlit_inside.run import correct_address, is_history_step, sent_address, session

Held = Steps | Table | Cells | Sight | Tabs
_KEY = "_state"
_MINE = threading.local()  # a thread runs pages of one session


@dataclass
class _State:
    current: dict[str, Any] = field(default_factory=dict)  # numbers of sliders, texts of all else
    # What this session ever put in the address for each setting; None where it was left out, at its default.
    address_texts: dict[str, set[str | None]] = field(default_factory=dict)
    lists: Counter[str] = field(default_factory=Counter)  # how many lists show each setting in this run
    values_read: dict[str, Any] = field(default_factory=dict)  # values read in this run, None at the default
    commanded: dict[str, float] = field(default_factory=dict)
    revisions: dict[str | None, int] = field(default_factory=dict)  # of each table; of all sliders under None
    # What each figure's sliders offered last: their names and values.
    sliders_by_figure: dict[str, tuple[tuple[str, tuple[float, ...]], ...]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # labels of controls, by their settings' names
    readings: dict[str, tuple[str, str]] = field(default_factory=dict)  # controls of this run: label, value
    tied: dict[str, Any] = field(default_factory=dict)  # values of this run's Streamlit controls, by setting
    pending: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)  # see `put_in_address`
    answers: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # see `answer`
    # Values between two of a slider's own, each an added step for as long as the page is open.
    between: dict[str, float] = field(default_factory=dict)
    values_shown: dict[str, float] = field(
        default_factory=dict
    )  # of sliders that cannot show the requested value
    linked: dict[str, str] = field(default_factory=dict)  # texts of settings still as a link set them
    held_settings: dict[str, Held] = field(default_factory=dict)  # the settings of the page that is open


def _state() -> _State:
    """Return the state of the session; the thread keeps it, because a run needs it some seventy times."""
    own: _State | None = getattr(_MINE, "state", None)
    if own is not None:
        return own
    if _KEY not in st.session_state:
        st.session_state[_KEY] = _State()
    state: _State = st.session_state[_KEY]
    if session() is not None:
        _MINE.state = state
    return state


def value_between(steps: Steps) -> float | None:
    """Return the requested value that lies between two steps of a slider; it stays while the page is open."""
    state = _state()
    first, last = steps.values[0], steps.values[-1]
    at = state.current.get(steps.name, steps.default)
    if at not in steps.values and not steps.only and first < at < last:
        state.between[steps.name] = at
    pair = state.between.get(steps.name)
    return pair if pair is not None and first < pair < last and pair not in steps.values else None


def with_exact_value(steps: Steps) -> Steps:
    """Return the slider with a requested value between two steps added as a step."""
    value = value_between(steps)
    return steps if value is None else steps.with_value(value)


def position(steps: Steps) -> int:
    """Return the present position of a slider, as an index into its values."""
    state = _state()
    state.values_read[steps.name] = state.current.get(steps.name)
    return _position(state, steps)


def value(steps: Steps) -> float:
    """Return the present value of a slider."""
    state = _state()
    state.values_read[steps.name] = state.current.get(steps.name)
    return steps.nearest_value(state.current.get(steps.name, steps.default))


def text(setting: Table | Cells | Sight | Tabs) -> str:
    """Return the text of a table, of cells, of a zoomed part or of the open tab, or the default."""
    state = _state()
    state.values_read[setting.name] = state.current.get(setting.name)
    return _text(state, setting)


def revision(setting: Table | Cells | None = None) -> int:
    """Return a number that grows whenever the browser must take its positions from the server.

    Args:
        setting: a table that is edited on screen; None for the sliders of live figures.
    """
    return _state().revisions.get(setting.name if setting else None, 0)


def commanded(steps: Steps) -> int:
    """Return the position of a slider when `revision` last changed."""
    state = _state()
    at = state.commanded.get(steps.name, steps.default)
    value = state.values_shown.get(steps.name, at)
    return steps.nearest(value if at == state.current.get(steps.name, steps.default) else at)


def offer(figure: str, sliders: Sequence[Steps]) -> bool:
    """Register a figure's sliders and their values, before their positions are read.

    The browser reports indices, so when a figure's sliders or their values change, it gets those of the
    present values again.

    Returns whether the session saw the figure before.
    """
    state = _state()
    lists = tuple((steps.name, steps.values) for steps in sliders)
    is_known = figure in state.sliders_by_figure
    if state.sliders_by_figure.get(figure) == lists:
        return is_known
    state.sliders_by_figure[figure] = lists
    if is_known or any(commanded(steps) != position(steps) for steps in sliders):
        _command(state, None)
    return is_known


def show(steps: Steps) -> str | None:
    """Write the value that a slider shows into the address, in place of the requested value.

    Returns the text of the link, once, if that requested another value.

    Args:
        steps: the setting with the values that the page has.
    """
    state = _state()
    name, at = steps.name, state.current.get(steps.name, steps.default)
    value = steps.values[steps.nearest(at)]
    before = state.values_shown.pop(name, None)
    if value != at:
        state.values_shown[name] = value
    if state.values_shown.get(name) != before and name in state.held_settings:
        _write(state, state.held_settings[name], st.query_params.to_dict())
    return None if value == at else state.linked.pop(name, None)


def report(steps: Steps, index: int) -> None:
    """Set a slider to the position that the browser reports."""
    _change(_state(), steps, steps.values[index])


def command() -> None:
    """Move the browser's sliders to the positions in the session."""
    _command(_state(), None)


def move(steps: Steps, to: float) -> None:
    """Move a slider to a value, or to the nearest; to be called from a callback, before the page runs."""
    state = _state()
    _change(state, steps, steps.nearest_value(to))
    _command(state, None)


def write_setting(setting: Table | Cells | Sight | Tabs, new: str, *, replaces: bool = False) -> None:
    """Keep a text and put it in the address; a table too long for a link is kept in the session alone.

    Args:
        setting: of the text.
        new: the text.
        replaces: whether an editor that shows the text must start afresh from it.
    """
    state = _state()
    _change(state, setting, new)
    if replaces:
        _command(state, setting)
    _write(state, setting, st.query_params.to_dict())


def describe(name: str, label: str, reading: str | None = None) -> None:
    """Store the label of a setting's control on the page, and its value in words.

    The sliders of a live figure need no `reading`: the browser has their texts.
    """
    state = _state()
    state.names[name] = label
    if reading is not None:
        state.readings[name] = label, reading


def tie(name: str, value: Any) -> None:
    """Store a Streamlit control of this run: its setting, and the value that it shows."""
    _state().tied[name] = value


def tied() -> dict[str, Any]:
    """Return the values of the Streamlit controls of this run, by setting."""
    return dict(_state().tied)


def tie_all(names: Mapping[str, Any]) -> None:
    """Store the controls of the whole page, for a part that runs alone without drawing them."""
    _state().tied.update(names)


def put_in_address(name: str, *texts: str) -> None:
    """Write a setting that the server alone decides into the address, until the browser has it too.

    The browser may have sent its next message before this reached it. That message has the old address and
    would undo the change: so it is written again until the browser's own address has it.
    """
    _state().pending[name] = (sent_address().get(name, []), [*texts])
    _say(name, texts)


def is_in_address(name: str) -> bool:
    """Whether a setting that the server alone decides is in the address."""
    _before, texts = _state().pending.get(name, ([], st.query_params.get_all(name)))
    return bool(texts)


def answer(name: str, value: Any) -> None:
    """Set the value that a control will show; to be called from a callback.

    The browser may have sent its next message, with the control's old value, before this reached it: until a
    run has ended, the old value does not undo the new one.
    """
    _state().answers[name] = st.session_state.get(name), value
    st.session_state[name] = value


def finish() -> None:
    """Note that the run of the whole page has ended."""
    _state().answers.clear()


def _say(name: str, texts: Sequence[str]) -> None:
    if st.query_params.get_all(name) == [*texts]:
        return
    if texts:
        st.query_params[name] = texts
    else:
        del st.query_params[name]


def _put_again(state: _State) -> None:
    address = sent_address() if state.pending else {}
    state.pending = {
        name: (before, texts)
        for name, (before, texts) in state.pending.items()
        if before != texts and address.get(name, []) == before
    }
    for name, (_before, texts) in state.pending.items():
        _say(name, texts)
    for name, (before, value) in state.answers.items():
        if st.session_state.get(name) == before:
            st.session_state[name] = value


def readings() -> list[tuple[str, str]]:
    """Return the label and the value in words of each control of this run."""
    return list(_state().readings.values())


def labels() -> dict[str, tuple[str, str]]:
    """Return the label and the value in words of each control of this run, by setting."""
    return dict(_state().readings)


def control_names() -> dict[str, str]:
    """Return the labels of the controls seen in this session, by setting."""
    return _state().names


def times_shown(setting: Held) -> int:
    """Count how often this run has shown a setting as a list, this time included: each needs its own key."""
    state = _state()
    state.lists[setting.name] += 1
    return state.lists[setting.name]


@dataclass(frozen=True)
class Snapshot:
    """The state of a run up to some point: its values, and how many lists of each setting it has shown."""

    values_read: dict[str, Any]
    lists: Counter[str]
    between: dict[str, float]
    readings: dict[str, tuple[str, str]]


def snapshot() -> Snapshot:
    """Return the state of this run so far."""
    state = _state()
    return Snapshot(dict(state.values_read), Counter(state.lists), dict(state.between), dict(state.readings))


def resume(snapshot: Snapshot) -> bool:
    """Go on from an earlier run's state; False where its values have changed since."""
    state = _state()
    state.lists = Counter(snapshot.lists)
    state.readings = dict(snapshot.readings)
    same = all(state.current.get(name) == value for name, value in snapshot.values_read.items())
    return same and state.between == snapshot.between


def sync(parameters: Sequence[Parameter], *, entered: bool) -> None:
    """At the start of a run take news from the address into our own controls, then write their values back.

    Args:
        parameters: of the page; those with a Streamlit control are left to Streamlit.
        entered: whether this is the page's first run since it was opened.
    """
    state = _state()
    own_values = dict(state.tied)
    state.lists.clear()
    state.values_read.clear()
    state.readings.clear()
    state.tied.clear()
    if entered or is_history_step():
        state.pending.clear()
        state.answers.clear()
    else:
        tied = [each for each in parameters if each.name in own_values and each.name not in state.answers]
        _correct(
            [each for each in tied if not option_names.is_renamed(each)]
        )  # values in `answers` are sent to the browser
        _put_again(state)
    held_settings = [setting for setting in parameters if isinstance(setting, Held)]
    state.held_settings = {setting.name: setting for setting in held_settings}
    history = is_history_step()
    address = st.query_params.to_dict()  # at once: single calls take longer than all else here
    if entered:
        state.between.clear()
    for setting in held_settings:
        _read(state, setting, address.get(setting.name), entered=entered, history=history)
    if entered:
        _command(state, None)
    for setting in held_settings:
        _write(state, setting, address)


def _correct(parameters: Sequence[Parameter]) -> None:
    """Set the controls' values in the server's copy of the address: a quick browser sends an older one."""
    for setting in parameters:
        value = st.session_state.get(setting.name, setting.default)
        texts = address_texts(value) if value != setting.default else []
        if not _stand_for(setting, st.query_params.get_all(setting.name), value):
            correct_address(setting.name, texts)


def address_texts(value: Any) -> list[str]:
    """Return the texts that the address has for a control's value."""
    several = value if isinstance(value, list | tuple) else [value]
    return [str(each).lower() if isinstance(each, bool) else str(each) for each in several]


def _stand_for(setting: Parameter, texts: Sequence[str], value: Any) -> bool:
    """Whether the texts of a setting in the address stand for a value."""
    if isinstance(value, list | tuple):
        return [*texts] == [*value]
    try:
        return bool((setting.read(texts[-1]) if texts else setting.default) == value)
    except ValueError:
        return False


def _read(state: _State, setting: Held, text: str | None, *, entered: bool, history: bool) -> None:
    """Set a setting to its text in the address, if that is news."""
    if not history:
        # A link without it leaves it as it was; but tabs are each page's own.
        if entered and text is None and not isinstance(setting, Tabs):
            return
        if not entered and text in state.address_texts.get(setting.name, {None}):
            return
    state.address_texts.setdefault(setting.name, {None}).add(text)
    try:
        new = setting.default if text is None else setting.read(text)
    except ValueError:
        new = setting.default
    if new != state.current.get(setting.name, setting.default):
        _change(state, setting, new)
        _command(state, setting)
    if text is not None:
        state.linked[setting.name] = text


def _position(state: _State, steps: Steps) -> int:
    return steps.nearest(state.current.get(steps.name, steps.default))


def _text(state: _State, setting: Table | Cells | Sight | Tabs) -> str:
    text: str = state.current.get(setting.name, setting.default)
    return text


def _change(state: _State, setting: Held, new: float | str) -> None:
    state.current[setting.name] = new
    for about in (state.linked, state.values_shown):
        about.pop(setting.name, None)
    if isinstance(setting, Steps) and not isinstance(new, str) and new not in setting.values:
        state.between[setting.name] = new


def _command(state: _State, setting: Held | None) -> None:
    """Make the browser show the present values: in one table's editor, or of all sliders."""
    which = None if isinstance(setting, Steps) or setting is None else setting.name
    if which is None:
        state.commanded = {name: at for name, at in state.current.items() if not isinstance(at, str)}
    state.revisions[which] = state.revisions.get(which, 0) + 1


def _write(state: _State, setting: Held, address: Mapping[str, str]) -> None:
    """Write the present value of a setting into the address."""
    text = _in_address(state, setting)
    state.address_texts.setdefault(setting.name, {None}).add(text)
    if address.get(setting.name) == text:
        return
    if text is None:
        del st.query_params[setting.name]
    else:
        st.query_params[setting.name] = text


def left_out(parameters: Sequence[Parameter]) -> list[str]:
    """Return the names of the tables that are too long for the address."""
    return [each.name for each in parameters if isinstance(each, Table) and _too_long(each, text(each))]


def _too_long(table: Table, text: str) -> bool:
    return len(text) > table.longest


def _in_address(state: _State, setting: Held) -> str | None:
    if isinstance(setting, Steps):
        at = setting.nearest_value(state.current.get(setting.name, setting.default))
        value = state.values_shown.get(setting.name, at)
        is_default = setting.default in (at, value)
        return None if is_default and not setting.always_written else setting.text(value)
    text = _text(state, setting)
    too_long = isinstance(setting, Table) and _too_long(setting, text)
    return None if too_long or text == setting.default else text
