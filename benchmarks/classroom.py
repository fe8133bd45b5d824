"""A class on one server: ``python -m benchmarks.classroom``.

Virtual students over real websockets against the real app, beside the smallest app on the same settings (one
slider, one line of text) in the same run. All arrive within ten seconds on pages of their own choice, one in
three at a step of a lesson; 70 % of what they do releases a live slider, 20 % changes another control, 10 %
opens another page; some leave in the middle of a run without a word. Server and students share the machine.
Prints reruns a second, how long they and the first page took, errors and the server's memory.

    python -m benchmarks.classroom                            30 and 150 students every 2 s; 30 without pause
    python -m benchmarks.classroom --students 150 --every 2 --seconds 60
    python -m benchmarks.classroom --processes 2              the same, two processes behind nginx
    python -m benchmarks.classroom --soak 10                  150 students for 10 minutes, whose pages are
                                                              random valid links; draws memory.png
"""

import argparse
import asyncio
import contextlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import websockets

from attn_ui.lessons.shelf import shelf
from attn_ui.screen.lesson_panel import href
from benchmarks.student import Student, released
from tests.walk import states

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("kernel-regression", "single-head", "positional-encoding", "multi-head", "learned-heads")
IN_LESSONS = 1 / 3  # of the pages that students open
RELEASES, CONTROLS = 0.7, 0.2  # of what students do; the rest opens another page
ARRIVE_WITHIN = 10.0  # seconds
LEAVING = 0.02  # of all actions: the student goes away in the middle of the run, and another one comes
FLOOR = "import streamlit as st\nst.write(st.slider('x', 0, 100, 20, key='x'))\n"


@dataclass
class Outcome:
    """Measurements of a class; times in seconds."""

    first: list[float] = field(default_factory=list)
    releases: list[float] = field(default_factory=list)
    controls: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    n_bytes: int = 0
    left: int = 0
    errors: list[str] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)  # seconds, megabytes
    seconds: float = 0.0

    @property
    def reruns(self) -> list[float]:
        """The seconds of all runs after the first page."""
        return [*self.releases, *self.controls, *self.pages]

    def line(self, name: str) -> str:
        """Return the measurements in one line."""
        memory = [megabytes for _, megabytes in self.memory] or [float("nan")]
        reruns = self.reruns
        return (
            f"{name:28} {len(reruns) / self.seconds:6.1f} reruns/s   "
            f"p50 {_ms(reruns, 0.5)}  p95 {_ms(reruns, 0.95)} ms   "
            f"release {_ms(self.releases, 0.95)}  control {_ms(self.controls, 0.95)}  "
            f"page {_ms(self.pages, 0.95)} ms (p95)   first page p95 {_ms(self.first, 0.95)} ms   "
            f"{self.n_bytes / 1e3 / max(1, len(reruns)):5.1f} kB a rerun   left {self.left}   "
            f"errors {len(self.errors)}   "
            f"memory {memory[0]:.0f} -> {memory[-1]:.0f} MB, most {max(memory):.0f}"
        )

    def say(self, name: str) -> None:
        """Print the measurements, and the first errors."""
        print(
            self.line(name), *(f"    {error}" for error in sorted(set(self.errors))[:3]), sep="\n", flush=True
        )


def _ms(seconds: Sequence[float], share: float) -> str:
    if not seconds:
        return "   -"
    ordered = sorted(seconds)
    return f"{1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))]:4.0f}"


@dataclass(frozen=True)
class Traffic:
    """A class at work: how many students act how often, on which server, until when."""

    server: str
    pid: int
    students: int
    every: float
    until: float
    floor: bool = False
    actions: int | None = None  # that a student takes at most
    links: bool = False  # whether pages are opened by links, with random valid settings

    def visit(self, rng: random.Random) -> tuple[str, str]:
        """Choose a page that a student opens, and the query of its address: one in three a lesson's step."""
        if not self.links and rng.random() < IN_LESSONS:
            walked = rng.choice(list(shelf().lessons.values()))
            step = rng.choice(walked.steps)
            page, _, query = href(step.link, walked, step).partition("?")
            if page in PAGES:
                return page, query
        page = rng.choice(PAGES)
        (settings,) = states(page, 1, rng.getrandbits(32)) if self.links else ({},)
        return page, urlencode(settings, doseq=True)


