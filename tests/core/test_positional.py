import math
from typing import Any

import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.t5.modeling_t5 import T5Attention

from attn_core import (
    alibi_bias,
    alibi_slopes,
    ramp_encoding,
    relative_position_buckets,
    rotary_embedding,
    scaled_dot_product_attention,
    sinusoidal_encoding,
)
from tests.core.kinds import Draw, Refuses

EXACT: dict[str, Any] = {"rtol": 0, "atol": 1e-12}


class TestSinusoidal:
    @pytest.mark.parametrize("d_model", [1, 2, 7, 12])
    @pytest.mark.parametrize("base", [10000.0, 1.0, 3])
    def test_interleaved_is_the_formula(self, d_model: int, base: float) -> None:
        expected = torch.zeros(11, d_model, dtype=torch.float64)
        for p in range(11):
            for i in range(0, d_model, 2):
                angle = p / base ** (i / d_model)
                expected[p, i] = math.sin(angle)
                if i + 1 < d_model:
                    expected[p, i + 1] = math.cos(angle)
        torch.testing.assert_close(sinusoidal_encoding(11, d_model, base=base), expected, **EXACT)

    @pytest.mark.parametrize("d_model", [1, 2, 7, 12])
    def test_concatenated_layout_is_a_permutation(self, d_model: int) -> None:
        interleaved = sinusoidal_encoding(11, d_model)
        concatenated = sinusoidal_encoding(11, d_model, layout="concatenated")
        expected = torch.cat((interleaved[:, 0::2], interleaved[:, 1::2]), dim=1)
        torch.testing.assert_close(concatenated, expected, **EXACT)

    def test_position_zero(self) -> None:
        assert sinusoidal_encoding(1, 5).tolist() == [[0, 1, 0, 1, 0]]

    def test_products_depend_on_the_offset_only(self) -> None:
        encoding = sinusoidal_encoding(23, 8)
        products = encoding @ encoding.mT
        for offset in range(23):
            diagonal = products.diagonal(offset)
            torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), **EXACT)

    def test_a_batch_of_bases(self) -> None:
        bases = torch.tensor([[2.0, 10.0, 500.0]], dtype=torch.float64)
        batch = sinusoidal_encoding(11, 7, base=bases, layout="concatenated")
        assert batch.shape == (1, 3, 11, 7)
        one = sinusoidal_encoding(11, 7, base=500.0, layout="concatenated")
        torch.testing.assert_close(batch[0, 2], one, **EXACT)

    def test_dtype(self) -> None:
        assert sinusoidal_encoding(3, 4).dtype == torch.float64
        assert sinusoidal_encoding(3, 4, dtype=torch.float32).dtype == torch.float32

    def test_refusals(self, refuses: Refuses) -> None:
        for bad in (0, -2.0, math.inf):
            with refuses(f"base must be a finite number > 0; got {bad}"):
                sinusoidal_encoding(3, 4, base=bad)
        with refuses("d_model must be a whole number >= 1; got 0"):
            sinusoidal_encoding(3, 0)
        with refuses("length must be a whole number >= 1; got 0"):
            sinusoidal_encoding(0, 4)
        with refuses("layout must be one of 'interleaved', 'concatenated'; got 'half'"):
            sinusoidal_encoding(3, 4, layout="half")


class TestRamp:
    def test_ramp_is_position_times_step(self) -> None:
        assert ramp_encoding(3, 2, step=0.25).tolist() == [[0, 0], [0.25, 0.25], [0.5, 0.5]]

    def test_a_batch_of_steps(self) -> None:
        batch = ramp_encoding(5, 2, step=torch.tensor([0.0, -1.0], dtype=torch.float64))
        assert batch.shape == (2, 5, 2)
        torch.testing.assert_close(batch[1], ramp_encoding(5, 2, step=-1))

    def test_refusals(self, refuses: Refuses) -> None:
        with refuses("step must be a finite number; got nan"):
            ramp_encoding(3, 2, step=math.nan)
        with refuses(r"step must hold finite numbers; got \[inf\]"):
            ramp_encoding(3, 2, step=torch.tensor([math.inf]))


