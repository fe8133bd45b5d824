"""What is asked beside the stages that set weights aside: a threshold, how many to keep, or a word."""

from dataclasses import replace

from attn_ui.base.ask import Ask
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_words import _
from pages.single_head.aside import Aside
from pages.single_head.asks import MOST_NUMBERS
from pages.single_head.head import Head
from pages.single_head.settings import ABOVE, KEEP, LARGEST, RENORMALISED, WITHOUT

MOST_NUMBERS_WITHOUT = 480_000  # of all that moves while the slider goes over the words


def ask_aside(ask: Ask, stage: str, head: Head) -> tuple[Slider, Aside, tuple[Aside, ...]]:
    """Ask what a stage sets aside; return its slider, where that stands, and what all its places are."""
    n_key, n_cells = len(head.keys), len(head.queries) * len(head.keys)
    if stage == "without":
        # Two maps and the output move; of more than 62 words some have no step of their own.
        numbers = 2 * n_cells + len(head.queries) * head.value.shape[-1]
        words = replace(WITHOUT, values=tuple(range(n_key))).fitting(numbers, MOST_NUMBERS_WITHOUT)
        words = ask.exact(words)
        slider = Slider(_("Without"), words, names=[head.keys[int(key)] for key in words.values])
        return slider, Aside("without", ask.value(words)), _all("without", words)
    with ask.row():
        keep = ask.segment(KEEP, _("Keep"), label_visibility="collapsed")
        again = ask.flag(RENORMALISED, _("Rows sum to one again"))
    if keep == "above":
        steps = ask.exact(ABOVE.fitting(n_cells, MOST_NUMBERS))
        slider = Slider(_("Threshold τ"), steps)
    else:
        steps = ask.exact(replace(LARGEST, values=tuple(range(1, n_key + 1))).fitting(n_cells, MOST_NUMBERS))
        slider = Slider(_("Largest k"), steps)
    return slider, Aside(keep, ask.value(steps), again), _all(keep, steps, again)


def _all(what: str, steps: Steps, renormalised: bool = False) -> tuple[Aside, ...]:
    return tuple(Aside(what, value, renormalised) for value in steps.values)
