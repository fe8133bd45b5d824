"""Sentences about the heads of a whole model; pure."""

LOOKS = {
    "previous token": "the {} before",
    "next token": "the {} after",
    "itself": "the {} itself",
    "first token": "the first {}",
    "special tokens": "special tokens",
}


def seen(name: str, measure: str, score: float, rank: int, n_head: int, *, of: str = "token") -> str:
    """Say what one head does, and where it stands among all; ``of`` is what its places are called.

    >>> seen("head 1.3", "previous token", 0.99, 1, 72, of="word")
    'Of all 72 heads, **head 1.3** looks most at the word before: **0.99** of its weight, on average.'
    >>> seen("head 2.1", "entropy", 1.5, 3, 72)
    '**Head 2.1** has the 3rd highest entropy of 72 heads: **1.50** nats.'
    """
    where = ordinal(rank)
    if measure in LOOKS:
        at = LOOKS[measure].format(of)
        told = f"**{score:.2f}** of its weight, on average."
        if rank == 1:
            return f"Of all {n_head} heads, **{name}** looks most at {at}: {told}"
        return f"**{name.capitalize()}** is {where} of {n_head} in looking at {at}: {told}"
    unit = "nats" if measure == "entropy" else "positions"
    what = "entropy" if measure == "entropy" else "mean distance"
    highest = "highest" if rank == 1 else f"{where} highest"
    return f"**{name.capitalize()}** has the {highest} {what} of {n_head} heads: **{score:.2f}** {unit}."


def drawn(tokens: str, share: float, *, hidden: bool, sink: float) -> str:
    """Say how much weight lies on tokens that draw it whatever the words are.

    >>> drawn("[CLS] and [SEP]", 0.87, hidden=True, sink=0.5)
    'Of its weight **0.87** lies on [CLS] and [SEP], which are hidden: an attention sink.'
    """
    where = f"{tokens}, which {'are' if ' and ' in tokens else 'is'} hidden" if hidden else tokens
    return f"Of its weight **{share:.2f}** lies on {where}{': an attention sink' if share >= sink else ''}."


SINKS = (
    "An attention sink is a token that draws weight whatever the words are: a row has to sum to one, and a "
    "head that finds nothing puts its weight there (Xiao et al., 2024)."
)


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
        "shared out, divided by its sum. Measures, order and sentence are of the true weights, what goes to "
        "the hidden ones left in."
    )


def fewer(shown: int, n_head: int, longest: int) -> str:
    """Say that the slider has not all heads; empty where it has."""
    if shown == n_head:
        return ""
    return (
        f"The slider has {shown} of {n_head} heads, with maps of {longest} tokens; all are among the "
        "thumbnails and in the tab Heads."
    )
