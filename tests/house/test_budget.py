"""The product stays within its budget of lines."""

import pytest

from tests.house.budget import BUDGET, lines, sizes


@pytest.fixture(scope="module")
def parts() -> dict[str, int]:
    return sizes()


def test_budget_parts_are_those_of_the_repository(parts: dict[str, int]) -> None:
    assert set(parts) == set(BUDGET)


@pytest.mark.parametrize("part", BUDGET)
def test_part_stays_within_budget(part: str, parts: dict[str, int]) -> None:
    assert parts[part] <= BUDGET[part], "take something out, or say in DECISIONS.md what pays for it"


def test_line_of_two_widths_counts_twice() -> None:
    assert lines("a" * 110) == 1
    assert lines("a" * 111 + "\n \n") == 2
