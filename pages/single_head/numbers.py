"""The numbers of the single-head page: from its settings to every stage, all slider positions at once."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

import attn_core
from attn_core.limits import MAX_TOKENS

SAMPLES = {
    "two keys, one query": "two-keys",
    "I love ice": "i-love-ice",
    "I love dogs": "i-love-dogs",
    "one query, ten keys": "cross-attention",
}
WIDTH_OF = {
    "padding": "Padding",
    "sliding window": "Window",
    "dilated": "Window",
    "global + local": "Window",
    "block-sparse": "Block size",
    "prefix": "Prefix",
}
Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Inputs:
    """What decides the queries, keys and values; every field is a setting of the page."""

    example: str = "own sentence"
    text: str = "the cat sat on the mat"
    second_text: str | None = None  # the keys' and values' sentence, in cross-attention
    vectors: str = "random"
    width: int = 6
    x: Rows = ()
    y: Rows = ()
    ramp: bool = False
    unit_rows: bool = False
    qkv: str = "projected"
    d_k: int = 4
    d_v: int = 4
    seed: int = 4
    q: Rows = ()
    k: Rows = ()
    v: Rows = ()

    @property
    def is_own(self) -> bool:
        """Whether the sentence is the person's, not a worked example's."""
        return self.example == "own sentence"

    @property
    def is_drawn(self) -> bool:
        """Whether a seed has a part in the numbers."""
        return self.qkv == "projected" or (
            self.qkv == "as they are" and self.is_own and self.vectors == "random"
        )


@dataclass(frozen=True)
class Masking:
    """What decides the mask."""

    kind: str = "none"
    dilation: int = 2
    global_tokens: int = 1
    random_blocks: int = 1
    blocked: tuple[tuple[int, int], ...] = ()
    seed: int = 4


@dataclass(frozen=True, eq=False)
class Head:
    """Queries, keys and values with their names, and what they were made from (None where typed)."""

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    query: Tensor
    key: Tensor
    value: Tensor
    x: Tensor | None = None
    memory: Tensor | None = None  # what keys and values are made from; x itself in self-attention
    projections: tuple[Tensor, Tensor, Tensor] | None = None  # W_q, W_k, W_v as (d_model, d)

    @property
    def d_k(self) -> int:
        """The width of queries and keys."""
        return self.query.shape[-1]

    @property
    def is_cross(self) -> bool:
        """Whether the queries attend to another sequence than their own."""
        return self.x is not self.memory if self.x is not None else self.queries != self.keys


def make_head(inputs: Inputs) -> Head:
    """Return the head that the settings describe.

    Raises:
        ValueError: typed tables that do not fit one another.
    """
    if inputs.qkv == "typed":
        return _typed(inputs)
    queries, keys, x, memory = _vectors(inputs)
    if inputs.qkv == "as they are":
        return Head(queries, keys, x, memory, memory, x, memory)
    module = attn_core.SelfAttention(x.shape[-1], inputs.d_k, inputs.d_v, seed=inputs.seed, dtype=x.dtype)
    module.requires_grad_(False)
    query, (_, key, value) = module.project(x)[0], module.project(memory)
    projections = (module.W_q.weight.mT, module.W_k.weight.mT, module.W_v.weight.mT)
    return Head(queries, keys, query, key, value, x, memory, projections)


def tokens_of(text: str) -> list[str]:
    """Cut a sentence into at most as many tokens as the page draws."""
    return attn_core.tokenize(text)[:MAX_TOKENS]


def typed_vectors(tokens: list[str], rows: Rows, width: int, seed: int) -> Tensor:
    """Return the typed rows; tokens beyond them get seeded random vectors of the same width."""
    drawn = attn_core.sentence_vectors(tokens, len(rows[0]) if rows else width, seed=seed)
    given = torch.tensor(rows, dtype=torch.float64)[: len(tokens)] if rows else drawn[:0]
    return torch.cat([given, drawn[len(given) :]])


def _vectors(inputs: Inputs) -> tuple[tuple[str, ...], tuple[str, ...], Tensor, Tensor]:
    sample_name = SAMPLES.get(inputs.example)
    if sample_name:
        sample = attn_core.ATTENTION_SAMPLES[sample_name]
        queries, keys = list(sample.query_tokens), list(sample.key_tokens)
        x, memory = sample.query, sample.key
        is_self = sample.is_self_attention
    else:
        is_self = inputs.second_text is None
        queries = tokens_of(inputs.text)
        keys = queries if inputs.second_text is None else tokens_of(inputs.second_text)
        x, memory = _sentences(inputs, queries, keys, is_self)
    if inputs.ramp:
        x, memory = (each + attn_core.ramp_encoding(*each.shape).to(each) for each in (x, memory))
    if inputs.unit_rows:
        x, memory = (torch.nn.functional.normalize(each, dim=-1) for each in (x, memory))
    labels = tuple(attn_core.label_tokens(queries))
    if is_self:
        return labels, labels, x, x
    return labels, tuple(attn_core.label_tokens(keys)), x, memory


def _sentences(inputs: Inputs, queries: list[str], keys: list[str], is_self: bool) -> tuple[Tensor, Tensor]:
    if inputs.vectors == "typed":
        x = typed_vectors(queries, inputs.x, inputs.width, inputs.seed)
        memory = x if is_self else typed_vectors(keys, inputs.y, x.shape[-1], inputs.seed)
        if memory.shape[-1] != x.shape[-1]:
            raise ValueError(
                f"X has width {x.shape[-1]} and Y width {memory.shape[-1]}: both need the same width d_model."
            )
        return x, memory
    # Both sentences at once, so that a word has one vector wherever it stands.
    words = queries if is_self else queries + keys
    width = inputs.width if inputs.vectors == "random" else len(set(words))
    both = attn_core.sentence_vectors(words, width, kind=inputs.vectors, seed=inputs.seed)
    x = both[: len(queries)]
    return x, x if is_self else both[len(queries) :]


def _typed(inputs: Inputs) -> Head:
    query, key, value = (torch.tensor(rows, dtype=torch.float64) for rows in (inputs.q, inputs.k, inputs.v))
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"Q has width {query.shape[-1]} and K width {key.shape[-1]}: "
            "a dot product needs both to have the same width d_k."
        )
    if len(key) != len(value):
        raise ValueError(f"K has {len(key)} rows and V has {len(value)}: each key needs its own value.")
    queries, keys = (_row_names(inputs, name, len(rows)) for name, rows in (("q", query), ("k", key)))
    return Head(queries, keys, query, key, value)


def _row_names(inputs: Inputs, letter: str, count: int) -> tuple[str, ...]:
    """The tokens where there are as many as rows, else numbers."""
    text = inputs.text if letter == "q" or inputs.second_text is None else inputs.second_text
    tokens = tokens_of(text)
    if len(tokens) == count and inputs.example == "own sentence":
        return tuple(attn_core.label_tokens(tokens))
    return tuple(f"{letter}{number}" for number in range(1, count + 1))


def mask_widths(masking: Masking, n: int) -> tuple[float, ...]:
    """Return the widths that a mask over n places can have; one where it has none."""
    match masking.kind:
        case "sliding window" | "global + local":
            return tuple(range(n))
        case "dilated":
            return tuple(range(-(-(n - 1) // masking.dilation) + 1))
        case "block-sparse":
            return tuple(range(1, n + 1))
        case "prefix" | "padding":
            return tuple(range(n + 1))
    return (0,)


def make_mask(masking: Masking, n_query: int, n_key: int, width: int) -> Tensor | None:
    """Return where each query may attend, (n_query, n_key), or None for anywhere.

    A mask made for one sequence is laid over the longer of the two and cut, so places count from the first.
    """
    n = max(n_query, n_key)
    match masking.kind:
        case "none":
            return None
        case "causal":
            return attn_core.causal_mask(n_query, n_key)
        case "padding":
            return attn_core.padding_mask([max(0, n_key - width)], n_key)[0].expand(n_query, n_key)
        case "sliding window":
            mask = attn_core.sliding_window_mask(n, width)
        case "dilated":
            mask = attn_core.dilated_mask(n, width, masking.dilation)
        case "global + local":
            mask = attn_core.global_local_mask(n, width, range(min(masking.global_tokens, n)))
        case "block-sparse":
            others = -(-n // width) - 1
            drawn = min(masking.random_blocks, others)
            mask = attn_core.block_sparse_mask(n, width, drawn, seed=masking.seed)
        case "prefix":
            mask = attn_core.prefix_mask(n, width)
        case "own":
            mask = torch.ones(n, n, dtype=torch.bool)
            for query, key in masking.blocked:
                if query < n and key < n:
                    mask[query, key] = False
        case kind:
            raise ValueError(f"no mask is called {kind!r}")
    return mask[:n_query, :n_key]


def scale_of(choice: str, free: float, d_k: int) -> float:
    """Return the number that scores are multiplied by."""
    return {"none": 1.0, "free": free}.get(choice, 1 / math.sqrt(d_k))


@dataclass(frozen=True, eq=False)
class Stages:
    """Every stage at every slider position, (steps, n_query, n_key); what does not move has one step."""

    scores: Tensor
    unmasked: Tensor  # scaled scores before the mask
    mask: Tensor
    scaled: Tensor  # -inf where masked
    exponentials: Tensor  # of scaled scores less their row's largest
    row_sums: Tensor  # (steps, n_query, 1)
    weights: Tensor
    output: Tensor  # (steps, n_query, d_v)


def make_stages(head: Head, masks: list[Tensor | None], *, scale: float, temperatures: list[float]) -> Stages:
    """Attend at every temperature under one mask, or under every mask at one temperature, in one call."""
    shape = (len(head.query), len(head.key))
    everywhere = torch.ones(shape, dtype=torch.bool)
    mask = torch.stack([everywhere if each is None else each for each in masks])
    temperature = torch.tensor(temperatures, dtype=torch.float64)[:, None, None]
    result = attn_core.scaled_dot_product_attention(
        head.query, head.key, head.value, mask, scale=scale, temperature=temperature
    )
    unmasked = (result.scores * scale / temperature).expand(result.scaled_scores.shape)
    largest = result.scaled_scores.amax(dim=-1, keepdim=True).clamp(min=torch.finfo(torch.float64).min)
    exponentials = (result.scaled_scores - largest).exp()
    return Stages(
        scores=result.scores[None],
        unmasked=unmasked,
        mask=mask.expand(result.weights.shape),
        scaled=result.scaled_scores,
        exponentials=exponentials,
        row_sums=exponentials.sum(dim=-1, keepdim=True),
        weights=result.weights,
        output=result.output,
    )
