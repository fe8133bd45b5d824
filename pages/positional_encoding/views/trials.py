"""The main pictures about attention: before and after, shuffled, shifted, and scheme beside scheme."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator
from torch import Tensor

from attn_core.schemes import shift_difference, shuffle_difference
from attn_figures import positional as pictures
from attn_figures.positional import Trial
from attn_ui import controls, positions
from attn_ui.frame import what_you_see
from attn_ui.live_figure import Cell, Slider, live_figure, pack
from attn_ui.parameters import Steps
from attn_ui.shared_cache import shared
from attn_ui.shared_settings import KEY, QUERY, STRENGTH
from pages.positional_encoding import words
from pages.positional_encoding.settings import BESIDE, ORDER, SHIFT
from pages.positional_encoding.setup import (
    Settings,
    Setup,
    attention_steps,
    now,
    settings,
    thinned,
    usable_schemes,
)

Maps = NDArray[np.float64]  # (steps, n_rows, n_columns)

SHIFTED = 16  # positions in the shift test


def show_attention(setup: Setup, _: DeltaGenerator) -> None:
    """Attention without and with positions, and what changes."""
    at = settings()
    strengths = _strengths(setup, 2)
    live_figure(
        _attention(setup, at, "none"),
        key="attention",
        alt="Attention weights without positions, with positions, and their difference",
        name=f"attention {setup.scheme}",
        slider=Slider("Strength of positions", strengths),
        on_cell=choose_cell,
    )
    before, after = (w[0].numpy() for w in attention_steps(setup, at, ("none", setup.scheme), now(strengths)))
    strength = positions.value(strengths)
    what_you_see(words.attention(setup.labels, before, after, setup.scheme, strength))


@shared
def _attention(setup: Setup, at: Settings, beside: str) -> bytes:
    """Draw every strength: one scheme, another, and what changes."""
    strengths = _strengths(setup, 2 if beside == "none" else 3)
    before, after = (w.numpy() for w in attention_steps(setup, at, (beside, setup.scheme), strengths))
    limit = max(float(abs(after - before).max()), 1e-3)
    first = "without positions" if beside == "none" else f"with positions: {beside}"
    names = (first, f"with positions: {setup.scheme}")
    return pack(
        [
            pictures.before_and_after.spec(setup.labels, b, a, names=names, limit=limit)
            for b, a in zip(before, after, strict=True)
        ]
    )


def choose_cell(cell: Cell) -> None:
    """Take the cell that was clicked for the arithmetic."""
    positions.move(QUERY, cell.row)
    positions.move(KEY, cell.column)


def show_compare(setup: Setup, room: DeltaGenerator) -> None:
    """All schemes side by side, or any two and their difference."""
    at = settings()
    with room:
        beside = controls.choose(BESIDE, "Beside it")
    if beside == "learned" and beside not in usable_schemes():
        st.caption(":material/info: The learned table is not installed: all the others are shown.")
        beside = "all"
    if beside == "all":
        _show_all(setup, at)
    else:
        _show_two(setup, at, beside)


def _show_all(setup: Setup, at: Settings) -> None:
    strengths = _strengths(setup, len(usable_schemes()))
    live_figure(
        _all_maps(setup, at),
        key="compare",
        alt="Attention weights under each scheme",
        name="schemes",
        slider=Slider("Strength of positions", strengths),
        on_cell=choose_cell,
    )
    maps = attention_steps(setup, at, tuple(usable_schemes()), now(strengths))
    what_you_see(words.compare({name: w[0].numpy() for name, w in zip(usable_schemes(), maps, strict=True)}))


def _show_two(setup: Setup, at: Settings, beside: str) -> None:
    strengths = _strengths(setup, 3)
    live_figure(
        _attention(setup, at, beside),
        key="compare-two",
        alt=f"Attention weights under {beside}, under {setup.scheme}, and their difference",
        name=f"{beside} {setup.scheme}",
        slider=Slider("Strength of positions", strengths),
        on_cell=choose_cell,
    )
    one, other = (w[0].numpy() for w in attention_steps(setup, at, (beside, setup.scheme), now(strengths)))
    what_you_see(words.two_schemes(setup.labels, one, other, (beside, setup.scheme)))


def _strengths(setup: Setup, n_maps: int) -> Steps:
    return thinned(STRENGTH, n_maps * len(setup.tokens) ** 2)


@shared
def _all_maps(setup: Setup, at: Settings) -> bytes:
    names = tuple(usable_schemes())
    strengths = _strengths(setup, len(names))
    maps = attention_steps(setup, at, names, strengths)
    return pack(
        [
            pictures.attention_maps.spec(
                setup.labels, {name: w[step].numpy() for name, w in zip(names, maps, strict=True)}
            )
            for step in range(len(strengths.values))
        ]
    )


def show_shuffle(setup: Setup, room: DeltaGenerator) -> None:
    """Permute the words: without positions the output is the same rows, permuted."""
    at = settings()
    with room:
        kind = controls.segment(ORDER, "New order")
    order = shuffled_order(kind, len(setup.tokens), setup.seed)
    strengths = _output_strengths(setup)
    live_figure(
        _shuffle(setup, at, kind),
        key="shuffle",
        alt="The output shuffled, the output of the shuffled words, the difference, and that of each scheme",
        name=f"shuffle {setup.scheme}",
        slider=Slider("Strength of positions", strengths),
    )
    errors = shuffle_errors(setup, at, order, now(strengths))
    what_you_see(
        words.shuffle(
            [setup.tokens[i] for i in order.tolist()],
            {name: float(values[0]) for name, values in errors.items()},
            setup.scheme,
            positions.value(strengths),
        )
    )


def shuffled_order(kind: str, n: int, seed: int) -> Tensor:
    """Return which word comes to each place."""
    if kind == "reverse":
        return torch.arange(n).flip(0)
    if kind == "random":
        return torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    order = torch.arange(n)
    order[[0, n - 1]] = order[[n - 1, 0]]
    return order


def _output_strengths(setup: Setup) -> Steps:
    return thinned(STRENGTH, 3 * len(setup.tokens) * setup.width)


def shuffle_errors(setup: Setup, at: Settings, order: Tensor, steps: Steps) -> dict[str, Tensor]:
    """Return each scheme's largest difference at every strength."""
    strengths = torch.tensor(steps.values, dtype=torch.float64)
    errors = {}
    for name in usable_schemes():
        own = setup.with_scheme(name)
        difference = shuffle_difference(own.placed(at, strengths), own.vectors(), order)
        errors[name] = difference.abs().amax(dim=(-2, -1)).expand(len(strengths))
    return errors


