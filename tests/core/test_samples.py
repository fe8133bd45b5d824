import math
import subprocess
import sys

import numpy as np
import pytest
import torch

from attn_core import (
    ATTENTION_SAMPLES,
    REGRESSION_SAMPLES,
    nadaraya_watson,
    plane_sample,
    regression_sample,
    sentence_vectors,
)
from tests.core.kinds import Refuses


@pytest.mark.parametrize("seed", [0, 3])
def test_plane_sample_equals_numpy_waves(seed: int) -> None:
    chance = torch.Generator().manual_seed(seed)
    places = 5 * torch.rand(9, 2, generator=chance, dtype=torch.float64).numpy()
    noise = torch.randn(9, generator=chance, dtype=torch.float64).numpy()
    found = plane_sample(n_points=9, noise=0.25, seed=seed)
    np.testing.assert_array_equal(found.keys, places)
    np.testing.assert_allclose(found.values, 2 * (np.sin(places[:, 0]) + np.cos(places[:, 1])) + 0.25 * noise)


class TestAttentionSamples:
    def test_names(self) -> None:
        assert list(ATTENTION_SAMPLES) == [
            "two-keys",
            "i-love-ice",
            "i-love-ice-two-heads",
            "i-love-dogs",
            "i-love-dogs-ramp",
            "i-love-dogs-two-heads",
            "cross-attention",
            "transformer-sizes",
            "free-head-width",
        ]

    @pytest.mark.parametrize("name", ATTENTION_SAMPLES)
    def test_every_vector_has_its_token(self, name: str) -> None:
        sample = ATTENTION_SAMPLES[name]
        assert sample.name == name
        assert sample.query.shape == (len(sample.tokens), sample.d_model)
        assert sample.key.shape == sample.value.shape == (len(sample.key_tokens), sample.d_model)
        assert sample.query.dtype == sample.key.dtype == sample.value.dtype == torch.float64
        assert sample.x is sample.query
        assert sample.description.endswith((".", "?"))
        assert sample.is_self_attention == (sample.query_tokens == sample.key_tokens)

    def test_their_numbers(self) -> None:
        assert ATTENTION_SAMPLES["i-love-ice"].x.tolist() == [[1, 0, 1, 0], [0, 1, 1, 0], [1, 0.5, 0, 1]]
        assert ATTENTION_SAMPLES["i-love-dogs"].x.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
        cross = ATTENTION_SAMPLES["cross-attention"]
        assert (cross.query.shape, cross.key.shape, cross.num_heads) == ((1, 20), (10, 20), 4)
        original = ATTENTION_SAMPLES["transformer-sizes"]
        assert (original.d_model, original.num_heads) == (512, 8)
        free = ATTENTION_SAMPLES["free-head-width"]
        assert (free.d_model, free.num_heads, free.d_head) == (16, 4, 8)


