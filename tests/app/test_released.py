"""After a release a page says what its link says, whatever the settings. The long form is a program."""

import asyncio
from collections.abc import Iterator

import pytest

from benchmarks.classroom import ROOT, serving
from benchmarks.student import Student
from tests.pages import PAGES
from tests.released import pressed, stands, walk

STATES, SEED = 10, 3


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(ROOT) as (address, _):
        yield address


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_what_stands_after_releases_is_what_the_link_opens(address: str, page: str) -> None:
    assert walk(address, page, STATES, SEED) == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("page", PAGES)
def test_each_view_that_is_chosen_stands_as_its_link_opens(address: str, page: str) -> None:
    assert pressed(address, page) == []


def test_what_is_chosen_from_a_list_that_is_another_by_now_changes_nothing(address: str) -> None:
    async def choose() -> None:
        async with Student(address) as student:
            await student.run("single-head", "tab=Arithmetic")
            lists = [name for name in student.widgets if name.startswith("pick-")]
            before = stands(student)
            for name in lists:
                await student.run(**{name: "a word of the sentence before"})
                assert (student.errors, stands(student)) == ([], before)
            assert lists

    asyncio.run(choose())


@pytest.mark.slow
def test_clicks_that_change_what_a_part_follows_run_the_whole_page(address: str) -> None:
    assert walk(address, "single-head", STATES, SEED, {"mask": "own", "stage": "masked"}) == []
