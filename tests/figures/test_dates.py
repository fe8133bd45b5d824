"""Dates written, and the places where an axis of dates is marked."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_figures.dates import date, round_dates

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.integers(-700_000 * 86_400, 2_900_000 * 86_400))
def test_date_equals_the_calendar_of_python(seconds: int) -> None:
    told = date(seconds / 86_400)
    assert datetime.fromisoformat(told).replace(tzinfo=UTC) == EPOCH + timedelta(seconds=seconds)


@pytest.mark.parametrize("days", [0.001, 0.02, 0.3, 2, 9, 45, 200, 900, 9000, 400_000])
def test_round_dates_are_inside_few_and_apart(days: float) -> None:
    low, high = 19_753.3, 19_753.3 + days
    marks = round_dates(low, high)
    assert 2 <= len(marks) <= 8
    for at, text in marks:
        assert low <= at <= high
        whole = (
            text + "-01-01"[: 10 - len(text)] if len(text) < 7 else text + "-01" if len(text) == 7 else text
        )
        then = datetime.fromisoformat(whole).replace(tzinfo=UTC)
        assert (then - EPOCH).total_seconds() == pytest.approx(at * 86_400, abs=1e-3)
    assert len({text for _, text in marks}) == len(marks)
