"""Rotary: pairs turn with the position, and the score depends on the offset alone."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from attn_core import Scheme
from attn_figures import position_curves as pictures
from attn_figures.numbers import fixed_point
from attn_figures.scene import Scene
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.scenes import shared_scene
from attn_words import _
from pages.positional_encoding.compute import Result
from pages.positional_encoding.settings import OFFSET, SHIFT
from pages.positional_encoding.state import State


def view(_ask: Controls, result: Result) -> View[Result]:
    """Draw the turned pairs of a query and a key, and their score over the offset."""
    figure = Figure(
        _draw(result.state.still(SHIFT, OFFSET)),
        key="turning",
        name=result.scheme_name,
        slider=Slider(_("Query's position"), SHIFT),
        rows=Slider(_("Key's offset"), OFFSET),
    )
    return View(result, figure)


@dataclass(frozen=True, eq=False)
class PairTurns:
    """The pairs that are drawn, all pairs' radians a position (n_pair,), and the score over the offset."""

    pairs: list[int]
    frequencies: NDArray[np.float64]
    curve: NDArray[np.float64]


def turns(scheme: Scheme, width: int, layout: str) -> PairTurns:
    """Return the turns of a scheme, with frequencies measured as angles of a vector turned to position 1."""
    n_pair = width // 2
    pairs = torch.arange(width).reshape(n_pair, 2)
    if layout == "concatenated":
        pairs = torch.arange(width).reshape(2, n_pair).T
    unturned = torch.zeros(1, width, dtype=torch.float64)
    unturned[:, pairs[:, 0]] = 1.0
    rotated = scheme.turn(unturned, torch.ones(1))[0]
    angles = torch.atan2(rotated[pairs[:, 1]], rotated[pairs[:, 0]])
    shown_pairs = sorted({0, n_pair // 8, 3 * n_pair // 8})  # fast, slower and slow, each with a visible turn
    return PairTurns(
        shown_pairs, angles[shown_pairs].numpy(), scheme.profile(len(OFFSET.values), width).numpy()
    )


@shared_scene
def _draw(state: State) -> Scene:
    result = Result(state)
    scheme = result.bare()
    view = turns(scheme, result.width, state.scheme.layout)
    shifts, offsets = (torch.tensor([int(value) for value in each.values]) for each in (SHIFT, OFFSET))
    angles = np.add.outer(shifts.numpy(), offsets.numpy())[..., None] * view.frequencies
    figures = [
        pictures.turning(
            np.stack([view.frequencies * shift] * 2),
            view.pairs,
            view.frequencies,
            view.curve,
            n_visible=len(offsets),
        )
        for shift in shifts.tolist()
    ]
    # The score of one vector at each query position with itself at each offset from there.
    vector = torch.full((1, result.width), result.width**-0.5, dtype=torch.float64)
    query = scheme.turn(vector.expand(len(shifts), -1), shifts)
    keys = scheme.turn(vector.expand(len(shifts), len(offsets), -1), shifts[:, None] + offsets)
    scores = (keys @ query[..., None])[..., 0]
    captions = sentences(scores.numpy(), view.curve)
    changes, by_step = pictures.turning_cursor(angles, view.pairs, view.curve)
    return Scene(figures, Cursor(len(offsets), changes, by_step), captions=captions)


def sentences(scores: NDArray[np.float64], at_zero: NDArray[np.float64]) -> list[list[str]]:
    """Say that the score of a turned query and key does not depend on where both stand.

    Args:
        scores: by position of the query and offset of the key from it, (n_place, n_offset).
        at_zero: the scores at place 0, (n_offset,).
    """
    # Thousands of sentences are made at once: their common message is translated once.
    form = _(
        "The query stands at {place}, the key {offset} further: both have turned, and the angle between them "
        "is that of the offset. Their score is {score}; at positions 0 and {offset} it is {at_zero}."
    ).format
    first = [fixed_point(score, 4) for score in at_zero.tolist()]
    return [
        [
            form(place=place, offset=offset, score=fixed_point(score, 4), at_zero=first[offset])
            for offset, score in enumerate(row)
        ]
        for place, row in enumerate(scores.tolist())
    ]
