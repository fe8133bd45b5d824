"""What a request may bring, driven as an ASGI server drives it and, on the real one, as a browser does."""

import asyncio
import contextlib
import time
import urllib.error
import urllib.request
from typing import Any

import pytest
import websockets
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from attn_ui.base.bounds import MAX_MAPS_BYTES, MAX_PROCESS_BYTES, MAX_SESSION_BYTES
from attn_ui.host import uploads
from attn_ui.host.uploads import ENDED, FULL, MAX_BYTES, SPENT, TOO_LARGE, TOO_SLOW, UploadLimits
from benchmarks.student import Student
from tests.browser.conftest import serving

OPEN = ("a", "b")


class Server:
    """An application behind the limits, whose files are Streamlit's own store of them."""

    def __init__(self, timeout: float = 60.0) -> None:
        self.files = MemoryUploadedFileManager("/upload")
        self.seen: list[str] = []
        self.limits = UploadLimits(self.keep, self.kept, OPEN.__contains__, timeout)

    def kept(self) -> dict[str, int]:
        return {
            session: sum(len(each.data) for each in own.values())
            for session, own in self.files.file_storage.items()
        }

    async def keep(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        self.seen.append(scope["path"])
        session, name = scope["path"].split("/")[-2:]
        self.files.add_file(session, UploadedFileRec(name, name, "", body))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def put(self, session: str, name: str, *parts: bytes, announced: int | None = None) -> tuple[int, str]:
        """Send a file; return the status and what is said."""
        return asyncio.run(self.put_slowly(session, name, *parts, announced=announced, ends=True))

    async def put_slowly(
        self, session: str, name: str, *parts: bytes, announced: int | None = None, ends: bool
    ) -> tuple[int, str]:
        """Send a file whose end may never come."""
        sent: list[Message] = []
        waiting = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
        if ends:
            waiting[-1]["more_body"] = False

        async def receive() -> Message:
            if not waiting:
                await asyncio.Event().wait()
            return waiting.pop(0)

        async def send(message: Message) -> None:
            sent.append(message)

        length = [] if announced is None else [(b"content-length", str(announced).encode())]
        scope: dict[str, Any] = {
            "type": "http",
            "method": "PUT",
            "path": f"/lab/_stcore/upload_file/{session}/{name}",
            "headers": length,
        }
        await self.limits(scope, receive, send)
        return sent[0]["status"], sent[1]["body"].decode()


FILE = b"x" * MAX_MAPS_BYTES
SPENT_NOW = SPENT.format(megabytes=MAX_SESSION_BYTES // 1_000_000)
TOO_LARGE_NOW = TOO_LARGE.format(megabytes=MAX_MAPS_BYTES // 1_000_000)


def test_upload_past_the_visitors_limit_is_refused_until_one_is_removed() -> None:
    server = Server()
    room = MAX_SESSION_BYTES // MAX_MAPS_BYTES
    for number in range(room):
        assert server.put("a", f"f{number}", FILE, announced=len(FILE))[0] == 204
    assert server.put("a", "one-more", FILE, announced=len(FILE)) == (413, SPENT_NOW)
    assert server.put("a", "unannounced", FILE) == (413, SPENT_NOW)
    assert server.put("b", "f0", FILE, announced=len(FILE))[0] == 204  # another visitor's is another's
    server.files.remove_file("a", "f0")
    assert server.put("a", "one-more", FILE, announced=len(FILE))[0] == 204
    assert server.put("a", "again", FILE, announced=len(FILE))[0] == 413
    server.files.remove_session_files("a")  # as Streamlit does where a session ends
    for number in range(room):
        assert server.put("a", f"f{number}", FILE, announced=len(FILE))[0] == 204


def test_upload_past_the_process_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_PROCESS_BYTES", 3 * MAX_MAPS_BYTES)
    server = Server()
    for session, name in (("a", "f0"), ("a", "f1"), ("b", "f0")):
        assert server.put(session, name, FILE, announced=len(FILE))[0] == 204
    assert server.put("b", "f1", FILE, announced=len(FILE)) == (503, FULL)
    server.files.remove_session_files("a")
    assert server.put("b", "f1", FILE, announced=len(FILE))[0] == 204
    assert MAX_PROCESS_BYTES >= 4 * MAX_SESSION_BYTES


def test_upload_in_progress_counts_until_it_ends() -> None:
    async def run() -> list[tuple[int, str]]:
        server = Server(timeout=0.3)
        slow = [
            asyncio.create_task(server.put_slowly("a", f"slow{each}", b"x", announced=len(FILE), ends=False))
            for each in range(3)
        ]
        await asyncio.sleep(0)
        refused = await server.put_slowly("a", "f0", FILE, announced=len(FILE), ends=True)
        late = await asyncio.gather(*slow)
        taken = await server.put_slowly("a", "f0", FILE, announced=len(FILE), ends=True)
        assert not server.limits.incoming_bytes
        return [refused, *late, taken]

    refused, *late, taken = asyncio.run(run())
    assert refused == (413, SPENT_NOW)
    assert late == [(408, TOO_SLOW)] * 3
    assert taken[0] == 204


@pytest.mark.parametrize("announced", [50 * 1024**2, None])
def test_upload_body_past_the_limit_is_refused_before_the_app_reads_it(announced: int | None) -> None:
    server = Server()
    part = b"x" * (MAX_BYTES // 2)
    assert server.put("a", "large", part, part, part, announced=announced) == (413, TOO_LARGE_NOW)
    assert server.seen == []
    assert server.put("a", "small", b"x,y")[0] == 204


def test_upload_to_a_closed_session_is_not_read() -> None:
    server = Server()
    assert server.put("nobody", "f", FILE, announced=len(FILE)) == (400, ENDED)
    assert server.seen == []


def test_body_without_a_file_has_a_small_limit() -> None:
    server = Server()
    assert server.put("a", "x/y", FILE, announced=len(FILE)) == (413, TOO_LARGE_NOW)


async def _session_of(student: Student) -> str:
    """Open a page; return the name of the session, as the browser is told it."""
    await student.ask()
    while True:
        message = ForwardMsg()
        message.ParseFromString(await asyncio.wait_for(student.socket.recv(), 60))
        if message.WhichOneof("type") == "new_session":
            return str(message.new_session.initialize.session_id)


def _put(address: str, session: str, name: str, token: str) -> tuple[int, str]:
    boundary = b"--x"
    body = (
        boundary
        + b'\r\nContent-Disposition: form-data; name="f"; filename="f.npz"\r\n'
        + b"Content-Type: application/octet-stream\r\n\r\n"
        + FILE
        + b"\r\n--x--\r\n"
    )
    headers = {
        "Content-Type": "multipart/form-data; boundary=x",
        "X-Xsrftoken": token,
        "Cookie": f"_streamlit_xsrf={token}",
    }
    asked = urllib.request.Request(
        f"{address}/_stcore/upload_file/{session}/{name}", data=body, headers=headers, method="PUT"
    )
    try:
        with urllib.request.urlopen(asked) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def _token(address: str) -> str:
    with urllib.request.urlopen(f"{address}/_stcore/health") as answer:
        (cookie,) = (
            each for each in answer.headers.get_all("Set-Cookie") if each.startswith("_streamlit_xsrf=")
        )
    return str(cookie).partition("=")[2].partition(";")[0]


@pytest.mark.slow
def test_server_takes_three_files_of_a_visitor() -> None:
    async def run(address: str, token: str) -> list[tuple[int, str]]:
        async with Student(address) as student:
            session = await _session_of(student)
            answers = [
                await asyncio.to_thread(_put, address, session, f"f{each}", token) for each in range(5)
            ]
        answers.append(await asyncio.to_thread(_put, address, "no-such-session", "f", token))
        return answers

    with serving("app.py") as address:
        answers = asyncio.run(run(address, _token(address)))
    assert [status for status, _ in answers] == [204, 204, 204, 413, 413, 400]
    assert [said for _, said in answers[3:]] == [SPENT_NOW, SPENT_NOW, ENDED]


@pytest.mark.slow
def test_server_closes_connections_that_open_no_page() -> None:
    async def silent(address: str) -> float:
        began = time.monotonic()
        stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
        async with websockets.connect(stream, subprotocols=[websockets.Subprotocol("streamlit")]) as socket:
            with contextlib.suppress(websockets.ConnectionClosed):
                await asyncio.wait_for(socket.recv(), 60)
        return time.monotonic() - began

    async def run(address: str) -> list[float]:
        waits = [asyncio.create_task(silent(address)) for _ in range(3)]
        async with Student(address) as student:  # asks, and stays
            await student.run()
            with pytest.raises(websockets.InvalidStatus):
                await silent(address)  # every place is taken
            seconds = await asyncio.gather(*waits)
            await student.run("single-head")
            assert student.errors == []
        async with Student(address) as late:
            await late.run()
        return seconds

    with serving("app.py", ATTENTION_LAB_SESSIONS="4") as address:
        seconds = asyncio.run(run(address))
    assert all(14 < each < 30 for each in seconds)
