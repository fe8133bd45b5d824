"""The main pictures about positions themselves: encodings, similarity, turning, biases, far offsets."""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator
from torch import Tensor

from attn_core.positional import relative_position_buckets
from attn_core.samples import sentence_vectors
from attn_core.schemes import SCHEMES, BiasScheme, Scheme, by_offset
from attn_figures import position_maps as pictures
from attn_ui import controls, positions
from attn_ui.frame import what_you_see
from attn_ui.live_figure import Cursor, Rows, Slider, live_figure, pack
from attn_ui.parameters import Steps
from attn_ui.shared_cache import shared
from attn_ui.shared_settings import BASE, HEAD, RAMP_STEP
from pages.positional_encoding import words
from pages.positional_encoding.settings import (
    DIMENSIONS,
    DRIVES,
    LENGTH,
    MEASURE,
    OFFSET,
    PLACE,
    SHIFT,
    TRAINED,
)
from pages.positional_encoding.setup import Settings, Setup, now, settings, thinned

LONGEST = int(max(LENGTH.values))
FAR_SCHEMES = ("sinusoidal", "rotary", "ALiBi")
TIMES = 4


def _driver(setup: Setup, *, has_step: bool) -> tuple[Slider, Steps]:
    """Return the slider that moves the picture: a setting of the scheme where it has one, or the length."""
    if setup.scheme == "ramp" and has_step:
        n = int(positions.value(LENGTH))
        steps = thinned(RAMP_STEP, n * (setup.width + 8))
        return Slider("Step of the ramp", steps), steps
    length = Slider("Length", LENGTH, "positions")
    if setup.scheme not in ("sinusoidal", "rotary"):
        return length, LENGTH
    drives = controls.segment(DRIVES, "The slider moves")
    chosen = Slider("Base", BASE) if drives == "base" else length
    n = int(positions.value(LENGTH))
    steps = thinned(chosen.steps, n * (max(n, setup.width) + 8)) if chosen is not length else LENGTH
    return replace(chosen, steps=steps), steps


def _swept(setup: Setup, at: Settings, driver: Steps) -> Scheme:
    """Return the scheme with all values of the slider at once where it can batch them."""
    placed = setup.placed(at)
    if driver.name == BASE.name:
        return replace(placed, base=torch.tensor(driver.values, dtype=torch.float64))  # type: ignore[call-arg]
    if driver.name == RAMP_STEP.name:
        return replace(placed, step=torch.tensor(driver.values, dtype=torch.float64))  # type: ignore[call-arg]
    return placed


def _lengths(driver: Steps, n_steps: int) -> list[int]:
    if driver.name == LENGTH.name:
        return [int(value) for value in LENGTH.values]
    return [int(positions.value(LENGTH))] * n_steps


def show_encoding(setup: Setup, room: DeltaGenerator) -> None:
    """What the scheme adds, as it is: vectors, turned pairs, or biases."""
    adds = SCHEMES[setup.scheme].adds
    {"rotation": _show_turning, "bias": _show_bias}.get(adds, _show_vectors)(setup, room)


def _show_vectors(setup: Setup, room: DeltaGenerator) -> None:
    at = settings()
    with room:
        slider, driver = _driver(setup, has_step=True)
        typed = controls.line(DIMENSIONS, "Dimensions drawn as waves")
        dimensions, note = chosen_dimensions(typed, setup.width)
        if note:
            st.caption(note)
    shown = 0 if driver.name == LENGTH.name else int(positions.value(LENGTH))
    names = [f"position {place}" for place in range(LONGEST if driver.name == LENGTH.name else shown)]
    place = replace(PLACE, values=PLACE.values[: len(names)])
    live_figure(
        _vector_figures(setup, at, driver, shown, dimensions),
        key="encoding",
        alt="The encoding as a map of positions and dimensions, and some of its dimensions as waves",
        name=f"encoding {setup.scheme}",
        slider=slider,
        rows=Rows("Position", place, Cursor(len(names)), names),
    )
    in_sight = _encodings(setup, at, now(driver))[0, : int(positions.value(LENGTH))]
    what_you_see(words.encoding(in_sight.numpy(), setup.scheme, at.base))


def chosen_dimensions(typed: str, width: int) -> tuple[tuple[int, ...], str]:
    """Return the dimensions to draw, and a sentence where not all that was typed could be used."""
    parts = typed.replace(",", " ").split()
    numbers = [int(part) for part in parts if part.isascii() and part.isdigit() and int(part) < width]
    chosen = tuple(dict.fromkeys(numbers))[: pictures.MOST_WAVES]
    if not chosen:
        return (
            0,
        ), f":material/info: Wanted numbers from 0 to {width - 1}, as in 0, 1, 4. Dimension 0 is drawn."
    if len(chosen) < len(set(parts)):
        limits = f"numbers from 0 to {width - 1}, at most {pictures.MOST_WAVES} of them"
        return chosen, f":material/info: Wanted {limits}: {', '.join(map(str, chosen))} are drawn."
    return chosen, ""


