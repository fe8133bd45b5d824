"""One layer of a model: attention by ``MultiHeadAttention``, and the norms and feed-forward around it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from attn_core.attention import scaled_dot_product_attention
from attn_core.masks import causal_mask, sliding_window_mask
from attn_core.models.checkpoint import Affine, Checkpoint
from attn_core.models.config import Config
from attn_core.models.head_map import HeadMap, rows_at_once, seen_by
from attn_core.multi_head import MultiHead, MultiHeadAttention, Projected, merge_heads
from attn_core.positional import rotary_embedding


@dataclass(frozen=True, eq=False)
class Norm:
    """Layer normalisation, or without an offset the norm by the root of the mean square (RMSNorm).

    Source: Ba, Kiros and Hinton (2016), Layer Normalization; Zhang and Sennrich (2019), RMSNorm.
    """

    gain: Tensor
    offset: Tensor | None
    epsilon: float

    def __call__(self, x: Tensor) -> Tensor:
        """Bring each vector along the last axis to one length, and scale each number by its gain."""
        if self.offset is None:
            return F.rms_norm(x, self.gain.shape, self.gain, self.epsilon)
        return F.layer_norm(x, self.gain.shape, self.gain, self.offset, self.epsilon)


@dataclass(frozen=True, eq=False)
class FeedForward:
    """The part that widens each vector, bends it and narrows it again; a gate multiplies what it bent.

    Source: Vaswani et al. (2017), section 3.3; Shazeer (2020), GLU Variants Improve Transformer.
    """

    widen: Affine
    narrow: Affine
    gate: Affine | None
    activation: Callable[[Tensor], Tensor]

    def __call__(self, x: Tensor) -> Tensor:
        """Return what is added to x."""
        wide = F.linear(x, *self.widen)
        bent = self.activation(wide) if self.gate is None else self.activation(F.linear(x, *self.gate)) * wide
        return F.linear(bent, *self.narrow)


@dataclass(frozen=True, eq=False)
class Layer:
    """A layer; each norm is there or is None, by where it stands (see ``Family``)."""

    attention: MultiHeadAttention
    feed: FeedForward
    norms: dict[str, Norm]
    scale: float
    window: int | None
    softcap: float | None
    frequencies: Tensor | None
    is_causal: bool

    def attend(
        self, x: Float[Tensor, "batch n d_model"], allowed: Bool[Tensor, "batch n"] | None = None
    ) -> MultiHead:
        """Return every stage of attention on what enters the layer; ``allowed`` is False at padding."""
        query, key, value = self._projected(x)
        mask = self.seen(x.shape[1])
        if allowed is not None:
            here = allowed[:, None, None, :]
            mask = here if mask is None else mask & here
        return self.attention.attend(query, key, value, mask, scale=self.scale, softcap=self.softcap)

    def _projected(self, x: Tensor) -> Projected:
        query, key, value = self.attention.project(self._normed("attention_in", x))
        query, key = self._normed("query_norm", query), self._normed("key_norm", key)
        if self.frequencies is not None:
            query, key = (
                rotary_embedding(each, frequencies=self.frequencies, layout="half") for each in (query, key)
            )
        return query, key, value

    def run(self, x: Float[Tensor, "1 n d_model"]) -> Float[Tensor, "1 n d_model"]:
        """Return what leaves the layer of what enters it, holding no map: what takes room goes in blocks."""
        query, key, value = self._projected(x)
        if self.softcap is None and self.window is None:
            heads = self._fused(query, key, value, is_causal=self.is_causal)  # in blocks of its own
        else:
            heads = self._in_blocks(query, key, value)
        assert self.attention.W_o is not None
        attended = self.attention.W_o(merge_heads(heads))
        widest = max(self.feed.widen[0].shape)
        parts = range(0, x.shape[1], rows_at_once(1, widest))
        return torch.cat(
            [self.leave(x[:, at : at + parts.step], attended[:, at : at + parts.step]) for at in parts], dim=1
        )

    def _in_blocks(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        n, heads = query.shape[2], torch.empty_like(query)
        at_once = rows_at_once(self.attention.num_heads, n)
        for first in range(0, n, at_once):
            rows = range(first, min(n, first + at_once))
            # What comes after a row that sees nothing after it is not even read.
            last = rows.stop if self.is_causal else n
            mask = seen_by(rows, range(last), window=self.window, is_causal=self.is_causal)
            here = query[:, :, rows.start : rows.stop], key[:, :, :last], value[:, :, :last]
            heads[:, :, rows.start : rows.stop] = self._mixed(*here, mask)
        return heads

    def _mixed(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        if self.softcap is None:
            return self._fused(query, key, value, mask)
        shared = key.shape[1] < query.shape[1]
        return scaled_dot_product_attention(
            query, key, value, mask, scale=self.scale, softcap=self.softcap, enable_gqa=shared
        ).output

    def _fused(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        *,
        is_causal: bool = False,
    ) -> Tensor:
        heads: Tensor = F.scaled_dot_product_attention(
            query,
            key,
            value,
            mask,
            is_causal=is_causal,
            scale=self.scale,
            enable_gqa=key.shape[1] < query.shape[1],
        )
        return heads

    def heads(self, x: Float[Tensor, "1 n d_model"], heads: Sequence[int]) -> Iterator[HeadMap]:
        """Yield the maps of some heads of what enters the layer, from which their parts are computed."""
        query, key, _ = self._projected(x)
        sharing = query.shape[1] // key.shape[1]
        for head in heads:
            yield HeadMap.of(
                query[0, head].clone(),
                key[0, head // sharing].clone(),
                scale=self.scale,
                softcap=self.softcap,
                window=self.window,
                is_causal=self.is_causal,
            )

    def seen(self, n: int) -> Bool[Tensor, "n n"] | None:
        """Return which of n tokens each of them may attend to; None where it is all."""
        if self.window is not None:
            # A window of w holds the token itself and the w - 1 before it.
            return sliding_window_mask(n, self.window - 1, is_causal=self.is_causal)
        return causal_mask(n) if self.is_causal else None

    def leave(
        self, x: Float[Tensor, "batch n d_model"], attended: Float[Tensor, "batch n d_model"]
    ) -> Float[Tensor, "batch n d_model"]:
        """Return what leaves the layer: residual sums around attention's output and the feed-forward part."""
        x = self._normed("attention_sum", x + self._normed("attention_out", attended))
        fed = self._normed("feed_out", self.feed(self._normed("feed_in", x)))
        return self._normed("feed_sum", x + fed)

    def _normed(self, where: str, x: Tensor) -> Tensor:
        return self.norms[where](x) if where in self.norms else x


