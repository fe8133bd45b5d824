"""Attention without and with positions, and what changes."""

from attn_figures import positional as pictures
from attn_figures.scene import Scene
from attn_ui.base.ask import Ask
from attn_ui.base.page import Figure, Seen, Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import KEY, QUERY, STRENGTH
from attn_words import _, paragraph
from pages.positional_encoding import words
from pages.positional_encoding.compute import MOST_NUMBERS, Now, values
from pages.positional_encoding.state import State


def see(ask: Ask, now: Now) -> Seen[Now]:
    """Draw the weights without positions, with them, and the difference."""
    strengths = _strengths(ask, now)
    figure = Figure(
        _packed(now.state.still(STRENGTH), strengths),
        key="attention",
        alt=_("Attention weights without positions, with positions, and their difference"),
        name=f"attention {now.scheme_name}",
        slider=Slider(_("Strength of positions"), strengths),
        chosen={"query": QUERY, "key": KEY},
    )
    return Seen(now, figure)


def _strengths(ask: Ask, now: Now) -> Steps:
    return ask.exact(STRENGTH.fitting(2 * len(now.state.tokens) ** 2, MOST_NUMBERS))


@shared_scene
def _packed(state: State, steps: Steps) -> Scene:
    now = Now(state)
    before, after = (each.weights(values(steps)).numpy() for each in (now.beside("none"), now))
    limit = max(float(abs(after - before).max()), 1e-3)
    names = (words.titled("none"), words.titled_with(now.scheme_name))
    labels = state.labels
    maps = list(zip(before, after, strict=True))
    figures = [
        pictures.before_and_after.spec(labels, one, other, names=names, limit=limit) for one, other in maps
    ]
    shows = _("Without positions only the words count, not their places: equal words have equal rows.")
    says = [paragraph(shows, words.two_schemes(labels, one, other, names)) for one, other in maps]
    return Scene(figures, captions=says)
