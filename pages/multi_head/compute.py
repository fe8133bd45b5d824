"""Settings turned into arrays, which the picture, captions, tabs, checks and programs all read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attn_core import (
    MASK_PATTERNS,
    BiasScheme,
    MultiHead,
    MultiHeadAttention,
    RotationScheme,
    Scheme,
    attention_distance,
    diagonal_score,
    effective_keys,
    entropy,
    label_tokens,
    make_mask,
    make_scheme,
    previous_token_score,
    sentence_vectors,
    set_weights,
    tokenize,
)
from attn_core.measures import row_shares
from attn_core.plane import Plane, main_directions
from attn_figures.arcs import Group
from attn_figures.multi_head import HeadMaps
from attn_figures.ties import largest_first
from attn_ui.base.bounds import MAX_HEADS, MAX_TOKENS
from attn_ui.base.hand_weight_settings import HandRows
from attn_ui.base.parameters import Steps
from attn_ui.base.removed_weights import NO_REMOVAL, Removal
from attn_ui.base.sample_words import token_label
from attn_ui.base.shared_cache import SharedCache
from attn_words import cached
from pages.multi_head.settings import EXAMPLES, HEADS, MASK_REACH
from pages.multi_head.state import NO_POSITIONS, HeadsOptions, HeadsSetting
from pages.multi_head.weights import Sizes, fitting_weights

MOST_NUMBERS = 250_000  # at most, in all maps at all positions of a slider that does not move heads
MOST_COST = 430_000  # at most, in all maps of the heads slider: as points they take 3.5 bytes each
# Modules and stages. The widest module takes 34 MB, most take a few thousand bytes.
_NUMBERS = SharedCache(40_000_000)
# Each measure gives one number a head, from all stages.
MEASURES: dict[str, Callable[[MultiHead], Tensor]] = {
    "entropy": lambda attention: mean_of_rows(entropy(row_shares(attention.weights)), attention.weights),
    "effective keys": lambda attention: mean_of_rows(
        effective_keys(row_shares(attention.weights)), attention.weights
    ),
    "distance": lambda attention: attention_distance(row_shares(attention.weights)),
    "previous token": lambda attention: previous_token_score(attention.weights),
    "diagonal": lambda attention: diagonal_score(attention.weights),
    "contribution": lambda attention: attention.contributions.norm(dim=-1).mean(dim=-1),
}


def mean_of_rows(each: Tensor, weights: Tensor) -> Tensor:
    """Return the mean of `each` over the queries that attend to any key; 0 if none does."""
    return each.sum(dim=-1) / weights.any(dim=-1).sum(dim=-1).clamp(min=1)


@dataclass(frozen=True)
class Sequences:
    """The labels of queries and keys, and one vector for each."""

    queries: list[str]
    keys: list[str]
    query: Tensor
    key: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of queries and of keys."""
        return len(self.queries), len(self.keys)


@cached(32)
def sequences(setting: HeadsSetting) -> Sequences:
    """Return the labels and vectors of queries and keys; position vectors are added if the scheme has any."""
    n = _words(setting)
    scheme = scheme_of(setting, 1)
    if scheme.adds != "vector":
        return n
    query = n.query + scheme.vectors(*n.query.shape, start=scheme.first)
    if n.key is n.query:
        return replace(n, query=query, key=query)
    return replace(n, query=query, key=n.key + scheme.vectors(*n.key.shape, start=scheme.first))


def without_positions(setting: HeadsSetting) -> HeadsSetting:
    """Return the setting without positions."""
    return replace(setting, positions=NO_POSITIONS)


def scheme_of(setting: HeadsSetting, n_head: int) -> Scheme:
    """Return the position scheme for this number of heads."""
    settings = setting.positions
    return make_scheme(settings.name, **settings.values(), num_heads=n_head, seed=setting.seed)


def _words(setting: HeadsSetting) -> Sequences:
    sample = EXAMPLES.get(setting.case)
    if sample is not None:
        queries, keys = [*map(token_label, sample.query_tokens)], [*map(token_label, sample.key_tokens)]
        return Sequences(queries, keys, sample.query, sample.key)
    queries, query = _embed(setting.text, setting.d_model, setting.seed)
    if not setting.cross:
        return Sequences(queries, queries, query, query)
    keys, key = _embed(setting.memory_text, setting.d_memory, setting.seed)
    return Sequences(queries, keys, query, key)


def _embed(text: str, width: int, seed: int) -> tuple[list[str], Tensor]:
    tokens = tokenize(text)[:MAX_TOKENS]
    return label_tokens(tokens), sentence_vectors(tokens, width, seed=seed)