def read_layer(config: Config, held: Checkpoint, index: int) -> Layer:
    """Put one layer together from its tensors.

    Raises ValueError for a tensor that is missing or of the wrong shape.
    """
    family, width = config.family, config.d_model
    names = {part: f"{family.prefix}.{index}.{name}" for part, name in family.parts.items()}

    def linear(part: str, d_in: int, d_out: int | None) -> Affine:
        return held.linear(names[part], d_in, d_out, bias=part in config.biased, turned=family.turned)

    def norm(part: str) -> Norm:
        return read_norm(config, held, names[part], config.d_head if part in _OF_A_HEAD else width)

    d_heads, d_key_heads = config.n_head * config.d_head, config.n_key_head * config.d_head
    if "joint" in names:
        weight, bias = linear("joint", width, 3 * width)
        assert bias is not None
        projections: list[Affine] = list(zip(weight.chunk(3), bias.chunk(3), strict=True))
    else:
        wide = {"query": d_heads, "key": d_key_heads, "value": d_key_heads}
        projections = [linear(part, width, d_out) for part, d_out in wide.items()]
    projections.append(linear("out", d_heads, width))
    widen = linear("widen", width, None)
    inner = widen[0].shape[0]
    return Layer(
        _attention(config, projections),
        FeedForward(
            widen,
            linear("narrow", inner, width),
            linear("gate", width, inner) if "gate" in names else None,
            config.activation,
        ),
        {part: norm(part) for part in names if part in _NORMS},
        config.scales[index],
        config.windows[index],
        config.softcap,
        config.frequencies,
        config.is_causal,
    )


def read_norm(config: Config, held: Checkpoint, name: str, width: int) -> Norm:
    """Return a norm by its tensors' name."""
    gain, offset = held.norm(name, width, offset=not config.family.rms)
    return Norm(1 + gain if config.family.gain_from_one else gain, offset, config.epsilon)


_OF_A_HEAD = ("query_norm", "key_norm")
_NORMS = (
    *_OF_A_HEAD,
    *(f"{part}_{where}" for part in ("attention", "feed") for where in ("in", "out", "sum")),
)


def _attention(config: Config, projections: list[Affine]) -> MultiHeadAttention:
    attention = MultiHeadAttention(
        config.d_model, config.n_head, d_head=config.d_head, num_kv_heads=config.n_key_head, bias=False
    )
    maps = (attention.W_q, attention.W_k, attention.W_v, attention.W_o)
    for linear, (weight, bias) in zip(maps, projections, strict=True):
        assert linear is not None
        linear.weight = nn.Parameter(weight)
        linear.register_parameter("bias", None if bias is None else nn.Parameter(bias))
    return attention.requires_grad_(False)
