"""An order of one's own for the shuffle test: read from what a link says."""

from attn_words import _
from pages.positional_encoding.settings import PLACES


def own_order(text: str, count: int) -> tuple[list[int], str]:
    """Return which word comes to each place, and the requirement where the link's order does not fit.

    Args:
        text: the places that words had, as the link has them, "2,0,1"; nothing for the order as it is.
        count: of words.
    """
    rows = PLACES.rows(text)
    unmoved = list(range(count))
    if not rows:
        return unmoved, ""
    if sorted(rows[0]) != unmoved:
        requirement = _(
            "each number from 0 to {last} once, as in {example}",
            last=count - 1,
            example=",".join(map(str, reversed(unmoved))),
        )
        return unmoved, requirement
    return [int(place) for place in rows[0]], ""