class TestRegressionSamples:
    def test_names(self) -> None:
        assert list(REGRESSION_SAMPLES) == ["sine", "step", "bump", "heteroscedastic", "gap"]

    @pytest.mark.parametrize("name", REGRESSION_SAMPLES)
    def test_noise_is_drawn_from_the_seed_only(self, name: str) -> None:
        state = torch.get_rng_state()
        first, again, other = (regression_sample(name, n_points=31, seed=seed) for seed in (1, 1, 2))
        assert torch.equal(first.keys, again.keys)
        assert torch.equal(first.values, again.values)
        assert not torch.equal(first.values, other.values)
        assert torch.equal(state, torch.get_rng_state())

    @pytest.mark.parametrize("name", REGRESSION_SAMPLES)
    def test_points(self, name: str) -> None:
        sample = regression_sample(name, n_points=31)
        assert sample.keys.shape == sample.values.shape == (31,)
        assert (sample.keys.diff() >= 0).all()
        assert sample.keys.min() >= 0
        assert sample.keys.max() <= 5
        assert sample.description == REGRESSION_SAMPLES[name]

    @pytest.mark.parametrize("name", REGRESSION_SAMPLES)
    def test_samples_without_noise_are_the_truth(self, name: str) -> None:
        sample = regression_sample(name, noise=0)
        assert sample.truth is not None
        assert torch.equal(sample.values, sample.truth(sample.keys))

    def test_sine_is_the_worked_example(self) -> None:
        sample = regression_sample()
        assert sample.name == "sine"
        assert len(sample.keys) == 40
        x = torch.tensor([0.0, 1.0, 5.0], dtype=torch.float64)
        expected = torch.tensor([2 * math.sin(each) + each for each in x.tolist()], dtype=torch.float64)
        torch.testing.assert_close(sample.truth(x), expected)
        residual = sample.values - sample.truth(sample.keys)
        assert 0.3 < residual.std().item() < 0.7

    def test_heteroscedastic_noise_grows(self) -> None:
        sample = regression_sample("heteroscedastic", n_points=500)
        residual = sample.values - sample.truth(sample.keys)
        assert residual[:100].std() < 0.4 * residual[-100:].std()

    def test_bump_is_dense_on_the_right_only(self) -> None:
        keys = regression_sample("bump", n_points=500).keys
        assert (keys < 2.5).sum() < 0.5 * (keys > 2.5).sum()

    def test_gap_has_no_support_of_compact_kernels(self) -> None:
        sample = regression_sample("gap", n_points=100)
        assert not ((sample.keys > 1.5) & (sample.keys < 3.5)).any()
        middle = torch.tensor([2.5], dtype=torch.float64)
        assert not nadaraya_watson(
            middle, sample.keys, sample.values, kernel="boxcar", bandwidth=0.9
        ).has_support

    def test_refusals(self, refuses: Refuses) -> None:
        with refuses("name must be one of 'sine', 'step', .*; got 'cosine'"):
            regression_sample("cosine")
        with refuses("n_points must be a whole number >= 2; got 1"):
            regression_sample("sine", n_points=1)
        for bad in (-1, math.nan):
            with refuses(f"noise must be a finite number >= 0; got {bad}"):
                regression_sample("sine", noise=bad)


class TestSentenceVectors:
    def test_word_vector_is_equal_in_every_sentence(self) -> None:
        first = sentence_vectors(["the", "cat", "the"], 7, seed=3)
        second = sentence_vectors(["a", "cat"], 7, seed=3)
        assert torch.equal(first[0], first[2])
        assert torch.equal(first[1], second[1])
        assert not torch.equal(first[0], first[1])

    def test_another_seed_is_another_vector(self) -> None:
        assert not torch.equal(sentence_vectors(["cat"], 7, seed=3), sentence_vectors(["cat"], 7, seed=4))

    @pytest.mark.slow
    def test_word_vector_is_equal_in_every_process(self) -> None:
        program = (
            "from attn_core import sentence_vectors; print(sentence_vectors(['naïve', '🙂'], 3).tolist())"
        )
        runs = {
            subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
            for _ in range(2)
        }
        assert runs == {f"{sentence_vectors(['naïve', '🙂'], 3).tolist()}\n"}

    def test_numbers_are_standard_normal(self) -> None:
        x = sentence_vectors([str(word) for word in range(400)], 50)
        assert abs(x.mean().item()) < 0.02
        assert x.std().item() == pytest.approx(1, abs=0.02)

    def test_one_hot(self) -> None:
        assert sentence_vectors(["b", "a", "b"], 3, kind="one-hot").tolist() == [
            [1, 0, 0],
            [0, 1, 0],
            [1, 0, 0],
        ]

    def test_no_token(self) -> None:
        assert sentence_vectors([], 3).shape == (0, 3)

    def test_lone_surrogate_has_a_vector(self) -> None:
        assert sentence_vectors(["\ud83d"], 3).isfinite().all()

    def test_refusals(self, refuses: Refuses) -> None:
        with refuses("one-hot vectors need d_model >= the number of different words, 3; got 2"):
            sentence_vectors(["a", "b", "c"], 2, kind="one-hot")
        with refuses("kind must be one of 'random', 'one-hot'; got 'learned'"):
            sentence_vectors(["a"], 2, kind="learned")
        with refuses("d_model must be a whole number >= 1; got 0"):
            sentence_vectors(["a"], 0)
