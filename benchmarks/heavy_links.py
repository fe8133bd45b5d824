"""The costliest links beside a light visitor: ``python -m benchmarks.heavy_links [--random 300]``.

One visitor opens each link in turn on a server of its own, while another, in a process of its own, moves the
slider of kernel regression all the time. Prints how long each link took and how much longer than alone the
other waited meanwhile: the most, and the most in 95 of 100 moves.
"""

import argparse
import asyncio
import multiprocessing
import random
import statistics
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from urllib.parse import urlencode

from benchmarks.classroom import ROOT, serving
from benchmarks.student import Student, released
from tests.walk import states

PAUSE = 0.1  # seconds between two moves of the light visitor: the server allows no more
ALONE = 3.0  # seconds that it is alone at first
SLOW, LONG_WAIT = 1.0, 0.1  # seconds that no run may take, and that no visitor may cost another
WALKED = ("kernel-regression", "single-head", "positional-encoding", "multi-head", "applications")

_WORDS = " ".join(f"w{number}" for number in range(64))
_HEADS = {"text": _WORDS, "heads": "16", "dm": "128"}
_HEAD = {"text": _WORDS, "dm": "128"}
_POINTS = {"points": "500"}
LINKS: tuple[tuple[str, dict[str, str]], ...] = (
    ("multi-head", {"view": "points", "text": " ".join(["y" * 60] * 60)}),
    ("multi-head", {"view": "points", "text": "y" * 3900}),
    *(
        ("multi-head", _HEADS | {"view": view})
        for view in ("every head", "points", "arcs", "heads compared", "threshold", "single vs multi-head")
    ),
    ("multi-head", _HEADS | {"view": "arcs", "arcs": "all heads"}),
    ("multi-head", _HEADS | {"view": "arcs", "arcs": "all heads", "hmoves": "temperature"}),
    ("multi-head", _HEADS | {"view": "points", "hmoves": "temperature", "hmask": "a pattern a head"}),
    ("multi-head", _HEADS | {"tab": "Block", "layers": "12", "norm": "before"}),
    *(
        ("multi-head", _HEADS | {"tab": tab})
        for tab in ("Checks", "Shared heads", "Measures", "One or many", "Token by token", "Code", "Break it")
    ),
    *(
        ("kernel-regression", _POINTS | {"picture": picture})
        for picture in ("Local lines", "Two inputs", "Limits", "Four kernels", "Choose the bandwidth")
    ),
    ("kernel-regression", _POINTS | {"pin": "points=499&x0=1"}),
    ("multi-head", _HEADS | {"view": "threshold"}),
    ("kernel-regression", _POINTS | {"picture": "Two inputs", "tab": "Break it", "trap": "mixed units"}),
    ("single-head", _HEAD | {"stage": "arcs"}),
    ("single-head", _HEAD | {"tab": "Checks"}),
    ("what-courses-say", {"claim": "over-smoothing", "seed": "5"}),
)  # fmt: skip


def light(server: str, ends: Connection) -> None:
    """Move a slider until told to end; then send when each move began, and the seconds that it took."""
    asyncio.run(_move(server, ends))


async def _move(server: str, ends: Connection) -> None:
    rng, took = random.Random(0), []
    async with Student(server) as student:
        await student.run("kernel-regression", "")
        await student.run("kernel-regression", "")  # the controls are known only at the end of the first
        while not ends.poll():
            ((key, figure),) = student.figures.items()
            began = time.perf_counter()
            took.append((began, await student.run(**{key: {"view": released(figure, rng)}})))
            assert not student.errors, student.errors
            if len(took) == 1:
                ends.send("moves")
            await asyncio.sleep(PAUSE)
    ends.send(took)


async def open_each(server: str, links: list[tuple[str, str]]) -> list[tuple[float, float]]:
    """Open each link in a session of its own, pages imported before; return each one's start and seconds."""
    for page in {page for page, _ in links}:
        async with Student(server) as student:
            await student.run(page, "")
    await asyncio.sleep(ALONE)
    results = []
    for page, query in links:
        async with Student(server) as student:
            await student.run()
            began = time.perf_counter()
            results.append((began, await student.run(page, query)))
            if student.errors:
                print(f"/{page}?{query[:100]}: {student.errors[0][:200]}")
        await asyncio.sleep(PAUSE)
    return results


def _random(count: int) -> Iterator[tuple[str, str]]:
    for page in WALKED:
        for query in states(page, count // len(WALKED), 59):
            yield page, urlencode(query, doseq=True)


def main() -> int:
    """Open the links; return how many took too long, or made the other wait too long."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.heavy_links")
    parser.add_argument("--random", type=int, default=0, help="random links instead, so many")
    parser.add_argument("--only", default="", help="links with this in them")
    options = parser.parse_args()
    every = (
        list(_random(options.random)) if options.random else [(page, urlencode(each)) for page, each in LINKS]
    )
    links = [each for each in every if options.only in "?".join(each)]
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    with serving(ROOT) as (server, _):
        other = multiprocessing.get_context("spawn").Process(target=light, args=(server, theirs))
        other.start()
        ours.recv()
        opened = asyncio.run(open_each(server, links))
        ours.send("end")
        moves = ours.recv()
        other.join()
    alone = statistics.median(
        took for began, took in moves if opened[0][0] - ALONE < began < opened[0][0] - 0.5
    )
    print(f"the light visitor alone: {1000 * alone:.0f} ms a move")
    too_long = 0
    rows = []
    for (page, query), (began, seconds) in zip(links, opened, strict=True):
        waits = sorted(took - alone for at, took in moves if at < began + seconds and at + took > began) or [
            0.0
        ]
        most, usual = waits[-1], waits[int(0.95 * (len(waits) - 1))]
        is_bad = seconds > SLOW or most > LONG_WAIT
        too_long += is_bad
        waited = f"{1000 * most:5.0f} {1000 * usual:5.0f} ms {'!' if is_bad else ' '}"
        rows.append((seconds, f"{seconds:6.2f} s  waits {waited} /{page}?{_short(query)}"))
    print(*(row for _, row in sorted(rows, reverse=True)[:60]), sep="\n")
    print(f"{len(links)} links, {too_long} over {SLOW:g} s or {1000 * LONG_WAIT:.0f} ms")
    return too_long


def _short(query: str) -> str:
    parts = [part if len(part) < 40 else f"{part[:12]}...({len(part)})" for part in query.split("&")]
    return "&".join(parts)


if __name__ == "__main__":
    raise SystemExit(bool(main()))
