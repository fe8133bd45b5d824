"""What a request may bring: so much at once, within a time, and so much in all for visitor and process."""

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

MOST_BYTES = 9 * 1024 * 1024  # of a request's body: an upload's 8 MB with what travels around it
MOST_ELSEWHERE = 64 * 1024  # where no file is uploaded
COME_WITHIN = 120.0  # seconds: 8 MB at half a megabit a second
TOO_LARGE = N_("At most {megabytes} MB can be sent at once.")
TOO_SLOW = N_("The file did not come in time. Send it again.")
SPENT = N_(
    "Your files on this server take {megabytes} MB together, which is the limit. "
    "Remove one, or load the page again, and send this one then."
)
FULL = N_("This server keeps as many files for its visitors as it can. Send yours again in a few minutes.")
ENDED = N_("The page that sends this file is not open here any more. Load it again.")


class Uploads:
    """ASGI middleware: a request's body is read up to its limits before the application sees any of it."""

    def __init__(
        self,
        app: ASGIApp,
        sizes: Callable[[], Mapping[str, int]] = uploaded.file_sizes,
        is_open: Callable[[str], bool] = uploaded.is_open,
        come_within: float = COME_WITHIN,
    ) -> None:
        """Wrap the application.

        Args:
            app: what answers.
            sizes: tells the bytes of the files that are kept, by session: what a visitor removes, or leaves
                behind with an ended session, counts no longer.
            is_open: tells whether a page is open in a session.
            come_within: seconds that a body may take.
        """
        self.app = app
        self.sizes = sizes
        self.is_open = is_open
        self.come_within = come_within
        self.coming: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let pass what is within the limits; what is not gets a sentence."""
        if scope["type"] != "http" or scope["method"] not in ("POST", "PUT", "PATCH"):
            await self.app(scope, receive, send)
            return
        most = MOST_BYTES if may_be_file(scope["path"]) else MOST_ELSEWHERE
        announced = Headers(scope=scope).get("content-length", "")
        size = int(announced) if announced.isdecimal() else most
        session = session_of(scope["path"])
        with speaking(language_of(scope)):
            refusal = self._refuses(session, size, most)
        if refusal:
            if size <= most:  # who is interrupted while sending does not read why
                await self._take(receive, most, keep=False)
            await refusal(scope, receive, send)
            return
        self.coming[session] += size
        try:
            with speaking(language_of(scope)):
                refusal, messages = await self._take(receive, most)
            if refusal:
                await refusal(scope, receive, send)
                return

            async def receive_again() -> Message:
                return messages.pop(0) if messages else await receive()

            await self.app(scope, receive_again, send)
        finally:
            self.coming[session] -= size
            self.coming += Counter()  # forgets who sends nothing

    async def _take(
        self, receive: Receive, most: int, keep: bool = True
    ) -> tuple[PlainTextResponse | None, list[Message]]:
        """Read a whole body, or say why not."""
        messages: list[Message] = []
        size, more = 0, True
        try:
            async with asyncio.timeout(self.come_within):
                while more:
                    message = await receive()
                    messages += [message] if keep else []
                    size += len(message.get("body", b""))
                    if size > most:
                        return _too_large(), []
                    more = message["type"] == "http.request" and message.get("more_body", False)
        except TimeoutError:
            return _no(_(TOO_SLOW), 408), []
        return None, messages

    def _refuses(self, session: str, size: int, most: int) -> PlainTextResponse | None:
        if size > most:
            return _too_large()
        if not session:
            return None
        if not self.is_open(session):
            return _no(_(ENDED), 400)
        sizes = self.sizes()
        if sizes.get(session, 0) + self.coming[session] + size > MAX_SESSION_BYTES + (most - MAX_MAPS_BYTES):
            return _no(_(SPENT, megabytes=MAX_SESSION_BYTES // 1_000_000), 413)
        if sum(sizes.values()) + self.coming.total() + size > MAX_PROCESS_BYTES:
            return _no(_(FULL), 503)
        return None


def _too_large() -> PlainTextResponse:
    return _no(_(TOO_LARGE, megabytes=MAX_MAPS_BYTES // 1_000_000), 413)


def _no(sentence: str, status: int) -> PlainTextResponse:
    return PlainTextResponse(sentence, status, {"Connection": "close"})
