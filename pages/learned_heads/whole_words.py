"""Sentences about the heads of a whole model; pure."""

from collections.abc import Mapping, Sequence

from attn_figures.numbers import number
from attn_ui.base.markdown import capital, listed
from attn_words import N_, _, _n, paragraph

_ROUNDING = 1e-9  # a weight below it is one by rounding
_MEASURES: Mapping[str, str] = {
    "previous token": N_("mean weight on the token before"),
    "next token": N_("mean weight on the token after"),
    "itself": N_("mean weight on the token itself"),
    "first token": N_("mean weight of later tokens on the first"),
    "entropy": N_("mean entropy in nats"),
    "distance": N_("mean distance in positions"),
    "special tokens": N_("mean weight of the words on special tokens"),
}


def seen(name: str, measure: str, score: float, rank: int, n_head: int, *, tied: int = 0) -> str:
    """Say the measure of one head, and where it stands among all.

    Args:
        name: what the head is called; measure, score: what it is measured by.
        rank: one more than there are heads with a higher score; n_head: how many heads there are.
        tied: how many others have the same score.

    >>> seen("head 1.3", "previous token", 0.99, 1, 72)
    '**Head 1.3**: mean weight on the token before **0.99**, rank 1 of 72.'
    """
    fields: dict[str, object] = {
        "head": capital(name),
        "measure": _(_MEASURES[measure]),
        "score": mean(score),
        "rank": rank,
        "heads": n_head,
    }
    if tied:
        return _n(
            "**{head}**: {measure} **{score}**, rank {rank} of {heads}, tied with {count} other.",
            "**{head}**: {measure} **{score}**, rank {rank} of {heads}, tied with {count} others.",
            tied,
            **fields,
        )
    return _("**{head}**: {measure} **{score}**, rank {rank} of {heads}.", **fields)


def mean(score: float) -> str:
    """Write a mean weight with two decimals, or two digits where these hide it: of 300 keys each has 0.0033.

    >>> mean(0.254), mean(0.0033), mean(1e-12), mean(0.0)
    ('0.25', '0.0033', '0.00', '0.00')
    """
    text = f"{score:.2f}"
    return number(score, 2) if text == "0.00" and score > _ROUNDING else text


def undefined(name: str, measure: str) -> str:
    """Say that no query has a key of the kind that the measure asks for.

    >>> undefined("head 1.1", "next token")
    '**Head 1.1**: mean weight on the token after is not defined here; the heads stand as in the model.'
    """
    return _(
        "**{head}**: {measure} is not defined here; the heads stand as in the model.",
        head=capital(name),
        measure=_(_MEASURES[measure]),
    )


def about_sides(*, across: bool) -> str:
    """Say whose places the sides of maps are, where these are unlike."""
    if across:
        return _(
            "By their names, queries and keys of these maps are not places of one sequence: nothing is "
            "measured by place."
        )
    return _(
        "Where a map has another number of queries than keys, both are counted from 0: the token before, the "
        "token itself and distances go by these numbers. With a cache of keys, query 0 is not the first "
        "token."
    )


def drawn(tokens: Sequence[str], share: float, *, later: bool, sink: float) -> str:
    """Say how much weight lies on tokens that draw it whatever the words are.

    Args:
        tokens: which they are, none for the first token; share: of the weight.
        later: whether the weight is that of the later tokens, and not that of the words.
        sink: from which share on they are called a sink.

    >>> drawn(["[CLS]", "[SEP]"], 0.87, later=False, sink=0.5)
    'Of the weight of the words **0.87** lies on [CLS] and [SEP]. That is an attention sink.'
    """
    fields = {"share": mean(share), "tokens": listed(tokens) if tokens else _("the first token")}
    told = _("Of the weight of the words **{share}** lies on {tokens}.", **fields)
    if later:
        told = _("Of the weight of the later tokens **{share}** lies on {tokens}.", **fields)
    return paragraph(told, _("That is an attention sink.") if share >= sink else "")


SINKS = N_(
    "An attention sink is a token that draws weight whatever the words are: a row has to sum to one, and a "
    "head that finds nothing puts its weight there (Xiao et al., 2024)."
)


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