async def _attend(lesson: Traffic, number: int, outcome: Outcome) -> None:
    """Act as one student after another until the time is over."""
    rng = random.Random(number)
    await asyncio.sleep(rng.uniform(0, min(ARRIVE_WITHIN, (lesson.until - time.monotonic()) / 3)))
    finished_at: list[int] = []
    while time.monotonic() < lesson.until and len(finished_at) != lesson.actions:
        try:
            await _visit(lesson, rng, outcome, finished_at)
        except (TimeoutError, OSError, websockets.WebSocketException, KeyError, ValueError) as error:
            outcome.errors.append(f"{type(error).__name__}: {error}")
            await asyncio.sleep(1)


async def _visit(lesson: Traffic, rng: random.Random, outcome: Outcome, finished_at: list[int]) -> None:
    async with Student(lesson.server) as student:
        seconds = await student.run()
        if not lesson.floor:
            seconds += await student.run(*lesson.visit(rng))
        outcome.first.append(seconds)
        outcome.errors += student.errors
        while time.monotonic() < lesson.until and len(finished_at) != lesson.actions:
            finished_at.append(len(finished_at))
            await asyncio.sleep(lesson.every * rng.uniform(0.7, 1.3))
            page, query, values, times = _choose(student, rng, outcome, lesson)
            if rng.random() < LEAVING:
                await student.ask(page, query, **values)
                outcome.left += 1
                return
            times.append(await student.run(page, query, **values))
            outcome.n_bytes += student.n_bytes
            outcome.errors += student.errors


def _choose(
    student: Student, rng: random.Random, outcome: Outcome, lesson: Traffic
) -> tuple[str, str, dict[str, Any], list[float]]:
    """Choose a student's next action: return page and query, or values, and the list for the seconds."""
    figures = student.figures
    sliders = {key: widget for key, widget in student.widgets.items() if widget.is_slider}
    roll = rng.random()
    if not lesson.floor and (roll > RELEASES + CONTROLS or not (figures or sliders)):
        return *lesson.visit(rng), {}, outcome.pages
    if figures and (roll < RELEASES or not sliders):
        key = rng.choice(sorted(figures))
        return "", "", {key: {"view": released(figures[key], rng)}}, outcome.releases
    key = rng.choice(sorted(sliders))
    return "", "", {key: sliders[key].moved(rng)}, outcome.controls


async def _teach(lesson: Traffic) -> Outcome:
    outcome = Outcome()
    began = time.monotonic()

    async def watch() -> None:
        while True:
            outcome.memory.append((time.monotonic() - began, memory_of(lesson.pid)))
            await asyncio.sleep(1)

    watching = asyncio.create_task(watch())
    await asyncio.gather(*(_attend(lesson, number, outcome) for number in range(lesson.students)))
    watching.cancel()
    outcome.seconds = time.monotonic() - began
    return outcome


def teach(
    server: tuple[str, int],
    students: int,
    every: float,
    seconds: float,
    *,
    floor: bool = False,
    actions: int | None = None,
    links: bool = False,
) -> Outcome:
    """Let a class loose on a server and return the measurements.

    Args:
        server: its address ("http://127.0.0.1:8501") and its process.
        students: how many there are at a time.
        every: seconds between two actions of a student; 0: without pause.
        seconds: how long it takes at most.
        actions: how many things a student does; as many as there is time for when None.
        floor: whether it is the smallest app, which has no pages.
        links: whether pages are opened by links with random valid settings, not as they open by themselves.
    """
    address, pid = server
    until = time.monotonic() + seconds
    return asyncio.run(_teach(Traffic(address, pid, students, every, until, floor, actions, links)))


