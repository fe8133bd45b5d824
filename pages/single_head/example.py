"""The worked example of attention without a map: 2 to 12 words, with numbers drawn from a seed."""

from collections.abc import Sequence

import streamlit as st
import torch
from torch import Tensor

from attn_core import tokenize
from attn_ui.screen import widgets
from attn_words import _
from pages.single_head.settings import TYPED

WIDTH, SEED = 4, 7
LEAST_WORDS, MOST_WORDS = 2, 12


def read_words() -> list[str]:
    """Read the example's words: the first twelve are taken; those of the default where there is one."""
    words = [
        str(token) for token in tokenize(widgets.line(TYPED, _("Sentence of the example, 2 to 12 words")))
    ]
    tokens = words[:MOST_WORDS] if len(words) >= LEAST_WORDS else tokenize(TYPED.default)
    st.caption(
        _(
            "Shown on an example of its own, whatever the sidebar says: {count} words, their queries, keys "
            "and values of {width} numbers each drawn from a seed, not trained.",
            count=len(tokens),
            width=WIDTH,
        )
    )
    return [str(token) for token in tokens]


def draw_vectors(words: Sequence[str]) -> tuple[Tensor, Tensor, Tensor]:
    """Return the example's queries, keys and values, each (n, WIDTH)."""
    generator = torch.Generator().manual_seed(SEED)
    query, key, value = torch.randn(3, len(words), WIDTH, generator=generator, dtype=torch.float64)
    return query, key, value
