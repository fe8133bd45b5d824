import math

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core import (
    ATTENTION_MISTAKES,
    ATTENTION_SAMPLES,
    MULTI_HEAD_MISTAKES,
    Attention,
    MultiHead,
    MultiHeadAttention,
    Rotary,
    causal_mask,
    rotary_embedding,
    scaled_dot_product_attention,
)
from tests.core.kinds import Draw, Refuses

NEEDS = ("", "mask", "masked row", "heads", "shared heads", "one sequence", "cache", "rotation")
Inputs = tuple[Tensor, Tensor, Tensor]


def rows_sum_to_one(stages: Attention) -> bool:
    return torch.allclose(stages.weights.sum(dim=-1), torch.ones((), dtype=torch.float64))


def masked_is_zero(stages: Attention, mask: Tensor) -> bool:
    return bool((stages.weights[~mask] == 0).all())


@pytest.fixture
def mask() -> Tensor:
    return causal_mask(5, 7)


@pytest.fixture
def inputs(draw: Draw) -> Inputs:
    return draw(5, 11), draw(7, 11), draw(7, 13)


def broken(name: str, inputs: tuple[Tensor, ...], mask: Tensor | None = None) -> Attention:
    return ATTENTION_MISTAKES[name].attend(*inputs, mask)


def test_names() -> None:
    assert list(ATTENTION_MISTAKES) == [
        "softmax-over-queries",
        "no-scale",
        "constant-scale",
        "mask-after-softmax",
        "zero-for-minus-infinity",
        "mask-turned-round",
        "unguarded-softmax",
    ]
    assert list(MULTI_HEAD_MISTAKES) == [
        "split-without-transpose",
        "merge-without-transpose",
        "scale-by-d-model",
        "shared-projections",
        "tiled-key-heads",
        "unpacked-in-another-order",
        "cached-after-attending",
        "place-forgotten",
    ]
    for registry in (ATTENTION_MISTAKES, MULTI_HEAD_MISTAKES):
        for name, mistake in registry.items():
            assert mistake.name == name
            assert mistake.what.endswith(".")
            assert mistake.why.endswith(".")
            assert mistake.needs in NEEDS


@pytest.mark.parametrize("name", ATTENTION_MISTAKES)
def test_a_mistake_shows_when_it_has_what_it_needs(name: str, inputs: Inputs, mask: Tensor) -> None:
    if ATTENTION_MISTAKES[name].needs == "masked row":
        mask = mask.clone()
        mask[2] = False
    right = scaled_dot_product_attention(*inputs, mask)
    wrong = broken(name, inputs, mask)
    assert not torch.allclose(wrong.output, right.output)
    assert torch.equal(wrong.scores, right.scores)
    if ATTENTION_MISTAKES[name].needs:
        without = scaled_dot_product_attention(*inputs)
        torch.testing.assert_close(broken(name, inputs).output, without.output)


def test_causality_may_be_asked_for_instead_of_a_mask(inputs: Inputs, mask: Tensor) -> None:
    for mistake in ATTENTION_MISTAKES.values():
        by_flag = mistake.attend(*inputs, is_causal=True)
        torch.testing.assert_close(by_flag.weights, mistake.attend(*inputs, mask).weights)


def test_softmax_over_queries_makes_columns_sum_to_one(inputs: Inputs) -> None:
    stages = broken("softmax-over-queries", inputs)
    assert torch.allclose(stages.weights.sum(dim=0), torch.ones(7, dtype=torch.float64))
    assert not rows_sum_to_one(stages)


def test_no_scale_is_saturated(inputs: Inputs) -> None:
    assert torch.equal(broken("no-scale", inputs).scaled_scores, inputs[0] @ inputs[1].mT)
    sharpest = broken("no-scale", inputs).weights.max(dim=-1).values
    assert (sharpest > scaled_dot_product_attention(*inputs).weights.max(dim=-1).values).all()


def test_constant_scale_is_right_for_a_width_of_two_only(draw: Draw) -> None:
    x, ice = draw(5, 2), ATTENTION_SAMPLES["i-love-ice"].x
    torch.testing.assert_close(
        broken("constant-scale", (x, x, x)).output, F.scaled_dot_product_attention(x, x, x)
    )
    torch.testing.assert_close(
        broken("constant-scale", (ice, ice, ice)).scaled_scores, ice @ ice.mT / math.sqrt(2)
    )


def test_masking_after_the_softmax_leaves_less_than_one(inputs: Inputs, mask: Tensor) -> None:
    stages = broken("mask-after-softmax", inputs, mask)
    assert masked_is_zero(stages, mask)
    assert (stages.weights.sum(dim=-1) < 1).all()
    whole = scaled_dot_product_attention(*inputs).weights
    torch.testing.assert_close(stages.weights, whole * mask)


def test_zero_for_minus_infinity_leaves_weight_on_masked_keys(inputs: Inputs, mask: Tensor) -> None:
    stages = broken("zero-for-minus-infinity", inputs, mask)
    assert rows_sum_to_one(stages)
    assert (stages.weights[~mask] > 0).all()


