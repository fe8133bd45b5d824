"""One run of a page at a time: a class that releases its sliders together stands in a line.

Runs are threads of one process and share its interpreter lock. Sixty of them at once take it from one
another, and from the loop that sends what they made, so that nobody is served: in a line, the same work is
done in half the time and the first is served at once.

The line is by visitor, not by arrival: whoever has had least of the processor lately is next. Who waits is
forgiven as much as it waited: nobody is overtaken for longer than what it had. A run that takes long goes on
beside the others, but one at a time: who was long the last time waits while another is.
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

LONGEST = 0.1  # seconds; a run that takes longer goes on, and no longer holds up the others
HALF = 5.0  # seconds after which half of what a visitor had is forgotten
MOST = 1.0  # second of the processor that one run counts for at most: nobody waits for minutes after one
KNOWN = 1_000  # visitors; of more, those are forgotten that had next to nothing
ROUTE = "lab_route"  # the proxy's cookie: several windows of one browser are one visitor


@dataclass
class _Usage:
    """What one visitor had of the processor, in seconds, and whether the last run was long."""

    seconds: float = 0.0
    at: float = 0.0
    was_long: bool = False

    def remaining(self, now: float) -> float:
        return self.seconds * math.exp2((self.at - now) / HALF)


@dataclass(eq=False)
class _Run:
    """A run that waits, or has its turn."""

    visitor: str
    worked: float  # seconds that its thread had of the processor before it
    came: float  # when it began to wait
    began: float = 0.0
    signal: threading.Event = field(default_factory=threading.Event)


def visitor() -> str:
    """Name who asked for this thread's run: a browser where a proxy's cookie tells it, else a session."""
    asks = session()
    if asks is None:
        return f"thread {threading.get_ident()}"
    return st.context.cookies.get(ROUTE) or asks


class Turns:
    """A lock that nobody holds for long, handed to who had least; a context manager that nests."""

    def __init__(
        self,
        longest: float = LONGEST,
        who: Callable[[], str] = visitor,
        clock: Callable[[], float] = time.monotonic,
        worked: Callable[[], float] = time.thread_time,
    ) -> None:
        """Start free.

        Args:
            longest: seconds after which a turn counts as over, though its work may go on.
            who: names the visitor of the thread that calls it.
            clock: tells the time in seconds.
            worked: tells how many seconds the thread that calls it had of the processor: on a busy machine
                nobody has more of it for waiting longer.
        """
        self._longest = longest
        self._who = who
        self._clock = clock
        self._worked = worked
        self._lock = threading.Lock()
        self._waiting: list[_Run] = []
        self._present: _Run | None = None
        self._beside: set[_Run] = set()  # whose turn is over, though their work goes on
        self._usage: dict[str, _Usage] = {}
        self._mine = threading.local()

    def __enter__(self) -> Self:
        """Wait for the turn; a thread that has it goes on."""
        depth = getattr(self._mine, "depth", 0)
        self._mine.depth = depth + 1
        if depth:
            return self
        self._mine.run = run = _Run(self._who(), self._worked(), self._clock())
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
        """Hand the turn on."""
        self._mine.depth -= 1
        if self._mine.depth:
            return
        run: _Run = self._mine.run
        with self._lock:
            now = self._clock()
            usage = self._usage.setdefault(run.visitor, _Usage())
            took = self._worked() - run.worked
            usage.seconds, usage.at = usage.remaining(now) + min(took, MOST), now
            usage.was_long = took > self._longest
            self._beside.discard(run)
            if self._present is run:
                self._present = None
            if len(self._usage) > KNOWN:
                self._usage = {name: one for name, one in self._usage.items() if one.remaining(now) > 0.001}
            self._call_next()

    def _until_over(self) -> float:
        present = self._present
        return self._longest if present is None else max(0.001, present.began + self._longest - self._clock())

    def _call_next(self) -> None:
        now = self._clock()
        if self._present is not None:
            if now < self._present.began + self._longest:
                return
            self._beside.add(self._present)
            self._present = None
        may = [run for run in self._waiting if not (self._beside and self._is_long(run, now))]
        if may:
            owed = {run: self._of(run).remaining(now) - (now - run.came) for run in may}
            self._present = min(may, key=owed.__getitem__)  # the first of equals
            self._waiting.remove(self._present)
            self._present.began = now
            self._present.signal.set()

    def _is_long(self, run: _Run, now: float) -> bool:
        usage = self._of(run)
        return usage.was_long and usage.remaining(now) > self._longest

    def _of(self, run: _Run) -> _Usage:
        return self._usage.get(run.visitor) or _Usage()


TURNS = Turns()
