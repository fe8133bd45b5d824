"""Runs stand in a line: one at a time, none for long, and whoever had least is next."""

import functools
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from attn_ui.host import run_queue
from attn_ui.host.run_queue import MAX_VISITORS, ROUTE_COOKIE, RunQueue, current_visitor
from attn_ui.host.server import get_without_lock

ROOT = Path(__file__).resolve().parents[2]


def _in_threads(count: int, work: Callable[[], object]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def test_turns_run_one_at_a_time() -> None:
    turns = RunQueue(longest=60)
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


def test_turns_long_run_holds_up_nobody() -> None:
    turns = RunQueue(longest=0.05)
    entered, slow_may_end, second_in, second_may_end, third_in = (threading.Event() for _ in range(5))

    def slow() -> None:
        with turns:
            entered.set()
            slow_may_end.wait(30)

    def second() -> None:
        with turns:
            second_in.set()
            second_may_end.wait(30)

    def third() -> None:
        with turns:
            third_in.set()

    [first] = _in_threads(1, slow)
    assert entered.wait(30)
    [other] = _in_threads(1, second)
    assert second_in.wait(30)  # though the first is still at it
    slow_may_end.set()
    first.join(30)
    # The end of a turn that was given up does not end the next one's; that one is too long about it as well.
    [last] = _in_threads(1, third)
    assert third_in.wait(30)
    second_may_end.set()
    other.join(30)
    last.join(30)


class Hall:
    """Visitors at a door that lets one in at a time; time passes only where the test says so."""

    def __init__(self) -> None:
        self.result = 0.0
        self.names = threading.local()
        self.turns = RunQueue(
            longest=0.3,
            visitor=lambda: str(self.names.who),
            clock=lambda: self.result,
            cpu_seconds=lambda: float(getattr(self.names, "cpu_seconds", 0.0)),
        )
        self.served: list[str] = []
        self.may_leave: dict[str, threading.Event] = {}
        self.threads: list[threading.Thread] = []

    def come(self, run: str, *, work: float) -> None:
        """Have a run of the visitor named by its first letter wait until it is told to leave."""
        leave = self.may_leave[run] = threading.Event()
        waits = threading.Event()

        def stay() -> None:
            self.names.who = run[0]
            waits.set()
            with self.turns:
                self.served.append(run)
                leave.wait(30)
                self.names.cpu_seconds = work

        before = len(self.turns._waiting) + len(self.served)
        self.threads += _in_threads(1, stay)
        assert waits.wait(30)
        _until(lambda: len(self.turns._waiting) + len(self.served) > before)

    def leave(self, run: str) -> None:
        """End a run."""
        self.may_leave[run].set()
        self.threads[list(self.may_leave).index(run)].join(30)

    def serves(self, *runs: str) -> bool:
        """Wait until these and no others were served."""
        _until(lambda: len(self.served) >= len(runs))
        return self.served == list(runs)


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true() and time.monotonic() < deadline:
        threading.Event().wait(0.005)
    assert true()


def test_turns_go_to_the_visitor_with_the_least_use() -> None:
    hall = Hall()
    hall.come("a1", work=0.2)
    hall.leave("a1")
    hall.come("b1", work=0.01)
    hall.leave("b1")
    hall.come("c1", work=0.1)
    for run in ("a2", "a3", "b2", "d1"):  # in the order of their coming
        hall.come(run, work=0.1)
    for run in ("c1", "d1", "b2", "a2", "a3"):
        _until(lambda run=run: hall.served[-1] == run)
        hall.leave(run)
    assert hall.serves("a1", "b1", "c1", "d1", "b2", "a2", "a3")


@pytest.mark.parametrize(("waits", "third"), [(0.15, "d1"), (0.25, "a2")])
def test_turns_overtake_nobody_for_longer_than_its_use(waits: float, third: str) -> None:
    hall = Hall()
    hall.come("a1", work=0.2)
    hall.leave("a1")
    hall.come("c1", work=0.1)
    hall.come("a2", work=0.1)
    hall.result += waits
    hall.come("d1", work=0.1)  # has had nothing, and comes when a2 has waited long
    hall.leave("c1")
    _until(lambda: len(hall.served) == 3)
    assert hall.served[-1] == third
    for run in (third, *({"a2", "d1"} - {third})):
        _until(lambda run=run: hall.served[-1] == run)
        hall.leave(run)


def test_turns_forget_use_by_halves() -> None:
    hall = Hall()
    for run, work in (("a1", 0.2), ("b1", 0.1)):
        hall.come(run, work=work)
        hall.leave(run)
        hall.result += 15  # three times the half: 0.2 is 0.025 when b has had 0.1
    hall.result -= 15
    hall.come("c1", work=0.01)
    hall.come("b2", work=0.01)
    hall.come("a2", work=0.01)
    for run in ("c1", "a2", "b2"):
        _until(lambda run=run: hall.served[-1] == run)
        hall.leave(run)
    assert hall.serves("a1", "b1", "c1", "a2", "b2")


def test_turns_long_runs_go_on_one_at_a_time() -> None:
    hall = Hall()
    heavy = ("a", "b", "c", "d")
    for who in heavy:  # each has been long once
        hall.come(f"{who}1", work=2.0)
        hall.leave(f"{who}1")
    for who in heavy:
        hall.come(f"{who}2", work=2.0)
    before = [f"{who}1" for who in heavy]
    assert hall.serves(*before, "a2")
    hall.result += 0.4  # its turn is over, and its work goes on: the other long ones wait for it
    hall.come("n1", work=0.01)
    assert hall.serves(*before, "a2", "n1")
    hall.leave("n1")
    hall.come("n2", work=0.01)
    assert hall.serves(*before, "a2", "n1", "n2")
    hall.leave("n2")
    hall.leave("a2")
    assert hall.serves(*before, "a2", "n1", "n2", "b2")
    hall.result += 30  # long ago: nobody waits for what is forgotten
    hall.come("n3", work=0.01)
    _until(lambda: not {"c2", "n3"}.isdisjoint(hall.served))
    for run in ("b2", "c2", "d2", "n3"):
        hall.may_leave[run].set()
    for thread in hall.threads:
        thread.join(30)
    assert sorted(hall.served) == sorted([*before, "a2", "b2", "c2", "d2", "n1", "n2", "n3"])


def test_turns_forget_visitors_with_little_use() -> None:
    hall = Hall()
    for number in range(MAX_VISITORS + 5):
        hall.names.who, hall.names.cpu_seconds = f"visitor {number}", 0.0
        with hall.turns:
            hall.names.cpu_seconds = 0.0005 if number else 1.0
    assert len(hall.turns._usage) < 10
    assert "visitor 0" in hall.turns._usage


def test_visitor_is_a_browser_by_cookie_or_else_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    assert current_visitor().startswith("thread ")
    cookies = {"lab_route": "ab12"}
    monkeypatch.setattr(run_queue, "session", lambda: "s-1")
    monkeypatch.setattr(run_queue, "st", SimpleNamespace(context=SimpleNamespace(cookies=cookies)))
    assert current_visitor() == "ab12"
    cookies.clear()
    assert current_visitor() == "s-1"
    assert f"map $cookie_{ROUTE_COOKIE} $lab_route" in (ROOT / "deploy" / "nginx.conf").read_text(
        encoding="utf-8"
    )


def test_turn_nests_and_ends_on_an_error() -> None:
    turns = RunQueue(longest=60)
    with pytest.raises(KeyError), turns, turns:
        raise KeyError("a run that stops")
    done = threading.Event()

    def work() -> None:
        with turns:
            done.set()

    [thread] = _in_threads(1, work)
    assert done.wait(30)
    thread.join(30)


def test_nobody_waits_for_what_another_session_computes_of_its_own_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Up to Python 3.11 all objects of a class share the lock of each cached property of it."""

    class Figure:
        def __init__(self, may_end: threading.Event) -> None:
            self.may_end, self.counts = may_end, 0

        @functools.cached_property
        def steps(self) -> int:
            assert self.may_end.wait(30)
            self.counts += 1
            return self.counts

    monkeypatch.setattr(functools.cached_property, "__get__", get_without_lock)
    slow, quick = Figure(threading.Event()), Figure(threading.Event())
    quick.may_end.set()
    threads = [*_in_threads(1, lambda: slow.steps), *_in_threads(1, lambda: quick.steps)]
    threads[1].join(5)
    waits = threads[1].is_alive()
    slow.may_end.set()
    for thread in threads:
        thread.join(30)
    assert not waits
    assert (slow.steps, quick.steps, quick.steps) == (1, 1, 1)
    assert isinstance(Figure.steps, functools.cached_property)
