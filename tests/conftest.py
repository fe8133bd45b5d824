"""What all tests share: shapes in signatures are checked, refusals are asked for, Hypothesis has no clock.

``attn_core`` states the shapes of its arguments with jaxtyping; here, and only here, beartype checks them at
every call. A call with shapes that do not fit would so be stopped before the function's own
ValueError is reached, which is what people meet. Tests of refusals therefore use the fixture ``refuses``,
inside which the checking is off; so it is in the tests of pages, which run as the app does.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
import torch
from hypothesis import settings
from jaxtyping import config as jaxtyping_config
from jaxtyping import install_import_hook

from tests.quick_apptest import leave_imports_to_themselves, look_for_components_once
from tests.turns import TURNS, round_of, sample, turn_of, turns_of

CORE, APP = (Path(__file__).parent / name for name in ("core", "app"))
WHOSE_TURN: pytest.StashKey[list[int]] = pytest.StashKey()
MOST_CASES = 1  # at a turn, of one test of pages, which take a run of Streamlit's or more each
# Whose cases take a millisecond.
QUICK = (
    "test_parameters",
    "test_says",
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
    """Let tests that look at a sample look at all, and choose whose turn it is."""
    parser.addoption("--wide", action="store_true", help="look at every page and form, not at a sample")
    parser.addoption("--turn", help="leave what has another turn: 0, 1, 2, all; empty: the commit's own")


def pytest_configure(config: pytest.Config) -> None:
    """Find whose turn it is, once; refuse a turn that there is not."""
    try:
        config.stash[WHOSE_TURN] = turns_of(config.getoption("--turn") or "", config.rootpath)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say whose turn it is where turns are taken, so that what failed can be run again."""
    turns = config.stash[WHOSE_TURN]
    taken = config.getoption("--turn") is not None and not config.getoption("--wide") and len(turns) == 1
    return f"turn: {turns[0]} of {TURNS} (TURN=all runs all)" if taken else None


@pytest.hookimpl(trylast=True)  # once the tests in a browser are marked
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave samples of what has many cases, and what has its turn."""
    if config.getoption("--wide"):
        return
    turns, rounds = config.stash[WHOSE_TURN], [round_of(config.rootpath)]
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left: set[pytest.Item] = set()
    for name, found in cases.items():
        in_turn = _takes_turns(found[0])
        if in_turn and config.getoption("--turn") is not None and turn_of(name) not in turns:
            left.update(found)
        else:  # what has one turn in twelve would have the same cases each time
            moved = rounds if in_turn else turns
            left.update(set(found) - set(sample(found, _sample(found[0]), moved)))
    left.update(item for item in items if item.get_closest_marker("soak"))
    if left:
        config.hook.pytest_deselected(items=[*left])
        items[:] = [item for item in items if item not in left]


def _takes_turns(item: pytest.Item) -> bool:
    dear = item.get_closest_marker("browser") or item.get_closest_marker("turns")
    return dear is not None and item.get_closest_marker("always") is None


def pytest_collection_finish() -> None:
    """All that tests import is imported."""
    leave_imports_to_themselves()


@pytest.fixture(scope="session")
def turns(pytestconfig: pytest.Config) -> list[int]:
    """The turns that are run, for tests that choose their samples themselves."""
    return pytestconfig.stash[WHOSE_TURN]


def _sample(item: pytest.Item) -> int:
    """Return how many cases of a test are looked at."""
    of_pages = APP in item.path.parents and item.path.stem not in QUICK
    most = MOST_CASES if of_pages else 10**6
    marker = item.get_closest_marker("sample")
    return marker.args[0] if marker else most


@contextmanager
def _shape_checks(on: bool) -> Iterator[None]:
    before = jaxtyping_config.jaxtyping_disable
    jaxtyping_config.update("jaxtyping_disable", not on)
    try:
        yield
    finally:
        jaxtyping_config.update("jaxtyping_disable", before)


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
