"""The numbers of the single-head page: from its settings to every stage, at every place of its slider."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

import attn_core
from attn_core import make_mask
from attn_core.hard_lookup import hard_lookup
from attn_core.plane import Plane, chosen_dimensions, count_rank_changes, main_directions
from attn_core.scores import DOT
from attn_figures.points import HeadPlanes, QueryKeyPlane
from attn_figures.single_head import Lookup, Walk
from attn_ui.base.set_aside import NOTHING_ASIDE, SetAside
from attn_words import cached
from pages.single_head.aside import set_aside
from pages.single_head.head import SingleHead, make_head
from pages.single_head.state import Along, Inputs, Scoring, StageOptions, State

PLAIN_LOOK = StageOptions()


@dataclass(frozen=True, eq=False)
class Result:
    """What the page shows at one place of its slider: picture, words, tabs, checks and code read this."""

    inputs: Inputs
    scoring: Scoring
    head: SingleHead
    temperature: float
    width: int
    cell: tuple[int, int]  # the chosen query and key
    walk: Walk  # every stage
    effective: NDArray[np.float64]  # over how many keys each query spreads in effect
    beside_dot: tuple[float, float]  # how far weights and output are at most from those of the dot product
    aside: SetAside = NOTHING_ASIDE
    along: Along | None = None  # the plane that points are seen in, where the stage draws them

    @property
    def scale(self) -> float:
        """What the scores are multiplied by, before the temperature."""
        return self.scoring.scale_at(self.head.d_k)

    @property
    def own(self) -> dict[str, Tensor]:
        """The weights that the score has of its own."""
        return attn_core.score_weights(self.scoring.score, self.head.d_k, seed=self.inputs.seed)

    @property
    def factor(self) -> str:
        """The same as an operator."""
        return self.scoring.factor_at(self.head.d_k)

    @property
    def mask(self) -> Tensor:
        """Where each query may attend, for `attn_core`."""
        return torch.from_numpy(self.walk.mask)


def at_every_step(
    state: State, cell: tuple[int, int] = (0, 0), look: StageOptions = PLAIN_LOOK
) -> list[Result]:
    """Attend at each value of the slider that moves, all in one call; at the given values where none does.

    Args:
        state: the settings.
        cell: the chosen (query, key); beyond the last of them, the last is taken.
        look: how the picture looks at the weights.

    Raises:
        ValueError: typed tables that do not fit one another.
    """
    steps = _at_every_step(state, look)
    walk = steps[0].walk
    cell = min(cell[0], len(walk.queries) - 1), min(cell[1], len(walk.keys) - 1)
    return [*steps] if cell == steps[0].cell else [replace(result, cell=cell) for result in steps]


@cached(16)
def _at_every_step(state: State, look: StageOptions) -> tuple[Result, ...]:
    """Attend; kept, as a picture and what is said of it ask one after the other, and so does each run."""
    inputs, scoring = state.inputs, state.scoring
    head = make_head(inputs)
    shape = len(head.queries), len(head.keys)
    temperatures = list(scoring.temperature.values) if look.moves == "temperature" else [look.temperature]
    widths = [int(each) for each in scoring.width.values] if look.moves == "mask width" else [look.width]
    masks = torch.stack([make_mask(scoring.masking, *shape, each) for each in widths])
    walks, effective, beside_dot = _walks(head, state, masks, temperatures, look.along)
    if look.group.also:
        walks = [replace(walk, group=look.group) for walk in walks]
    asides = look.asides
    if len(asides) > 1 or asides[0].what:
        walks = set_aside(walks[0], asides)
    return tuple(
        Result(
            inputs,
            scoring,
            head,
            temperatures[min(step, len(temperatures) - 1)],
            widths[min(step, len(widths) - 1)],
            (0, 0),
            walk,
            effective[min(step, len(effective) - 1)],
            beside_dot[min(step, len(beside_dot) - 1)],
            asides[min(step, len(asides) - 1)],
            look.along,
        )
        for step, walk in enumerate(walks)
    )


def _walks(
    head: SingleHead, state: State, masks: Tensor, temperatures: Sequence[float], along: Along | None = None
) -> tuple[list[Walk], NDArray[np.float64], list[tuple[float, float]]]:
    """Compute every stage at every step, masks (1 or steps, n_query, n_key); and the keys in effect."""
    scoring, scale = state.scoring, state.scoring.scale_at(head.d_k)
    temperature = torch.tensor(temperatures, dtype=torch.float64)[:, None, None]
    dot = attn_core.scaled_dot_product_attention(
        head.query,
        head.key,
        head.value,
        masks,
        scale=scale if attn_core.SCORES[scoring.score].is_scaled else None,
        temperature=temperature,
        sink=scoring.sink,
    )
    attention, own = dot, attn_core.score_weights(scoring.score, head.d_k, seed=state.inputs.seed)
    if scoring.score != DOT:
        attention = attn_core.score_attention(
            scoring.score, head.query, head.key, head.value, masks, weights=own, scale=scale,
            temperature=temperature, sink=scoring.sink,
        )  # fmt: skip
    beside_dot = [
        (float((ours - theirs).abs().max()), float((made - dot_made).abs().max()))
        for ours, theirs, made, dot_made in zip(
            attention.weights, dot.weights, attention.output, dot.output, strict=True
        )
    ]
    moving = {
        "scaled_scores": (attention.scores * scale / temperature).expand(attention.weights.shape),
        "weights": attention.weights,
        "output": attention.output,
    }
    arrays = {name: np.asarray(values) for name, values in moving.items()}
    lookup = hard_lookup(attention.scores, head.value, masks)
    apart = np.asarray((attention.output - lookup.output).norm(dim=-1))
    lookups = [
        (np.asarray(each), np.asarray(made)) for each, made in zip(lookup.weights, lookup.output, strict=True)
    ]
    each_mask = [np.asarray(mask) for mask in masks]
    x = None if head.x is None else np.asarray(head.x)
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
        "scores": np.asarray(attention.scores),
        "score": scoring.score,
        "sink": scoring.sink,
        "score_weights": {name: np.asarray(each) for name, each in own.items()},
        "points": None if along is None else cache(partial(_points, head, attention.scores, along)),
        "is_masked": scoring.masking.kind != "none",
        "factor": f"{scoring.factor_at(head.d_k)}<br>÷ T",
    }
    walks = [
        Walk(
            **shared_fields,
            scale=scale / temperatures[min(step, len(temperatures) - 1)],
            mask=each_mask[min(step, len(each_mask) - 1)],
            lookup=Lookup(*lookups[min(step, len(lookups) - 1)], apart[step]),
            **{name: values[step] for name, values in arrays.items()},
        )
        for step in range(len(attention.weights))
    ]
    shares = attention.weights / attention.weights.sum(dim=-1, keepdim=True).clamp(min=1e-300)
    return walks, np.asarray(attn_core.effective_keys(shares)), beside_dot


def plane_of(head: SingleHead, along: Along) -> Plane:
    """Return the plane that queries and keys are seen in."""
    if along.dimensions is None:
        return main_directions(head.query, head.key)
    return chosen_dimensions(head.query, head.key, *along.dimensions)


def _points(head: SingleHead, scores: Tensor, along: Along) -> HeadPlanes:
    """Find the plane of queries and keys, and that of the values."""
    plane, mixed = plane_of(head, along), main_directions(head.value, head.value)
    plane_of_pairs = QueryKeyPlane(
        np.asarray(plane.queries),
        np.asarray(plane.keys),
        (head.queries, head.keys),
        np.asarray(plane.explained),
        np.asarray(head.query @ head.key.mT),
        along.dimensions,
    )
    return HeadPlanes(
        plane_of_pairs,
        np.asarray(mixed.keys),
        np.asarray(mixed.directions),
        np.asarray(mixed.explained),
        np.asarray(count_rank_changes(scores, plane.scores)),
    )
