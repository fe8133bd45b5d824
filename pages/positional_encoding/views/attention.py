"""Attention without and with positions, and the difference."""

from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.shared_settings import KEY, QUERY, STRENGTH
from attn_words import _
from pages.positional_encoding import words
from pages.positional_encoding.compute import MOST_NUMBERS, Result
from pages.positional_encoding.views.compare import draw_two


def view(controls: Controls, result: Result) -> View[Result]:
    """Draw the weights without positions, with them, and the difference."""
    strengths = controls.exact(STRENGTH.fitting(2 * len(result.state.tokens) ** 2, MOST_NUMBERS))
    titles = words.map_title("none"), words.map_title_with(result.scheme_name)
    shows = _("Without positions only the words count, not their places: equal words have equal rows.")
    figure = Figure(
        draw_two(result.state.still(STRENGTH), "none", titles, strengths, shows),
        key="attention",
        name=f"attention {result.scheme_name}",
        slider=Slider(_("Strength of positions"), strengths),
        selection={"query": QUERY, "key": KEY},
    )
    return View(result, figure)