def _encodings(setup: Setup, at: Settings, driver: Steps) -> Tensor:
    """Return the encoding at every step, (steps, length, width)."""
    length = LONGEST if driver.name == LENGTH.name else int(positions.value(LENGTH))
    vectors = _swept(setup, at, driver).vectors(length, setup.width)
    n_steps = len(driver.values)
    return vectors.expand(n_steps, -1, -1)


def _vector_cursor(values: Tensor, dimensions: tuple[int, ...]) -> Cursor:
    changes, by_step = pictures.encoding_cursor(values.numpy(), dimensions)
    return Cursor(values.shape[1], changes, by_step)


@shared
def _vector_figures(
    setup: Setup, at: Settings, driver: Steps, shown: int, dimensions: tuple[int, ...]
) -> bytes:
    values = _encodings(setup, at, driver)
    limit = _typical(values)
    lengths = _lengths(driver, len(values))
    arrays = values.numpy()
    return pack(
        [
            pictures.encoding.spec(array, dimensions, limit=limit, shown=n)
            for array, n in zip(arrays, lengths, strict=True)
        ],
        _vector_cursor(values, dimensions),
    )


def _typical(values: Tensor) -> float:
    """Return a limit that a single far longer row (the first of a learned table) does not set."""
    return float(np.quantile(values.abs().numpy(), 0.995)) or 1.0


def _show_turning(setup: Setup, _: DeltaGenerator) -> None:
    """Rotary: pairs turn with the position, and the score sees the offset only."""
    at = settings()
    placed = setup.placed(at)
    live_figure(
        _turning_figures(setup, at),
        key="turning",
        alt="Pairs of dimensions of a query and a key turned by their positions, and their score",
        name="rotary",
        slider=Slider("Query's position", SHIFT),
        rows=Rows("Key's offset", OFFSET, Cursor(len(OFFSET.values))),
    )
    turns = turning_numbers(setup, placed)
    shift, offset = int(positions.value(SHIFT)), int(positions.value(OFFSET))
    same = torch.full((2, setup.width), setup.width**-0.5, dtype=torch.float64)
    query, key = placed.turn(same, torch.tensor([shift, shift + offset]))
    what_you_see(words.turning(float(query @ key), float(turns.curve[offset]), shift, offset))


@dataclass(frozen=True, eq=False)
class Turns:
    """Which pairs are drawn, their radians a position (n_pair,), and the score over the offset."""

    pairs: list[int]
    frequencies: NDArray[np.float64]
    curve: NDArray[np.float64]


