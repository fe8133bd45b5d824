"""Limits what a request sends: its size, its time, and the total of a visitor and of the process."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attn_ui.base.bounds import MAX_MAPS_BYTES, MAX_PROCESS_BYTES, MAX_SESSION_BYTES
from attn_ui.host.language import language_of
from attn_ui.streamlit_inside import uploaded
from attn_ui.streamlit_inside.uploaded import may_be_file, session_of
from attn_words import N_, _, speaking

MAX_BYTES = 9 * 1024 * 1024  # of a request's body: an upload's 8 MB with what travels around it
MAX_BYTES_ELSEWHERE = 64 * 1024  # where no file is uploaded
MAX_SECONDS = 120.0  # seconds: 8 MB at half a megabit a second
TOO_LARGE = N_("At most {megabytes} MB can be sent at once.")
TOO_SLOW = N_("The file did not come in time. Send it again.")
SPENT = N_(
    "Your files on this server take {megabytes} MB together, which is the limit. "
    "Remove one, or load the page again, and send this one then."
)
FULL = N_("This server keeps as many files for its visitors as it can. Send yours again in a few minutes.")
ENDED = N_("The page that sends this file is not open here any more. Load it again.")


class UploadLimits:
    """ASGI middleware that reads a request's body up to its limits before the application gets it."""

    def __init__(
        self,
        app: ASGIApp,
        sizes: Callable[[], Mapping[str, int]] = uploaded.file_sizes,
        is_open: Callable[[str], bool] = uploaded.is_open,
        timeout: float = MAX_SECONDS,
    ) -> None:
        """Wrap the application.

        Args:
            app: the application that answers.
            sizes: returns the bytes of the stored files by session, without those that were removed or whose
                session has ended.
            is_open: returns whether a page is open in a session.
            timeout: seconds that a body may take.
        """
        self.app = app
        self.sizes = sizes
        self.is_open = is_open
        self.timeout = timeout
        self.incoming_bytes: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request within the limits; refuse any other with a sentence."""
        if scope["type"] != "http" or scope["method"] not in ("POST", "PUT", "PATCH"):
            await self.app(scope, receive, send)
            return
        limit = MAX_BYTES if may_be_file(scope["path"]) else MAX_BYTES_ELSEWHERE
        announced = Headers(scope=scope).get("content-length", "")
        size = int(announced) if announced.isdecimal() else limit
        session = session_of(scope["path"])
        with speaking(language_of(scope)):
            refusal = self._refusal(session, size, limit)
        if refusal:
            if size <= limit:  # a browser that is interrupted while sending reads no answer
                await self._take(receive, limit, keep=False)
            await refusal(scope, receive, send)
            return
        self.incoming_bytes[session] += size
        try:
            with speaking(language_of(scope)):
                refusal, messages = await self._take(receive, limit)
            if refusal:
                await refusal(scope, receive, send)
                return

            async def receive_again() -> Message:
                return messages.pop(0) if messages else await receive()

            await self.app(scope, receive_again, send)
        finally:
            self.incoming_bytes[session] -= size
            self.incoming_bytes += Counter()  # drops sessions that send nothing

    async def _take(
        self, receive: Receive, limit: int, keep: bool = True
    ) -> tuple[PlainTextResponse | None, list[Message]]:
        """Read a whole body, or return the refusal."""
        messages: list[Message] = []
        size, more = 0, True
        try:
            async with asyncio.timeout(self.timeout):
                while more:
                    message = await receive()
                    messages += [message] if keep else []
                    size += len(message.get("body", b""))
                    if size > limit:
                        return _too_large(), []
                    more = message["type"] == "http.request" and message.get("more_body", False)
        except TimeoutError:
            return _refuse(_(TOO_SLOW), 408), []
        return None, messages

    def _refusal(self, session: str, size: int, limit: int) -> PlainTextResponse | None:
        if size > limit:
            return _too_large()
        if not session:
            return None
        if not self.is_open(session):
            return _refuse(_(ENDED), 400)
        sizes, incoming = self.sizes(), self.incoming_bytes
        if sizes.get(session, 0) + incoming[session] + size > MAX_SESSION_BYTES + (limit - MAX_MAPS_BYTES):
            return _refuse(_(SPENT, megabytes=MAX_SESSION_BYTES // 1_000_000), 413)
        if sum(sizes.values()) + incoming.total() + size > MAX_PROCESS_BYTES:
            return _refuse(_(FULL), 503)
        return None


def _too_large() -> PlainTextResponse:
    return _refuse(_(TOO_LARGE, megabytes=MAX_MAPS_BYTES // 1_000_000), 413)


def _refuse(sentence: str, status: int) -> PlainTextResponse:
    return PlainTextResponse(sentence, status, {"Connection": "close"})
