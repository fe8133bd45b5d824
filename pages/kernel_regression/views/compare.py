"""All four kernels at one bandwidth and one query."""

from dataclasses import replace

from attn_core import KERNELS
from attn_figures.kernel_regression import compare, compare_cursor
from attn_figures.kernel_scene import Estimate
from attn_ui.live_figure import Cursor, Rows, Slider, live_figure, pack, pack_says
from attn_ui.shared_cache import shared
from pages.kernel_regression.numbers import Standing, Strides, Sweep, fitting
from pages.kernel_regression.points import Points
from pages.kernel_regression.words import compare_sentence


def show(points: Points, kernel: str) -> Standing:
    """Draw the figure, say how the kernels differ, and return where it stands."""
    strides, packed, said = drawn(points, points.fingerprint)
    sweep = Sweep(points, kernel, len(KERNELS), strides).held()
    live_figure(
        packed,
        key="compare",
        alt="Four kernels at one bandwidth: above, each estimate; below, its map of weights.",
        name=f"four kernels {points.name}",
        slider=Slider("Bandwidth h", sweep.bandwidth, names=sweep.bandwidth_names()),
        rows=Rows("Query", sweep.query, Cursor(len(sweep.query.values)), sweep.query_names()),
        says=said,
        caption=f"{points.name}, {len(points.keys)} points",
    )
    return sweep.standing()


@shared
def drawn(_points: Points, fingerprint: str) -> tuple[Strides, bytes, bytes]:
    """Return the strides offered, the message that draws them, and a sentence for each."""
    everything = Sweep(_points, "gaussian", len(KERNELS))
    strides, packed = fitting(everything, _draw)
    return strides, packed, pack_says(_sentences(replace(everything, strides=strides)))


def _draw(sweep: Sweep) -> bytes:
    scene, steps = sweep.scene, _steps(sweep)
    cursor = Cursor(len(scene.queries), **compare_cursor(scene, steps))
    return pack([compare.spec(scene, step) for step in steps], cursor)


def _steps(sweep: Sweep) -> list[dict[str, Estimate]]:
    """Every kernel's estimate, at each bandwidth."""
    each = {name: replace(sweep, kernel=name).estimates() for name in KERNELS}
    return [dict(zip(each, at_step, strict=True)) for at_step in zip(*each.values(), strict=True)]


def _sentences(sweep: Sweep) -> list[list[str]]:
    """Say of each bandwidth, for each query, how the kernels differ."""
    rows = range(len(sweep.scene.queries))
    return [
        [_sentence(sweep, at, bandwidth, row) for row in rows]
        for bandwidth, at in zip(sweep.bandwidths().tolist(), _steps(sweep), strict=True)
    ]


def _sentence(sweep: Sweep, at: dict[str, Estimate], bandwidth: float, row: int) -> str:
    return compare_sentence(
        sweep.points,
        bandwidth=bandwidth,
        query=float(sweep.scene.queries[row]),
        estimates={name: float(estimate.at_queries[row]) for name, estimate in at.items()},
        effective={name: float(estimate.effective_keys[row]) for name, estimate in at.items()},
        empty={name: int((~estimate.supported).sum()) for name, estimate in at.items()},
        n_query=len(sweep.scene.queries),
    )
