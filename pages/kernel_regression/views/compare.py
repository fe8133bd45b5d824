"""All four kernels at one bandwidth and one query."""

from dataclasses import replace

from attn_core import KERNELS
from attn_figures.kernel_regression import compare, compare_cursor
from attn_figures.kernel_scene import Estimate
from attn_figures.scene import Scene
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import listed
from attn_ui.base.page import Figure, View
from attn_ui.base.parameters import shown
from attn_ui.base.scenes import Packed
from attn_ui.base.shared_cache import shared
from attn_words import _, paragraph
from pages.kernel_regression.compute import Kept, Result, Strides, Sweep, fitting, settled
from pages.kernel_regression.points import Points
from pages.kernel_regression.settings import KERNEL
from pages.kernel_regression.state import State
from pages.kernel_regression.words import hatched, named, or_dash


def view(controls: Controls, state: State) -> View[Result]:
    """Draw the estimate and the weights of each kernel, and say how they differ."""
    points = state.points
    sweep, scene = settled(
        controls,
        Sweep(points, state.kernel, len(KERNELS)),
        lambda kept: drawn(points, points.fingerprint, kept),
        _draw,
    )
    figure = Figure(
        scene,
        key="compare",
        alt=_("Four kernels at one bandwidth: the estimate of each, and its map of weights."),
        name=f"four kernels {points.name}",
        slider=sweep.slider,
        rows=sweep.rows,
        caption=_("{data}, {count} points", data=points.title, count=len(points.keys)),
    )
    return View(Result(state, sweep.standing(controls)), figure)


@shared
def drawn(_points: Points, fingerprint: str, kept: Kept = (None, None)) -> tuple[Strides, Packed]:
    """Return the strides offered; and the message that draws them, and a sentence for each."""
    return fitting(Sweep(_points, "gaussian", len(KERNELS), kept=kept), _draw)


def _draw(sweep: Sweep) -> Scene:
    scene, steps = sweep.scene, _steps(sweep)
    cursor = Cursor(len(scene.queries), **compare_cursor(scene, steps))
    labels = {name: shown(KERNEL, name) for name in KERNELS}
    says = [_say(sweep, *each) for each in zip(sweep.bandwidths().tolist(), steps, strict=True)]
    return Scene([compare.spec(scene, step, labels=labels) for step in steps], cursor, captions=says)


def _steps(sweep: Sweep) -> list[dict[str, Estimate]]:
    """Every kernel's estimate, at each bandwidth."""
    each = {name: replace(sweep, kernel=name).estimates() for name in KERNELS}
    return [dict(zip(each, at_step, strict=True)) for at_step in zip(*each.values(), strict=True)]


def _say(sweep: Sweep, bandwidth: float, kernels: dict[str, Estimate]) -> list[str]:
    """Say of each query how the kernels differ."""
    empty = {name: int((~each.has_support).sum()) for name, each in kernels.items()}
    most = max(empty, key=empty.__getitem__)
    warning = hatched(empty[most], len(sweep.queries), most)
    estimates = [
        zip(each.at_queries.tolist(), each.effective_keys.tolist(), strict=True) for each in kernels.values()
    ]
    shows = _("The same h is another width for each kernel.")
    readout = _("**Query** {query}, h = {h}: estimates, with their effective number of keys, {estimates}.")
    h = sweep.points.set_width(bandwidth)
    said = []
    for query, *at in zip(sweep.place_names(), *estimates, strict=True):
        told = [
            f"{named(name)} {or_dash(sweep.points, estimate)} ({effective:.1f})"
            for name, (estimate, effective) in zip(kernels, at, strict=True)
        ]
        said.append(paragraph(shows, readout.format(query=query, h=h, estimates=listed(told)), warning))
    return said
