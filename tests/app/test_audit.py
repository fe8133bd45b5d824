"""What is not known is not said to be sound: the verdict on what pip-audit reports."""

import json
from typing import Any

import pytest

from tests.audit import verdict

SOUND: dict[str, Any] = {"name": "a", "version": "1", "vulns": []}
SILENT: dict[str, Any] = {"name": "b", "skip_reason": "Dependency not found on PyPI and could not be audited"}
WEAK: dict[str, Any] = {"name": "c", "version": "2", "vulns": [{"id": "PYSEC-1"}, {"id": "GHSA-2"}]}


@pytest.mark.parametrize(
    ("packages", "sound", "says"),
    [
        ([SILENT] * 49, True, "Unknown: the package index answered for 0 of 49 packages."),
        ([], True, "Unknown: the package index answered for 0 of 0 packages."),
        ([SOUND] * 40 + [SILENT] * 9, True, "No known weakness in 40 of 49 packages; unknown for 9."),
        ([SOUND] * 3, True, "No known weakness in 3 of 3 packages."),
        ([SOUND, SILENT, WEAK], False, "Known weaknesses:\nc 2: PYSEC-1, GHSA-2"),
    ],
)
def test_each_report_has_its_verdict(packages: list[dict[str, Any]], sound: bool, says: str) -> None:
    assert verdict(json.dumps({"dependencies": packages, "fixes": []})) == (sound, says)


@pytest.mark.parametrize("said", ["", "connection refused", "[]", "null"])
def test_where_nobody_answers_it_is_unknown(said: str) -> None:
    sound, sentence = verdict(said)
    assert sound
    assert sentence.startswith("Unknown:")
