"""All heads of a whole model on one sequence: their maps, one number a head, and their order by it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from attn_core import (
    AttentionMaps,
    attention_distance,
    diagonal_score,
    entropy,
    first_token_score,
    label_tokens,
    next_token_score,
    previous_token_score,
)
from attn_figures.whole_model import Model
from attn_ui.parameters import Steps
from pages.learned_heads.settings import RANK, RANK_BY

MOST_NUMBERS = 64_000  # of all large maps on the slider
MEASURES: Mapping[str, Callable[[Tensor], Tensor]] = dict(
    zip(
        RANK_BY.options,
        (
            previous_token_score,
            next_token_score,
            diagonal_score,
            first_token_score,
            lambda weights: entropy(weights).mean(dim=-1),
            attention_distance,
        ),
        strict=True,
    )
)
SHARES = RANK_BY.options[:4]  # measures that are a mean weight, from 0 to 1


@dataclass(frozen=True, eq=False)
class Whole:
    """The heads of all layers, counted through from 0, in the order of one measure."""

    maps: AttentionMaps
    measure: str

    @cached_property
    def layers(self) -> list[np.ndarray]:
        """The maps, (n_head, n_query, n_key) a layer."""
        return list(self.maps.maps.values())

    @cached_property
    def names(self) -> list[str]:
        """What each layer is called."""
        return list(self.maps.maps)

    @property
    def n_head(self) -> int:
        """Heads over all layers."""
        return sum(len(weights) for weights in self.layers)

    @cached_property
    def all_scores(self) -> Mapping[str, list[float]]:
        """Each measure of every head."""
        maps = [torch.from_numpy(np.array(weights, dtype=np.float64)) for weights in self.layers]
        return {
            name: [float(score) for weights in maps for score in measure(weights)]
            for name, measure in MEASURES.items()
        }

    @property
    def scores(self) -> list[float]:
        """The chosen measure of every head."""
        return self.all_scores[self.measure]

    @cached_property
    def order(self) -> list[int]:
        """The heads, the highest score first."""
        return self.order_by(self.measure)

    def order_by(self, measure: str) -> list[int]:
        """Return the heads in the order of a measure; equal ones as they stand in the model."""
        scores = self.all_scores[measure]
        return sorted(range(self.n_head), key=lambda head: -scores[head])

    @property
    def longest(self) -> int:
        """The longest side of any map."""
        return max(int(side) for weights in self.layers for side in weights.shape[1:])

    def slider(self, rank: int) -> Steps:
        """Return the ranks on the slider: all, or as many as a message has room for, and the present one."""
        room = max(2, MOST_NUMBERS // self.longest**2)
        return replace(RANK, values=tuple(sorted({*range(1, min(self.n_head, room) + 1), rank})))

    @cached_property
    def model(self) -> Model:
        """What the figures take."""
        names = {
            length: label_tokens(self.maps.names(length))
            for length in {side for weights in self.layers for side in weights.shape[1:]}
        }
        return Model(
            self.layers,
            self.scores,
            self.measure,
            self.order,
            [names[weights.shape[1]] for weights in self.layers],
            [names[weights.shape[2]] for weights in self.layers],
        )


def head_names(whole: Whole, ranks: Sequence[float]) -> list[str]:
    """Return what the heads at these ranks are called."""
    return [whole.model.name(whole.order[int(rank) - 1]) for rank in ranks]
