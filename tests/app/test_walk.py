"""Random valid states of every page open without a fault; `python -m tests.walk` walks on."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import PAGES, open_page
from tests.walk import SHARES, states

ROOT = Path(__file__).resolve().parents[2]
STATES = 8  # of each page
WIDE = 100


def test_random_states_open_without_a_fault(request: pytest.FixtureRequest) -> None:
    """All pages in one process of their own, which may import nothing that none of them needs."""
    most = WIDE if request.config.getoption("--wide") else STATES
    walk = subprocess.run(
        [sys.executable, "-m", "tests.walk", f"--states={most}", "--seed=1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    count = sum(round(most * SHARES.get(page, 1)) for page in PAGES)
    assert walk.stdout.endswith(f"{count} states, 0 with a fault\n"), f"{walk.stdout}\n{walk.stderr[-3000:]}"
    assert walk.returncode == 0


def test_session_goes_from_page_to_page() -> None:
    """What is set on a page is still in the session when the next one opens."""
    chance = random.Random(0)
    session = None
    for _ in range(30):
        page = chance.choice(list(PAGES))
        (query,) = states(page, 1, chance.getrandbits(32))
        session = open_page(page, session, **query)
        assert [error.message for error in session.exception] == [], (page, query)


def test_biases_of_heads_and_positions_never_combine() -> None:
    session = open_page("multi-head", bias="true")
    session = open_page("positional-encoding", session, show="encoding", scheme="ALiBi")
    assert [error.message for error in session.exception] == []
    assert session.get("bidi_component")
