"""Whoever opens a page first waits for nothing that could have been drawn before."""

import subprocess
import sys
from pathlib import Path

from tests.pages import PAGES

ROOT = Path(__file__).resolve().parents[2]


def test_warm_session_draws_nothing_that_pages_open_with() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "tests.warm"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    n_drawn, *again = found.stdout.split()
    assert int(n_drawn) >= len(PAGES)
    assert not again