def test_mask_turned_round_shows_what_should_be_hidden(inputs: Inputs, mask: Tensor) -> None:
    stages = broken("mask-turned-round", inputs, mask)
    assert (stages.weights[mask] == 0).all()
    assert (stages.weights[~mask] > 0).all()
    assert stages.mask is not None
    assert torch.equal(stages.mask, ~mask)


@pytest.mark.parametrize("n_query", [1, 3])
def test_a_mask_that_hides_nothing_hides_everything_turned_round(n_query: int, draw: Draw) -> None:
    query, key, value = draw(n_query, 11), draw(1, 11), draw(1, 13)  # of one key: causality hides none
    for told in ({"attn_mask": torch.ones(n_query, 1, dtype=torch.bool)}, {"is_causal": True}):
        stages = ATTENTION_MISTAKES["mask-turned-round"].attend(query, key, value, **told)
        assert not stages.weights.any()
        assert not stages.output.any()
        assert stages.mask is not None
        assert not stages.mask.any()
        for name in ("mask-after-softmax", "zero-for-minus-infinity"):
            same = ATTENTION_MISTAKES[name].attend(query, key, value, **told)
            torch.testing.assert_close(same.weights, torch.ones(n_query, 1, dtype=torch.float64))


def test_a_bias_that_masks_nothing_is_no_mask_to_mistake(inputs: Inputs, draw: Draw) -> None:
    bias = draw(5, 7)
    expected = F.scaled_dot_product_attention(*inputs, attn_mask=bias)
    for name in ("mask-after-softmax", "zero-for-minus-infinity", "mask-turned-round"):
        torch.testing.assert_close(broken(name, inputs, bias).output, expected)


def test_unguarded_softmax_is_nan_in_a_masked_row_only(inputs: Inputs, mask: Tensor) -> None:
    mask = mask.clone()
    mask[2] = False
    stages = broken("unguarded-softmax", inputs, mask)
    assert stages.weights[2].isnan().all()
    assert stages.output[2].isnan().all()
    assert stages.weights[[0, 1, 3, 4]].isfinite().all()


