"""Settings as a file: it opens the same page again, and a bad one changes nothing."""

import json
from typing import Any

import pytest

from attn_ui.base.bounds import MAX_SETTINGS_BYTES
from attn_ui.base.parameters import Cells, Choice, Flag, Several, Steps, Table, Whole
from attn_ui.screen import settings_file

LONG = ";".join(",".join(f"{i}.12345" for _ in range(16)) for i in range(64))
KINDS = (
    Choice("c", "a", ("a", "b")),
    Whole("w", 3, 0, 9),
    Flag("f", False),
    Steps("s", 1.0, (0.5, 1.0, 2.0)),
    Table("T", 64, 16),
    Cells("m", 9),
    Several("v", ("x", "y")),
)


def test_what_is_written_is_read() -> None:
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
    values = settings_file.read(settings_file.written("p", said), "p", KINDS)
    assert values == {"c": "b", "w": 7, "f": True, "s": 2.0, "T": LONG, "m": "1.2", "v": ["y"]}
    # What a file leaves out is at its default, whatever stands on the page.
    assert settings_file.read(settings_file.written("p", {}), "p", KINDS)["w"] == 3


def _file(**settings: Any) -> bytes:
    return json.dumps({"attention lab": 1, "page": "p", "settings": settings}).encode()


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"", "another kind, or was cut off"),
        (_file(w="7")[:-4], "cut off"),
        (b"\x89PNG\r\n\x1a\n\x00", "another kind"),
        (b"[" * 100_000, "another kind"),
        (b'{"cells": []}', "another kind"),
        (b'{"attention lab": 1, "page": "p", "settings": [1]}', "another kind"),
        (b'{"attention lab": 2, "page": "p", "settings": {}}', "in form 1; this one has form `2`"),
        (b'{"attention lab": 1, "page": "`*<b>", "settings": {}}', "another page, `?*<b>`"),
        (_file(w="10"), "`w` cannot be used; wanted: a whole number from 0 to 9"),
        (_file(w=7), "`w` is no text"),
        (_file(T="1,2;3"), "`T` cannot be used"),
        (_file(T=LONG + ";1"), "`T` cannot be used"),
        (_file(v=["x", "z"]), "`v` cannot be used"),
        (_file(nothing="1"), "`nothing`, which this page does not have"),
        (b" " * (MAX_SETTINGS_BYTES + 1), "at most 1,000,000 bytes"),
    ],
)
def test_a_bad_file_is_refused_by_a_sentence(content: bytes, wanted: str) -> None:
    with pytest.raises(ValueError, match=r"wanted|the file") as found:
        settings_file.read(content, "p", KINDS)
    assert wanted in str(found.value)
