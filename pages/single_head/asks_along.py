"""What is asked beside the points: the plane that queries and keys are seen in."""

from attn_ui.base.ask import Ask
from attn_words import _
from pages.single_head.head import Head
from pages.single_head.settings import FIRST, PLANE, SECOND, TWO
from pages.single_head.state import Along


def ask_along(ask: Ask, head: Head) -> tuple[Along, list[str]]:
    """Ask which plane; return it, and what is to be said of dimensions that cannot be had."""
    with ask.sidebar():
        ask.heading(_("Plane of queries and keys"))
        is_main = ask.segment(PLANE, _("Plane"), label_visibility="collapsed") != TWO
        if is_main:
            return Along(), []
        if head.d_k == 1:
            return Along(), [_("Queries and keys have one dimension, so no two can be chosen.")]
        names = [str(number) for number in range(1, head.d_k + 1)]
        first = ask.pick(FIRST, _("First dimension"), names)
        second = ask.pick(SECOND, _("Second dimension"), names)
    notes = [
        _(
            "Dimension {wanted} was wanted; there are {count}, and the last is shown.",
            wanted=wanted,
            count=head.d_k,
        )
        for wanted in (int(ask.value(FIRST)), int(ask.value(SECOND)))
        if wanted > head.d_k
    ]
    if first == second:
        second = first + 1 if first + 1 < head.d_k else first - 1
        notes.append(
            _(
                "Two different dimensions were wanted, dimension {first} came twice; {first} and {second} "
                "are shown.",
                first=first + 1,
                second=second + 1,
            )
        )
    return Along((first, second)), notes