def memory_of(pid: int) -> float:
    """Return the megabytes of a process and all below it; NaN if the system does not report them.

    Shared memory is counted once: each process has its share of it (PSS, proc_pid_smaps(5)).
    """
    with contextlib.suppress(OSError):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        own = int(rollup.partition("\nPss:")[2].split()[0]) * 1024 / 1e6
        started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return own + sum(memory_of(int(child)) for child in started)
    return float("nan")


@contextlib.contextmanager
def serving(folder: Path, processes: int = 1) -> Iterator[tuple[str, int]]:
    """Start the app of a folder; yield its address and process.

    Args:
        folder: where its `app.py` is.
        processes: more than one run behind nginx, as `make class` starts them.
    """
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    if processes > 1:
        command = ["deploy/class.py", f"--processes={processes}", f"--port={port}"]
    process = subprocess.Popen(
        [sys.executable, *command, *([] if processes > 1 else ["--server.address=127.0.0.1"])],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health", process)
        yield address, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped at once, with {process.returncode}")
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2):
            return
        time.sleep(0.1)  # the server starts meanwhile
    raise RuntimeError("the server did not answer within 120 s")


@contextlib.contextmanager
def floor_app() -> Iterator[Path]:
    """Yield a folder with the smallest app, on this app's server settings."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "app.py").write_text(FLOOR)
        (path / ".streamlit").mkdir()
        (path / ".streamlit" / "config.toml").write_text((ROOT / ".streamlit" / "config.toml").read_text())
        yield path


def draw_memory(outcome: Outcome, path: Path) -> None:
    """Draw memory over time."""
    from matplotlib import pyplot  # noqa: PLC0415  (a peer of the benchmarks, needed for this picture alone)

    times, megabytes = zip(*outcome.memory, strict=True)
    figure, axes = pyplot.subplots(figsize=(8, 3))
    axes.plot([seconds / 60 for seconds in times], megabytes)
    axes.set(xlabel="minutes", ylabel="MB", ylim=(0, None), title="memory of the server")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def soak(students: int, every: float, minutes: float, processes: int) -> None:
    """Run a class for long, and print whether memory grows."""
    with serving(ROOT, processes) as server:
        outcome = teach(server, students, every, 60 * minutes, links=True)
    outcome.say(f"{students} for {minutes:g} minutes")
    # A line through all of the second half: the curve swings by a tenth within a minute.
    times, megabytes = np.array(outcome.memory[len(outcome.memory) // 2 :]).T
    middle, end = np.polyval(np.polyfit(times, megabytes, 1), times[[0, -1]])
    print(f"memory in the second half: {middle:.0f} -> {end:.0f} MB, {100 * (end / middle - 1):+.1f} %")
    draw_memory(outcome, Path("memory.png"))
    print("memory.png is its curve")


def main() -> None:
    """Measure the classes given on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classroom")
    parser.add_argument("--students", type=int, help="how many; 30 and 150 unless told")
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two actions; 0: no pause")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--processes", type=int, default=1, help="behind nginx, where there are several")
    parser.add_argument("--soak", type=float, metavar="MINUTES")
    options = parser.parse_args()
    if options.soak:
        soak(options.students or 150, options.every, options.soak, options.processes)
        return
    classes = [(30, 2.0), (150, 2.0), (30, 0.0)]
    if options.students:
        classes = [(options.students, options.every)]
    for students, every in classes:
        for name, floor in (("ours", False), ("the smallest app", True)):
            place = floor_app() if floor else contextlib.nullcontext(ROOT)
            with place as folder, serving(folder, 1 if floor else options.processes) as server:
                outcome = teach(server, students, every, options.seconds, floor=floor)
            outcome.say(f"{name}: {students} every {every:g} s")


if __name__ == "__main__":
    main()
