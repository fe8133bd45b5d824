import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attn_core import (
    ATTENTION_SAMPLES,
    MultiHead,
    MultiHeadAttention,
    causal_mask,
    merge_heads,
    padding_mask,
    scaled_dot_product_attention,
    split_heads,
)
from tests.core.kinds import Draw, Refuses

EXACT: dict[str, Any] = {"rtol": 0, "atol": 1e-10}


def attention(d_model: int, num_heads: int, **settings: Any) -> MultiHeadAttention:
    return MultiHeadAttention(d_model, num_heads, dtype=torch.float64, **settings)


def torch_attention(d_model: int, num_heads: int, **settings: Any) -> nn.MultiheadAttention:
    generator = torch.Generator().manual_seed(8)
    module = nn.MultiheadAttention(d_model, num_heads, dtype=torch.float64, **settings).eval()
    with torch.no_grad():  # torch starts with biases of zero, which would hide a lost one
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) / 3)
    return module


class TestHeads:
    def test_split_heads_gives_each_its_columns(self, draw: Draw) -> None:
        x = draw(2, 5, 21)
        heads = split_heads(x, 3)
        assert heads.shape == (2, 3, 5, 7)
        for head in range(3):
            assert torch.equal(heads[:, head], x[:, :, 7 * head : 7 * (head + 1)])

    @pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
    def test_merge_is_the_inverse_of_split(self, batch: tuple[int, ...], draw: Draw) -> None:
        x = draw(*batch, 5, 21)
        assert torch.equal(merge_heads(split_heads(x, 7)), x)

    def test_refusals(self, refuses: Refuses, draw: Draw) -> None:
        with refuses(r"x must have shape \(\*batch, n, 4 \* d_head\); got \(5, 21\)"):
            split_heads(draw(5, 21), 4)
        with refuses("n_head must be a whole number >= 1; got 0"):
            split_heads(draw(5, 21), 0)
        with refuses(r"x must have shape \(\*batch, n_head, n, d_head\); got \(5, 21\)"):
            merge_heads(draw(5, 21))


class TestAgainstTorch:
    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize("batch_first", [True, False])
    def test_self_attention(self, bias: bool, batch_first: bool, draw: Draw) -> None:
        theirs = torch_attention(21, 3, bias=bias, batch_first=batch_first)
        x = draw(2, 5, 21)
        ours = MultiHeadAttention.from_torch(theirs)(x)
        given = x if batch_first else x.transpose(0, 1)
        output, weights = theirs(given, given, given, average_attn_weights=False)
        torch.testing.assert_close(ours.output, output if batch_first else output.transpose(0, 1), **EXACT)
        torch.testing.assert_close(ours.weights, weights, **EXACT)

    @pytest.mark.parametrize("bias", [True, False])
    def test_cross_attention_of_other_widths(self, bias: bool, draw: Draw) -> None:
        theirs = torch_attention(21, 3, bias=bias, kdim=11, vdim=13, batch_first=True)
        query, key, value = draw(2, 5, 21), draw(2, 7, 11), draw(2, 7, 13)
        output, weights = theirs(query, key, value, average_attn_weights=False)
        ours = MultiHeadAttention.from_torch(theirs)(query, key, value)
        torch.testing.assert_close(ours.output, output, **EXACT)
        torch.testing.assert_close(ours.weights, weights, **EXACT)

    def test_masks(self, draw: Draw) -> None:
        theirs = torch_attention(21, 3, batch_first=True)
        ours, x = MultiHeadAttention.from_torch(theirs), draw(2, 5, 21)
        # torch's module means the opposite by True.
        output, _ = theirs(x, x, x, attn_mask=~causal_mask(5))
        torch.testing.assert_close(ours(x, attn_mask=causal_mask(5)).output, output, **EXACT)
        torch.testing.assert_close(ours(x, is_causal=True).output, output, **EXACT)
        allowed = padding_mask([2, 5], 5)
        output, _ = theirs(x, x, x, key_padding_mask=~allowed.squeeze(1))
        torch.testing.assert_close(ours(x, attn_mask=allowed.unsqueeze(-3)).output, output, **EXACT)

    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize("widths", [{}, {"d_key": 11, "d_value": 13}])
    @pytest.mark.parametrize("batch_first", [True, False])
    def test_to_torch(self, bias: bool, widths: dict[str, Any], batch_first: bool, draw: Draw) -> None:
        ours = attention(21, 3, bias=bias, seed=6, **widths)
        theirs = ours.to_torch(batch_first=batch_first)
        query, key, value = draw(2, 5, 21), draw(2, 7, ours.d_key), draw(2, 7, ours.d_value)
        given = [x if batch_first else x.transpose(0, 1) for x in (query, key, value)]
        output, _ = theirs(*given)
        output = output if batch_first else output.transpose(0, 1)
        torch.testing.assert_close(ours(query, key, value).output, output, **EXACT)

    def test_there_and_back(self) -> None:
        ours = attention(21, 3, seed=6).eval()
        again = MultiHeadAttention.from_torch(ours.to_torch())
        assert not again.training
        assert all(torch.equal(a, b) for a, b in zip(ours.parameters(), again.parameters(), strict=True))

    def test_copies_share_no_memory(self) -> None:
        theirs = torch_attention(21, 3)
        ours = MultiHeadAttention.from_torch(theirs)
        before = ours.W_k.weight.clone()
        with torch.no_grad():
            theirs.in_proj_weight.zero_()
        assert torch.equal(ours.W_k.weight, before)

    def test_the_global_generator_is_left_alone(self) -> None:
        theirs = torch_attention(21, 3)
        before = torch.get_rng_state()
        MultiHeadAttention.from_torch(theirs).to_torch()
        assert torch.equal(torch.get_rng_state(), before)

    @pytest.mark.parametrize("settings", [{"add_bias_kv": True}, {"add_zero_attn": True}])
    def test_keys_of_its_own_are_refused(self, settings: dict[str, Any], refuses: Refuses) -> None:
        with refuses("must have add_bias_kv=False and add_zero_attn=False; got .*True"):
            MultiHeadAttention.from_torch(nn.MultiheadAttention(21, 3, **settings))

    def test_to_torch_refuses_misfits(self, refuses: Refuses) -> None:
        with refuses("got output_projection=False, num_heads=3, d_head=7 and d_model=21"):
            attention(21, 3, output_projection=False).to_torch()
        with refuses("got output_projection=True, num_heads=3, d_head=5 and d_model=21"):
            attention(21, 3, d_head=5).to_torch()


