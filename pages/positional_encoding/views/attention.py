"""Attention without and with positions, and what changes."""

from attn_figures import positional as pictures
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import KEY, QUERY, STRENGTH
from attn_words import _, paragraph
from pages.positional_encoding import words
from pages.positional_encoding.compute import MOST_NUMBERS, Result, values
from pages.positional_encoding.state import State


def view(controls: Controls, result: Result) -> View[Result]:
    """Draw the weights without positions, with them, and the difference."""
    strengths = _strengths(controls, result)
    figure = Figure(
        _draw(result.state.still(STRENGTH), strengths),
        key="attention",
        alt=_("Attention weights without positions, with positions, and their difference"),
        name=f"attention {result.scheme_name}",
        slider=Slider(_("Strength of positions"), strengths),
        chosen={"query": QUERY, "key": KEY},
    )
    return View(result, figure)


def _strengths(controls: Controls, result: Result) -> Steps:
    return controls.exact(STRENGTH.fitting(2 * len(result.state.tokens) ** 2, MOST_NUMBERS))


@shared_scene
def _draw(state: State, steps: Steps) -> Scene:
    result = Result(state)
    before, after = (each.weights(values(steps)).numpy() for each in (result.beside("none"), result))
    limit = max(float(abs(after - before).max()), 1e-3)
    names = (words.map_title("none"), words.map_title_with(result.scheme_name))
    labels = state.labels
    maps = list(zip(before, after, strict=True))
    shows = _("Without positions only the words count, not their places: equal words have equal rows.")
    return Scene(
        LazyMap(lambda pair: pictures.before_and_after.spec(labels, *pair, names=names, limit=limit), maps),
        captions=LazyMap(lambda pair: paragraph(shows, words.two_schemes(labels, *pair, names)), maps),
    )
