"""The view "points": queries and keys of every head in a plane of its own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attn_core.plane import main_directions
from attn_figures.multi_head import head_title
from attn_figures.numbers import as_share
from attn_figures.picture import Spec
from attn_figures.planes import (
    SMALL_SIZE,
    AttentionPlane,
    QueryKeyPlane,
    before_head,
    small_multiples,
    split_moves,
)
from attn_live.packing import Cursor
from attn_words import _, cached
from pages.multi_head import words
from pages.multi_head.compute import Result, array, mask_array, order_of, sequences, stages
from pages.multi_head.state import NO_DETAILS, HeadsSetting


@cached(64)
def _planes(setting: HeadsSetting, n_head: int) -> list[QueryKeyPlane]:
    attention, tokens = stages(setting, n_head), sequences(setting)
    main = main_directions(attention.query, attention.key)
    return [
        QueryKeyPlane(
            array(queries), array(keys), (tokens.queries, tokens.keys), array(explained), array(products)
        )
        for queries, keys, explained, products in zip(
            main.queries, main.keys, main.explained, attention.scores, strict=True
        )
    ]


def planes(result: Result) -> list[QueryKeyPlane]:
    """Return the plane of each head, the same under any mask and temperature."""
    still = replace(result.setting, temperature=1.0, mask="none", reach=1, masking=NO_DETAILS, patterns=())
    return _planes(still, result.n_head)


def attended(steps: Sequence[Result], head: int) -> AttentionPlane:
    """Return one head in its plane at all steps; steps without this head have plane None and weights 0."""
    shape = len(steps[0].tokens.queries), len(steps[0].tokens.keys)
    weights, masks = np.zeros((len(steps), *shape)), np.zeros((len(steps), *shape), dtype=bool)
    for step, result in enumerate(steps):
        if head < result.n_head:
            may = mask_array(result.setting, result.n_head)
            weights[step] = array(result.attention.weights[head])
            masks[step] = True if may is None else np.broadcast_to(may, (result.n_head, *shape))[head]
    planes_at = [planes(result)[head] if head < result.n_head else None for result in steps]
    return AttentionPlane(planes_at, weights, masks, SMALL_SIZE, before_head(head))


def draw(steps: Sequence[Result]) -> Sequence[Spec]:
    """Draw the plane of each head; all steps have room for the most heads of any."""
    slots = max(result.n_head for result in steps)
    return [
        small_multiples(
            [attended([result], head) for head in range(result.n_head)],
            [_title(result, head, plane) for head, plane in enumerate(planes(result))],
            slots=slots,
            order=order_of(result.look.order, result.attention),
        )
        for result in steps
    ]


def follow(steps: Sequence[Result]) -> Cursor:
    """Return the parts of the picture that the slider over the queries moves."""
    values: dict[str, list[Any]] = {}
    for head in range(max(result.n_head for result in steps)):
        values |= attended(steps, head).follow()
    return Cursor(len(steps[0].tokens.queries), **split_moves(values))


def describe(result: Result) -> str:
    """Say the query's largest weight over all heads, and how much of its score the plane shows."""
    return words.describe_points(result, planes(result))


def _title(result: Result, head: int, plane: QueryKeyPlane) -> str:
    name, share = head_title(head, off=result.off), float(plane.explained.sum())
    if np.isnan(share):
        return _("{head} is zero", head=name)
    return _("{head} keeps {share}", head=name, share=as_share(share))
