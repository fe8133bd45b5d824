"""All four kernels at one bandwidth and one query."""

from dataclasses import replace

from attn_core import KERNELS
from attn_figures.kernel_regression import compare, compare_cursor
from attn_figures.kernel_scene import Estimate
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of
from attn_ui.base.page import View
from attn_ui.base.parameters import label_of
from attn_words import _, paragraph
from pages.kernel_regression.compute import Result, Sweep, figure_at_sliders
from pages.kernel_regression.settings import KERNEL
from pages.kernel_regression.state import State
from pages.kernel_regression.words import empty_warning, format_amount, kernel_name


def view(controls: Controls, state: State) -> View[Result]:
    """Draw the estimate and the weights of each kernel, and say how they differ."""
    points = state.points
    sweep, figure = figure_at_sliders(
        controls,
        Sweep(points, "gaussian", len(KERNELS)),
        draw,
        key="compare",
        name=f"four kernels {points.name}",
        caption=_("{data}, {count} points", data=points.title, count=len(points.keys)),
    )
    return View(Result(state, replace(sweep, kernel=state.kernel).select(controls)), figure)


def draw(sweep: Sweep) -> Scene:
    """Draw the picture at each bandwidth of the slider."""
    scene, steps = sweep.scene, _steps(sweep)
    cursor = Cursor(len(scene.queries), **compare_cursor(scene, steps))
    labels = {name: label_of(KERNEL, name) for name in KERNELS}
    captions = LazyMap(
        lambda each: _caption(sweep, *each), list(zip(sweep.bandwidths().tolist(), steps, strict=True))
    )
    figures = LazyMap(lambda step: compare(scene, step, labels=labels), steps)
    return Scene(figures, cursor, captions=captions)


def _steps(sweep: Sweep) -> list[dict[str, Estimate]]:
    """Every kernel's estimate, at each bandwidth."""
    each = {name: replace(sweep, kernel=name).estimates() for name in KERNELS}
    return [dict(zip(each, at_step, strict=True)) for at_step in zip(*each.values(), strict=True)]


def _caption(sweep: Sweep, bandwidth: float, kernels: dict[str, Estimate]) -> list[str]:
    """Say of each query how the kernels differ."""
    empty = {name: int((~each.has_support).sum()) for name, each in kernels.items()}
    most = max(empty, key=empty.__getitem__)
    warning = empty_warning(empty[most], len(sweep.queries), most)
    estimates = [
        zip(each.at_queries.tolist(), each.effective_keys.tolist(), strict=True) for each in kernels.values()
    ]
    shows = _("The same h is another width for each kernel.")
    readout = _("**Query** {query}, h = {h}: estimates, with their effective number of keys, {estimates}.")
    h = sweep.points.slider_width_text(bandwidth)
    captions = []
    for query, *answers in zip(sweep.place_names(), *estimates, strict=True):
        texts = [
            f"{kernel_name(name)} {format_amount(sweep.points, estimate)} ({effective:.1f})"
            for name, (estimate, effective) in zip(kernels, answers, strict=True)
        ]
        captions.append(paragraph(shows, readout.format(query=query, h=h, estimates=all_of(texts)), warning))
    return captions
