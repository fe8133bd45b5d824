"""The part of a page that runs alone when a live slider is released.

A whole page makes some sixty elements; two thirds of its time goes into those that no slider moves. They stay
as they are until one of the values that they were made from changes: that of a Streamlit control, a live
slider, a table or cells.
"""

from collections.abc import Callable, Sequence

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attn_ui.base.parameters import Parameter
from attn_ui.host.run_queue import RUNS
from attn_ui.screen import language, share, state, teach
from attn_ui.streamlit_inside.messages import Talk


def follow(show: Callable[[], None], settings: Sequence[Parameter], *, has_sidebar: bool) -> None:
    """Run `show`, which depends on the live sliders, now and again after each use of a control in it.

    If such a use changes a value that the page read before this call, the whole page runs instead.

    Args:
        show: draws into the main part of the page, and puts controls into the sidebar if there is one.
        settings: all of the page.
        has_sidebar: whether the page has a sidebar.
    """
    before = state.tied()
    snapshot = state.snapshot()

    def again() -> None:
        state.sync(settings, entered=False)
        state.tie_all(before)
        stale = any(st.session_state.get(name) != value for name, value in before.items())
        if stale or share.is_open() or teach.is_open() or not state.resume(snapshot):
            st.rerun()
        show_part()

    def show_part() -> None:
        if has_sidebar:
            st.sidebar.empty()  # its place there: Streamlit gives a part one only in a run of the whole page
        show()

    run_alone(show_part, again)


def run_alone(show: Callable[[], None], again: Callable[[], None]) -> None:
    """Run a part of the page, and again alone whenever a control in it is used.

    Args:
        show: runs with the page; again: runs alone, in the run queue.
    """
    is_alone = False

    @st.fragment
    def run() -> None:
        if not is_alone:
            show()
            return
        with RUNS:
            language.speak_here()
            again()

    try:
        run()
    finally:
        is_alone = True  # any later call is a run of this part alone


class WholeFirst:
    """ASGI middleware: a request for a part of a page that is still being made gets the whole page.

    A slider may be released while another view opens, which does not have that part. And after a restart of
    the server a browser requests no page, but the part of the next slider that is released, which the new
    session does not know.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap the application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; a request for a part that may be gone becomes one for the whole page."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        talk = Talk()

        async def receive_asked() -> Message:
            return talk.correct(await receive())

        async def send_and_read(message: Message) -> None:
            talk.note_answer(message)
            await send(message)

        await self.app(scope, receive_asked, send_and_read)
