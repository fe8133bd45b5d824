"""The control of the plane in which queries and keys are drawn."""

from dataclasses import replace

from attn_ui.base.controls import Controls
from attn_words import N_, _
from pages.single_head.head import SingleHead
from pages.single_head.settings import FIRST, PLANE, SECOND, TWO
from pages.single_head.state import Along

ANOTHER = N_("a dimension other than the first")


def read_along(controls: Controls, head: SingleHead) -> tuple[Along, list[str]]:
    """Read the plane; return it, and a sentence where the requested dimensions do not exist."""
    with controls.sidebar():
        controls.heading(_("Plane of queries and keys"))
        is_main = controls.segment(PLANE, _("Plane"), label_visibility="collapsed") != TWO
        if is_main:
            return Along(), []
        if head.d_k == 1:
            return Along(), [_("Queries and keys have one dimension, so no two can be chosen.")]
        numbers = range(1, head.d_k + 1)
        first = controls.pick(FIRST, _("First dimension"), [*map(str, numbers)])
        others = tuple(each for each in numbers if each != first + 1)
        second_setting = replace(SECOND, values=others, only=ANOTHER)
        second = others[controls.pick(second_setting, _("Second dimension"), [*map(str, others)])] - 1
    return Along((first, second)), []
