"""Attention through all layers of a model: weights, lengths of weighted values, rollout, sinks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from attn_core import MultiHead, label_tokens
from attn_core.attention_flow import (
    attention_rollout,
    drop_keys,
    find_sinks,
    sink_shares,
    weighted_value_norms,
)
from attn_ui.base.parameters import Steps
from attn_words import _
from pages.learned_heads.compute import Result
from pages.learned_heads.settings import LAYER, MOST_LAYERS
from pages.learned_heads.state import Heads

MOST_TOKENS = 128
MOST_NUMBERS = 250_000  # at most, in the maps at all positions of the slider


@dataclass(frozen=True, eq=False)
class AttentionFlow:
    """All layers of a model on one text, with the heads that are on.

    Attributes:
        source: a toy at one step of its training, or a whole model.
        tokens: of the text; labels: the tokens, numbered where one occurs again.
        maps: the weights of each layer's heads that are on, (n_head, n, n); numbers: these heads' numbers.
        stages: every stage of each layer, with all heads; None if values or projections are unknown.
        on: the zero-based indices of each layer's heads that are on.
        mask: True where a query may attend, (n_layer, n, n).
        at: the zero-based index of the layer on screen.
    """

    source: Result | Heads
    labels: Sequence[str]
    tokens: Sequence[str]
    maps: Sequence[Tensor]
    numbers: Sequence[Sequence[str]]
    stages: Sequence[MultiHead] | None
    on: Sequence[Sequence[int]]
    mask: Tensor
    is_causal: bool
    drops_sinks: bool = False
    at: int = 0

    @property
    def n_layer(self) -> int:
        """How many layers there are."""
        return len(self.maps)

    @cached_property
    def weights(self) -> Tensor:
        """The mean weights of each layer's heads, sinks included, (n_layer, n, n)."""
        return torch.stack([each.sum(dim=0) / max(1, len(each)) for each in self.maps])

    @cached_property
    def norms(self) -> Tensor | None:
        """The lengths of the weighted values, averaged over a layer's heads, (n_layer, n, n)."""
        if self.stages is None:
            return None
        lengths = [weighted_value_norms(each).double() for each in self.stages]
        norms = [each[list(heads)] for each, heads in zip(lengths, self.on, strict=True)]
        return torch.stack([each.sum(dim=0) / max(1, len(each)) for each in norms])

    @cached_property
    def shares(self) -> Tensor:
        """The mean weight that each key has from the other tokens, (n_layer, n)."""
        return sink_shares(self.weights)

    @cached_property
    def sinks(self) -> Tensor:
        """Which keys are sinks, (n_layer, n)."""
        return find_sinks(self.weights)

    @cached_property
    def dropped_keys(self) -> Tensor:
        """Which keys are left out as sinks, (n_layer, n)."""
        return self.sinks if self.drops_sinks else torch.zeros_like(self.sinks)

    @cached_property
    def layer_weights(self) -> Tensor:
        """The mean weights, without sinks if these are dropped, as drawn and rolled out, (n_layer, n, n)."""
        return drop_keys(self.weights, self.dropped_keys) if self.drops_sinks else self.weights

    @cached_property
    def written_shares(self) -> Tensor | None:
        """The lengths in `norms`, each row divided by its sum, (n_layer, n, n)."""
        return None if self.norms is None else drop_keys(self.norms, self.dropped_keys)

    @cached_property
    def rollout(self) -> Tensor:
        """The rollout up to each layer, (n_layer, n, n)."""
        return attention_rollout(self.layer_weights)

    @cached_property
    def visible(self) -> Tensor:
        """The cells that are not masked or dropped, and so not hatched, (n_layer, n, n)."""
        return self.mask & ~self.dropped_keys[:, None]

    @property
    def slider(self) -> Steps:
        """The slider over the layers, as many as fit in a message."""
        n = len(self.labels)
        steps = replace(LAYER, values=tuple(range(1, self.n_layer + 1)))
        return steps.fitting(5 * n * n, MOST_NUMBERS)


def toy_flow(result: Result, *, drops_sinks: bool = False) -> AttentionFlow:
    """Return the attention flow of a toy, without the heads that are off."""
    heads = range(result.recipe.heads)
    on = [
        [head for head in heads if head + layer * len(heads) not in result.setting.off]
        for layer in range(result.recipe.layers)
    ]
    stages = result.toy_run.layers
    n = len(result.symbols)
    mask = result.sequence_run.mask
    may_attend = torch.ones(n, n, dtype=torch.bool) if mask is None else torch.tensor(mask)
    return AttentionFlow(
        result,
        label_tokens(result.symbols),
        result.symbols,
        [each.weights[heads_on].double() for each, heads_on in zip(stages, on, strict=True)],
        [[result.number(head + layer * len(heads)) for head in each] for layer, each in enumerate(on)],
        stages,
        on,
        may_attend.expand(len(stages), n, n),
        result.task.causal,
        drops_sinks,
    )


def model_flow(heads: Heads, *, drops_sinks: bool = False) -> AttentionFlow:
    """Return the attention flow of a whole model.

    Raises ValueError for maps that are not all square and of one size, and for too many layers or tokens.
    """
    ranked = heads.ranked
    if ranked.maps.across or any(", part " in name or ", sequence " in name for name in ranked.names):
        raise ValueError(
            _("Attention flow goes from layer to layer of one sequence; these maps are of several")
        )
    maps = [torch.from_numpy(np.array(each, dtype=np.float64)) for each in ranked.maps.maps.values()]
    sides = sorted({int(side) for each in maps for side in each.shape[1:]})
    if len(sides) > 1:
        text = _(
            "Attention flow takes maps of one square size in all layers; these have sides of {sizes}",
            sizes=", ".join(map(str, sides)),
        )
        raise ValueError(text)
    n = sides[0]
    if n > MOST_TOKENS or len(maps) > MOST_LAYERS:
        text = _(
            "Attention flow takes at most {tokens} tokens and {layers} layers; these maps have {n} and "
            "{count}",
            tokens=MOST_TOKENS,
            layers=MOST_LAYERS,
            n=n,
            count=len(maps),
        )
        raise ValueError(text)
    tokens = ranked.maps.names(ranked.names[0])[0]
    all_pairs = torch.ones(n, n, dtype=torch.bool)
    masks = ranked.masks or [None] * len(maps)
    numbers = [[f"{layer + 1}.{head + 1}" for head in range(len(each))] for layer, each in enumerate(maps)]
    if heads.model is None:
        stages, is_causal = None, all(not each.triu(1).any() for each in maps)
    else:
        every_stage = heads.model.stages(heads.text)
        # What a head writes is known only if one projection takes its output.
        is_known = all(each.output_weight is not None for each in every_stage)
        stages = [_first(each) for each in every_stage] if is_known else None
        is_causal = heads.model.is_causal
    mask = torch.stack([all_pairs if each is None else torch.tensor(each) for each in masks])
    return AttentionFlow(
        heads,
        label_tokens(tokens),
        tokens,
        maps,
        numbers,
        stages,
        [range(len(each)) for each in maps],
        mask,
        is_causal and n > 1,
        drops_sinks,
    )


def _first(stages: MultiHead) -> MultiHead:
    """Return the first sequence of the stages that `norms` uses: values, weights and heads."""
    return replace(stages, value=stages.value[0], weights=stages.weights[0], heads=stages.heads[0])
