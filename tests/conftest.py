"""What all tests share: shapes in signatures are checked, refusals are asked for, Hypothesis has no clock.

``attn_core`` states the shapes of its arguments with jaxtyping; here, and only here, beartype checks them at
every call. A call with shapes that do not fit would so be stopped before the function's own
ValueError is reached, which is what people meet. Tests of refusals therefore use the fixture ``refuses``,
inside which the checking is off; so it is in the tests of pages, which run as the app does.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
import torch
from hypothesis import settings
from jaxtyping import config as jaxtyping_config
from jaxtyping import install_import_hook

from tests.quick_apptest import leave_imports_to_themselves, look_for_components_once

CORE, APP = (Path(__file__).parent / name for name in ("core", "app"))
CASES_OF_A_PAGE = 1  # of one test of pages without --wide, which take a run of Streamlit's or more each
MOST_FLAKY = 2
Case = TypeVar("Case")
# Whose cases take a millisecond.
QUICK = (
    "test_parameters",
    "test_captions",
    "test_packing",
    "test_publish",
    "test_tables",
    "test_plain_words",
    "test_shared_cache",
)

# As the app does: on matrices as small, threads of one sum wait for one another half the time. What the
# tests start reads it too; torch itself is there by now.
os.environ["OMP_NUM_THREADS"] = "1"
torch.set_num_threads(1)

look_for_components_once()

# Before anything imports attn_core.
install_import_hook("attn_core", "beartype.beartype")

settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let all cases and all slow tests run."""
    parser.addoption("--wide", action="store_true", help="run slow tests, and every case of all others")


@pytest.hookimpl(trylast=True)  # once the tests in a browser are marked
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests and most cases of what has many, the same ones each time; browsers come last.

    From their first test on an event loop runs, which whatever starts one of its own does not bear.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
    if config.getoption("--wide"):
        return
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not item.get_closest_marker("slow"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    chosen = {item for cases in tests.values() for item in sample(cases, _case_count(cases[0]))}
    if left := [item for item in items if item not in chosen]:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item in chosen]


def sample(cases: Sequence[Case], count: int) -> list[Case]:
    """Return so many of the cases at equal distances.

    >>> sample("abcdefghijkl", 3), sample("ab", 3)
    (['a', 'e', 'i'], ['a', 'b'])
    """
    most = len(cases)
    return [cases[number * most // count] for number in range(count)] if count < most else [*cases]


def flaky(stats: Mapping[str, Sequence[pytest.TestReport]]) -> set[str]:
    """Return the tests that failed once and passed the second time."""
    again, passed = ({each.nodeid for each in stats.get(kind, ())} for kind in ("rerun", "passed"))
    return again & passed


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which more tests than `MOST_FLAKY` passed only the second time."""
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    if reporter and len(flaky(reporter.stats)) > MOST_FLAKY and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that passed only the second time."""
    if names := flaky(terminalreporter.stats):
        terminalreporter.section(f"{len(names)} flaky, at most {MOST_FLAKY} allowed")
        for name in sorted(names):
            terminalreporter.line(f"passed only the second time: {name}")


def pytest_collection_finish() -> None:
    """All that tests import is imported."""
    leave_imports_to_themselves()


def _case_count(item: pytest.Item) -> int:
    """Return how many cases of a test run without --wide."""
    marker = item.get_closest_marker("sample")
    if marker:
        return int(marker.args[0])
    of_pages = APP in item.path.parents and item.path.stem not in QUICK
    return CASES_OF_A_PAGE if of_pages else sys.maxsize


@contextmanager
def _shape_checks(on: bool) -> Iterator[None]:
    before = jaxtyping_config.jaxtyping_disable
    jaxtyping_config.update("jaxtyping_disable", not on)
    try:
        yield
    finally:
        jaxtyping_config.update("jaxtyping_disable", before)


@pytest.fixture(autouse=True)
def default_dtype() -> Iterator[None]:
    """Give torch its default back: a program that a test runs here may set another."""
    yield
    if "torch" in sys.modules:
        sys.modules["torch"].set_default_dtype(sys.modules["torch"].float32)


@pytest.fixture(autouse=True)
def shape_checks(request: pytest.FixtureRequest) -> Iterator[None]:
    with _shape_checks(on=CORE in request.path.parents):
        yield


@pytest.fixture
def refuses() -> Callable[[str], AbstractContextManager[None]]:
    """Expect a ValueError whose message matches, as a caller meets it."""

    @contextmanager
    def expect(match: str) -> Iterator[None]:
        with _shape_checks(on=False), pytest.raises(ValueError, match=match):
            yield

    return expect
