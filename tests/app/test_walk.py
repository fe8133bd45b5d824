"""Random valid states of every page open without a fault; `python -m tests.walk` walks on."""

import pytest

from tests.pages import PAGES
from tests.walk import open_state, states, walk

STATES = 400


@pytest.mark.parametrize("page", PAGES)
def test_random_states_open_without_a_fault(page: str) -> None:
    assert [each.link for each in walk(page, STATES if page else 20, seed=0)] == []


def test_a_fault_is_found() -> None:
    opened = open_state("single-head", {"mask": "no such mask"})
    assert any("no such mask" in fault for fault in opened.faults)


def test_a_walk_is_the_same_for_a_seed() -> None:
    assert list(states("multi-head", 5, 3)) == list(states("multi-head", 5, 3))
    assert list(states("multi-head", 5, 3)) != list(states("multi-head", 5, 4))
