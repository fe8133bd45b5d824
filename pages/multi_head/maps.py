"""The main picture of the multi-head page: every position of the heads slider, computed and packed once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import streamlit as st
from torch import Tensor

from attn_core import (
    MultiHead,
    MultiHeadAttention,
    attention_distance,
    diagonal_score,
    effective_keys,
    entropy,
    previous_token_score,
)
from attn_figures.multi_head import Heads, combined, every_head, two_heads
from attn_figures.picture import Spec
from attn_ui.live_figure import pack
from pages.multi_head.numbers import (
    Sequences,
    Setting,
    array,
    heads_slider,
    mask_array,
    module,
    sequences,
    stages,
)

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
class Look:
    """How the maps are shown; heads, queries and keys are counted from 0."""

    view: str
    order: str
    head: int
    against: int
    cell: tuple[int, int]
    off: tuple[int, ...]


@dataclass(frozen=True)
class Now:
    """What the page shows at this moment; heads, queries and keys are counted from 0."""

    setting: Setting
    look: Look
    n_head: int

    @cached_property
    def result(self) -> MultiHead:
        """Every stage, at the present number of heads."""
        return stages(self.setting, self.n_head)

    @cached_property
    def module(self) -> MultiHeadAttention:
        """The attention itself."""
        return module(self.setting, self.n_head)

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


def chosen_heads(n_head: int, off: Sequence[int]) -> list[int]:
    """Return the heads, from 0, that are on; all of them when none is."""
    return [head for head in range(n_head) if head not in off] or list(range(n_head))


@st.cache_data(max_entries=24, show_spinner=False)
def packed(setting: Setting, look: Look) -> bytes:
    """Return every position of the heads slider as the live figure takes it."""
    return pack(_draw(setting, look, [int(n_head) for n_head in heads_slider(setting).values]))


def _draw(setting: Setting, look: Look, numbers: Sequence[int]) -> list[Spec]:
    n = sequences(setting)
    results = [stages(setting, n_head) for n_head in numbers]
    outputs = [array(output_of(result, look.off)) for result in results]
    limit = max(float(abs(output).max()) for output in outputs) or 1.0
    figures = []
    for n_head, result, output in zip(numbers, results, outputs, strict=True):
        heads = Heads(array(result.weights), output, n.queries, n.keys, mask_array(setting), look.off)
        if look.view == "mean and max":
            figures.append(combined.spec(heads, chosen=chosen_heads(n_head, look.off), cell=look.cell))
        elif look.view == "two heads":
            one, other = min(look.head, n_head - 1), min(look.against, n_head - 1)
            figures.append(two_heads.spec(heads, one, other, cell=look.cell))
        else:
            figures.append(
                every_head.spec(
                    heads,
                    slots=max(numbers),
                    order=order_of(look.order, result),
                    head=look.head,
                    cell=look.cell,
                    projected=setting.projection,
                    output_limit=limit,
                )
            )
    return figures
