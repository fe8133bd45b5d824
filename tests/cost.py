"""What each test costs in seconds of a core, with all processes that it starts.

    python -m pytest -p tests.cost tests/browser/test_save.py    # lists its tests, the dearest first
    COST=build/cost.tsv python -m pytest -p tests.cost ...       # adds a line a test to a file

A clock on the wall says on a busy machine what the others did. What a fixture costs counts for the first
test that asks for it. A server that works on after a test counts for the next one.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

TICK = os.sysconf("SC_CLK_TCK")
MOST_SHOWN = 20
COSTS: dict[str, float] = {}
STARTED: list[float] = []


def spent(process: int | None = None) -> float:
    """Return the seconds that a process and all below it have had of a core, those included that ended."""
    folder = Path("/proc") / str(process or os.getpid())
    with suppress(OSError):
        # The name of a program may hold blanks; what follows its bracket does not.
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        below = [int(child) for task in (folder / "task").iterdir() for child in _children(task)]
        return sum(map(int, fields[11:15])) / TICK + sum(map(spent, below))
    return 0.0


def _children(task: Path) -> list[str]:
    with suppress(OSError):
        return (task / "children").read_text().split()
    return []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note what a test costs, its fixtures included."""
    STARTED.append(spent())
    try:
        return (yield)
    finally:
        seconds = COSTS[item.nodeid] = max(COSTS.get(item.nodeid, 0.0), spent() - STARTED[-1])
        if where := os.environ.get("COST"):  # at once: a run that is stopped has told of what it ran
            with Path(where).open("a") as file:
                file.write(f"{seconds:.2f}\t{item.nodeid}\n")


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Note it before the end too: what a browser has had is forgotten with its processes."""
    COSTS[item.nodeid] = spent() - STARTED[-1]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the dearest tests and what all cost."""
    dearest = sorted(COSTS.items(), key=lambda each: -each[1])
    terminalreporter.section("seconds of a core")
    for name, seconds in dearest[:MOST_SHOWN]:
        terminalreporter.write_line(f"{seconds:8.2f} {name}")
    terminalreporter.write_line(f"{sum(COSTS.values()):8.2f} all tests")