@shared
def _shuffle(setup: Setup, at: Settings, kind: str) -> bytes:
    order = shuffled_order(kind, len(setup.tokens), setup.seed)
    steps = _output_strengths(setup)
    strengths = torch.tensor(steps.values, dtype=torch.float64)
    x, placed = setup.vectors(), setup.placed(at, strengths)
    shape = (len(strengths), *x.shape)
    expected = placed.attend(x).output.expand(shape)[:, order].numpy()
    found = placed.attend(x[order]).output.expand(shape).numpy()
    labels = [setup.labels[i] for i in order.tolist()]
    limit = float(abs(found).max())
    # Differences that are rounding only stay blank.
    change = float(abs(found - expected).max())
    limits = (limit, change if change > 1e-9 else limit)
    tried = Trial(
        expected=expected[0],
        found=found[0],
        titles=("output, then shuffled", "shuffled, then output"),
        rows=labels,
        columns=[str(i) for i in range(setup.width)],
        row_title="Word",
        column_title="Dimension",
        quantity="output",
        limits=limits,
    )
    errors = shuffle_errors(setup, at, order, steps)
    largest = [max(float(e.max()) for e in errors.values()) or 1.0] * len(strengths)
    return _trial_steps(tried, expected, found, errors, setup.scheme, largest=largest)


def show_shift(setup: Setup, _: DeltaGenerator) -> None:
    """Move all positions on: where only the offset counts, nothing changes."""
    at = settings()
    live_figure(
        _shift(setup, at),
        key="shift",
        alt="What positions say of each pair, the same with all positions shifted, and the difference",
        name=f"shift {setup.scheme}",
        slider=Slider("Shift of all positions", SHIFT),
    )
    errors = shift_errors(setup, at, now(SHIFT))
    what_you_see(
        words.shift({name: float(e[0]) for name, e in errors.items()}, setup.scheme, positions.value(SHIFT))
    )


def shift_errors(setup: Setup, at: Settings, steps: Steps) -> dict[str, Tensor]:
    """Return each scheme's largest change of a pair at every shift."""
    shifts = torch.tensor(steps.values)
    return {
        name: shift_difference(own.placed(at), SHIFTED, own.width, shifts).abs().amax(dim=(-2, -1))
        for name in usable_schemes()
        if name != "none"
        for own in [setup.with_scheme(name)]
    }


@shared
def _shift(setup: Setup, at: Settings) -> bytes:
    placed = setup.placed(at)
    shifts = torch.tensor(SHIFT.values)
    start = placed.similarity(SHIFTED, setup.width)
    expected = start.expand(len(shifts), -1, -1).numpy()
    found = expected + shift_difference(placed, SHIFTED, setup.width, shifts).numpy()
    # A table's first row may be far longer than all others: it must not bleach the rest.
    typical = float(np.quantile(abs(expected[0]), 0.98)) or 1.0
    limits = (typical, typical)
    names = [str(p) for p in range(SHIFTED)]
    tried = Trial(
        expected=expected[0],
        found=found[0],
        titles=(f"positions 0 to {SHIFTED - 1}", "all positions shifted"),
        rows=names,
        columns=names,
        row_title="Query, counted from the first",
        column_title="Key, counted from the first",
        quantity="score of positions",
        limits=limits,
    )
    errors = shift_errors(setup, at, SHIFT)
    # The ramp's error grows without bound, so each step has an axis of its own.
    largest = [max(float(e[step]) for e in errors.values()) or 1.0 for step in range(len(shifts))]
    return _trial_steps(tried, expected, found, errors, setup.scheme, largest=largest)


def _trial_steps(
    tried: Trial,
    expected: Maps,
    found: Maps,
    errors: Mapping[str, Tensor],
    chosen: str,
    *,
    largest: Sequence[float],
) -> bytes:
    return pack(
        [
            pictures.trial.spec(
                replace(tried, expected=expected[step], found=found[step]),
                {name: float(e[step]) for name, e in errors.items()},
                chosen,
                largest[step],
            )
            for step in range(len(expected))
        ]
    )
