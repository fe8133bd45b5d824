"""What the multi-head page is about at the moment: the settings, and what follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray
from torch import Tensor

from attn_core import (
    ATTENTION_SAMPLES,
    AttentionSample,
    MultiHead,
    MultiHeadAttention,
    causal_mask,
    label_tokens,
    sentence_vectors,
    sliding_window_mask,
    tokenize,
)
from attn_core.limits import MAX_HEADS, MAX_TOKENS
from attn_ui import positions
from attn_ui.parameters import Steps
from pages.multi_head.settings import BIAS, CASE, FREE_HEADS, HEADS, PROJECTION, WIDTH_HEAD

SAMPLES = {
    case: ATTENTION_SAMPLES[name]
    for case, name in zip(
        CASE.options[1:],
        (
            "i-love-dogs-two-heads",
            "i-love-ice-two-heads",
            "cross-attention",
            "transformer-sizes",
            "free-head-width",
        ),
        strict=True,
    )
}
MOST_NUMBERS = 250_000  # of all maps at all positions of the heads slider


@dataclass(frozen=True)
class Setting:
    """All that decides the numbers on the page, but for how many heads there are."""

    case: str
    text: str
    memory_text: str
    cross: bool
    d_model: int
    d_memory: int
    d_head: int | None  # None: d_model / n_head
    bias: bool
    projection: bool
    seed: int
    mask: str
    reach: int


@dataclass(frozen=True)
class Sequences:
    """Who attends to whom: labels that tell repeated words apart, and one vector a token."""

    queries: list[str]
    keys: list[str]
    query: Tensor
    key: Tensor


@lru_cache(maxsize=32)
def sequences(setting: Setting) -> Sequences:
    """Return the labelled vectors that attend and are attended to."""
    sample = SAMPLES.get(setting.case)
    if sample is not None:
        return Sequences(list(sample.query_tokens), list(sample.key_tokens), sample.query, sample.key)
    queries, query = _embed(setting.text, setting.d_model, setting.seed)
    if not setting.cross:
        return Sequences(queries, queries, query, query)
    keys, key = _embed(setting.memory_text, setting.d_memory, setting.seed)
    return Sequences(queries, keys, query, key)


def _embed(text: str, width: int, seed: int) -> tuple[list[str], Tensor]:
    tokens = tokenize(text)[:MAX_TOKENS]
    return label_tokens(tokens), sentence_vectors(tokens, width, seed=seed)


def heads_slider(setting: Setting) -> Steps:
    """Return the heads slider with the numbers of heads that this setting allows."""
    n = sequences(setting)
    d_model = n.query.shape[-1]
    allowed = [h for h in range(1, MAX_HEADS + 1) if setting.d_head is not None or d_model % h == 0]
    if sum(allowed) * len(n.queries) * len(n.keys) > MOST_NUMBERS:
        allowed = [h for h in allowed if h & (h - 1) == 0]
    return replace(HEADS, values=tuple(allowed))


@lru_cache(maxsize=8)  # the widest takes 8 MB
def module(setting: Setting, n_head: int, *, layer: int = 0) -> MultiHeadAttention:
    """Return the attention with `n_head` heads, drawn from the seed; each further layer has the next seed.

    While d_head is d_model / n_head, the projections are the same matrices for every number of heads.
    """
    n = sequences(setting)
    return MultiHeadAttention(
        n.query.shape[-1],
        n_head,
        d_head=setting.d_head,
        bias=setting.bias,
        output_projection=setting.projection,
        d_key=n.key.shape[-1],
        d_value=n.key.shape[-1],
        seed=setting.seed + layer,
        dtype=torch.float64,
    ).requires_grad_(False)


def mask(setting: Setting) -> Tensor | None:
    """Return the mask (n_query, n_key), True = may attend, or None."""
    n = sequences(setting)
    n_query, n_key = len(n.queries), len(n.keys)
    if setting.mask == "causal":
        return causal_mask(n_query, n_key)
    if setting.mask == "sliding window" and n_query == n_key:
        return sliding_window_mask(n_query, setting.reach)
    if setting.mask == "padding":
        return (torch.arange(n_key) < n_key - setting.reach).expand(n_query, n_key)
    return None


@lru_cache(maxsize=32)
def stages(setting: Setting, n_head: int) -> MultiHead:
    """Return every stage of attention with `n_head` heads."""
    n = sequences(setting)
    result = module(setting, n_head)(n.query, n.key, n.key, mask(setting))
    assert isinstance(result, MultiHead)
    return result


def array(tensor: Tensor) -> NDArray[np.float64]:
    """Hand a tensor to the figures."""
    return np.asarray(tensor.detach(), dtype=np.float64)


def mask_array(setting: Setting) -> NDArray[np.bool_] | None:
    """Hand the mask to the figures."""
    given = mask(setting)
    return None if given is None else np.asarray(given)


def adopt_case() -> None:
    """Set the controls to what the chosen case is meant for; called when it is chosen, before the run."""
    sample: AttentionSample | None = SAMPLES.get(st.session_state[CASE.name])
    if sample is None:
        positions.move(HEADS, HEADS.default)
        return
    positions.move(HEADS, sample.num_heads)
    st.session_state[FREE_HEADS.name] = sample.d_head is not None
    if sample.d_head is not None:
        st.session_state[WIDTH_HEAD.name] = sample.d_head
        # Its control is about to appear, and a control that appears does not write itself into the address.
        st.query_params[WIDTH_HEAD.name] = str(sample.d_head)
    st.session_state[PROJECTION.name] = sample.output_projection
    st.session_state[BIAS.name] = False


def names_of_heads(n_head: int) -> Sequence[str]:
    """Return what the heads are called, counted from 1."""
    return [f"head {head}" for head in range(1, n_head + 1)]
