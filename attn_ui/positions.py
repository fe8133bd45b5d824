"""Where each live slider stands: one truth for the session, the browser and the address.

A slider is moved by the browser (a report after each release), by the address (a link, the back
button) or by the program (a button). The browser follows its own slider; it is commanded to another
position only when `revision` changes, so that a report never echoes back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from attn_ui.parameters import Parameter, Steps

_KEY = "_positions"


@dataclass
class _Positions:
    current: dict[str, float] = field(default_factory=dict)
    commanded: dict[str, float] = field(default_factory=dict)
    # The last two texts that this session put in the address: a run may start before the newest arrived.
    written: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    reported: set[str] = field(default_factory=set)  # moved by the browser since the last run
    # What each figure's sliders offered last: their names and values.
    offered: dict[str, tuple[tuple[str, tuple[float, ...]], ...]] = field(default_factory=dict)
    revision: int = 0


def _state() -> _Positions:
    state: _Positions = st.session_state.setdefault(_KEY, _Positions())
    return state


def revision() -> int:
    """Return the number that changes whenever the browser must take positions from the server."""
    return _state().revision


def position(steps: Steps) -> int:
    """Return where a slider stands, as an index into its values."""
    return steps.nearest(_state().current.get(steps.name, steps.default))


def value(steps: Steps) -> float:
    """Return the value at which a slider stands."""
    return steps.values[position(steps)]


def commanded(steps: Steps) -> int:
    """Return where the slider stood when `revision` last changed."""
    return steps.nearest(_state().commanded.get(steps.name, steps.default))


def offer(figure: str, sliders: Sequence[Steps]) -> None:
    """Take note of a figure's sliders and their values; to be called before its positions are read.

    The browser counts positions, so where a figure's sliders or their values become others, it is commanded
    to the positions of the present values among them.
    """
    state = _state()
    offered = tuple((steps.name, steps.values) for steps in sliders)
    if state.offered.get(figure) == offered:
        return
    known = figure in state.offered
    state.offered[figure] = offered
    if known or any(commanded(steps) != position(steps) for steps in sliders):
        _command(state)


def report(steps: Steps, index: int) -> None:
    """Take over the position that the browser reports."""
    state = _state()
    state.current[steps.name] = steps.values[index]
    state.reported.add(steps.name)


def move(steps: Steps, to: float) -> None:
    """Move a slider to the value nearest to `to`; to be called from a callback, before the page runs."""
    state = _state()
    state.current[steps.name] = steps.values[steps.nearest(to)]
    state.reported.add(steps.name)  # the address is behind, not ahead
    _command(state)


def sync(parameters: Sequence[Parameter], *, entered: bool) -> None:
    """Bring positions and address together at the start of a run.

    Args:
        parameters: what the page can set; only its sliders matter here.
        entered: whether this is the page's first run since it was opened.
    """
    state = _state()
    for steps in parameters:
        if isinstance(steps, Steps):
            _read(state, steps, entered)
    if entered:
        _command(state)
    for steps in parameters:
        if isinstance(steps, Steps):
            _write(state, steps)
    state.reported.clear()


def _read(state: _Positions, steps: Steps, entered: bool) -> None:
    text = st.query_params.get(steps.name)
    if entered and text is None:
        state.current.setdefault(steps.name, steps.default)
        return
    mine = steps.name in state.reported or text in state.written.get(steps.name, (None, None))
    if entered or not mine:
        try:
            state.current[steps.name] = steps.default if text is None else steps.read(text)
        except ValueError:
            state.current[steps.name] = steps.default
        _command(state)


def _command(state: _Positions) -> None:
    state.commanded = dict(state.current)
    state.revision += 1


def _write(state: _Positions, steps: Steps) -> None:
    index = position(steps)
    left_out = index == steps.nearest(steps.default) and not steps.always_written
    text = None if left_out else steps.texts()[index]
    last, _ = state.written.get(steps.name, (None, None))
    if text != last:
        state.written[steps.name] = (text, last)
    if text is None:
        if steps.name in st.query_params:
            del st.query_params[steps.name]
    elif st.query_params.get(steps.name) != text:
        st.query_params[steps.name] = text
