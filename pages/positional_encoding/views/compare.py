"""All schemes side by side, or any two and their difference."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attn_figures import positional as pictures
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import KEY, QUERY, STRENGTH
from attn_words import _, paragraph
from pages.positional_encoding import words
from pages.positional_encoding.compute import MOST_NUMBERS, Result, values
from pages.positional_encoding.state import State


def view(controls: Controls, result: Result) -> View[Result]:
    """Draw the maps of all schemes, or of two and their difference."""
    beside, scheme = result.state.beside, result.scheme_name
    every = beside == "all"
    strengths, still = _strength_slider(controls, result), result.state.still(STRENGTH)
    if every:
        scene = _draw_all(still, strengths)
    else:
        scene = draw_two(still, beside, (words.map_title(beside), words.map_title(scheme)), strengths)
    figure = Figure(
        scene,
        key="compare" if every else "compare-two",
        name="schemes" if every else f"{beside} {scheme}",
        slider=Slider(_("Strength of positions"), strengths),
        selection={"query": QUERY, "key": KEY},
    )
    return View(result, figure)


def _strength_slider(controls: Controls, result: Result) -> Steps:
    n_maps = len(result.each_scheme()) if result.state.beside == "all" else 3
    return controls.exact(STRENGTH.fitting(n_maps * len(result.state.tokens) ** 2, MOST_NUMBERS))


@shared_scene
def _draw_all(state: State, steps: Steps) -> Scene:
    result = Result(state)
    weights = {name: own.weights(values(steps)).numpy() for name, own in result.each_scheme().items()}
    each = LazyMap(lambda step: {name: w[step] for name, w in weights.items()}, range(len(steps.values)))
    names = {name: words.scheme_name(name) for name in weights}
    figures = LazyMap(lambda maps: pictures.attention_maps(state.labels, maps, labels=names), each)
    return Scene(figures, captions=LazyMap(_caption, each))


@shared_scene
def draw_two(state: State, beside: str, titles: tuple[str, str], steps: Steps, shows: str = "") -> Scene:
    """Draw the weights under `beside`, the chosen scheme, and the difference; `shows` begins captions."""
    result = Result(state)
    one, other = (each.weights(values(steps)).numpy() for each in (result.beside(beside), result))
    limit = max(float(abs(other - one).max()), 1e-3)
    labels, maps = state.labels, list(zip(one, other, strict=True))
    return Scene(
        LazyMap(lambda pair: pictures.before_and_after(labels, *pair, names=titles, limit=limit), maps),
        captions=LazyMap(lambda pair: paragraph(shows, words.two_schemes(labels, *pair, titles)), maps),
    )


def _caption(maps: Mapping[str, NDArray[np.float64]]) -> str:
    """Say the mean distance of attention under each scheme."""
    places = np.arange(len(next(iter(maps.values()))))
    distances = np.abs(places[:, None] - places)
    far = [
        f"{words.scheme_name(name)} {(weights * distances).sum(-1).mean():.2f}"
        for name, weights in maps.items()
    ]
    return _("How many places away a word looks on average: {far}.", far=all_of(far))