class TestRotary:
    @pytest.mark.parametrize("layout", ["interleaved", "half"])
    def test_rotary_equals_complex_rotation(self, layout: str, draw: Draw) -> None:
        x = draw(2, 5, 6)
        pairs = torch.stack(
            (x[..., 0::2], x[..., 1::2]) if layout == "interleaved" else x.chunk(2, -1), dim=-1
        )
        angles = torch.arange(5)[:, None] * 100.0 ** -(torch.arange(0, 6, 2).double() / 6)
        turned = torch.view_as_real(
            torch.view_as_complex(pairs.contiguous()) * torch.polar(angles * 0 + 1, angles)
        )
        expected = turned.flatten(-2) if layout == "interleaved" else torch.cat(turned.unbind(-1), dim=-1)
        torch.testing.assert_close(rotary_embedding(x, base=100, layout=layout), expected, **EXACT)

    def test_equals_rotary_embedding_torch(self, draw: Draw) -> None:
        x = draw(2, 3, 11, 8)
        expected = RotaryEmbedding(dim=8).rotate_queries_or_keys(x)
        # The peer keeps its frequencies in float32; given exact ones it agrees to the last digits.
        torch.testing.assert_close(rotary_embedding(x), expected, rtol=0, atol=1e-5)
        exact = 10000.0 ** -(torch.arange(0, 8, 2).double() / 8)
        expected = RotaryEmbedding(dim=8, custom_freqs=exact, cache_if_possible=False).rotate_queries_or_keys(
            x
        )
        torch.testing.assert_close(rotary_embedding(x), expected, rtol=0, atol=1e-12)

    def test_equals_llama(self, draw: Draw) -> None:
        x = draw(1, 3, 11, 8)
        positions = torch.arange(5, 16)
        config = LlamaConfig(hidden_size=24, num_attention_heads=3, head_dim=8)
        cos, sin = LlamaRotaryEmbedding(config)(x, positions[None])
        expected, _ = apply_rotary_pos_emb(x, x, cos, sin)
        torch.testing.assert_close(rotary_embedding(x, positions, layout="half"), expected, rtol=0, atol=1e-5)
        # With its float32 angles replaced by exact ones, Llama's own turning agrees to the last digits.
        angles = positions[:, None] * 10000.0 ** -(torch.arange(0, 8, 2).double() / 8)
        angles = torch.cat((angles, angles), dim=-1)[None]
        expected, _ = apply_rotary_pos_emb(x, x, angles.cos(), angles.sin())
        torch.testing.assert_close(rotary_embedding(x, positions, layout="half"), expected, **EXACT)

    def test_frequencies_replace_the_base(self, draw: Draw, refuses: Refuses) -> None:
        x, positions = draw(2, 3, 11, 8), torch.arange(5, 16)
        frequencies = 300.0 ** -(torch.arange(0, 8, 2).double() / 8)
        for layout in ("interleaved", "half"):
            torch.testing.assert_close(
                rotary_embedding(x, positions, frequencies=frequencies, layout=layout),
                rotary_embedding(x, positions, base=300.0, layout=layout),
                **EXACT,
            )
        with refuses(r"frequencies must have shape \(4,\), one a pair; got \(3,\)"):
            rotary_embedding(x, frequencies=frequencies[:3])

    def test_layouts_differ_by_a_permutation(self, draw: Draw) -> None:
        x = draw(5, 6)
        order = torch.tensor([0, 2, 4, 1, 3, 5])
        half = rotary_embedding(x[:, order], layout="half")
        torch.testing.assert_close(half, rotary_embedding(x)[:, order], **EXACT)

    @pytest.mark.parametrize("layout", ["interleaved", "half"])
    def test_scores_depend_on_the_offset_only(self, layout: str, draw: Draw) -> None:
        query, key, positions = draw(5, 8), draw(5, 8), torch.arange(5, dtype=torch.float64)

        def scores(shift: float) -> torch.Tensor:
            q, k = (rotary_embedding(x, positions + shift, layout=layout) for x in (query, key))
            return q @ k.mT

        torch.testing.assert_close(scores(1000), scores(0), rtol=0, atol=1e-10)
        torch.testing.assert_close(scores(0.37), scores(0), rtol=0, atol=1e-10)
        assert (scores(0) - query @ key.mT).abs().max() > 0.1

    def test_lengths_stay(self, draw: Draw) -> None:
        x = draw(5, 8)
        torch.testing.assert_close(rotary_embedding(x).norm(dim=-1), x.norm(dim=-1), **EXACT)

    def test_position_zero_stays(self, draw: Draw) -> None:
        x = draw(5, 8)
        assert torch.equal(rotary_embedding(x)[0], x[0])

    def test_positions_may_have_a_batch(self, draw: Draw) -> None:
        x, positions = draw(2, 5, 8), torch.stack((torch.arange(5), 3 * torch.arange(5)))
        batch = rotary_embedding(x, positions)
        for each in range(2):
            torch.testing.assert_close(batch[each], rotary_embedding(x[each], positions[each]), **EXACT)
        steps = rotary_embedding(x[0], positions)
        assert steps.shape == (2, 5, 8)
        torch.testing.assert_close(steps[1], rotary_embedding(x[0], positions[1]), **EXACT)

    def test_a_batch_of_bases(self, draw: Draw) -> None:
        x = draw(2, 5, 8)
        batch = rotary_embedding(x, base=torch.tensor([2.0, 10.0, 500.0]))
        assert batch.shape == (3, 2, 5, 8)
        torch.testing.assert_close(batch[1], rotary_embedding(x, base=10), **EXACT)

    def test_float32_input_gives_float32_output(self, draw: Draw) -> None:
        assert rotary_embedding(draw(5, 8).float()).dtype == torch.float32

    def test_refusals(self, refuses: Refuses, draw: Draw) -> None:
        with refuses(r"x must have shape \(\*batch, n, d_head\) with an even d_head; got \(5, 7\)"):
            rotary_embedding(draw(5, 7))
        with refuses(r"positions must have shape \(n,\) .* \(5,\); got shape \(3,\)"):
            rotary_embedding(draw(5, 8), torch.arange(3))
        with refuses(r"positions must have shape \(n,\) .* \(1,\); got shape \(3,\)"):
            rotary_embedding(draw(1, 8), torch.arange(3))
        with refuses("base must be a finite number > 0; got 0"):
            rotary_embedding(draw(5, 8), base=0)
        with refuses("layout must be one of 'interleaved', 'half'; got 'concatenated'"):
            rotary_embedding(draw(5, 8), layout="concatenated")


