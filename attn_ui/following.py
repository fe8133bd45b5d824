"""What follows live sliders: the part of a page that runs alone when one of them is let go.

A whole page makes some sixty elements; two thirds of its time goes into those that no slider moves. They stay
as they are, as long as nothing that they were made from has changed: settings of Streamlit's own controls
among them, and live sliders, tables and cells that were asked for while they were made.
"""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attn_ui import share, state
from attn_ui.parameters import Parameter
from attn_ui.turns import TURNS


def follow(show: Callable[[], None], settings: Sequence[Parameter]) -> None:
    """Show what follows the live sliders, at once and again whenever a control in it is used.

    Where that changes something that the page was made from before this was called, the whole page runs.

    Args:
        show: draws into the main part of the page; it may call no `st.sidebar`.
        settings: all of the page.
    """
    run = get_script_run_ctx()
    made = run.shared.widget_user_keys_this_run.snapshot() if run else frozenset()
    before = {each.name: st.session_state[each.name] for each in settings if each.name in made}
    seen = state.seen()

    @st.fragment
    def part() -> None:
        if not _alone():
            show()
            return
        with TURNS:
            state.sync(settings, entered=False)
            stale = any(st.session_state.get(name) != value for name, value in before.items())
            if stale or share.is_open() or not state.goes_on_from(seen):
                st.rerun()
            show()

    part()


def _alone() -> bool:
    """Tell whether this run is of a part of the page."""
    run = get_script_run_ctx()
    return bool(run and run.fragment_ids_this_run)
