"""Trainings in the background: one at a time for the whole process, while others wait in a queue."""

import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal

import torch

from attn_core.toys import Evaluation, Recipe, Run, train

JobState = Literal["waiting", "running", "stopped", "failed", "done"]
LONGEST_LINE = 40  # trainings that wait
MOST_KEPT = 16  # trainings that have ended; each takes about 1 MB
_LOG = logging.getLogger(__name__)
GONE = 10.0  # seconds after which a session that does not watch is gone; a page watches twice a second
BREATH = 0.001  # seconds of sleep after each step, in which other threads get the interpreter


@dataclass
class Job:
    """One training in the queue; its fields change while it runs."""

    recipe: Recipe
    state: JobState = "waiting"
    step: int = 0
    look: Evaluation | None = None  # the last evaluation of the model
    run: Run | None = None
    askers: dict[str, float] = field(default_factory=dict)  # who requested it, and when they last watched

    @property
    def is_over(self) -> bool:
        """Whether the training has ended in any way."""
        return self.state in ("stopped", "failed", "done")


class _StoppedError(Exception):
    """Nobody requests this training any more."""


class LineIsFullError(Exception):
    """The queue of trainings is full."""


class Trainer:
    """A queue of trainings, and the last ones that ended; a recipe requested by several is trained once."""

    def __init__(self, most_kept: int = MOST_KEPT, longest_line: int = LONGEST_LINE) -> None:
        """Start with an empty queue."""
        self._most_kept, self._longest_line = most_kept, longest_line
        self._jobs: OrderedDict[Recipe, Job] = OrderedDict()  # in the order of their requests
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None

    def ask(self, recipe: Recipe, who: str) -> Job:
        """Queue a training for `who`, and withdraw their requests for others.

        Raises LineIsFullError if too many wait.
        """
        with self._lock:
            for other in self._jobs.values():
                if other.recipe != recipe and not other.is_over:
                    _withdraw(other, who)
            job = self._jobs.get(recipe)
            if job is None or job.state in ("stopped", "failed"):
                if sum(not each.is_over for each in self._jobs.values()) > self._longest_line:
                    raise LineIsFullError
                self._jobs.pop(recipe, None)
                job = self._jobs[recipe] = Job(recipe)
            job.askers[who] = monotonic()
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="trainer", daemon=True)
                self._worker.start()
            return job

    def look(self, job: Job, who: str) -> bool:
        """Note that `who` watches a training; return whether they may stop it.

        Those who requested it may. Anybody may once none of them has watched for `GONE` seconds, as a
        reloaded page has a new session.
        """
        with self._lock:
            if who in job.askers:
                job.askers[who] = monotonic()
            return who in job.askers or not _present(job)

    def stop(self, recipe: Recipe, who: str) -> None:
        """Withdraw a request; the training stops if nobody else requests it."""
        with self._lock:
            job = self._jobs.get(recipe)
            if job is not None and (who in job.askers or not _present(job)):
                job.askers = _present(job)
                _withdraw(job, who)

    def job(self, recipe: Recipe) -> Job | None:
        """Return the training of a recipe; None if it was never requested or is forgotten."""
        with self._lock:
            job = self._jobs.get(recipe)
            if job is not None and job.is_over:
                self._jobs.move_to_end(recipe)  # the last one used is forgotten last
            return job

    def before(self, job: Job) -> int:
        """Return how many trainings come before this one, the running one included."""
        with self._lock:
            line = [each for each in self._jobs.values() if not each.is_over]
            return line.index(job) if job in line else 0

    def _next(self) -> Job | None:
        with self._lock:
            over = [recipe for recipe, job in self._jobs.items() if job.is_over]
            for recipe in over[: max(0, len(over) - self._most_kept)]:
                del self._jobs[recipe]
            job = next((each for each in self._jobs.values() if each.state == "waiting"), None)
            if job is None:
                self._worker = None
            else:
                job.state = "running"
            return job

    def _work(self) -> None:
        torch.set_num_threads(1)  # for this thread alone
        while (job := self._next()) is not None:
            state: JobState = "failed"
            try:
                job.run = train(job.recipe, on_step=lambda step, look, job=job: _note(job, step, look))
                state = "done"
            except _StoppedError:
                state = "stopped"
            except Exception as error:  # a failed training must not end the queue
                _LOG.error("a training failed: %s", type(error).__name__)
            job.state = state


def _withdraw(job: Job, who: str) -> None:
    job.askers.pop(who, None)
    if not job.askers and job.state == "waiting":
        job.state = "stopped"


def _present(job: Job) -> dict[str, float]:
    """Return those who requested a training and still watch it, with when they last did."""
    now = monotonic()
    return {who: last_look for who, last_look in job.askers.items() if now - last_look < GONE}


def _note(job: Job, step: int, look: Evaluation | None) -> None:
    job.step, job.look = step, look or job.look
    if not job.askers:
        raise _StoppedError
    time.sleep(BREATH)  # let other threads serve pages first


TRAINER = Trainer()