def heads_slider(setting: HeadsSetting) -> Steps:
    """Return the slider over numbers of heads, with those that this setting allows."""
    n = sequences(setting)
    d_model = n.query.shape[-1]
    counts = [h for h in range(1, MAX_HEADS + 1) if setting.d_head is not None or d_model % h == 0]
    turning = type(scheme_of(setting, 1))
    # A rotation turns pairs of dimensions, so it needs an even width.
    counts = [h for h in counts if turning.adds != "rotation" or (setting.d_head or d_model // h) % 2 == 0]
    of_names = 45 * len(counts) * counts[-1]  # each step has room for the names of the most heads
    if (sum(counts) * len(n.keys) + of_names) * len(n.queries) > MOST_COST:
        counts = [h for h in counts if h & (h - 1) == 0]
    return replace(HEADS, values=tuple(counts))


def sizes_of(setting: HeadsSetting, n_head: int) -> Sizes:
    """Return the sizes that decide the shapes of the weights."""
    n = sequences(setting)
    d_model, d_key = n.query.shape[-1], n.key.shape[-1]
    d_head = d_model // n_head if setting.d_head is None else setting.d_head
    cross = n.key is not n.query
    return Sizes(d_model, d_key, n_head, d_head, setting.bias, setting.projection, cross)


def hand_rows(setting: HeadsSetting, n_head: int) -> HandRows:
    """Return the hand-set weights for this number of heads."""
    return fitting_weights(setting.weights, sizes_of(setting, n_head)) if setting.weights else ()


def module(setting: HeadsSetting, n_head: int) -> MultiHeadAttention:
    """Return the attention module with `n_head` heads, drawn from the seed.

    While d_head is d_model / n_head, the projections are the same matrices for every number of heads.
    """
    scheme, sizes = scheme_of(setting, n_head), sizes_of(setting, 1 if setting.d_head is None else n_head)
    return draw(sizes, setting.seed, setting.init, hand_rows(setting, n_head)).with_settings(
        num_heads=n_head,
        rotation=scheme if isinstance(scheme, RotationScheme) else None,
        temperature=setting.temperature,
    )


@_NUMBERS.share
def draw(sizes: Sizes, seed: int, init: str, weights: HandRows) -> MultiHeadAttention:
    """Return a module with drawn projections, except for the weights that are set by hand."""
    attention = MultiHeadAttention(
        sizes.d_model,
        sizes.n_head,
        d_head=sizes.d_head,
        bias=sizes.bias,
        output_projection=sizes.projection,
        d_key=sizes.d_key,
        d_value=sizes.d_key,
        seed=seed,
        dtype=torch.float64,
        init=init,
    ).requires_grad_(False)
    tensors = {name: torch.tensor(rows, dtype=torch.float64) for name, rows in weights}
    set_weights(attention, {name: each if name[0] == "W" else each[0] for name, each in tensors.items()})
    return attention


def one_length(kind: str) -> bool:
    """Whether a kind of mask needs as many queries as keys."""
    return kind not in ("none", "causal", "padding", "own")


@cached(64)
def allowed(setting: HeadsSetting, n_head: int) -> Tensor | None:
    """Return True where queries may attend, (n_query, n_key), with a head axis in front if masks differ.

    None if nothing is masked: no mask is set, or it needs as many queries as keys and there are not.
    """
    n_query, n_key = sequences(setting).shape
    if setting.mask == "none" or (n_query != n_key and any(map(one_length, setting.kinds))):
        return None
    each = [
        make_mask(replace(setting.masking, kind=kind), n_query, n_key, setting.reach)
        for kind in setting.kinds
    ]
    return each[0] if len(each) == 1 else torch.stack([each[head % len(each)] for head in range(n_head)])


def width_of(setting: HeadsSetting, kind: str) -> int:
    """Return the mask's width: the possible one that is nearest to `setting.reach`."""
    offers = MASK_PATTERNS[kind].widths(setting.masking, max(sequences(setting).shape))
    return min(max(setting.reach, offers[0]), offers[-1])


def biases(setting: HeadsSetting, n_head: int) -> Tensor | None:
    """Return the positions' biases on the scaled scores, (n_head, n_query, n_key); None if there are none."""
    scheme = scheme_of(setting, n_head)
    return scheme.biases(*sequences(setting).shape) if isinstance(scheme, BiasScheme) else None


def mask(setting: HeadsSetting, n_head: int) -> Tensor | None:
    """Return the mask of attention: True where queries may attend, or biases, -inf where they may not."""
    may, bias = allowed(setting, n_head), biases(setting, n_head)
    if bias is None:
        return may
    return bias if may is None else bias.masked_fill(~may, -torch.inf)


def widths(setting: HeadsSetting) -> Steps:
    """Return the slider over the mask's width, with the widths possible for these words."""
    longest = max(sequences(setting).shape)
    ranges = [
        MASK_PATTERNS[kind].widths(setting.masking, longest)
        for kind in setting.kinds
        if MASK_PATTERNS[kind].width
    ]
    least, most = min(each[0] for each in ranges), max(each[-1] for each in ranges)
    return replace(MASK_REACH, values=tuple(range(least, most + 1)))


@_NUMBERS.share
def stages(setting: HeadsSetting, n_head: int) -> MultiHead:
    """Return every stage of attention with `n_head` heads."""
    n = sequences(setting)
    attention = module(setting, n_head)(n.query, n.key, n.key, mask(setting, n_head), sink=setting.sink)
    assert isinstance(attention, MultiHead)
    return attention


def divisors(number: int) -> list[int]:
    """Return the divisors of a number, ascending."""
    return [each for each in range(1, number + 1) if number % each == 0]


@_NUMBERS.share
def shared_module(setting: HeadsSetting, n_head: int, num_kv_heads: int) -> MultiHeadAttention:
    """Return the module with fewer heads of keys and values, each the mean of the heads that it replaces."""
    return module(setting, n_head).pool_key_heads(num_kv_heads).requires_grad_(False)


ANY_LOOK = HeadsOptions("", "", 0, 0, ())  # for results whose display does not matter


def array(tensor: Tensor) -> NDArray[np.float64]:
    """Return a tensor as an array for the figures."""
    return np.asarray(tensor.detach(), dtype=np.float64)


def mask_array(setting: HeadsSetting, n_head: int) -> NDArray[np.bool_] | None:
    """Return the mask as an array for the figures."""
    may = allowed(setting, n_head)
    return None if may is None else np.asarray(may)


@dataclass(frozen=True)
class Result:
    """The settings of the page and all that is computed from them; heads, queries and keys are zero-based."""

    setting: HeadsSetting
    look: HeadsOptions
    n_head: int
    cell: tuple[int, int] = (0, 0)  # the chosen query and key
    num_kv_heads: int | None = None  # None: as many as heads
    removal: Removal = NO_REMOVAL  # of the chosen head's weights

    @cached_property
    def attention(self) -> MultiHead:
        """Every stage of attention, with `n_head` heads."""
        if self.num_kv_heads is None:
            return stages(self.setting, self.n_head)
        n = self.tokens
        attention = self.module(n.query, n.key, n.key, self.mask, sink=self.setting.sink)
        assert isinstance(attention, MultiHead)
        return attention

    @cached_property
    def module(self) -> MultiHeadAttention:
        """The attention module."""
        if self.num_kv_heads is None:
            return module(self.setting, self.n_head)
        return shared_module(self.setting, self.n_head, self.num_kv_heads)

    def sharing(self, num_kv_heads: int) -> "Result":
        """Return this result with fewer heads of keys and values."""
        return replace(self, num_kv_heads=num_kv_heads)

    @cached_property
    def tokens(self) -> Sequences:
        """The labels and vectors of queries and keys, position vectors included."""
        return sequences(self.setting)

    @cached_property
    def mask(self) -> Tensor | None:
        """The mask that attention takes, as `mask()` returns it."""
        return mask(self.setting, self.n_head)

    @cached_property
    def scheme(self) -> Scheme:
        """The position scheme."""
        return scheme_of(self.setting, self.n_head)

    @cached_property
    def unplaced(self) -> "Result":
        """This result without positions."""
        return replace(self, setting=without_positions(self.setting))

    @cached_property
    def off(self) -> list[int]:
        """The existing heads that are switched off."""
        return [head for head in self.look.off if head < self.n_head]

    @property
    def shown_heads(self) -> list[int]:
        """The existing heads that are not switched off."""
        return [head for head in range(self.n_head) if head not in self.look.off]

    @property
    def head(self) -> int:
        """The chosen head, at most the last."""
        return min(self.look.head, self.n_head - 1)

    @property
    def against(self) -> int:
        """The head that the chosen one is compared with, at most the last."""
        return min(self.look.against, self.n_head - 1)

    @property
    def group(self) -> Group:
        """The existing queries whose rows are combined with the chosen query's."""
        n_query = len(self.tokens.queries)
        return Group(tuple(row for row in self.look.also if row < n_query), self.look.summed)

    @property
    def is_self_attention(self) -> bool:
        """Whether the sequence attends to itself."""
        return self.tokens.key is self.tokens.query


def planes_of(result: "Result") -> list[Plane]:
    """Return the plane of each head: the two main directions of its queries and keys."""
    heads = zip(result.attention.query, result.attention.key, strict=True)
    return [main_directions(queries, keys) for queries, keys in heads]


def order_of(measure: str, attention: MultiHead) -> list[int]:
    """Return zero-based heads, largest measure first; in their own order if `measure` is not in MEASURES."""
    if measure not in MEASURES:
        return list(range(attention.weights.shape[-3]))
    order: list[int] = largest_first(MEASURES[measure](attention).numpy()).tolist()
    return order


def output_of(attention: MultiHead, off: Sequence[int]) -> Tensor:
    """Return the output without the heads in `off`, zero-based indices that may exceed the last head."""
    dropped_heads = [head for head in off if head < attention.weights.shape[-3]]
    return (
        attention.output - attention.contributions[dropped_heads].sum(dim=0)
        if dropped_heads
        else attention.output
    )


def heads(result: Result) -> HeadMaps:
    """Return all heads' maps for the figures, and the output without the heads that are off."""
    return HeadMaps(
        array(result.attention.weights),
        array(output_of(result.attention, result.look.off)),
        result.tokens.queries,
        result.tokens.keys,
        mask_array(result.setting, result.n_head),
        result.look.off,
    )