def turning_numbers(setup: Setup, placed: Scheme) -> Turns:
    """Read the angles off turned vectors: those of position 1 are the frequencies."""
    n_pair = setup.width // 2
    pairs = torch.arange(setup.width).reshape(n_pair, 2)
    if setup.layout == "concatenated":
        pairs = torch.arange(setup.width).reshape(2, n_pair).T
    unturned = torch.zeros(1, setup.width, dtype=torch.float64)
    unturned[:, pairs[:, 0]] = 1.0
    turned = placed.turn(unturned, torch.ones(1))[0]
    angles = torch.atan2(turned[pairs[:, 1]], turned[pairs[:, 0]])
    drawn = sorted({0, n_pair // 8, 3 * n_pair // 8})  # fast, slower and slow, each still seen to turn
    return Turns(drawn, angles[drawn].numpy(), placed.profile(len(OFFSET.values), setup.width).numpy())


def _turning_cursor(turns: Turns) -> Cursor:
    places = np.add.outer(np.array(SHIFT.values), np.array(OFFSET.values))
    changes, by_step = pictures.turning_cursor(
        places[..., None] * turns.frequencies, turns.pairs, turns.curve
    )
    return Cursor(len(OFFSET.values), changes, by_step)


@shared
def _turning_figures(setup: Setup, at: Settings) -> bytes:
    turns = turning_numbers(setup, setup.placed(at))
    angles = [np.stack([turns.frequencies * shift] * 2) for shift in SHIFT.values]
    shown = len(OFFSET.values)
    return pack(
        [
            pictures.turning.spec(angle, turns.pairs, turns.frequencies, turns.curve, shown=shown)
            for angle in angles
        ],
        _turning_cursor(turns),
    )


def _show_bias(setup: Setup, _: DeltaGenerator) -> None:
    """ALiBi and relative buckets: one number a pair, a head."""
    at = settings()
    heads = replace(HEAD, values=HEAD.values[: setup.num_heads])
    length = min(int(positions.value(LENGTH)), LONGEST)
    live_figure(
        _bias_figures(setup, at, length),
        key="bias",
        alt="What the scheme adds to the scores of one head, as a map and over the offset for all heads",
        name=f"bias {setup.scheme}",
        slider=Slider("Head", heads),
    )
    placed = setup.placed(at)
    what_you_see(words.bias(placed.bias(1, length)[0].numpy(), setup.scheme, at.head))


@shared
def _bias_figures(setup: Setup, at: Settings, length: int) -> bytes:
    placed = setup.placed(at)
    assert isinstance(placed, BiasScheme)
    maps = placed.biases(length, length)
    curves = by_offset(maps)[1].numpy()
    buckets = relative_position_buckets(length, length).numpy() if setup.scheme == "buckets" else None
    return pack([pictures.bias.spec(m.numpy(), curves, head, buckets=buckets) for head, m in enumerate(maps)])


def show_similarity(setup: Setup, room: DeltaGenerator) -> None:
    """What positions alone say of each pair, and whether only the offset counts."""
    at = settings()
    with room:
        # A ramp's products grow with the square of its step: no axis would serve all steps.
        slider, driver = _driver(setup, has_step=False)
        of_vectors = SCHEMES[setup.scheme].adds == "vector"
        cosine = of_vectors and controls.segment(MEASURE, "Measure") == "cosine"
    n = LONGEST if driver.name == LENGTH.name else int(positions.value(LENGTH))
    names = [f"position {place}" for place in range(n)]
    live_figure(
        _similarity_figures(setup, at, driver, cosine, n),
        key="similarity",
        alt="What positions say of each pair, as a map and over the offset",
        name=f"similarity {setup.scheme}",
        slider=slider,
        rows=Rows("Position", replace(PLACE, values=PLACE.values[:n]), Cursor(n), names),
    )
    in_sight = int(positions.value(LENGTH))
    values = _similarities(setup, at, now(driver), cosine)[0, :in_sight, :in_sight]
    low, mean, high = (band.numpy() for band in by_offset(values))
    what_you_see(words.similarity(low, mean, high, setup.scheme, cosine=cosine))


def _similarities(setup: Setup, at: Settings, driver: Steps, cosine: bool) -> Tensor:
    length = LONGEST if driver.name == LENGTH.name else int(positions.value(LENGTH))
    values = _swept(setup, at, driver).similarity(length, setup.width, cosine=cosine)
    return values.expand(len(driver.values), -1, -1)


@shared
def _similarity_figures(setup: Setup, at: Settings, driver: Steps, cosine: bool, length: int) -> bytes:
    values = _similarities(setup, at, driver, cosine)
    bands = [band.numpy() for band in by_offset(values)]
    limit = _typical(values)
    lowest = min(0.0, float(values.min()))
    limits = (lowest, min(float(values.max()), 1.3 * limit)) if float(values.max()) > 0 else (lowest, 0.0)
    names = {"bias": "bias", "rotation": "score of one vector with itself"}
    quantity = names.get(SCHEMES[setup.scheme].adds, "cosine" if cosine else "dot product")
    changes, copies = pictures.similarity_cursor(length)
    return pack(
        [
            pictures.similarity.spec(
                values[step].numpy(),
                (bands[0][step], bands[1][step], bands[2][step]),
                limits=limits,
                quantity=quantity,
                shown=shown,
            )
            for step, shown in enumerate(_lengths(driver, len(values)))
        ],
        Cursor(length, changes, rows_of=copies),
    )


def show_past(setup: Setup, room: DeltaGenerator) -> None:
    """Four times the training length: where similarity repeats, and where it decays."""
    at = settings()
    with room:
        drives = controls.segment(DRIVES, "The slider moves")
    driver = BASE if drives == "base" else TRAINED
    trained = int(positions.value(TRAINED))
    by_base = driver.name == BASE.name
    live_figure(
        _far_figures(setup, at, driver, trained),
        key="past",
        alt="How sinusoidal, rotary and ALiBi see offsets up to four times the training length",
        name="past the training length",
        slider=Slider("Base", BASE) if by_base else Slider("Training length", TRAINED, "positions"),
    )
    curves = far_curves(setup, at, trained)
    what_you_see(words.far(curves, far_returns(curves, trained), trained))


def far_curves(setup: Setup, at: Settings, trained: int) -> dict[str, NDArray[np.float64]]:
    """Return what each scheme makes of every offset up to four times the training length."""
    curves = {}
    for name in FAR_SCHEMES:
        own = setup.with_scheme(name)
        vector = sentence_vectors(["word"], own.width, seed=setup.seed)[0] if name == "rotary" else None
        curves[name] = own.placed(at).profile(TIMES * trained, own.width, vector=vector).numpy()
    return curves


def far_returns(curves: dict[str, NDArray[np.float64]], trained: int) -> dict[str, int]:
    """Return the offset past the training length at which each curve that comes back is highest."""
    waves = {name: curve for name, curve in curves.items() if name != "ALiBi"}
    return {name: trained + int(np.argmax(curve[trained:])) for name, curve in waves.items()}


@shared
def _far_figures(setup: Setup, at: Settings, driver: Steps, trained: int) -> bytes:
    figures = []
    for value in driver.values:
        here = replace(at, base=value) if driver.name == BASE.name else at
        length = trained if driver.name == BASE.name else int(value)
        curves = far_curves(setup, here, length)
        returns = far_returns(curves, length)
        figures.append(pictures.far.spec(curves, length, returns))
    return pack(figures)
