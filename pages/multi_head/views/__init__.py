"""The views of all heads: each draws every position of the heads slider, and says what one of them shows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attn_figures.picture import Spec
from attn_ui.live_figure import pack, pack_says
from attn_ui.shared_cache import shared
from pages.multi_head.numbers import Now, heads_slider
from pages.multi_head.settings import VIEW, Look, Setting
from pages.multi_head.views import every_head, mean_and_max, two_heads


@dataclass(frozen=True)
class View:
    """One way to show the heads: a figure for each step of the slider, and a sentence for one step."""

    draw: Callable[[Sequence[Now]], list[Spec]]
    say: Callable[[Now], str]


VIEWS = dict(
    zip(
        VIEW.options,
        (
            View(every_head.draw, every_head.say),
            View(mean_and_max.draw, mean_and_max.say),
            View(two_heads.draw, two_heads.say),
        ),
        strict=True,
    )
)


@shared
def packed(setting: Setting, look: Look) -> bytes:
    """Return every position of the heads slider as the live figure takes it."""
    return pack(VIEWS[look.view].draw(steps(setting, look)))


@shared
def said(setting: Setting, look: Look) -> bytes:
    """Return the sentence of every position of the heads slider as the live figure takes them."""
    return pack_says([VIEWS[look.view].say(now) for now in steps(setting, look)])


def steps(setting: Setting, look: Look) -> list[Now]:
    """Return what the page shows at every position of the heads slider."""
    return [Now(setting, look, int(n_head)) for n_head in heads_slider(setting).values]
