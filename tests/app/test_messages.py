"""What a browser and Streamlit say to one another: a message is named for as long as the browser has it."""

import tomllib
from pathlib import Path

import pytest
import streamlit as st
from starlette.types import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attn_ui.streamlit_inside.messages import Talk

ROOT = Path(__file__).resolve().parents[2]
KEPT = int(st.get_option("global.maxCachedMessageAge"))


class Browser:
    """A browser's memory as Streamlit's front end keeps it, and what it says of it.

    Each message that a run ends makes all others one run older; what is older than `KEPT` is forgotten.
    """

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.ages: dict[str, int] = {}

    def hear(self, answer: ForwardMsg) -> None:
        """Take a message of the server's, which passes the talk on its way."""
        self.talk.note_answer({"type": "websocket.send", "bytes": answer.SerializeToString()})
        if answer.WhichOneof("type") == "ref_hash":
            assert answer.ref_hash in self.ages, "Cached ForwardMsg MISS: the connection is lost"
        if name := answer.ref_hash or (answer.metadata.cacheable and answer.hash):
            self.ages[name] = 0
        if answer.WhichOneof("type") == "script_finished":
            self.ages = {name: age + 1 for name, age in self.ages.items() if age + 1 <= KEPT}

    def ask(self) -> list[str]:
        """Return the names that the server gets to hear with a question."""
        asked = BackMsg()
        asked.rerun_script.cached_message_hashes.extend(self.ages)
        message: Message = {"type": "websocket.receive", "bytes": asked.SerializeToString()}
        return [*BackMsg.FromString(self.talk.correct(message)["bytes"]).rerun_script.cached_message_hashes]


def large_message(name: str, known: list[str]) -> ForwardMsg:
    """A large message, or its name alone where that is known."""
    answer = ForwardMsg()
    answer.metadata.cacheable = True
    if name in known:
        answer.ref_hash = name
    else:
        answer.hash = name
        answer.delta.new_element.markdown.body = name
    return answer


def end_of_run() -> ForwardMsg:
    answer = ForwardMsg()
    answer.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    return answer


@pytest.mark.parametrize("idle", range(2 * KEPT))
@pytest.mark.parametrize("between", range(KEPT // 2 + 1))
def test_answer_never_names_a_message_evicted_during_its_run(idle: int, between: int) -> None:
    browser = Browser(Talk())
    browser.hear(large_message("figure", []))
    for _ in range(idle + 1):
        browser.hear(end_of_run())
    known = browser.ask()
    assert ("figure" in known) == (idle + 1 <= KEPT // 2)
    for _ in range(between):
        browser.hear(end_of_run())
    browser.hear(large_message("figure", known))


def test_named_message_is_kept() -> None:
    browser = Browser(Talk())
    browser.hear(large_message("figure", []))
    for _ in range(3 * KEPT):
        browser.hear(end_of_run())
        known = browser.ask()
        assert known == ["figure"]
        browser.hear(large_message("figure", known))


def test_new_connection_names_no_message_of_the_last_one() -> None:
    browser = Browser(Talk())
    browser.hear(large_message("figure", []))
    browser.talk = Talk()
    assert browser.ask() == []


def test_browser_keeps_a_message_long_enough_for_overlapping_runs() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["global"]["maxCachedMessageAge"] >= 8
