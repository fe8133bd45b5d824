"""The whole story in one screen, on one slider."""

from attn_figures import overview
from attn_live.packing import pack
from attn_live.says import pack_says
from attn_ui.base.ask import Ask
from attn_ui.base.page import Figure, Seen, Slider
from attn_ui.base.shared_cache import shared
from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import _
from pages.overview.compute import story
from pages.overview.words import INVITATION, what_the_slider_does


def asks(_ask: Ask) -> None:
    """Ask for nothing: the slider is the figure's."""


def sees(ask: Ask, _asked: None) -> Seen[float]:
    """Show the five maps at every temperature."""
    temperature = ask.exact(TEMPERATURE)
    steps, says = _drawn(temperature.values)
    figure = Figure(
        steps,
        key="story",
        alt=_("Five maps of weights: a kernel, one head, one head with positions, and two heads"),
        name="attention in one picture",
        slider=Slider(_("Temperature"), temperature),
        says=says,
        invites=_(INVITATION),
    )
    return Seen(ask.value(TEMPERATURE), figure, below="below")


@shared
def _drawn(temperatures: tuple[float, ...]) -> tuple[bytes, bytes]:
    """Draw every position of the slider, and say what it shows."""
    told = story(temperatures)
    steps = [
        overview.story.spec(
            told.kernel[step], told.head[step], told.placed[step], list(told.heads[step]), told.words
        )
        for step in range(len(temperatures))
    ]
    says = [
        what_the_slider_does(temperature, told.spread(step), len(told.words))
        for step, temperature in enumerate(temperatures)
    ]
    return pack(steps), pack_says(says)
