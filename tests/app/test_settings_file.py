"""Settings as a file: it opens the same page again, and a bad one changes nothing."""

import json
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from attn_ui.base.bounds import MAX_SETTINGS_BYTES
from attn_ui.base.links import read_link
from attn_ui.base.parameters import Cells, Choice, Flag, Integer, MultiChoice, Steps, Table, Text
from attn_ui.host import faults
from attn_ui.screen import settings_file

LONG = ";".join(",".join(f"{i}.12345" for _ in range(16)) for i in range(64))
KINDS = (
    Choice("c", "a", ("a", "b"), old_options=(("gone", "c=b&w=7"),)),
    Integer("w", 3, 0, 9),
    Flag("f", False),
    Steps("s", 1.0, (0.5, 1.0, 2.0)),
    Table("T", 64, 16),
    Cells("m", 9),
    MultiChoice("v", ("x", "y")),
)


def test_settings_file_reads_what_it_writes() -> None:
    assert len(LONG) > Table("T", 64, 16).longest
    said: settings_file.Settings = {
        "c": "b",
        "w": "7",
        "f": "true",
        "s": "2",
        "T": LONG,
        "m": "1.2",
        "v": ["y"],
    }
    values = settings_file.read(settings_file.to_json("p", said), "p", KINDS)
    assert values == {"c": "b", "w": 7, "f": True, "s": 2.0, "T": LONG, "m": "1.2", "v": ["y"]}
    # What a file leaves out is at its default, whatever stands on the page.
    assert settings_file.read(settings_file.to_json("p", {}), "p", KINDS)["w"] == 3
    # An older file may have a view and a setting that are no more.
    values = settings_file.read(settings_file.to_json("p", {"c": "gone", "colours": "bent"}), "p", KINDS)
    assert (values["c"], values["w"]) == ("b", 7)


def _file(**settings: Any) -> bytes:
    return json.dumps({"attention lab": 1, "page": "p", "settings": settings}).encode()


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"", "a whole file that this app saved"),
        (_file(w="7")[:-4], "a whole file"),
        (b"\x89PNG\r\n\x1a\n\x00", "a whole file"),
        (b"[" * 100_000, "a whole file"),
        (b'{"cells": []}', "a whole file"),
        (b'{"attention lab": 1, "page": "p", "settings": [1]}', "a whole file"),
        (b'{"attention lab": 2, "page": "p", "settings": {}}', "a whole file"),
        (b'{"attention lab": 1, "page": "`*<b>", "settings": {}}', "another page, `?*<b>`"),
        (_file(w="10"), "`w` cannot be used; wanted: a whole number from 0 to 9"),
        (_file(w=7), "`w` cannot be used; wanted: a text"),
        (_file(T="1,2;3"), "`T` cannot be used"),
        (_file(T=LONG + ";1"), "`T` cannot be used"),
        (_file(v=["x", "z"]), "`v` cannot be used"),
        (_file(nothing="1"), "`nothing`, which this page does not have"),
        (b" " * (MAX_SETTINGS_BYTES + 1), "at most 1,000,000 bytes"),
    ],
)
def test_settings_file_that_is_bad_is_refused_with_a_sentence(content: bytes, wanted: str) -> None:
    with pytest.raises(ValueError, match=r"wanted|the file") as found:
        settings_file.read(content, "p", KINDS)
    assert wanted in str(found.value)


@pytest.mark.parametrize("name", ["text", "pin"])
def test_settings_file_with_half_a_character_gets_a_question_mark(name: str) -> None:
    kinds = (Text("text", "", 20), Text("pin", "", 20))
    assert settings_file.read(_file(**{name: "\ud800 x\U0001f600"}), "p", kinds)[name] == "? x\U0001f600"
    with pytest.raises(ValueError, match=r"the file sets") as told:
        settings_file.read(_file(**{"\udfff": "x"}), "p", kinds)
    assert str(told.value).encode()


def test_link_with_half_a_character_gets_a_question_mark() -> None:
    values, dropped = read_link((Text("text", "", 20),), "p?text=\ud800+x&\udc00=1")
    assert values == {"text": "? x"}
    assert [bad.sentence().encode() for bad in dropped]


def test_fault_page_shows_half_a_character(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[str] = []
    stand_in = MagicMock(context=SimpleNamespace(url="https://lab.example/p"))
    stand_in.query_params = MagicMock(get_all=lambda _: ["\ud800 x"], __iter__=lambda _: iter(["text"]))
    stand_in.code = lambda text, **_: shown.append(text)
    monkeypatch.setattr(faults, "st", stand_in)
    assert faults.show_fault(ValueError())
    assert shown == ["https://lab.example/p?text=%3F+x"]
