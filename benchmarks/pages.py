"""How long a page needs for all steps of its sliders: ``python -m benchmarks.pages``.

For each picture it prints the time that `attn_core` takes for all steps at once, the time to describe and
pack the figures, and the bytes that are sent. Times are medians, in seconds of one processor (one torch
thread, so that a busy machine counts little). Exits with 1 when a target is missed.

Before that it opens each page through its own script, and prints how long its first visitor waits.
"""

import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from attn_core import KERNELS, bandwidth_search
from attn_figures.kernel_bridge import bridge
from attn_figures.kernel_regression import compare, compare_cursor, fit, fit_cursor
from attn_figures.kernel_studies import Errors, choose
from attn_live.packing import Cursor, pack
from attn_ui.base import shared_cache
from attn_ui.host.trial import silence_thread_warnings
from pages.kernel_regression.compute import Sweep, pack_sweep
from pages.kernel_regression.data_points import sample
from pages.kernel_regression.search import best_of
from pages.kernel_regression.views import compare as compare_view
from pages.kernel_regression.views import fit as fit_view
from pages.kernel_regression.views.bridge import lay_points
from tests.pages import PAGES, open_page
from tests.quick_apptest import look_for_components_once

TURNS = 15
VISITS = 5
MOST_SECONDS = 0.050  # to compute all steps of the kernel regression page at its default size


@dataclass(frozen=True)
class Picture:
    """One moving figure: what is computed, and how that becomes the message to the browser."""

    name: str
    steps: int
    compute: Callable[[], object]
    send: Callable[[], bytes]


def median_of(run: Callable[[], object]) -> float:
    """Return the median seconds of processor time, after one turn to warm up."""
    run()
    times = []
    for _ in range(TURNS):
        before = time.process_time()
        run()
        times.append(time.process_time() - before)
    return statistics.median(times)


class Timed:
    """Adds up the processor time of the results that shared caches make, by function."""

    def __init__(self) -> None:
        """Start with nothing made."""
        self.seconds: dict[str, float] = {}
        self._depth = 0
        self._make = shared_cache.SharedCache._make

    def make(self, cache: shared_cache.SharedCache, key: Any, make: Callable[[], Any], mine: Any) -> Any:
        """Make a result as any shared cache does; results made meanwhile count as part of it."""
        before = time.thread_time()
        self._depth += 1
        try:
            return self._make(cache, key, make, mine)
        finally:
            self._depth -= 1
            if not self._depth:
                name = key[0].removeprefix("pages.")
                self.seconds[name] = self.seconds.get(name, 0.0) + time.thread_time() - before


def first_visit(page: str) -> dict[str, float]:
    """Return the processor seconds to compute, draw, pack and caption a page's first view, by function."""
    open_page(page)  # what is imported and laid out once a process
    visits = []
    for _ in range(VISITS):
        session = open_page("")  # each session begins there
        shared_cache.clear()
        timed = Timed()
        with patch.object(shared_cache.SharedCache, "_make", lambda *args, timed=timed: timed.make(*args)):
            open_page(page, session)
        visits.append(timed.seconds)
    return {name: statistics.median(visit[name] for visit in visits) for name in visits[0]}


def kernel_regression(n_points: int) -> Iterator[Picture]:
    """Yield the pictures of the kernel regression page."""
    points = sample("sine", n_points, 0.5, seed=4)
    strides, *_ = pack_sweep(Sweep(points, "gaussian"), fit_view.draw)
    one = Sweep(points, "gaussian", strides=strides)
    estimates = one.estimates()
    cursor = Cursor(len(one.scene.queries), **fit_cursor(one.scene, estimates))
    yield Picture(
        "fit and weights",
        len(estimates),
        lambda: Sweep(points, "gaussian", strides=one.strides).estimates(),
        lambda: pack([fit(one.scene, each) for each in estimates], cursor),
    )

    strides, *_ = pack_sweep(Sweep(points, "gaussian", len(KERNELS)), compare_view.draw)
    four = {name: Sweep(points, name, len(KERNELS), strides) for name in KERNELS}
    scene = four["gaussian"].scene
    columns = {name: sweep.estimates() for name, sweep in four.items()}
    by_step = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    yield Picture(
        "four kernels",
        len(by_step),
        lambda: [Sweep(points, name, len(KERNELS), strides).estimates() for name in KERNELS],
        lambda: pack(
            [compare(scene, step) for step in by_step],
            Cursor(len(scene.queries), **compare_cursor(scene, by_step)),
        ),
    )

    bandwidths = tuple(one.bandwidths().tolist())
    find = partial(bandwidth_search, *points.tensors(), kernel="gaussian", bandwidths=bandwidths)
    search_result = find()
    best = best_of(points, points.fingerprint, "gaussian")
    errors = Errors(
        np.array(bandwidths),
        search_result.training_errors.numpy(),
        search_result.leave_one_out_errors.numpy(),
        search_result.n_supported.numpy(),
        (best.bandwidth, best.left_out),
        np.empty((0, 2)),
    )
    yield Picture(
        "choose the bandwidth",
        len(bandwidths),
        find,
        lambda: pack([choose(one.floorless, errors, i, each.on_grid) for i, each in enumerate(estimates)]),
    )

    laid = lay_points(points, everything=False, on_circle=False)
    h = torch.from_numpy(one.bandwidths())
    gaussian, attention = laid.gaussian(h).numpy(), laid.attention(h, True).numpy()
    yield Picture(
        "bridge to attention",
        len(h),
        lambda: (laid.gaussian(h), laid.attention(h, True)),
        lambda: pack(
            [
                bridge(laid.terms(), g, a, h_squared=float(bandwidth) ** 2, keeps_lengths=True)
                for g, a, bandwidth in zip(gaussian, attention, h, strict=True)
            ]
        ),
    )


def main() -> int:
    """Time every picture and print the table."""
    torch.set_num_threads(1)
    look_for_components_once()
    silence_thread_warnings()
    gc.collect()
    gc.freeze()  # as the server does after its warm start
    print("each page as it opens, computed, drawn and packed")
    for page in PAGES:
        parts = first_visit(page)
        print(f"{page or 'overview':28} {1000 * sum(parts.values()):7.1f} ms")
        for name, seconds in parts.items():
            print(f"    {name:44} {1000 * seconds:7.1f} ms")
    late = 0.0
    print(f"{'kernel regression':28} {'points':>6} {'steps':>5} {'compute':>10} {'pack':>10} {'sent':>10}")
    for n_points in (40, 500):
        computed = 0.0
        for picture in kernel_regression(n_points):
            seconds, packing = median_of(picture.compute), median_of(picture.send)
            computed += seconds
            size = len(picture.send())
            print(
                f"{picture.name:28} {n_points:6} {picture.steps:5} {1000 * seconds:7.1f} ms "
                f"{1000 * packing:7.1f} ms {size / 1000:7.0f} kB"
            )
        print(f"{'all pictures':28} {n_points:6} {'':5} {1000 * computed:7.1f} ms")
        late = max(late, computed) if n_points == 40 else late
    reached = late <= MOST_SECONDS
    verdict = "reached" if reached else "missed"
    print(f"target: all steps at 40 points in {1000 * MOST_SECONDS:.0f} ms: {verdict}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
