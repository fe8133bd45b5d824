"""The settings turned into arrays: the one state that picture, words, tabs, checks and code all read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attn_core import (
    KVCache,
    LatentAttention,
    MultiHead,
    MultiHeadAttention,
    attention_distance,
    causal_mask,
    decode_step,
    diagonal_score,
    effective_keys,
    entropy,
    label_tokens,
    previous_token_score,
    sentence_vectors,
    sliding_window_mask,
    tokenize,
)
from attn_figures.multi_head import Heads
from attn_ui.bounds import MAX_HEADS, MAX_TOKENS
from attn_ui.parameters import Steps
from pages.multi_head.settings import EXAMPLES, HEADS, Look, Setting

MOST_NUMBERS = 250_000  # of all maps at all positions of the heads slider
# One number a head, from its stages.
MEASURES: dict[str, Callable[[MultiHead], Tensor]] = {
    "entropy": lambda result: entropy(result.weights).mean(dim=-1),
    "effective keys": lambda result: effective_keys(result.weights).mean(dim=-1),
    "distance": lambda result: attention_distance(result.weights),
    "previous token": lambda result: previous_token_score(result.weights),
    "diagonal": lambda result: diagonal_score(result.weights),
    "contribution": lambda result: result.contributions.norm(dim=-1).mean(dim=-1),
}


@dataclass(frozen=True)
class Sequences:
    """Who attends to whom: labels that tell repeated words apart, and one vector a token."""

    queries: list[str]
    keys: list[str]
    query: Tensor
    key: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """How many queries and how many keys."""
        return len(self.queries), len(self.keys)


@lru_cache(maxsize=32)
def sequences(setting: Setting) -> Sequences:
    """Return the labelled vectors that attend and are attended to."""
    sample = EXAMPLES.get(setting.case)
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


def divisors(number: int) -> list[int]:
    """Return what divides a number, in order."""
    return [each for each in range(1, number + 1) if number % each == 0]


@lru_cache(maxsize=64)
def shared_module(setting: Setting, n_head: int, num_kv_heads: int) -> MultiHeadAttention:
    """Return the attention with fewer heads of keys and values, each the mean of those that it replaces."""
    return module(setting, n_head).pooled(num_kv_heads).requires_grad_(False)


@lru_cache(maxsize=8)
def latent_module(setting: Setting, n_head: int) -> LatentAttention:
    """Return the attention with keys and values read from one latent vector a token, of the whole rank."""
    attention = module(setting, n_head)
    return LatentAttention.from_multi_head(attention, min(attention.d_key, 2 * n_head * attention.d_head))


@lru_cache(maxsize=16)
def written(setting: Setting, n_head: int, num_kv_heads: int) -> tuple[list[MultiHead], KVCache]:
    """Return every stage of every token written one after the other, and the cache at the end."""
    attention = shared_module(setting, n_head, num_kv_heads)
    rows: list[MultiHead] = []
    kept: KVCache | None = None
    for token in sequences(setting).query:
        stages_now, kept = decode_step(attention, token[None], kept)
        rows.append(stages_now)
    assert kept is not None
    return rows, kept


def array(tensor: Tensor) -> NDArray[np.float64]:
    """Hand a tensor to the figures."""
    return np.asarray(tensor.detach(), dtype=np.float64)


def mask_array(setting: Setting) -> NDArray[np.bool_] | None:
    """Hand the mask to the figures."""
    given = mask(setting)
    return None if given is None else np.asarray(given)


@dataclass(frozen=True)
class Now:
    """What the page shows at this moment; heads, queries and keys are counted from 0."""

    setting: Setting
    look: Look
    n_head: int
    cell: tuple[int, int] = (0, 0)  # the chosen query and key
    num_kv_heads: int | None = None  # None: as many as heads

    @cached_property
    def result(self) -> MultiHead:
        """Every stage, at the present number of heads."""
        if self.num_kv_heads is None:
            return stages(self.setting, self.n_head)
        n = self.tokens
        result = self.module(n.query, n.key, n.key, mask(self.setting))
        assert isinstance(result, MultiHead)
        return result

    @cached_property
    def module(self) -> MultiHeadAttention:
        """The attention itself."""
        if self.num_kv_heads is None:
            return module(self.setting, self.n_head)
        return shared_module(self.setting, self.n_head, self.num_kv_heads)

    def sharing(self, num_kv_heads: int) -> "Now":
        """Return the same with fewer heads of keys and values."""
        return replace(self, num_kv_heads=num_kv_heads)

    @cached_property
    def tokens(self) -> Sequences:
        """The labelled vectors."""
        return sequences(self.setting)

    @cached_property
    def off(self) -> list[int]:
        """The heads that are switched off and there."""
        return [head for head in self.look.off if head < self.n_head]

    @property
    def is_self_attention(self) -> bool:
        """Whether the sequence attends to itself."""
        return self.tokens.key is self.tokens.query


def order_of(measure: str, result: MultiHead) -> list[int]:
    """Return the heads, from 0, the largest measure first; by number where no measure is asked for."""
    if measure not in MEASURES:
        return list(range(result.weights.shape[-3]))
    order: list[int] = MEASURES[measure](result).argsort(descending=True, stable=True).tolist()
    return order


def output_of(result: MultiHead, off: Sequence[int]) -> Tensor:
    """Return the output without the heads, from 0, that are switched off."""
    gone = [head for head in off if head < result.weights.shape[-3]]
    return result.output - result.contributions[gone].sum(dim=0) if gone else result.output


def heads(now: Now) -> Heads:
    """Hand the maps and the output, without the heads that are off, to the figures."""
    return Heads(
        array(now.result.weights),
        array(output_of(now.result, now.look.off)),
        now.tokens.queries,
        now.tokens.keys,
        mask_array(now.setting),
        now.look.off,
    )
