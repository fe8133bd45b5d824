"""The example of the experiments: 2 to 12 words, which no setting in the sidebar changes."""

from collections.abc import Sequence

import streamlit as st
import torch
from torch import Tensor

from attn_core import tokenize
from attn_ui.base.markdown import plain
from attn_ui.base.shared_settings import TYPED
from attn_ui.screen import widgets
from attn_words import _, _n

WIDTH, SEED = 4, 7
LEAST_WORDS, MOST_WORDS = 2, 12


def read_words() -> list[str]:
    """Read the example's words; if they are too few or too many, show which are used."""
    tokens = tokenize(widgets.line(TYPED, _("Sentence of the example, 2 to 12 words")))
    if LEAST_WORDS <= len(tokens) <= MOST_WORDS:
        return [*map(str, tokens)]
    excerpt = [*map(str, tokens[:MOST_WORDS] if tokens[MOST_WORDS:] else tokenize(TYPED.default))]
    sentence = plain(" ".join(excerpt))
    st.caption(
        _(":material/edit: The example takes 2 to 12 words. It shows “{sentence}”.", sentence=sentence)
    )
    return excerpt


def name_example(n_head: int, width: int) -> None:
    """Write one line that names the experiment's example."""
    st.caption(
        _n(
            "Shown on an example of its own, whatever the sidebar says: {count} head of width {width}, drawn "
            "from a seed, not trained.",
            "Shown on an example of its own, whatever the sidebar says: {count} heads of width {width}, "
            "drawn from a seed, not trained.",
            n_head,
            width=width,
        )
    )


def draw_vectors(words: Sequence[str]) -> tuple[Tensor, Tensor, Tensor]:
    """Return the example's queries, keys and values, each (n, WIDTH)."""
    generator = torch.Generator().manual_seed(SEED)
    query, key, value = torch.randn(3, len(words), WIDTH, generator=generator, dtype=torch.float64)
    return query, key, value
