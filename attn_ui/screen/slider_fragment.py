"""The part of a page that runs alone when a live slider is released.

A whole page makes some sixty elements; two thirds of its time goes into those that no slider moves. They stay
as they are, as long as nothing that they were made from has changed: settings of Streamlit's own controls
among them, and live sliders, tables and cells that were asked for while they were made.
"""

from collections.abc import Callable, Sequence

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attn_ui.base.parameters import Parameter
from attn_ui.host.run_queue import RUNS
from attn_ui.screen import language, share, state, teach
from attn_ui.streamlit_inside.messages import Talk


def follow(show: Callable[[], None], settings: Sequence[Parameter], *, has_sidebar: bool) -> None:
    """Show what depends on the live sliders, now and again after each use of a control in it.

    Where that changes something that the page was made from before this was called, the whole page runs.

    Args:
        show: draws into the main part of the page, and asks in the sidebar where there is one.
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
            st.sidebar.empty()  # its place there, which Streamlit gives to a part with the whole page alone
        show()

    run_alone(show_part, again)


def run_alone(show: Callable[[], None], again: Callable[[], None]) -> None:
    """Run a part of the page, and again alone whenever a control in it is used.

    Args:
        show: runs with the page; again: runs alone, when it is this visitor's turn.
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
        is_alone = True  # whatever calls it from now on is a run of this part


class WholeFirst:
    """ASGI middleware: a request for a part of a page that is still being made gets the whole page.

    A slider may be let go while another view is being opened, whose part it is not. And a browser that finds
    its server again after a restart does not ask for a page, but goes on with the next release, of a part
    that the new session does not know.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap the application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, what asks for a part that may be no more as what asks for the whole."""
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
