"""The virtual student of the class benchmark keeps what a browser keeps, and forgets what it forgets."""

from itertools import pairwise

import pytest
from playwright.sync_api import WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.student import Student
from tests.browser.app_page import AppPage

pytestmark = pytest.mark.still


def test_a_student_knows_the_messages_that_a_browser_knows(app: AppPage) -> None:
    student = Student(app.server)
    pairs: list[tuple[set[str], set[str]]] = []

    def came(data: bytes | str) -> None:
        assert isinstance(data, bytes)
        student.take(ForwardMsg.FromString(data))

    def went(data: bytes | str) -> None:
        assert isinstance(data, bytes)
        said = BackMsg.FromString(data)
        if said.WhichOneof("type") == "rerun_script":
            pairs.append((set(said.rerun_script.cached_message_hashes), set(student.known)))

    def opened(socket: WebSocket) -> None:
        socket.on("framereceived", came)
        socket.on("framesent", went)

    app.page.on("websocket", opened)
    app.open("single-head")
    links = app.page.get_by_test_id("stTopNavLink")
    for _ in range(4):  # parts of the page run alone
        app.press("walk", "ArrowRight")
    there = ("Positional", "Overview", "Single head", "Multi-head")
    # Longer than a browser keeps what it does not use.
    for title in (*there, *("Overview", "Positional") * 5, "Single head"):
        links.filter(has_text=title).click()
        app.settle()
    app.press("walk", "ArrowRight")
    theirs, ours = zip(*pairs, strict=True)
    assert ours == theirs
    assert len(theirs) >= 12
    forgotten = [before - after for before, after in pairwise(theirs)]
    assert any(forgotten)
    assert theirs[-1]
