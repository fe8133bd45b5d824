"""Typed tables and clicked cells: settings without a Streamlit control, kept for the session and in the link.

A run may start before the newest text has reached the browser's address: for a moment after a change the
text before it is an echo, later it is the back button.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from attn_ui.parameters import Cells, Parameter, Table

Kept = Table | Cells
_KEY = "_kept"
_ECHO_SECONDS = 2.0


@dataclass(frozen=True)
class _Written:
    """What this session last put in the address, what it put there before, and when."""

    last: str
    before: str
    at: float = 0.0

    def explains(self, found: str) -> bool:
        echo = found == self.before and time.monotonic() - self.at < _ECHO_SECONDS
        return found == self.last or echo


@dataclass
class _Texts:
    current: dict[str, str] = field(default_factory=dict)
    written: dict[str, _Written] = field(default_factory=dict)
    revisions: dict[str, int] = field(default_factory=dict)


def _state() -> _Texts:
    state: _Texts = st.session_state.setdefault(_KEY, _Texts())
    return state


def text(setting: Kept) -> str:
    """Return what is kept, as the address has it; the default where nothing is."""
    return _state().current.get(setting.name, setting.default)


def revision(setting: Kept) -> int:
    """Return a number that changes whenever the text is replaced from outside its editor."""
    return _state().revisions.get(setting.name, 0)


def keep(setting: Kept, new: str, *, replaces: bool = False) -> None:
    """Keep a text and put it in the address; a table too long for a link is kept in the session alone.

    Args:
        setting: whose text it is.
        new: the text.
        replaces: whether an editor that shows the text must start afresh from it.
    """
    state = _state()
    state.current[setting.name] = new
    if replaces:
        state.revisions[setting.name] = revision(setting) + 1
    _write(state, setting)


def sync(parameters: Sequence[Parameter], *, entered: bool) -> None:
    """Bring what is kept and the address together at the start of a run.

    Args:
        parameters: what the page can set; only tables and cells matter here.
        entered: whether this is the page's first run since it was opened.
    """
    state = _state()
    for setting in parameters:
        if isinstance(setting, Table | Cells):
            found = st.query_params.get(setting.name, setting.default)
            written = state.written.get(setting.name, _Written(setting.default, setting.default))
            new = setting.name in st.query_params if entered else not written.explains(found)
            if new and found != text(setting):
                _adopt(state, setting, found)
            _write(state, setting)


def _adopt(state: _Texts, setting: Kept, found: str) -> None:
    try:
        state.current[setting.name] = setting.read(found)
    except ValueError:
        state.current[setting.name] = setting.default
    state.revisions[setting.name] = revision(setting) + 1


def _write(state: _Texts, setting: Kept) -> None:
    wanted = text(setting)
    if isinstance(setting, Table) and len(wanted) > setting.longest:
        wanted = setting.default
    last = state.written.get(setting.name, _Written(setting.default, setting.default)).last
    if wanted != last:
        state.written[setting.name] = _Written(wanted, last, time.monotonic())
    if wanted == setting.default:
        if setting.name in st.query_params:
            del st.query_params[setting.name]
    elif st.query_params.get(setting.name) != wanted:
        st.query_params[setting.name] = wanted
