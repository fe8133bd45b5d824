"""The tab "Code": PyTorch that reproduces the numbers on the page."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from torch import Tensor

from attn_core import make_mask, mask_code, tokenize
from attn_core.learned_positions import PACKAGE
from pages.multi_head import snippet as snippets
from pages.multi_head.numbers import Now, allowed, width_of
from pages.multi_head.settings import EXAMPLES, Setting

MOST_WRITTEN = 40  # numbers of an example that the program writes out


def show(now: Now) -> None:
    """Hand over PyTorch that reproduces the numbers on the page."""
    package = f" and the package `{PACKAGE}`" if now.setting.positions.name == "learned" else ""
    st.markdown(
        f"These lines need nothing but PyTorch{package} and end with the `weights` and the `output` on this "
        "page."
    )
    st.code(snippet(now), language="python")


def snippet(now: Now) -> str:
    """Return a program for the present settings."""
    setting, n = now.setting, now.unplaced.tokens
    vectors = [_vectors("x", n.query, n.queries, setting)]
    if not now.is_self_attention:
        vectors.append(_vectors("memory", n.key, n.keys, setting))
    return snippets.snippet(
        vectors,
        n_head=now.n_head,
        d_head=now.module.d_head,
        bias=setting.bias,
        projection=setting.projection,
        seed=setting.seed,
        conditions=going_on(now),
    )


def going_on(now: Now) -> snippets.Conditions:
    """Return what the program needs to know of positions, masks and temperature."""
    setting, n = now.setting, now.tokens
    masks = []
    if allowed(setting, now.n_head) is not None:
        for kind in setting.kinds[: now.n_head]:
            masking = replace(setting.masking, kind=kind)
            width = width_of(setting, kind)
            masks.append(mask_code(masking, width, make_mask(masking, *n.shape, width).tolist()))
    return snippets.Conditions(setting.temperature, tuple(masks), now.scheme.adds, now.scheme.code())


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