def test_heads_equal_single_heads(draw: Draw) -> None:
    module, x = attention(21, 3, d_head=5, seed=2), draw(11, 21)
    stages = module(x, is_causal=True)
    for head in range(3):
        rows = slice(5 * head, 5 * (head + 1))
        query, key, value = (
            x @ each.weight[rows].mT + each.bias[rows] for each in (module.W_q, module.W_k, module.W_v)
        )
        one = scaled_dot_product_attention(query, key, value, is_causal=True)
        torch.testing.assert_close(stages.query[head], query, **EXACT)
        torch.testing.assert_close(stages.weights[head], one.weights, **EXACT)
        torch.testing.assert_close(stages.heads[head], one.output, **EXACT)
        torch.testing.assert_close(stages.concatenated[:, rows], one.output, **EXACT)
    torch.testing.assert_close(stages.output, module.W_o(stages.concatenated), **EXACT)


class TestContributions:
    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
    def test_add_up_to_the_output(self, bias: bool, batch: tuple[int, ...], draw: Draw) -> None:
        stages = attention(21, 3, d_head=5, bias=bias)(draw(*batch, 11, 21))
        assert stages.contributions.shape == (*batch, 3, 11, 21)
        total = stages.contributions.sum(dim=-3)
        if stages.output_bias is not None:
            total = total + stages.output_bias
        torch.testing.assert_close(total, stages.output, **EXACT)

    def test_contributions_without_projection_fill_columns(self, draw: Draw) -> None:
        stages = attention(21, 3, output_projection=False)(draw(11, 21))
        torch.testing.assert_close(stages.contributions.sum(dim=-3), stages.output, **EXACT)
        assert (stages.contributions[1][:, :7] == 0).all()
        assert torch.equal(stages.contributions[1][:, 7:14], stages.heads[1])

    def test_output_without_a_head_lacks_its_contribution(self, draw: Draw) -> None:
        module, x = attention(21, 3), draw(11, 21)
        stages = module(x)
        heads = stages.heads.clone()
        heads[1] = 0
        without = module.W_o(merge_heads(heads))
        torch.testing.assert_close(stages.output - stages.contributions[1], without, **EXACT)


class TestWorkedExamples:
    def stages(self, name: str) -> tuple[MultiHeadAttention, MultiHead]:
        sample = ATTENTION_SAMPLES[name]
        module = attention(
            sample.d_model,
            sample.num_heads,
            d_head=sample.d_head,
            output_projection=sample.output_projection,
            seed=sample.seed,
        )
        return module, module(sample.query, sample.key, sample.value)

    def test_i_love_ice_with_two_heads_is_3_by_8(self) -> None:
        module, stages = self.stages("i-love-ice-two-heads")
        assert module.W_q.weight.shape == (8, 4)
        assert stages.weights.shape == (2, 3, 3)
        assert stages.output.shape == (3, 8)

    def test_i_love_dogs_with_two_heads(self) -> None:
        _, stages = self.stages("i-love-dogs-two-heads")
        assert stages.query.shape == (2, 3, 2)
        assert stages.output.shape == (3, 4)

    def test_cross_attention(self) -> None:
        _, stages = self.stages("cross-attention")
        assert stages.weights.shape == (4, 1, 10)
        assert stages.output.shape == (1, 20)

    def test_the_original_sizes(self) -> None:
        module, stages = self.stages("transformer-sizes")
        assert module.d_head == 64
        assert module.W_o is not None
        assert stages.heads.shape == (8, 9, 64)
        assert (
            sum(each.weight.numel() for each in (module.W_q, module.W_k, module.W_v, module.W_o))
            == 4 * 512**2
        )

    def test_free_head_width_doubles_parameters(self) -> None:
        module, _ = self.stages("free-head-width")
        assert module.W_o is not None
        weights = [module.W_q.weight, module.W_k.weight, module.W_v.weight, module.W_o.weight]
        assert sum(each.numel() for each in weights) == 4 * 16 * 32
        assert sum(each.numel() for each in attention(16, 4, bias=False).parameters()) == 4 * 16 * 16
        assert sum(each.numel() for each in attention(16, 1, bias=False).parameters()) == 4 * 16 * 16


