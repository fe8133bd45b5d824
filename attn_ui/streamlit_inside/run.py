"""The current run: its session, whether the browser went back or forward, and the browser's address."""

import threading
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs

import streamlit as st

from attn_ui.streamlit_inside.feature import Feature, expect, expect_fields, look_up

_GET = "streamlit.runtime.scriptrunner:get_script_run_ctx"
_RUN = "streamlit.runtime.scriptrunner_utils.script_run_context:ScriptRunContext"
_PARAMS = "streamlit.runtime.state.query_params:QueryParams"

FEATURE = Feature(
    "the run in progress",
    expect(_GET, "suppress_warning"),
    expect_fields(_RUN, "session_id", "is_history_navigation"),
    uses="the id of a run's session, and whether the browser's back or forward button asked for the run",
    gives="visitors take turns, so that one does not hold up a class; and these buttons bring back live "
    "sliders, tables, cells and tabs",
    without="runs take turns in the order in which they came, and these buttons leave live sliders, tables "
    "and tabs as they are",
    upstream=(13853,),
)
ADDRESS = Feature(
    "settings that two pages share",
    expect(_GET, "suppress_warning"),
    expect_fields(_RUN, "query_string", "session_state"),
    expect("streamlit.runtime.state.safe_session_state:SafeSessionState.query_params", "self"),
    expect(f"{_PARAMS}.populate_from_query_string", "self", "query_string"),
    expect(f"{_PARAMS}.set_initial_query_params_from_current", "self"),
    expect(f"{_PARAMS}.set_with_no_forward_msg", "self", "key", "val"),
    expect(f"{_PARAMS}.discard_param_no_forward_msg", "self", "param_key"),
    uses="the address that a browser sent with a run, and what Streamlit takes out of it between pages",
    gives="the back button brings a setting back that another page has too",
    without="such a setting stays as the other page left it",
    upstream=(9279,),
)


def session() -> str | None:
    """Return the session of this thread's run; None where it runs no page."""
    if not FEATURE.on:
        return f"thread {threading.get_ident()}"
    run = _run()
    return None if run is None else str(run.session_id)


def is_history_step() -> bool:
    """Whether this run follows the browser's back or forward button."""
    run = _run() if FEATURE.on else None
    return bool(run and run.is_history_navigation)


def read_address_again() -> None:
    """Restore the address that the browser sent.

    Before the first run of a page Streamlit removes from it every setting that a control of another page is
    bound to. If two pages share a setting, the back button must bring back that very one.
    """
    run = _run() if ADDRESS.on else None
    if run is None:
        return
    with run.session_state.query_params() as query:
        query.populate_from_query_string(run.query_string)
        query.set_initial_query_params_from_current()
    st.query_params.update({})  # sends it to the browser, which got the address without them


def sent_address() -> dict[str, list[str]]:
    """Return the address that the browser sent with this run's request."""
    run = _run() if ADDRESS.on else None
    if run is None:
        return {name: st.query_params.get_all(name) for name in st.query_params}
    return parse_qs(run.query_string, keep_blank_values=True)


def correct_address(name: str, texts: Sequence[str]) -> None:
    """Set a setting in the server's copy of the address only; the browser's has it already."""
    run = _run() if ADDRESS.on else None
    if run is None:
        return
    with run.session_state.query_params() as query:
        if texts:
            query.set_with_no_forward_msg(name, [*texts] if len(texts) > 1 else texts[0])
        else:
            query.discard_param_no_forward_msg(name)


def _run() -> Any | None:
    return look_up(_GET)(suppress_warning=True)
