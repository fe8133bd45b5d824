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

CORE, APP = (Path(__file__).parent / name for name in ("core", "app"))
MOST_CASES = 3  # of one test of pages, which take a run of Streamlit's or more each
# Whose cases take a millisecond.
QUICK = (
    "test_parameters",
    "test_says",
    "test_packing",
    "test_publish",
    "test_tables",
    "test_plain_words",
    "test_shared_cache",
    "test_old_links",
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
    """Let tests that look at a sample look at all."""
    parser.addoption("--wide", action="store_true", help="look at every page and form, not at a sample")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave a sample of the cases of pages, and of what is marked so; nothing of what is long."""
    if config.getoption("--wide"):
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left: set[pytest.Item] = set()
    for found in cases.values():
        count = min(_sample(found[0]), len(found))
        left.update(set(found) - {found[number * len(found) // count] for number in range(count)})
    left.update(item for item in items if item.get_closest_marker("soak"))
    if left:
        config.hook.pytest_deselected(items=[*left])
        items[:] = [item for item in items if item not in left]


def pytest_collection_finish() -> None:
    """All that tests import is imported."""
    leave_imports_to_themselves()


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
