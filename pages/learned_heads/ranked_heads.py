"""All heads of a whole model on one sequence: their maps, and their order by a measure of these maps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attn_core import AttentionMaps, label_tokens, measures
from attn_figures.long_map import SHORT
from attn_figures.ties import largest_first
from attn_figures.whole_model import Model
from attn_live.pyramid import level_sizes
from attn_ui.base.parameters import Steps, label_of
from pages.learned_heads.settings import RANK, RANK_BY

MOST_NUMBERS = 64_000  # at most, in all large maps on the slider
AT_ONCE = 500_000  # weights measured together: in double precision they take twice the memory of the maps
MOST_RANKS = 256  # on the slider, besides the present one
SPECIAL = RANK_BY.options[-1]
SHARES = (*RANK_BY.options[:4], SPECIAL)  # measures that are a mean weight, from 0 to 1
ALONG = (*RANK_BY.options[:4], "distance")  # measures for queries and keys of one sequence alone
SINK = 0.5  # from this share of a head's weight on, special tokens or the first are called an attention sink


@dataclass(frozen=True, eq=False)
class LayerRows:
    """The weights of one layer as the model computed them, and which queries and keys measures count.

    Attributes:
        full: the weights, (n_head, n_query, n_key), with all queries and keys.
        queries, keys: the indices of those that are shown.
        word_queries, special: the indices of queries that are words, and of keys that are special tokens.
    """

    full: Tensor
    queries: list[int]
    keys: list[int]
    word_queries: list[int]
    special: list[int]

    @property
    def visible(self) -> Tensor:
        """The weights from the shown queries to the shown keys, not rescaled."""
        return self.full[:, _stretch(self.queries)][:, :, _stretch(self.keys)]

    @property
    def shares(self) -> Tensor:
        """The weights with each row divided by its sum, below one if keys are cut off or there is a sink."""
        total = self.full.sum(dim=-1, keepdim=True)
        return self.full / total.masked_fill(total == 0, 1.0)

    def on_special(self) -> Tensor:
        """The mean weight that a word gives to all special tokens together, (n_head,)."""
        words = self.full[:, _stretch(self.word_queries)]
        return words[:, :, self.special].sum(dim=-1).mean(dim=-1)

    def entropy(self) -> Tensor:
        """The mean entropy of the shown queries that attend to anything, (n_head,)."""
        rows = self.shares[:, _stretch(self.queries)]
        return measures.entropy(rows).sum(dim=-1) / rows.any(dim=-1).sum(dim=-1).clamp(min=1)

    def distance(self) -> Tensor:
        """The mean distance from the shown queries to their keys, (n_head,)."""
        left_out = torch.ones(self.full.shape[1], dtype=torch.bool)
        left_out[self.queries] = False
        return measures.attention_distance(self.shares.masked_fill(left_out[:, None], 0.0))


def _stretch(places: list[int]) -> list[int] | slice:
    """Return consecutive indices as a slice, so that indexing copies nothing; others as they are."""
    first = places[0]
    return slice(first, first + len(places)) if places == [*range(first, first + len(places))] else places


MEASURES: Mapping[str, Callable[[LayerRows], Tensor]] = dict(
    zip(
        RANK_BY.options,
        (
            lambda rows: measures.previous_token_score(rows.visible),
            lambda rows: measures.next_token_score(rows.visible),
            lambda rows: measures.diagonal_score(rows.visible),
            lambda rows: measures.first_token_score(rows.visible),
            LayerRows.entropy,
            LayerRows.distance,
            LayerRows.on_special,
        ),
        strict=True,
    )
)


_SCORES: WeakKeyDictionary[AttentionMaps, dict[bool, Mapping[str, list[float]]]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class RankedHeads:
    """The heads of all layers, as zero-based indices over all, ordered by a measure of their true weights.

    Attributes:
        words_only: whether special tokens are hidden and each shown row is divided by its weight on words.
        masks: of each layer, True where a query may attend; None if it may everywhere, or if nobody knows.
    """

    maps: AttentionMaps
    measure: str
    words_only: bool = False
    masks: Sequence[NDArray[np.bool_] | None] | None = None

    @cached_property
    def displayed(self) -> AttentionMaps:
        """The maps that are drawn."""
        return self.maps.without_special() if self.words_only else self.maps

    @property
    def is_divided(self) -> bool:
        """Whether each row is divided by its weight on the words."""
        return self.displayed is not self.maps

    @cached_property
    def layers(self) -> list[np.ndarray]:
        """The maps that are drawn, (n_head, n_query, n_key) a layer."""
        return list(self.displayed.maps.values())

    @property
    def rows(self) -> Iterator[LayerRows]:
        """The true weights of each layer, made one at a time: they take twice the maps' memory."""
        return (self._rows(name, weights) for name, weights in self.maps.maps.items())

    def _rows(self, name: str, weights: np.ndarray) -> LayerRows:
        sides: list[list[int]] = []
        for length, tokens in zip(weights.shape[1:], self.maps.tokens_of(name), strict=True):
            places = list(range(length))
            is_own = tokens is not None and tokens is self.maps.tokens
            words = [place for place in places if not is_own or place not in self.maps.special] or places
            sides += [words if self.is_divided else places, words]
        queries, word_queries, keys, words = sides
        special = [place for place in range(weights.shape[2]) if place not in words]
        precise = np.float64 if max(weights.shape[1:]) <= SHORT else np.float32
        return LayerRows(
            torch.from_numpy(np.array(weights, dtype=precise)), queries, keys, word_queries, special
        )

    @property
    def special(self) -> list[str]:
        """The special tokens of the sequence, each once; none if all its tokens are special."""
        tokens = self.maps.tokens or ()
        special = [tokens[place] for place in sorted({*self.maps.special}) if place < len(tokens)]
        return list(dict.fromkeys(special)) if len(special) < len(tokens) else []

    @property
    def can_look(self) -> bool:
        """Whether any query has a key that the measure counts, such as a next token."""
        if self.measure not in self.measures:
            return False
        sides: list[tuple[int, int]] = [weights.shape[1:] for weights in self.layers]
        pairs = {
            "previous token": max(min(n_query - 1, n_key) for n_query, n_key in sides),
            "next token": max(min(n_query, n_key - 1) for n_query, n_key in sides),
            "first token": max(n_query - 1 for n_query, _ in sides),
        }
        return pairs.get(self.measure, 1) > 0

    @property
    def measures(self) -> list[str]:
        """The measures that are defined for this sequence."""
        return [
            name
            for name in RANK_BY.options
            if (name != SPECIAL or self.special) and not (self.maps.across and name in ALONG)
        ]

    @cached_property
    def names(self) -> list[str]:
        """The name of each layer."""
        return list(self.maps.maps)

    @property
    def n_head(self) -> int:
        """How many heads all layers have together."""
        return sum(len(weights) for weights in self.layers)

    @cached_property
    def all_scores(self) -> Mapping[str, list[float]]:
        """Each measure of every head, computed once for these maps and `words_only`."""
        cached = _SCORES.setdefault(self.maps, {})
        if self.words_only not in cached:
            cached[self.words_only] = self._measure()
        return cached[self.words_only]

    def _measure(self) -> Mapping[str, list[float]]:
        scores: dict[str, list[float]] = {name: [] for name in MEASURES}
        for layer, weights in self.maps.maps.items():
            count = max(1, AT_ONCE // weights[0].size)
            for first in range(0, len(weights), count):
                rows = self._rows(layer, weights[first : first + count])
                for name, measure in MEASURES.items():
                    is_defined = not self.maps.across or name not in ALONG
                    scores[name] += map(float, measure(rows)) if is_defined else [nan] * len(rows.full)
        return scores

    def sink(self, head: int) -> tuple[str, float]:
        """Return the measure that shows an attention sink here, and its value for a head."""
        measure = SPECIAL if self.special else "first token"
        return measure, self.all_scores[measure][head]

    @property
    def scores(self) -> list[float]:
        """The chosen measure of every head."""
        return self.all_scores[self.measure]

    @cached_property
    def order(self) -> list[int]:
        """The heads, the highest score first."""
        return self.order_by(self.measure)

    def order_by(self, measure: str) -> list[int]:
        """Return the heads by falling measure; equal ones stay in the model's order."""
        order: list[int] = largest_first(np.nan_to_num(self.all_scores[measure])).tolist()
        return order

    @property
    def longest(self) -> int:
        """The longest side of any map."""
        return max(int(side) for weights in self.layers for side in weights.shape[1:])

    @property
    def is_long(self) -> bool:
        """Whether a map is too long to draw its cells: it is drawn in blocks, with a zoomed map below."""
        return self.longest > SHORT

    def slider(self, rank: int) -> Steps:
        """Return the slider over ranks: all of them, or as many as a message holds and `rank`."""
        side = level_sizes(self.longest, self.longest)[-1][0] if self.is_long else self.longest
        room = min(MOST_RANKS, max(2, MOST_NUMBERS // side**2))
        return replace(RANK, values=tuple(sorted({*range(1, min(self.n_head, room) + 1), rank})))

    @cached_property
    def model(self) -> Model:
        """All heads as the value that the figures draw."""
        names = [[label_tokens(each) for each in self.displayed.names(layer)] for layer in self.names]
        return Model(
            self.layers,
            self.scores,
            label_of(RANK_BY, self.measure),
            self.order,
            [rows for rows, _columns in names],
            [columns for _rows, columns in names],
            [rows.visible.float().numpy() for rows in self.rows] if self.is_divided else None,
            None
            if self.masks is None
            else [
                None if mask is None else mask[np.ix_(rows.queries, rows.keys)]
                for mask, rows in zip(self.masks, self.rows, strict=True)
            ],
        )


def head_names(ranked: RankedHeads, ranks: Sequence[float]) -> list[str]:
    """Return the names of the heads at these ranks, which count from 1."""
    return [ranked.model.name(ranked.order[int(rank) - 1]) for rank in ranks]
