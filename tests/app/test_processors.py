"""The words of a page do not hang on the processor: in the last digits of their sums they differ."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processors import said

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.turns
def test_random_links_say_the_same_on_an_old_processor(pytestconfig: pytest.Config, turns: list[int]) -> None:
    count, seed = 60 if pytestconfig.getoption("--wide") else 8, turns[0]
    command = [sys.executable, "-m", "tests.processors", f"{count}", f"{seed}", "--old"]
    there = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    here = said(count, seed)
    old: dict[str, list[str]] = json.loads(there)
    assert here.keys() == old.keys()
    assert sum(map(len, here.values())) > 3 * len(here)
    differ = {link: (texts, old[link]) for link, texts in here.items() if texts != old[link]}
    assert not differ
