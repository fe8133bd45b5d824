"""The messages between a browser and Streamlit: requests for a run, and the elements of a page."""

import contextlib
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # it ships no types
from starlette.types import Message

from attn_ui.streamlit_inside.feature import Feature, expect_fields, look_up

_REQUEST = "streamlit.proto.BackMsg_pb2:BackMsg"
_ANSWER = "streamlit.proto.ForwardMsg_pb2:ForwardMsg"
_KEPT_RUNS = "global.maxCachedMessageAge"  # runs for which a browser keeps an unused message


def _ends() -> str:
    has_end = hasattr(look_up(_ANSWER), "FINISHED_SUCCESSFULLY")
    return "" if has_end else f"{_ANSWER} has no FINISHED_SUCCESSFULLY"


FEATURE = Feature(
    "reading of messages",
    expect_fields(_REQUEST, "rerun_script"),
    expect_fields(
        "streamlit.proto.ClientState_pb2:ClientState",
        *("fragment_id", "is_history_navigation", "query_string", "cached_message_hashes"),
    ),
    expect_fields("streamlit.proto.ClientState_pb2:ContextInfo", "url"),
    expect_fields(_ANSWER, "new_session", "delta", "script_finished", "hash", "ref_hash"),
    expect_fields("streamlit.proto.ForwardMsg_pb2:ForwardMsgMetadata", "cacheable"),
    expect_fields("streamlit.proto.ForwardMsg_pb2:RunIdentity", "fragment_ids", "script_run_id"),
    expect_fields("streamlit.proto.Delta_pb2:Delta", "fragment_id"),
    _ends,
    uses="the messages between a browser and Streamlit",
    gives="a slider that is let go while the page is being made, or after its server was replaced, is "
    "followed by the page, who connects and asks for no page loses the place after 15 s, and a browser is "
    "never told of a message by a name that it has forgotten meanwhile",
    without="the page stays as it was until the next change, a place is kept by whatever is sent, and quick "
    "hands on a slow line may lose the connection",
    upstream=(11660, 11357),
)


def requests_run(message: Message) -> bool:
    """Whether a browser's message requests a run; True where messages cannot be read."""
    if not FEATURE.on:
        return bool(message["type"] == "websocket.receive")
    return _run_request(message) is not None


class Talk:
    """The state of one connection between a browser and Streamlit.

    It holds whether a page is being made, its parts that run alone, and the messages that a browser keeps.
    """

    def __init__(self) -> None:
        """Start before the first run of the page."""
        self._is_awaited = True  # a run of the whole was asked for and has not begun
        self._makes: str | None = None  # the run that makes the page; None once it is made
        self._is_travelled_to = False  # by the browser's back or forward button
        self._parts: set[str] = set()
        self._n_runs = 0  # that have ended
        self._named_at: dict[str, int] = {}  # by message, how many runs ended before its last use
        self._named_for: int = st.get_option(_KEPT_RUNS) // 2  # runs
        self._answer: Any = look_up(_ANSWER) if FEATURE.on else None  # there are some seventy in a run

    @property
    def _is_being_made(self) -> bool:
        return self._is_awaited or self._makes is not None

    def correct(self, message: Message) -> Message:
        """Return a browser's message; a request for a part that may be gone becomes one for the whole page.

        While a page is made its parts may change, and Streamlit ignores a request for one that is gone. After
        the back button the address decides what is shown: the controls that the browser reports are those of
        the page before.

        The message also names the large messages that the browser holds, which need not be sent again. The
        browser drops each after some runs, and loses the connection if an answer names a dropped one. As runs
        may end in between, only messages that it keeps for as many runs again stay in the list.
        """
        if not FEATURE.on or (request := _run_request(message)) is None:
            return message
        run = request.rerun_script
        cached = [*run.cached_message_hashes]
        hashes = [name for name in cached if name in self._named_at]
        run.cached_message_hashes[:] = hashes
        is_changed = hashes != cached
        part = run.fragment_id
        if not part:
            self._is_awaited, self._is_travelled_to = True, run.is_history_navigation
        elif part not in self._parts or self._is_being_made:
            self._is_awaited = is_changed = True
            run.fragment_id = ""
            if self._is_travelled_to:
                run.is_history_navigation = True
                run.query_string = urlsplit(run.context_info.url).query
        return {**message, "bytes": request.SerializeToString()} if is_changed else message

    def note_answer(self, message: Message) -> None:
        """Update this state by a server's message."""
        kind = self._answer
        if kind is None or message["type"] != "websocket.send":
            return
        answer = kind.FromString(message.get("bytes") or b"")
        what = answer.WhichOneof("type")
        if what == "ref_hash" or answer.metadata.cacheable:
            self._named_at[answer.ref_hash or answer.hash] = self._n_runs
        if what == "delta":
            if answer.delta.fragment_id:
                self._parts.add(answer.delta.fragment_id)
            return
        run = answer.metadata.run
        if what == "new_session" and not run.fragment_ids:
            self._is_awaited, self._makes = False, run.script_run_id
            self._parts.clear()
        elif what == "script_finished":
            self._n_runs += 1
            last = self._n_runs - self._named_for
            self._named_at = {name: at for name, at in self._named_at.items() if at >= last}
            if answer.script_finished == kind.FINISHED_SUCCESSFULLY:
                # The run before may end well after another was requested.
                if run.script_run_id == self._makes:
                    self._makes = None
                self._is_travelled_to &= self._is_being_made


def _run_request(message: Message) -> Any | None:
    """Return a browser's message, parsed, if it requests a run of a page or of a part of it; else None."""
    request = look_up(_REQUEST)()
    if message["type"] == "websocket.receive" and message.get("bytes"):
        with contextlib.suppress(DecodeError):  # Streamlit reports what is wrong with it
            request.ParseFromString(message["bytes"])
    return request if request.WhichOneof("type") == "rerun_script" else None
