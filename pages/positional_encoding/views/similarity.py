"""The similarity of positions alone, and whether only the offset counts."""

import numpy as np
from torch import Tensor

from attn_core import by_offset
from attn_figures import position_maps as pictures
from attn_figures.numbers import number
from attn_figures.picture import Spec
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of
from attn_ui.base.page import View
from attn_ui.base.scenes import shared_scene
from attn_words import N_, _, paragraph
from pages.positional_encoding import words
from pages.positional_encoding.compute import Result, typical
from pages.positional_encoding.state import State
from pages.positional_encoding.views.sliders import Driver, moved_figure, read_driver, scheme_over

_QUANTITIES = {"bias": N_("bias"), "rotation": N_("score of one vector with itself")}


def view(controls: Controls, result: Result) -> View[Result]:
    """Draw the similarity of positions as a map and over the offset."""
    # A ramp's products grow with the square of its step: no axis would fit all steps.
    driver = read_driver(controls, result, has_step=False)
    scene = _draw(result.state.still(driver.steps), driver)
    return View(result, moved_figure(result, driver, scene, key="similarity"))


def _caption(values: Tensor, quantity: str) -> str:
    """Say how much pairs at the same offset differ; pairs without a cosine are NaN in `values`."""
    zeros = values.diagonal().isnan().nonzero().flatten().tolist()
    low, mean, high = (np.append(band.numpy(), np.nan) for band in by_offset(values))
    centre = len(mean) // 2 - 1
    size = np.abs([low, high])
    spread = (high - low)[~np.isnan(high - low)].max(initial=0.0)
    at_0, at_1 = ("–" if np.isnan(each) else number(float(each), 3) for each in mean[centre : centre + 2])
    shows = _("Where the band has no width, only the offset counts.")
    readout = _(
        "Pairs at the same offset differ by up to {most}; the mean {quantity} is {at_0} at offset 0 and "
        "{at_1} at offset 1.",
        most=number(
            words.without_rounding(float(spread), max(float(size[~np.isnan(size)].max(initial=0.0)), 1.0))
        ),
        quantity=quantity,
        at_0=at_0,
        at_1=at_1,
    )
    none = _(
        "No cosine, for its vector is zero: position {positions}.",
        positions=all_of([str(zero) for zero in zeros]),
    )
    return paragraph(shows, readout, none if zeros else "")


@shared_scene
def _draw(state: State, driver: Driver) -> Scene:
    result = Result(state)
    cosine = state.measure == "cosine"
    scheme = scheme_over(result, driver.steps)
    values = scheme.similarity(driver.longest, result.width, cosine=cosine)
    values = values.expand(len(driver.lengths), -1, -1)
    low, mean, high = (band.numpy() for band in by_offset(values))
    finite = values.nan_to_num()  # vectors of zeros have no cosine
    lowest, highest = min(0.0, float(finite.min())), float(finite.max())
    limits = (lowest, min(highest, 1.3 * typical(finite)) if highest > 0 else 0.0)
    of_vectors = _("cosine") if cosine else _("dot product")
    quantity = _(_QUANTITIES[scheme.adds]) if scheme.adds in _QUANTITIES else of_vectors
    changes, copies = pictures.similarity_cursor(driver.longest)
    every = range(len(driver.lengths))

    def picture(step: int) -> Spec:
        bands = low[step], mean[step], high[step]
        n_visible = driver.lengths[step]
        return pictures.similarity(
            values[step].numpy(), bands, limits=limits, quantity=quantity, n_visible=n_visible
        )

    def caption(step: int) -> str:
        n_visible = driver.lengths[step]
        return _caption(values[step, :n_visible, :n_visible], quantity)

    figures, captions = LazyMap(picture, every), LazyMap(caption, every)
    return Scene(figures, Cursor(driver.longest, changes, rows_of=copies), captions=captions)
