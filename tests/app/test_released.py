"""After a release a page says what its link says, whatever the settings. The long form is a program."""

from collections.abc import Iterator

import pytest

from benchmarks.classroom import ROOT, serving
from tests.pages import PAGES
from tests.released import walk

STATES, SEED = 10, 3


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(ROOT) as (address, _):
        yield address


@pytest.mark.turns
@pytest.mark.parametrize("page", PAGES)
def test_what_stands_after_releases_is_what_the_link_opens(address: str, page: str) -> None:
    assert walk(address, page, STATES, SEED) == []


@pytest.mark.turns
def test_clicks_that_change_what_a_part_follows_run_the_whole_page(address: str) -> None:
    assert walk(address, "single-head", STATES, SEED, {"mask": "own", "stage": "masked"}) == []
