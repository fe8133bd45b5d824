"""The small examples of where attention is used: cut, heard and compared as slow programs do it."""

import cmath
import math

import numpy as np
import pytest
import torch

from attn_core.applications import (
    FRAME,
    PATCH,
    RATE,
    SHAPES,
    SOUNDS,
    SOURCE,
    TARGET,
    alignment,
    frame_names,
    house_picture,
    likeness,
    log_energies,
    patch_names,
    patches,
    source_word,
    vowels,
)
from tests.core.kinds import Refuses


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7), dtype=torch.float64)


def test_patches_equal_a_loop() -> None:
    picture = numbers(6, 15)
    side = 3
    slow = [
        [float(picture[top + y, left + x]) for y in range(side) for x in range(side)]
        for top in range(0, 6, side)
        for left in range(0, 15, side)
    ]
    np.testing.assert_array_equal(patches(picture, side), slow)


@pytest.mark.parametrize(("shape", "side"), [((6, 15), 4), ((8, 15), 4), ((8,), 4)])
def test_patches_refuse_sides_that_do_not_divide(shape: tuple[int, ...], side: int, refuses: Refuses) -> None:
    with refuses(rf"multiples of side = {side}; got \({shape[0]},"):
        patches(torch.zeros(shape), side)
    with refuses("side must be a whole number >= 1; got 0"):
        patches(torch.zeros(4, 4), 0)


def test_likeness_products_are_cosines_about_the_mean() -> None:
    x = numbers(7, 5).numpy()
    u = likeness(torch.from_numpy(x)).numpy()
    for i in range(7):
        for j in range(7):
            one, other = x[i] - x.mean(axis=0), x[j] - x.mean(axis=0)
            cosine = one @ other / math.sqrt((one @ one) * (other @ other))
            assert u[i] @ u[j] == pytest.approx(cosine, abs=1e-13)


def test_likeness_of_the_mean_is_zero(refuses: Refuses) -> None:
    u = likeness(torch.tensor([[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]]))
    assert u.tolist() == [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    with refuses(r"x must have shape \(n, d\); got \(3,\)"):
        likeness(torch.zeros(3))


def test_house_picture_patterns_are_half_ink() -> None:
    cut, names = patches(house_picture()), patch_names()
    x = likeness(cut)
    of = {shape: [at for at, name in enumerate(names) if name == shape] for shape in SHAPES}
    assert sum(map(len, of.values())) == len(names) == (24 // PATCH) ** 2
    assert all(of.values())
    for shape in ("wall", "bush", "grass"):
        assert cut[of[shape]].mean(dim=-1).tolist() == pytest.approx([0.5] * len(of[shape]))
        alike = x[of[shape]] @ x[of[shape]].T
        np.testing.assert_allclose(alike, 1.0, atol=1e-12)
        for other in {"wall", "bush", "grass"} - {shape}:
            assert float((x[of[shape]] @ x[of[other]].T).max()) < 0.5
    ink = house_picture()
    assert set(ink[ink.shape[0] - PATCH :].flatten().tolist()) == {0.25, 0.75}
    assert len(set(map(tuple, cut[of["sun"]].tolist()))) == 4  # four different corners


def test_log_energies_of_a_tone_are_one_in_its_band() -> None:
    time = torch.arange(3 * FRAME, dtype=torch.float64) / RATE
    hertz = 1500.0  # a whole number of waves a frame
    found = log_energies(torch.sin(2 * math.pi * hertz * time), 12)
    band = int(hertz // (RATE / 2 / 12))
    np.testing.assert_allclose(found[:, band], math.log10(1 + 1e-4), atol=1e-9)
    quiet = [other for other in range(12) if other not in (band - 1, band, band + 1)]
    np.testing.assert_allclose(found[:, quiet], -4.0, atol=1e-9)


def test_log_energies_equal_a_slow_transform() -> None:
    sound = numbers(45)
    frame, n_band = 20, 4
    found = log_energies(sound, n_band, frame)
    assert tuple(found.shape) == (2, n_band)
    n_frequency = frame // 2 + 1
    for at in range(2):
        energy = [0.0] * n_band
        for f in range(n_frequency):
            total = 0j
            for place in range(frame):
                hann = 0.5 - 0.5 * math.cos(2 * math.pi * place / frame)
                turn = cmath.exp(-2j * math.pi * f * place / frame)
                total += hann * float(sound[at * frame + place]) * turn
            energy[f * n_band // n_frequency] += abs(total) ** 2 / (1.5 * (frame / 4) ** 2)
        assert found[at].tolist() == pytest.approx([math.log10(each + 1e-4) for each in energy])


def test_log_energies_refuse_a_sound_without_a_frame(refuses: Refuses) -> None:
    with refuses(r"n_sample >= 160; got \(159,\)"):
        log_energies(torch.zeros(159))
    with refuses("n_band must be a whole number from 1 to 80; got 81"):
        log_energies(torch.zeros(160), 81)


# Peterson and Barney (1952): the first two resonances of each vowel.
@pytest.mark.parametrize(("vowel", "tones"), [("a", (730, 1090)), ("i", (270, 2290)), ("u", (300, 870))])
def test_vowels_have_their_two_resonances(vowel: str, tones: tuple[int, int]) -> None:
    at = frame_names().index(vowel)
    length = 5 * FRAME
    heard = vowels()[at * FRAME : at * FRAME + length]
    energy = torch.fft.rfft(heard * torch.hann_window(length, dtype=heard.dtype)).abs()
    hertz = np.arange(len(energy)) * RATE / length
    peaks = [hertz[f] for f in range(1, len(energy) - 1) if energy[f] > max(energy[f - 1], energy[f + 1], 20)]
    assert peaks == pytest.approx(tones, abs=RATE / length)


def test_pauses_are_silent_and_frame_names_in_order() -> None:
    names = frame_names()
    assert [name for name, _ in SOUNDS] == ["a", "pause", "i", "pause", "u", "pause", "a", "pause"]
    loud = vowels().reshape(-1, FRAME).abs().amax(dim=-1) > 0
    assert [name != "pause" for name in names] == loud.tolist()


def test_alignment_scores_the_words_needed() -> None:
    query, key = alignment()
    scores = query @ key.T
    wanted = {
        "le": {"the": 1.0, "cat": 0.5},
        "chat": {"cat": 1.0},
        "noir": {"black": 1.0, "cat": 0.5},
        "boit": {"drinks": 1.0, "cat": 0.5},
        "du": {"milk": 0.5},
        "lait": {"milk": 1.0},
        "froid": {"cold": 1.0, "milk": 0.5},
    }
    assert list(wanted) == list(TARGET)
    for word, row in zip(TARGET, scores.tolist(), strict=True):
        assert {other: score for other, score in zip(SOURCE, row, strict=True) if score} == wanted[word]
        assert source_word(word) == next((each for each, score in wanted[word].items() if score == 1.0), "")
