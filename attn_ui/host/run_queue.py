"""Runs pages one at a time: a class that releases its sliders together waits in a line.

Runs are threads of one process and share its interpreter lock. Sixty at once take it from one another and
from the loop that sends their results, so that nobody is served. In a line the same work takes half the time,
and the first visitor is served at once.

The next run is that of the visitor who lately used the processor least; the seconds spent in line are
subtracted, so that nobody is overtaken for longer than the time it used. A long run goes on beside the
others, but only one at a time: a visitor whose last run was long waits while another long run goes on.
"""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import streamlit as st

from attn_ui.streamlit_inside.run import session

LONGEST_TURN = 0.1  # seconds; a longer run goes on, but no longer holds up the others
HALF_LIFE = 5.0  # seconds in which what a visitor used counts half
MOST_SECONDS = 1.0  # of the processor: one run counts at most so much, so that nobody waits minutes after it
MAX_VISITORS = 1_000  # of more, those who used next to nothing are forgotten
ROUTE_COOKIE = "lab_route"  # the proxy's cookie: several windows of one browser are one visitor


@dataclass
class _Usage:
    """Seconds of the processor that one visitor used, and whether the last run was long."""

    seconds: float = 0.0
    at: float = 0.0
    was_long: bool = False

    def remaining(self, now: float) -> float:
        return self.seconds * math.exp2((self.at - now) / HALF_LIFE)


@dataclass(eq=False)
class _Run:
    """A run that waits or has its turn."""

    visitor: str
    cpu_seconds_before: float  # seconds of the processor that its thread had before it
    waiting_since: float
    started_at: float = 0.0
    signal: threading.Event = field(default_factory=threading.Event)


def current_visitor() -> str:
    """Return the name of this thread's visitor: the proxy's cookie of the browser, else the session."""
    session_id = session()
    if session_id is None:
        return f"thread {threading.get_ident()}"
    return st.context.cookies.get(ROUTE_COOKIE) or session_id


class RunQueue:
    """A lock that passes to the visitor with the least processor time; its `with` blocks may be nested."""

    def __init__(
        self,
        longest: float = LONGEST_TURN,
        visitor: Callable[[], str] = current_visitor,
        clock: Callable[[], float] = time.monotonic,
        cpu_seconds: Callable[[], float] = time.thread_time,
    ) -> None:
        """Start free.

        Args:
            longest: seconds after which a turn counts as over, though its work may go on.
            visitor: returns a name for the visitor of the calling thread.
            clock: returns the time in seconds.
            cpu_seconds: returns how many seconds of the processor the calling thread had: waiting on a busy
                machine adds nothing to it.
        """
        self._longest = longest
        self._visitor = visitor
        self._clock = clock
        self._cpu_seconds = cpu_seconds
        self._lock = threading.Lock()
        self._waiting: list[_Run] = []
        self._current: _Run | None = None
        self._overdue: set[_Run] = set()  # whose turn is over, though their work goes on
        self._usage: dict[str, _Usage] = {}
        self._mine = threading.local()

    def __enter__(self) -> Self:
        """Wait for a turn, unless this thread has it already."""
        depth = getattr(self._mine, "depth", 0)
        self._mine.depth = depth + 1
        if depth:
            return self
        self._mine.run = run = _Run(self._visitor(), self._cpu_seconds(), self._clock())
        with self._lock:
            self._waiting.append(run)
            self._call_next()
        while not run.signal.wait(self._until_over()):
            with self._lock:
                self._call_next()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the turn, add up its processor time, and start the next run."""
        self._mine.depth -= 1
        if self._mine.depth:
            return
        run: _Run = self._mine.run
        with self._lock:
            now = self._clock()
            usage = self._usage.setdefault(run.visitor, _Usage())
            seconds = self._cpu_seconds() - run.cpu_seconds_before
            usage.seconds, usage.at = usage.remaining(now) + min(seconds, MOST_SECONDS), now
            usage.was_long = seconds > self._longest
            self._overdue.discard(run)
            if self._current is run:
                self._current = None
            if len(self._usage) > MAX_VISITORS:
                self._usage = {name: had for name, had in self._usage.items() if had.remaining(now) > 0.001}
            self._call_next()

    def _until_over(self) -> float:
        current = self._current
        return (
            self._longest
            if current is None
            else max(0.001, current.started_at + self._longest - self._clock())
        )

    def _call_next(self) -> None:
        now = self._clock()
        if self._current is not None:
            if now < self._current.started_at + self._longest:
                return
            self._overdue.add(self._current)
            self._current = None
        candidates = [run for run in self._waiting if not (self._overdue and self._is_long(run, now))]
        if candidates:
            priority = {
                run: self._usage_of(run).remaining(now) - (now - run.waiting_since) for run in candidates
            }
            self._current = min(candidates, key=priority.__getitem__)  # the first of equals
            self._waiting.remove(self._current)
            self._current.started_at = now
            self._current.signal.set()

    def _is_long(self, run: _Run, now: float) -> bool:
        usage = self._usage_of(run)
        return usage.was_long and usage.remaining(now) > self._longest

    def _usage_of(self, run: _Run) -> _Usage:
        return self._usage.get(run.visitor) or _Usage()


RUNS = RunQueue()
