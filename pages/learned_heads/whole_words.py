"""Sentences about the heads of a whole model; pure."""

LOOKS = {
    "previous token": "the {} before",
    "next token": "the {} after",
    "itself": "the {} itself",
    "first token": "the first {}",
    "special tokens": "special tokens",
}


NO_HEAD = {
    "previous token": "no {} here has one before it",
    "next token": "no {} here has one after it",
    "first token": "no {} here comes after the first",
    "special tokens": "this sequence has no special tokens",
}


def seen(
    name: str,
    measure: str,
    score: float,
    rank: int,
    n_head: int,
    *,
    of: str = "token",
    alike: bool = False,
) -> str:
    """Say what one head does, and where it stands among all.

    Args:
        name: of the head; measure, score: what it is measured by.
        rank: its place, from 1; n_head: how many heads there are.
        of: what places are called.
        alike: whether all heads have this score, so that none stands before another.

    >>> seen("head 1.3", "previous token", 0.99, 1, 72, of="word")
    'Of all 72 heads, **head 1.3** looks most at the word before: **0.99** of its weight, on average.'
    >>> seen("head 2.1", "entropy", 1.5, 3, 72)
    '**Head 2.1** has the 3rd highest entropy of 72 heads: **1.50** nats.'
    >>> seen("head 1.1", "entropy", 0.5, 1, 2, alike=True)
    'Each of the 2 heads has an entropy of **0.50** nats.'
    """
    where = ordinal(rank)
    alike = alike or n_head == 1
    each = "The one head" if n_head == 1 else f"Each of the {n_head} heads"
    if measure in LOOKS:
        at = LOOKS[measure].format(of)
        told = f"**{score:.2f}** of its weight, on average."
        if alike:
            return f"{each} gives {at} {told}"
        if rank == 1:
            return f"Of all {n_head} heads, **{name}** looks most at {at}: {told}"
        return f"**{name.capitalize()}** is {where} of {n_head} in looking at {at}: {told}"
    unit = "nats" if measure == "entropy" else "positions"
    what = "entropy" if measure == "entropy" else "mean distance"
    if alike:
        return f"{each} has {'an' if measure == 'entropy' else 'a'} {what} of **{score:.2f}** {unit}."
    highest = "highest" if rank == 1 else f"{where} highest"
    return f"**{name.capitalize()}** has the {highest} {what} of {n_head} heads: **{score:.2f}** {unit}."


def nowhere(measure: str, n_head: int, *, of: str = "token") -> str:
    """Say why no head can look where the measure asks.

    >>> nowhere("next token", 72, of="word")
    'No head looks at the word after, for no word here has one after it: the 72 heads stand as in the model.'
    """
    stand = "" if n_head == 1 else f": the {n_head} heads stand as in the model"
    return f"No head looks at {LOOKS[measure].format(of)}, for {NO_HEAD[measure].format(of)}{stand}."


def drawn(tokens: str, share: float, *, whose: str, hidden: bool, sink: float) -> str:
    """Say how much weight of ``whose`` lies on tokens that draw it whatever the words are.

    >>> drawn("[CLS] and [SEP]", 0.87, whose="the words", hidden=True, sink=0.5)
    'Of the weight of the words **0.87** lies on [CLS] and [SEP], which are hidden: an attention sink.'
    """
    where = f"{tokens}, which {'are' if ' and ' in tokens else 'is'} hidden" if hidden else tokens
    is_sink = ": an attention sink" if share >= sink else ""
    return f"Of the weight of {whose} **{share:.2f}** lies on {where}{is_sink}."


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