class TestBetweenHeads:
    @pytest.fixture
    def module(self) -> MultiHeadAttention:
        return MultiHeadAttention(21, 3, dtype=torch.float64, seed=5)

    def broken(
        self, name: str, module: MultiHeadAttention, x: Tensor, **options: object
    ) -> MultiHead | Attention:
        return MULTI_HEAD_MISTAKES[name].attend(module, x, **options)

    @pytest.mark.parametrize("name", MULTI_HEAD_MISTAKES)
    def test_a_mistake_shows(self, name: str, module: MultiHeadAttention, draw: Draw) -> None:
        if MULTI_HEAD_MISTAKES[name].needs == "shared heads":
            module = MultiHeadAttention(21, 6, d_head=5, num_kv_heads=2, dtype=torch.float64, seed=5)
        if MULTI_HEAD_MISTAKES[name].needs == "rotation":
            module = MultiHeadAttention(24, 3, rotation=Rotary(), dtype=torch.float64, seed=5)
        x = draw(2, 5, module.d_model)
        causal = MULTI_HEAD_MISTAKES[name].needs in ("cache", "rotation")
        wrong, right = self.broken(name, module, x), module(x, is_causal=causal)
        assert wrong.output.shape != right.output.shape or not torch.allclose(wrong.output, right.output)

    def test_a_token_that_is_cached_late_never_sees_itself(self, draw: Draw, refuses: Refuses) -> None:
        module = MultiHeadAttention(24, 3, rotation=Rotary(), dtype=torch.float64, seed=5)
        x = draw(5, 24)
        late = self.broken("cached-after-attending", module, x)
        keys: list[Tensor] = []
        for place, token in enumerate(x):
            q = rotary_embedding(module.W_q(token).view(3, 1, 8), torch.tensor([place]))
            row = torch.zeros(3, 5, dtype=torch.float64)
            if keys:
                row[:, :place] = torch.softmax((q @ torch.cat(keys, dim=1).mT)[:, 0] / 8**0.5, dim=-1)
            torch.testing.assert_close(late.weights[:, place], row)
            keys.append(rotary_embedding(module.W_k(token).view(3, 1, 8), torch.tensor([place])))
        with refuses("a cache is of one sequence"):
            MULTI_HEAD_MISTAKES["cached-after-attending"].attend(module, x, draw(5, 24))

    def test_a_forgotten_place_leaves_no_rotation(self, draw: Draw) -> None:
        x = draw(5, 24)
        turning, plain = (
            MultiHeadAttention(24, 3, rotation=rotation, dtype=torch.float64, seed=5)
            for rotation in (Rotary(), None)
        )
        wrong = self.broken("place-forgotten", turning, x)
        torch.testing.assert_close(wrong.weights, plain(x, is_causal=True).weights)

    def test_split_without_transpose_is_a_map_between_heads(
        self, module: MultiHeadAttention, draw: Draw
    ) -> None:
        x = draw(10, 21)
        stages = self.broken("split-without-transpose", module, x)
        assert isinstance(stages, Attention)
        assert stages.weights.shape == (10, 3, 3)
        viewed = module.W_q(x).view(10, 3, 7), module.W_k(x).view(10, 3, 7)
        torch.testing.assert_close(stages.scores, viewed[0] @ viewed[1].mT)

    def test_split_without_transpose_never_lets_positions_meet(
        self, module: MultiHeadAttention, draw: Draw
    ) -> None:
        x = draw(10, 21)
        other = x.clone()
        other[7] = draw(21)
        before, after = (self.broken("split-without-transpose", module, each).output for each in (x, other))
        torch.testing.assert_close(before[:7], after[:7])
        assert (module(x).output[:7] - module(other).output[:7]).abs().max() > 1e-3

    def test_split_without_transpose_refuses_other_lengths(
        self, module: MultiHeadAttention, draw: Draw, refuses: Refuses
    ) -> None:
        with refuses("needs n_query = n_key, or one of them 1; got 5 and 7"):
            MULTI_HEAD_MISTAKES["split-without-transpose"].attend(module, draw(5, 21), draw(7, 21))
        with pytest.raises(RuntimeError):  # as torch does with the same views
            module.W_q(draw(5, 21)).view(5, 3, 7) @ module.W_k(draw(7, 21)).view(7, 3, 7).mT

    def test_split_without_transpose_broadcasts_a_single_query_as_torch_does(
        self, module: MultiHeadAttention, draw: Draw
    ) -> None:
        query, memory = draw(1, 21), draw(10, 21)
        stages = MULTI_HEAD_MISTAKES["split-without-transpose"].attend(module, query, memory)
        q, k = module.W_q(query).view(1, 3, 7), module.W_k(memory).view(10, 3, 7)
        torch.testing.assert_close(stages.scores, q @ k.mT)
        assert stages.weights.shape == (10, 3, 3)
        assert stages.output.shape == (10, 3, 7)  # ten rows where one was asked for
        assert module(query, memory).output.shape == (1, 21)
        alone = MULTI_HEAD_MISTAKES["split-without-transpose"].attend(module, memory, query)
        assert alone.output.shape == (10, 3, 7)

    def test_tiled_key_heads_leave_the_first_and_last_head_right(self, draw: Draw) -> None:
        module = MultiHeadAttention(21, 4, d_head=5, num_kv_heads=2, dtype=torch.float64, seed=5)
        x = draw(5, 21)
        wrong, right = self.broken("tiled-key-heads", module, x), module(x)
        differs = [bool((wrong.weights[h] - right.weights[h]).abs().max() > 1e-6) for h in range(4)]
        assert differs == [False, True, True, False]

    def test_a_fused_projection_reads_one_sequence(
        self, module: MultiHeadAttention, draw: Draw, refuses: Refuses
    ) -> None:
        with refuses("a fused projection reads one sequence"):
            MULTI_HEAD_MISTAKES["unpacked-in-another-order"].attend(module, draw(5, 21), draw(7, 21))

    @pytest.mark.parametrize("batch", [(), (2,)])
    def test_merge_without_transpose_scrambles_the_concatenation(
        self, batch: tuple[int, ...], module: MultiHeadAttention, draw: Draw
    ) -> None:
        stages = self.broken("merge-without-transpose", module, draw(*batch, 5, 21))
        assert isinstance(stages, MultiHead)
        torch.testing.assert_close(
            stages.concatenated[..., 0, :14], stages.heads[..., 0, :2, :].flatten(-2), rtol=0, atol=0
        )
        assert stages.output_bias is not None
        total = stages.contributions.sum(dim=-3) + stages.output_bias
        assert (total - stages.output).abs().max() > 1e-3

    def test_scale_by_d_model_is_too_flat(self, module: MultiHeadAttention, draw: Draw) -> None:
        x = draw(5, 21)
        stages = self.broken("scale-by-d-model", module, x, is_causal=True)
        right = module(x, is_causal=True)
        torch.testing.assert_close(stages.scaled_scores, right.scaled_scores / math.sqrt(3))
        assert (stages.weights.max(dim=-1).values <= right.weights.max(dim=-1).values).all()

    def test_shared_projections_make_equal_heads(self, module: MultiHeadAttention, draw: Draw) -> None:
        stages = self.broken("shared-projections", module, draw(5, 21))
        assert isinstance(stages, MultiHead)
        assert torch.equal(stages.weights[0], stages.weights[1])
        assert torch.equal(stages.heads[0], stages.heads[2])
        right = module(draw(5, 21))
        assert not torch.allclose(right.weights[0], right.weights[1])

    def test_one_head_hides_three_of_them(self, draw: Draw) -> None:
        module, x = MultiHeadAttention(7, 1, dtype=torch.float64), draw(5, 7)
        for name, mistake in MULTI_HEAD_MISTAKES.items():
            right = module(x, is_causal=mistake.needs in ("cache", "rotation"))
            same = torch.allclose(mistake.attend(module, x).output.squeeze(), right.output)
            assert same == (mistake.needs in ("heads", "shared heads", "rotation")), name
