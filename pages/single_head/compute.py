"""Compute every stage of a single head from its settings, at every position of the slider."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

import attn_core
from attn_core import make_mask
from attn_core.hard_lookup import hard_lookup
from attn_core.measures import row_shares
from attn_core.plane import Plane, chosen_dimensions, count_rank_changes, main_directions
from attn_core.scores import DOT
from attn_figures.planes import HeadPlanes, QueryKeyPlane
from attn_figures.single_head import HeadMatrices, Lookup
from attn_ui.base.removed_weights import NO_REMOVAL, Removal
from attn_words import cached
from pages.single_head.head import SingleHead, make_head
from pages.single_head.removed_weights import with_removals
from pages.single_head.state import Along, Inputs, Scoring, StageOptions, State

PLAIN_LOOK = StageOptions()


@dataclass(frozen=True, eq=False)
class Result:
    """The settings and every stage at one position of the slider; every part of the page reads them."""

    inputs: Inputs
    scoring: Scoring
    head: SingleHead
    temperature: float
    width: int
    cell: tuple[int, int]  # the chosen query and key
    matrices: HeadMatrices  # every stage
    effective: NDArray[np.float64]  # each query's effective number of keys
    removal: Removal = NO_REMOVAL
    along: Along | None = None  # the plane of the points, if the stage draws points

    @property
    def scale(self) -> float:
        """The factor on the scores, before the temperature."""
        return self.scoring.scale_at(self.head.d_k)

    @cached_property
    def beside_dot(self) -> tuple[float, float]:
        """The largest differences of weights and of output from those of the scaled dot product."""
        head, is_scaled = self.head, attn_core.SCORES[self.scoring.score].is_scaled
        dot = attn_core.scaled_dot_product_attention(
            *(head.query, head.key, head.value, self.mask),
            scale=self.scale if is_scaled else None,
            temperature=self.temperature,
            sink=self.scoring.sink,
        )
        weights = dot.weights.numpy() - self.matrices.weights
        return float(np.abs(weights).max()), float(np.abs(dot.output.numpy() - self.matrices.output).max())

    @property
    def own(self) -> dict[str, Tensor]:
        """The weights of the score function, by name; {} for a score without weights."""
        return attn_core.score_weights(self.scoring.score, self.head.d_k, seed=self.inputs.seed)

    @property
    def factor(self) -> str:
        """The scale as text, "÷ √4"."""
        return self.scoring.factor_at(self.head.d_k)

    @property
    def mask(self) -> Tensor:
        """Where each query may attend, for `attn_core`."""
        return torch.from_numpy(self.matrices.mask)


def at_every_step(
    state: State, cell: tuple[int, int] = (0, 0), look: StageOptions = PLAIN_LOOK
) -> list[Result]:
    """Return a result for each value of the slider, computed in one batch; one result without a slider.

    Args:
        state: the settings.
        cell: the chosen (query, key), each at most the last.
        look: what the slider moves, and how the picture shows the weights.

    Raises:
        ValueError: typed tables that do not fit one another.
    """
    steps = _at_every_step(state, look)
    matrices = steps[0].matrices
    cell = min(cell[0], len(matrices.queries) - 1), min(cell[1], len(matrices.keys) - 1)
    return [*steps] if cell == steps[0].cell else [replace(result, cell=cell) for result in steps]


@cached(16)
def _at_every_step(state: State, look: StageOptions) -> tuple[Result, ...]:
    """Attend at every step; cached, as picture, captions and later runs of the page use the results."""
    inputs, scoring, head, removals = state.inputs, state.scoring, make_head(state.inputs), look.removals
    temperatures = list(scoring.temperature.values) if look.moves == "temperature" else [look.temperature]
    widths = [int(each) for each in scoring.width.values] if look.moves == "mask width" else [look.width]
    shape = len(head.queries), len(head.keys)
    masks = torch.stack([make_mask(scoring.masking, *shape, each) for each in widths])
    matrices, effective = _matrices(head, state, masks, temperatures, look)
    if len(removals) > 1 or removals[0].kind:
        matrices = with_removals(matrices[0], removals)
    moving = (_repeat(each, len(matrices)) for each in (temperatures, widths, effective, removals))
    return tuple(
        Result(inputs, scoring, head, temperature, width, (0, 0), matrices, keys, removal, look.along)
        for matrices, temperature, width, keys, removal in zip(matrices, *moving, strict=True)
    )


def _repeat(values: Sequence[Any] | NDArray[Any], n_steps: int) -> list[Any]:
    """Return one value a step: the values themselves, or a single value repeated."""
    return [*values] * (n_steps // len(values))


def _matrices(
    head: SingleHead, state: State, masks: Tensor, temperatures: Sequence[float], look: StageOptions
) -> tuple[list[HeadMatrices], NDArray[np.float64]]:
    """Compute every stage and the effective keys at every step; masks are (1 or steps, n_query, n_key)."""
    scoring, scale = state.scoring, state.scoring.scale_at(head.d_k)
    temperature = torch.tensor(temperatures, dtype=torch.float64)[:, None, None]
    settings: dict[str, Any] = {"scale": scale, "temperature": temperature, "sink": scoring.sink}
    vectors, own = (head.query, head.key, head.value, masks), dict[str, Tensor]()
    if scoring.score == DOT:
        attention = attn_core.scaled_dot_product_attention(*vectors, **settings)
    else:
        own = attn_core.score_weights(scoring.score, head.d_k, seed=state.inputs.seed)
        attention = attn_core.score_attention(scoring.score, *vectors, parameters=own, **settings)
    x = None if head.x is None else np.asarray(head.x)
    along, scores, n_steps = look.along, attention.scores, len(attention.weights)
    shared_fields: dict[str, Any] = {
        "queries": head.queries,
        "keys": head.keys,
        "x": x,
        "memory": x if head.memory is head.x or head.memory is None else np.asarray(head.memory),
        "projections": None if head.projections is None else [np.asarray(each) for each in head.projections],
        "biases": None if head.biases is None else [np.asarray(each) for each in head.biases],
        "query": np.asarray(head.query),
        "key": np.asarray(head.key),
        "value": np.asarray(head.value),
        "scores": np.asarray(scores),
        "score": scoring.score,
        "sink": scoring.sink,
        "score_weights": {name: np.asarray(each) for name, each in own.items()},
        "points": None if along is None else cache(partial(_points, head, along)),
        "group": look.group,
        "is_masked": scoring.masking.kind != "none",
        "factor": f"{scoring.factor_at(head.d_k)}<br>÷ T",
    }
    moving = {
        "scale": _repeat([scale / each for each in temperatures], n_steps),
        "scaled_scores": np.asarray((scores * scale / temperature).expand(attention.weights.shape)),
        "mask": _repeat([np.asarray(mask) for mask in masks], n_steps),
        "weights": np.asarray(attention.weights),
        "output": np.asarray(attention.output),
        "lookup": [
            cache(partial(_lookup, scores, head.value, mask, output))
            for mask, output in zip(_repeat([*masks], n_steps), attention.output, strict=True)
        ],
    }
    matrices = [
        HeadMatrices(**shared_fields, **dict(zip(moving, step, strict=True)))
        for step in zip(*moving.values(), strict=True)
    ]
    shares = row_shares(attention.weights)
    return matrices, np.asarray(attn_core.effective_keys(shares))


def _lookup(scores: Tensor, value: Tensor, mask: Tensor, output: Tensor) -> Lookup:
    """Look up the best keys, and measure the distance of the soft output from the hard one."""
    hard = hard_lookup(scores, value, mask)
    distance = (output - hard.output).norm(dim=-1)
    return Lookup(np.asarray(hard.weights), np.asarray(hard.output), np.asarray(distance))


def plane_of(head: SingleHead, along: Along) -> Plane:
    """Return the plane in which queries and keys are drawn."""
    if along.dimensions is None:
        return main_directions(head.query, head.key)
    return chosen_dimensions(head.query, head.key, *along.dimensions)


def _points(head: SingleHead, along: Along) -> HeadPlanes:
    """Compute the plane of queries and keys, and the plane of the values."""
    plane, mixed = plane_of(head, along), main_directions(head.value, head.value)
    products = head.query @ head.key.mT
    plane_of_pairs = QueryKeyPlane(
        np.asarray(plane.queries),
        np.asarray(plane.keys),
        (head.queries, head.keys),
        np.asarray(plane.explained),
        np.asarray(products),
        along.dimensions,
    )
    return HeadPlanes(
        plane_of_pairs,
        np.asarray(mixed.keys),
        np.asarray(mixed.directions),
        np.asarray(mixed.explained),
        np.asarray(count_rank_changes(products, plane.scores)),
    )
