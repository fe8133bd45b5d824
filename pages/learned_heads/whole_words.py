"""Sentences about the heads of a whole model; pure."""

LOOKS = {
    "previous token": "the word before",
    "next token": "the word after",
    "itself": "the word itself",
    "first token": "the first word",
}


def seen(name: str, measure: str, score: float, rank: int, n_head: int) -> str:
    """Say what one head does, and where it stands among all.

    >>> seen("head 1.3", "previous token", 0.99, 1, 72)
    'Of all 72 heads, **head 1.3** looks most at the word before: **0.99** of its weight, on average.'
    >>> seen("head 2.1", "entropy", 1.5, 3, 72)
    '**Head 2.1** has the 3rd highest entropy of 72 heads: **1.50** nats.'
    """
    where = ordinal(rank)
    if measure in LOOKS:
        told = f"**{score:.2f}** of its weight, on average."
        if rank == 1:
            return f"Of all {n_head} heads, **{name}** looks most at {LOOKS[measure]}: {told}"
        return f"**{name.capitalize()}** is {where} of {n_head} in looking at {LOOKS[measure]}: {told}"
    unit = "nats" if measure == "entropy" else "positions"
    what = "entropy" if measure == "entropy" else "mean distance"
    highest = "highest" if rank == 1 else f"{where} highest"
    return f"**{name.capitalize()}** has the {highest} {what} of {n_head} heads: **{score:.2f}** {unit}."


def ordinal(number: int) -> str:
    """Return a rank in words.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


def hidden(n_special: int, names: list[str]) -> str:
    """Say that special tokens are hidden, and what that does to the rows."""
    if n_special == 0:
        return ""
    told = " and ".join(dict.fromkeys(names))
    return (
        f"{told} {'is' if n_special == 1 else 'are'} hidden: each row shows how its weight on the words is "
        "shared out, divided by its sum. What went to the hidden ones is left out."
    )


def fewer(shown: int, n_head: int, longest: int) -> str:
    """Say that the slider has not all heads; empty where it has."""
    if shown == n_head:
        return ""
    return (
        f"Maps of {longest} tokens are large: the slider has the {shown} highest of {n_head} heads; "
        "all are among the thumbnails and in the tab Heads."
    )
