"""An attention function that transformers' models call, and that exposes its inputs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core.attention import scaled_dot_product_attention
from attn_core.masks import causal_mask
from attn_core.models.head_map import HeadMap, band_mask, rows_at_once

NAME = "attention_lab"


@dataclass(frozen=True, eq=False)
class Call:
    """The inputs of one layer's attention, (batch, n_head, n, d_head), after any rotation.

    ``mask`` is True where a query may attend, or is added to the scores; ``window`` is the number of tokens
    of its window, where the layer declares one.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    is_causal: bool
    scale: float
    softcap: float | None
    window: int | None

    def attend(self) -> Any:
        """Return every stage of attention."""
        mask = causal_mask(self.query.shape[-2]) if self.is_causal else self.mask
        return scaled_dot_product_attention(
            self.query,
            self.key,
            self.value,
            mask,
            scale=self.scale,
            softcap=self.softcap,
            enable_gqa=self._shares,
        )

    def heads(self) -> Tensor:
        """Return the outputs of the heads, by fused attention; with a mask or softcap in blocks of rows."""
        if self.mask is None and self.softcap is None:
            return self._fused(self.query, None, is_causal=self.is_causal)
        n = self.query.shape[-2]
        step = rows_at_once(self.query.shape[1], self.key.shape[-2])
        parts = [range(at, min(n, at + step)) for at in range(0, n, step)]
        return torch.cat([self._rows(rows) for rows in parts], dim=-2)

    def _rows(self, rows: range) -> Tensor:
        query = self.query[..., rows.start : rows.stop, :]
        mask = None if self.mask is None else self.mask[..., rows.start : rows.stop, :]
        if self.is_causal:
            mask = band_mask(rows, range(self.key.shape[-2]), window=None, is_causal=True)
        if self.softcap is None:
            return self._fused(query, mask)
        return scaled_dot_product_attention(
            query, self.key, self.value, mask, scale=self.scale, softcap=self.softcap, enable_gqa=self._shares
        ).output

    def _fused(self, query: Tensor, mask: Tensor | None, *, is_causal: bool = False) -> Tensor:
        inputs = (query, self.key, self.value, mask)
        heads: Tensor = F.scaled_dot_product_attention(
            *inputs, is_causal=is_causal, scale=self.scale, enable_gqa=self._shares
        )
        return heads

    @property
    def _shares(self) -> bool:
        return self.key.shape[1] < self.query.shape[1]

    def visible(self) -> Tensor | None:
        """Return where the queries of the first sequence may attend, (n, n); None where everywhere."""
        if self.is_causal:
            return causal_mask(self.query.shape[-2])
        if self.mask is None:
            return None
        mask = self.mask[0, 0]
        mask = mask if mask.dtype == torch.bool else mask > -torch.inf
        return None if bool(mask.all()) else mask

    def maps(self, heads: Sequence[int]) -> Iterator[HeadMap]:
        """Yield the maps of some heads of the first sequence, from which parts are computed.

        Raises ValueError for a mask that is neither causal nor a window, and for numbers added to scores.
        """
        window, is_causal = self._band()
        group = self.query.shape[1] // self.key.shape[1]
        for head in heads:
            yield HeadMap.of(
                self.query[0, head].clone(),
                self.key[0, head // group].clone(),
                scale=self.scale,
                softcap=self.softcap,
                window=window,
                is_causal=is_causal,
            )

    def _band(self) -> tuple[int | None, bool]:
        if self.mask is None:
            return None, self.is_causal
        mask, n = self.mask[0, 0], self.query.shape[-2]
        if mask.dtype == torch.bool and len(mask) == n:
            is_causal = not bool(mask[: n - 1, -1].any())
            width = int(mask[-1 if is_causal else 0].sum())
            window = None if width == n else width
            blocks = (range(at, min(n, at + 256)) for at in range(0, n, 256))
            if all(_is(mask, rows, window, is_causal) for rows in blocks):
                return window, is_causal
        raise ValueError(
            "a long text is shown of models whose tokens see all others, those before them or a window of "
            "the nearest; this one adds numbers to its scores or has another mask"
        )


def _is(mask: Tensor, rows: range, window: int | None, is_causal: bool) -> bool:
    band = band_mask(rows, range(mask.shape[1]), window=window, is_causal=is_causal)
    part = mask[rows.start : rows.stop]
    return bool(part.all()) if band is None else torch.equal(part, band)


Take = Callable[[Call], Tensor]
"""Takes the inputs of a layer's attention, and returns the outputs of its heads."""
_TAKE: ContextVar[Take] = ContextVar("take", default=Call.heads)


@contextmanager
def taking(take: Take) -> Iterator[None]:
    """Call ``take`` with the inputs of each attention that this thread runs."""
    before = _TAKE.set(take)
    try:
        yield
    finally:
        _TAKE.reset(before)


def register() -> Any:
    """Import transformers, register this attention and its mask, and return the module.

    An attention without a mask function of its own would get no mask at all.
    """
    transformers = import_module("transformers")  # slow, and optional
    masking = import_module("transformers.masking_utils")
    modeling = import_module("transformers.modeling_utils")
    modeling.AttentionInterface.register(NAME, _attend)
    masking.AttentionMaskInterface.register(NAME, masking.sdpa_mask)
    return transformers


def _attend(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None = None,
    *,
    scaling: float | None = None,
    is_causal: bool | None = None,
    softcap: float | None = None,
    position_bias: Tensor | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """Attend as transformers' own "sdpa" does, and with a softcap."""
    if others.get("s_aux") is not None:
        raise ValueError(
            "a model must spend all weight on its tokens; this one has attention sinks beside them"
        )
    is_causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    mask = None if attention_mask is None else attention_mask[..., : key.shape[-2]]
    is_causal = bool(is_causal) and mask is None and query.shape[-2] > 1
    if mask is not None and mask.dtype != torch.bool:
        mask = mask.masked_fill(mask <= torch.finfo(mask.dtype).min / 2, -torch.inf)
    if position_bias is not None:
        if is_causal:
            mask, is_causal = causal_mask(query.shape[-2]), False
        if mask is not None and mask.dtype == torch.bool:
            mask = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
        mask = position_bias if mask is None else position_bias + mask
    scale = float(query.shape[-1] ** -0.5 if scaling is None else scaling)
    call = Call(query, key, value, mask, is_causal, scale, softcap, others.get("sliding_window"))
    return _TAKE.get()(call).transpose(1, 2).contiguous(), None
