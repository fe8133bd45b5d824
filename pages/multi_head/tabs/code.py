"""The tab "Code": PyTorch that reproduces the numbers on the page."""

from collections.abc import Sequence

import streamlit as st
from torch import Tensor

from attn_core import tokenize
from pages.multi_head import snippet as snippets
from pages.multi_head.numbers import Now
from pages.multi_head.settings import EXAMPLES, Setting

MOST_WRITTEN = 40  # numbers of an example that the program writes out


def show(now: Now) -> None:
    """Hand over PyTorch that reproduces the numbers on the page."""
    st.markdown(
        "These lines need nothing but PyTorch and end with the `weights` and the `output` on this page."
    )
    st.code(snippet(now), language="python")


def snippet(now: Now) -> str:
    """Return a program for the present settings."""
    setting, n = now.setting, now.tokens
    vectors = [_vectors("x", n.query, n.queries, setting)]
    if not now.is_self_attention:
        vectors.append(_vectors("memory", n.key, n.keys, setting))
    mask = setting.mask
    if mask == "sliding window" and len(n.queries) != len(n.keys):
        mask = "none"
    return snippets.snippet(
        vectors,
        n_head=now.n_head,
        d_head=now.module.d_head,
        bias=setting.bias,
        projection=setting.projection,
        seed=setting.seed,
        mask=mask,
        reach=setting.reach,
    )


def _vectors(name: str, vectors: Tensor, tokens: Sequence[str], setting: Setting) -> str:
    """Write the vectors of a worked example out where they are few numbers, else as they are drawn."""
    if setting.case in EXAMPLES:
        sample = EXAMPLES[setting.case]
        if vectors.numel() <= MOST_WRITTEN:
            return snippets.given(name, vectors.tolist())
        return snippets.drawn(
            name, sample.query_tokens if name == "x" else sample.key_tokens, vectors.shape[1], 0
        )
    text = setting.text if name == "x" else setting.memory_text
    return snippets.drawn(name, tokenize(text)[: len(tokens)], vectors.shape[1], setting.seed)
