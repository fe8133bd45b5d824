"""All four kernels at one bandwidth and one query."""

from dataclasses import replace

from attn_core import KERNELS
from attn_figures.kernel_regression import Estimate
from attn_figures.kernel_studies import compare, compare_cursor
from attn_ui.frame import what_you_see
from attn_ui.live_figure import Cursor, Rows, Slider, live_figure, pack
from attn_ui.shared_cache import shared
from attn_ui.state import position
from pages.kernel_regression.numbers import Standing, Strides, Sweep, fitting
from pages.kernel_regression.points import Points
from pages.kernel_regression.words import compare_sentence


def show(points: Points, kernel: str) -> Standing:
    """Draw the figure, say how the kernels differ, and return where it stands."""
    strides, packed = drawn(points, points.fingerprint)
    sweep = Sweep(points, kernel, len(KERNELS), strides)
    live_figure(
        packed,
        key="compare",
        alt="Four kernels at one bandwidth: above, each estimate; below, its map of weights.",
        name=f"four kernels {points.name}",
        slider=Slider("Bandwidth h", sweep.bandwidth, names=sweep.bandwidth_names()),
        rows=Rows("Query", sweep.query, Cursor(len(sweep.query.values)), sweep.query_names()),
        caption=f"{points.name}, {len(points.keys)} points",
    )
    standing = sweep.standing()
    at = {name: each.at(standing.bandwidth) for name, each in _each(sweep).items()}
    what_you_see(_sentence(sweep, at, standing.bandwidth, position(sweep.query)))
    return standing


@shared
def drawn(_points: Points, fingerprint: str) -> tuple[Strides, bytes]:
    """Return the strides offered, and the message that draws them."""
    return fitting(Sweep(_points, "gaussian", len(KERNELS)), _draw)


def _draw(sweep: Sweep) -> bytes:
    scene = sweep.scene
    each = {name: one.estimates() for name, one in _each(sweep).items()}
    steps = [dict(zip(each, at_step, strict=True)) for at_step in zip(*each.values(), strict=True)]
    cursor = Cursor(len(scene.queries), **compare_cursor(scene, steps))
    return pack([compare.spec(scene, step) for step in steps], cursor)


def _each(sweep: Sweep) -> dict[str, Sweep]:
    return {name: replace(sweep, kernel=name) for name in KERNELS}


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