class TestFast:
    @pytest.mark.parametrize("output_projection", [True, False])
    @pytest.mark.parametrize("is_causal", [True, False])
    @pytest.mark.parametrize("masked", ["no", "boolean", "row of zeros", "float", "float with -inf"])
    def test_equals_forward(self, output_projection: bool, is_causal: bool, masked: str, draw: Draw) -> None:
        module = attention(21, 3, d_head=5, output_projection=output_projection)
        query, key = draw(2, 5, 21), draw(2, 7, 21)
        allowed = draw(2, 1, 5, 7) > -0.5
        if masked != "boolean":
            allowed[1, 0, 3] = False
        bias = draw(3, 5, 7)
        attn_mask = {
            "boolean": allowed,
            "row of zeros": allowed,
            "float": bias,
            "float with -inf": bias.masked_fill(~allowed, -math.inf),
        }.get(masked)
        fast = module.fast(query, key, attn_mask=attn_mask, is_causal=is_causal)
        slow = module(query, key, attn_mask=attn_mask, is_causal=is_causal).output
        torch.testing.assert_close(fast, slow, **EXACT)

    def test_refuses_as_forward_does(self, refuses: Refuses, draw: Draw) -> None:
        with refuses(r"attn_mask must broadcast .* = \(3, 5, 5\); got shape \(5, 7\)"):
            attention(21, 3).fast(draw(5, 21), attn_mask=torch.ones(5, 7, dtype=torch.bool))


def test_a_batch_of_temperatures(draw: Draw) -> None:
    module, x = attention(21, 3), draw(5, 21)
    steps = torch.tensor([0.5, 2.0], dtype=torch.float64).reshape(2, 1, 1, 1)
    batch = module(x, temperature=steps)
    assert batch.output.shape == (2, 5, 21)
    assert batch.contributions.shape == (2, 3, 5, 21)
    for step in range(2):
        torch.testing.assert_close(
            batch.output[step], module(x, temperature=steps[step].item()).output, **EXACT
        )


def test_defaults_of_key_and_value(draw: Draw) -> None:
    module, query, key = attention(21, 3), draw(5, 21), draw(7, 21)
    assert torch.equal(module(query).output, module(query, query, query).output)
    assert torch.equal(module(query, key).output, module(query, key, key).output)


def test_output_of_permutation_is_permuted(draw: Draw) -> None:
    module, x = attention(21, 3), draw(5, 21)
    order = torch.tensor([3, 0, 4, 1, 2])
    torch.testing.assert_close(module(x[order]).output, module(x).output[order], **EXACT)


def test_multi_head_gradients_are_right(draw: Draw) -> None:
    module = attention(4, 2)

    def output(x: Tensor) -> Tensor:
        stages: MultiHead = module(x, is_causal=True)
        return stages.output

    assert torch.autograd.gradcheck(output, draw(3, 4).requires_grad_())


def test_one_seed_means_one_set_of_weights() -> None:
    first, again, other = attention(21, 3, seed=1), attention(21, 3, seed=1), attention(21, 3, seed=2)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))
    assert not torch.equal(first.W_q.weight, other.W_q.weight)


def test_refusals_say_what_would_work(refuses: Refuses, draw: Draw) -> None:
    with refuses("got d_model = 21 and num_heads = 4; nearest that divide: 3 and 7"):
        attention(21, 4)
    with refuses("got d_model = 4 and num_heads = 9; nearest that divide: 4"):
        attention(4, 9)
    with refuses("num_heads must be a whole number >= 1; got 0"):
        attention(21, 0)
    with refuses("d_head must be a whole number >= 1; got 0"):
        attention(21, 3, d_head=0)
    with refuses(r"query must have shape \(\*batch, n, 21\); got \(5, 7\)"):
        attention(21, 3)(draw(5, 7))
    with refuses(r"key must have shape \(\*batch, n, 21\); got \(7, 11\)"):
        attention(21, 3)(draw(5, 21), draw(7, 11))
    with refuses("must share one floating-point dtype; got query torch.float32"):
        attention(21, 3)(draw(5, 21).float())
