"""Sentences about the heads of a whole model; pure."""

from collections.abc import Mapping, Sequence

from attn_figures.numbers import number
from attn_ui.base.markdown import capital, listed
from attn_words import N_, _, _n, paragraph

_ROUNDING = 1e-9  # a weight below it is one by rounding
# By the measure, and by what a place is called.
_LOOKS: Mapping[str, Mapping[str, str]] = {
    "previous token": {"token": N_("the token before"), "word": N_("the word before")},
    "next token": {"token": N_("the token after"), "word": N_("the word after")},
    "itself": {"token": N_("the token itself"), "word": N_("the word itself")},
    "first token": {"token": N_("the first token"), "word": N_("the first word")},
    "special tokens": {"token": N_("special tokens"), "word": N_("special tokens")},
}
_NOWHERE: Mapping[str, Mapping[str, str]] = {
    "previous token": {
        "token": N_("No head looks at the token before, for no token here has one before it"),
        "word": N_("No head looks at the word before, for no word here has one before it"),
    },
    "next token": {
        "token": N_("No head looks at the token after, for no token here has one after it"),
        "word": N_("No head looks at the word after, for no word here has one after it"),
    },
    "first token": {
        "token": N_("No head looks at the first token, for no token here comes after the first"),
        "word": N_("No head looks at the first word, for no word here comes after the first"),
    },
    "special tokens": {
        "token": N_("No head looks at special tokens, for this sequence has no special tokens"),
        "word": N_("No head looks at special tokens, for this sequence has no special tokens"),
    },
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
        name: what the head is called; measure, score: what it is measured by.
        rank: its place, from 1; n_head: how many heads there are.
        of: what places are called, "token" or "word".
        alike: whether all heads have this score, so that none stands before another.

    >>> seen("head 1.3", "previous token", 0.99, 1, 72, of="word")
    'Of all 72 heads, **head 1.3** looks most at the word before: **0.99** of its weight, on average.'
    >>> seen("head 2.1", "entropy", 1.5, 3, 72)
    '**Head 2.1** has the 3rd highest entropy of 72 heads: **1.50** nats.'
    >>> seen("head 1.1", "entropy", 0.5, 1, 2, alike=True)
    'Each of the 2 heads has an entropy of **0.50** nats.'
    """
    fields: dict[str, object] = {"score": mean(score), "heads": n_head}
    if n_head == 1:
        return _the_one(measure, of, fields)
    if alike:
        return _each(measure, of, fields)
    if measure not in _LOOKS:
        return _highest(capital(name), measure, rank, fields)
    place = _(_LOOKS[measure][of])
    if rank == 1:
        return _(
            "Of all {heads} heads, **{head}** looks most at {place}: **{score}** of its weight, on average.",
            head=name,
            place=place,
            **fields,
        )
    return _(
        "**{head}** is {rank} of {heads} in looking at {place}: **{score}** of its weight, on average.",
        head=capital(name),
        rank=ordinal(rank),
        place=place,
        **fields,
    )


def mean(score: float) -> str:
    """Write a mean weight with two decimals, or two digits where these hide it: of 300 keys each has 0.0033.

    >>> mean(0.254), mean(0.0033), mean(1e-12), mean(0.0)
    ('0.25', '0.0033', '0.00', '0.00')
    """
    text = f"{score:.2f}"
    return number(score, 2) if text == "0.00" and score > _ROUNDING else text


def _highest(name: str, measure: str, rank: int, fields: Mapping[str, object]) -> str:
    """Say where a head stands by its entropy, or by how far it looks."""
    if rank == 1 and measure == "entropy":
        return _(
            "**{head}** has the highest entropy of {heads} heads: **{score}** nats.", head=name, **fields
        )
    if rank == 1:
        return _(
            "**{head}** has the highest mean distance of {heads} heads: **{score}** positions.",
            head=name,
            **fields,
        )
    if measure == "entropy":
        return _(
            "**{head}** has the {rank} highest entropy of {heads} heads: **{score}** nats.",
            head=name,
            rank=ordinal(rank),
            **fields,
        )
    return _(
        "**{head}** has the {rank} highest mean distance of {heads} heads: **{score}** positions.",
        head=name,
        rank=ordinal(rank),
        **fields,
    )


def _the_one(measure: str, of: str, fields: Mapping[str, object]) -> str:
    """Say what the only head does."""
    if measure in _LOOKS:
        return _(
            "The one head gives {place} **{score}** of its weight, on average.",
            place=_(_LOOKS[measure][of]),
            **fields,
        )
    if measure == "entropy":
        return _("The one head has an entropy of **{score}** nats.", **fields)
    return _("The one head has a mean distance of **{score}** positions.", **fields)


def _each(measure: str, of: str, fields: Mapping[str, object]) -> str:
    """Say what all heads do alike."""
    if measure in _LOOKS:
        return _(
            "Each of the {heads} heads gives {place} **{score}** of its weight, on average.",
            place=_(_LOOKS[measure][of]),
            **fields,
        )
    if measure == "entropy":
        return _("Each of the {heads} heads has an entropy of **{score}** nats.", **fields)
    return _("Each of the {heads} heads has a mean distance of **{score}** positions.", **fields)


def counted_apart() -> str:
    """Say how places are measured in a map whose sides are unlike."""
    return _(
        "Where a map has another number of queries than keys, both are counted from 0: the token before, the "
        "token itself and distances go by these numbers. With a cache of keys, query 0 is not the first "
        "token."
    )


def nowhere(measure: str, n_head: int, *, of: str = "token", is_cross: bool = False) -> str:
    """Say why no head can look where the measure asks.

    >>> nowhere("next token", 72, of="word")
    'No head looks at the word after, for no word here has one after it: the 72 heads stand as in the model.'
    """
    if is_cross and measure not in ("entropy", "special tokens"):
        why = _("In cross-attention queries and keys are two sequences: none stands before or beside another")
    else:
        why = _(_NOWHERE[measure][of])
    if n_head == 1:
        return _("{why}.", why=why)
    return _("{why}: the {heads} heads stand as in the model.", why=why, heads=n_head)


def drawn(tokens: Sequence[str], share: float, *, later: bool, hidden: bool, sink: float) -> str:
    """Say how much weight lies on tokens that draw it whatever the words are.

    Args:
        tokens: which they are, none for the first token; share: of the weight.
        later: whether the weight is that of the later tokens, and not that of the words.
        hidden: whether they are hidden; sink: from which share on they are called a sink.

    >>> drawn(["[CLS]", "[SEP]"], 0.87, later=False, hidden=True, sink=0.5)
    'Of the weight of the words **0.87** lies on [CLS] and [SEP], which are hidden: an attention sink.'
    """
    where = listed(tokens) if tokens else _("the first token")
    if hidden:
        where = _n("{tokens}, which is hidden", "{tokens}, which are hidden", len(tokens), tokens=where)
    fields = {"share": mean(share), "tokens": where}
    if share >= sink:
        if later:
            return _(
                "Of the weight of the later tokens **{share}** lies on {tokens}: an attention sink.", **fields
            )
        return _("Of the weight of the words **{share}** lies on {tokens}: an attention sink.", **fields)
    if later:
        return _("Of the weight of the later tokens **{share}** lies on {tokens}.", **fields)
    return _("Of the weight of the words **{share}** lies on {tokens}.", **fields)


SINKS = N_(
    "An attention sink is a token that draws weight whatever the words are: a row has to sum to one, and a "
    "head that finds nothing puts its weight there (Xiao et al., 2024)."
)


def ordinal(number: int) -> str:
    """Return a rank in words.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    last = number % 10 if number % 100 not in (11, 12, 13) else 0
    if last == 1:
        return _("{number}st", number=number)
    if last == 2:
        return _("{number}nd", number=number)
    if last == 3:
        return _("{number}rd", number=number)
    return _("{number}th", number=number)


def hidden(names: Sequence[str]) -> str:
    """Say that special tokens are hidden, a name for each of their places, and what that does to the rows."""
    if not names:
        return ""
    return paragraph(
        _n(
            "{tokens} is hidden: each row shows how its weight on the words is shared out, divided by its "
            "sum.",
            "{tokens} are hidden: each row shows how its weight on the words is shared out, divided by its "
            "sum.",
            len(names),
            tokens=listed([*dict.fromkeys(names)]),
        ),
        _("Measures, order and sentence are of the true weights, what goes to the hidden ones left in."),
    )


def fewer(shown: int, n_head: int, longest: int) -> str:
    """Say that the slider has not all heads; empty where it has."""
    if shown == n_head:
        return ""
    return _(
        "The slider has {shown} of {heads} heads, with maps of {places} tokens; all are among the thumbnails "
        "and in the tab Heads.",
        shown=shown,
        heads=n_head,
        places=longest,
    )
