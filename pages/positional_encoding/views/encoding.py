"""The vectors that a scheme adds: the encoding as a map, and some of its dimensions as waves."""

import numpy as np
from numpy.typing import NDArray

from attn_figures import position_maps as pictures
from attn_figures.numbers import number
from attn_figures.picture import Spec
from attn_figures.scene import Scene
from attn_figures.ties import largest_indices
from attn_live.captions import LazyMap
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of
from attn_ui.base.page import Small, View
from attn_ui.base.scenes import shared_scene
from attn_ui.base.ties import tie_sentence
from attn_words import N_, _, paragraph
from pages.positional_encoding.compute import Result, typical
from pages.positional_encoding.settings import DIMENSIONS
from pages.positional_encoding.state import State
from pages.positional_encoding.views.sliders import Driver, moved_figure, read_driver, scheme_over


def view(controls: Controls, result: Result) -> View[Result]:
    """Draw the vectors of all positions."""
    dimensions, note = chosen_dimensions(result.state.dimensions, result.width)
    driver = read_driver(controls, result, has_step=True)
    figure = moved_figure(
        result, driver, _draw(result.state.still(driver.steps), driver, dimensions), key="encoding"
    )
    return View(result, figure, notes=[Small(note)] if note else [])


def chosen_dimensions(text: str, width: int) -> tuple[tuple[int, ...], str]:
    """Return the dimensions to draw, and a note if some of those typed cannot be drawn."""
    parts = text.replace(",", " ").split()
    numbers = [int(part) for part in parts if part.isascii() and part.isdigit() and int(part) < width]
    dimensions = tuple(dict.fromkeys(numbers))[: pictures.MOST_WAVES]
    # The default dimensions need no note, even if a narrow encoding has only some of them.
    is_whole = dimensions and (len(dimensions) == len(set(parts)) or text == DIMENSIONS.default)
    dimensions = dimensions or (0,)
    note = _(
        ":material/info: Wanted numbers from 0 to {last}, at most {most} of them. Drawn: {drawn}.",
        last=width - 1,
        most=pictures.MOST_WAVES,
        drawn=all_of([str(each) for each in dimensions]),
    )
    return dimensions, "" if is_whole else note


@shared_scene
def _draw(state: State, driver: Driver, dimensions: tuple[int, ...]) -> Scene:
    result = Result(state)
    vectors = scheme_over(result, driver.steps).vectors(driver.longest, result.width)
    vectors = vectors.expand(len(driver.lengths), -1, -1)
    limit, arrays = typical(vectors), vectors.numpy()
    changes, by_step = pictures.encoding_cursor(arrays, dimensions)
    every = range(len(arrays))

    def picture(step: int) -> Spec:
        n_visible = driver.lengths[step]
        return pictures.encoding(arrays[step], dimensions, limit=limit, n_visible=n_visible)

    def caption(step: int) -> str:
        base = driver.steps.values[step] if driver.steps.name == "base" else state.scheme.base
        return _caption(arrays[step][: driver.lengths[step]], result.scheme_name, base)

    figures, captions = LazyMap(picture, every), LazyMap(caption, every)
    return Scene(figures, Cursor(driver.longest, changes, by_step), captions=captions)


def _caption(values: NDArray[np.float64], scheme: str, base: float) -> str:
    """Describe an encoding (length, d_model): its waves, and its longest and shortest vectors."""
    shows = _("Each row is the vector that its position adds to a word.")
    lengths = np.linalg.norm(values, axis=1)
    longest, *ties = largest_indices(lengths)
    if len(ties) + 1 == len(lengths):
        readout, ties = _("Every vector has the length {length}.", length=number(float(lengths[0]))), []
    else:
        readout = _(
            "The longest vector is that of position {position}, {most}; the shortest has {least}.",
            position=longest,
            most=number(float(lengths.max())),
            least=number(float(lengths.min())),
        )
    width = values.shape[1]
    own = {
        "sinusoidal": N_(
            "The fastest wave repeats every 6.28 positions, the slowest every {slowest}. Interleaved, sines "
            "and cosines alternate; concatenated, the sines come first, then the cosines."
        ),
        "ramp": N_("Every dimension holds the same number, so a position is told by length alone."),
    }.get(scheme)
    slowest = number(2 * np.pi * base ** (2 * ((width + 1) // 2 - 1) / width))
    return paragraph(shows, _(own, slowest=slowest) if own else "", readout, tie_sentence(len(ties)))
