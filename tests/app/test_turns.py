"""Runs stand in a line: one at a time, none for long."""

import threading
from collections.abc import Callable

import pytest

from attn_ui.turns import Turns


def _in_threads(count: int, work: Callable[[], None]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def test_one_at_a_time() -> None:
    turns = Turns(longest=60)
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(50):
            with turns:
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    for thread in _in_threads(8, work):
        thread.join(30)
    assert len(most) == 400
    assert max(most) == 1


def test_a_run_that_takes_long_holds_up_nobody() -> None:
    turns = Turns(longest=0.05)
    entered, slow_may_end, second_in, second_may_end = (threading.Event() for _ in range(4))

    def slow() -> None:
        with turns:
            entered.set()
            slow_may_end.wait(30)

    def second() -> None:
        with turns:
            second_in.set()
            second_may_end.wait(30)

    [first] = _in_threads(1, slow)
    assert entered.wait(30)
    [other] = _in_threads(1, second)
    assert second_in.wait(30)  # though the first is still at it
    slow_may_end.set()
    first.join(30)
    # The end of a turn that was given up does not end the next one's.
    assert not turns._turn.acquire(blocking=False)
    second_may_end.set()
    other.join(30)
    assert turns._turn.acquire(blocking=False)


def test_a_turn_nests_and_ends_with_an_error() -> None:
    turns = Turns(longest=60)
    with pytest.raises(KeyError), turns, turns:
        raise KeyError("a run that stops")
    done = threading.Event()

    def work() -> None:
        with turns:
            done.set()

    [thread] = _in_threads(1, work)
    assert done.wait(30)
    thread.join(30)