class TestAlibi:
    def test_slopes_of_eight_heads_are_powers_of_two(self) -> None:
        assert alibi_slopes(8).tolist() == [2.0**-h for h in range(1, 9)]

    def test_slopes_of_twelve_heads(self) -> None:
        # The eight of a power of two, then every other one of sixteen heads.
        expected = [2.0**-h for h in range(1, 9)] + [2.0 ** -(h / 2) for h in (1, 3, 5, 7)]
        torch.testing.assert_close(alibi_slopes(12), torch.tensor(expected, dtype=torch.float64), **EXACT)

    @pytest.mark.parametrize("num_heads", range(1, 17))
    def test_slopes_are_distinct_from_0_to_1(self, num_heads: int) -> None:
        slopes = alibi_slopes(num_heads)
        assert len(set(slopes.tolist())) == len(slopes) == num_heads
        assert (slopes > 0).all()
        assert (slopes < 1).all()

    def test_bias_is_minus_slope_times_distance(self) -> None:
        bias = alibi_bias(3, 5, 7)
        for h in range(3):
            for i in range(5):
                for j in range(7):
                    assert bias[h, i, j].item() == pytest.approx(-alibi_slopes(3)[h].item() * abs(i - j))

    def test_the_bias_goes_into_attention(self, draw: Draw) -> None:
        query = draw(3, 5, 4)
        stages = scaled_dot_product_attention(query, query, query, alibi_bias(3, 5, 5))
        assert stages.mask is None
        torch.testing.assert_close(stages.scaled_scores, stages.scores / 2 + alibi_bias(3, 5, 5))

    def test_refusals(self, refuses: Refuses) -> None:
        with refuses("num_heads must be a whole number >= 1; got 0"):
            alibi_slopes(0)
        with refuses("n_key must be a whole number >= 1; got 0"):
            alibi_bias(2, 3, 0)


class TestRelativeBuckets:
    @pytest.mark.parametrize("bidirectional", [True, False])
    @pytest.mark.parametrize(
        ("num_buckets", "max_distance"), [(32, 128), (8, 20), (16, 64), (10, 1000), (10, 160), (20, 160)]
    )
    def test_equals_t5(self, bidirectional: bool, num_buckets: int, max_distance: int) -> None:
        offsets = torch.arange(300)[None, :] - torch.arange(290)[:, None]
        bucket: Any = T5Attention._relative_position_bucket
        expected = bucket(offsets, bidirectional, num_buckets, max_distance)
        ours = relative_position_buckets(
            290, 300, num_buckets=num_buckets, max_distance=max_distance, bidirectional=bidirectional
        )
        assert torch.equal(ours, expected)

    def test_near_offsets_have_own_buckets(self) -> None:
        buckets = relative_position_buckets(1, 200)[0]
        assert buckets[:8].tolist() == [0, 17, 18, 19, 20, 21, 22, 23]
        assert buckets[128:].tolist() == [31] * 72

    def test_refusals(self, refuses: Refuses) -> None:
        with refuses("num_buckets must be a whole number >= 4; got 3"):
            relative_position_buckets(5, 5, num_buckets=3)
        with refuses("num_buckets must be even when bidirectional; got 5"):
            relative_position_buckets(5, 5, num_buckets=5)
        with refuses("max_distance must be a whole number >= 9; got 8"):
            relative_position_buckets(5, 5, max_distance=8)
