"""A visitor's own order of the words for the shuffle test, read from the link."""

from attn_words import _
from pages.positional_encoding.settings import PLACES


def own_order(text: str, count: int) -> tuple[list[int], str]:
    """Return the index of the word at each new place, and a requirement if the link's order fails it.

    Args:
        text: the link's order, such as "2,0,1"; "" for the unchanged order.
        count: the number of words.
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
