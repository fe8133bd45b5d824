"""One run of a page at a time: a class that releases its sliders together stands in a line.

Runs are threads of one process and share its interpreter lock. Sixty of them at once take it from one
another, and from the loop that sends what they made, so that nobody is served: in a line, the same work is
done in half the time and the first is served at once.
"""

import threading
import time
from types import TracebackType
from typing import Self

LONGEST = 0.3  # seconds; a run that takes longer goes on, and no longer holds up the others


class Turns:
    """A lock that nobody holds for long; a context manager that nests."""

    def __init__(self, longest: float = LONGEST) -> None:
        """Start free.

        Args:
            longest: seconds after which a turn counts as over, though its work may go on.
        """
        self._longest = longest
        self._front = threading.Lock()  # the place at the head of the line
        self._turn = threading.Lock()
        self._over = 0.0  # when the present turn ends
        self._mine = threading.local()

    def __enter__(self) -> Self:
        """Wait for the turn; a thread that has it goes on."""
        depth = getattr(self._mine, "depth", 0)
        self._mine.depth = depth + 1
        if depth:
            return self
        with self._front:
            if not self._turn.acquire(timeout=max(0.0, self._over - time.monotonic())):
                self._turn = threading.Lock()  # whoever is too long about it gives up the one before
                self._turn.acquire()
            self._mine.turn = self._turn
            self._over = time.monotonic() + self._longest
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Hand the turn on."""
        self._mine.depth -= 1
        if not self._mine.depth:
            self._mine.turn.release()


TURNS = Turns()
