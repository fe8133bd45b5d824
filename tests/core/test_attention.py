import math
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F
from transformers.models.gemma2.modeling_gemma2 import eager_attention_forward
from transformers.models.gpt_oss import modeling_gpt_oss as gpt_oss

from attn_core import ATTENTION_SAMPLES, Attention, SelfAttention, causal_mask, scaled_dot_product_attention
from tests.core.kinds import Draw, Refuses

EXACT: dict[str, Any] = {"rtol": 0, "atol": 1e-10}


def naive_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scale: float) -> Tensor:
    """The definition in plain loops, for matrices."""
    output = torch.zeros(len(query), value.shape[1], dtype=torch.float64)
    for i in range(len(query)):
        raw = [
            math.exp(sum(query[i, d].item() * key[j, d].item() for d in range(query.shape[1])) * scale)
            if mask[i, j]
            else 0.0
            for j in range(len(key))
        ]
        for j in range(len(key)):
            if sum(raw):
                output[i] += raw[j] / sum(raw) * value[j]
    return output


def test_attention_equals_naive_loops(draw: Draw) -> None:
    query, key, value = draw(5, 11), draw(7, 11), draw(7, 13)
    mask = draw(5, 7) > 0
    mask[2] = False
    expected = naive_attention(query, key, value, mask, 1 / math.sqrt(11))
    torch.testing.assert_close(
        scaled_dot_product_attention(query, key, value, mask).output, expected, **EXACT
    )


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("masked", ["no", "causal", "boolean", "float"])
def test_equals_torch(batch: tuple[int, ...], masked: str, draw: Draw) -> None:
    query, key, value = draw(*batch, 5, 11), draw(*batch, 7, 11), draw(*batch, 7, 13)
    attn_mask = {"boolean": draw(5, 7) > 0, "float": draw(*batch, 5, 7)}.get(masked)
    if masked == "boolean":
        assert attn_mask is not None
        attn_mask[3] = False  # torch, too, gives this row an output of zero
    ours = scaled_dot_product_attention(query, key, value, attn_mask, is_causal=masked == "causal")
    torchs = F.scaled_dot_product_attention(query, key, value, attn_mask, is_causal=masked == "causal")
    torch.testing.assert_close(ours.output, torchs, **EXACT)


def test_attention_stages_follow_from_one_another(draw: Draw) -> None:
    query, key, value, bias = draw(2, 5, 11), draw(2, 7, 11), draw(2, 7, 13), draw(5, 7)
    stages = scaled_dot_product_attention(query, key, value, bias, is_causal=True, scale=0.3, temperature=1.7)
    torch.testing.assert_close(stages.scores, torch.einsum("bqd,bkd->bqk", query, key), **EXACT)
    allowed = causal_mask(5, 7)
    expected = (stages.scores * 0.3 / 1.7 + bias).masked_fill(~allowed, -math.inf)
    torch.testing.assert_close(stages.scaled_scores, expected, **EXACT)
    assert stages.mask is not None
    assert (stages.mask == allowed).all()
    torch.testing.assert_close(stages.weights, torch.softmax(stages.scaled_scores, dim=-1), **EXACT)
    torch.testing.assert_close(stages.output, stages.weights @ value, **EXACT)


def test_scores_with_any_mask_are_raw_products(draw: Draw) -> None:
    query, key, value = draw(5, 11), draw(7, 11), draw(7, 13)
    plain = scaled_dot_product_attention(query, key, value)
    masked = scaled_dot_product_attention(query, key, value, is_causal=True)
    assert torch.equal(plain.scores, masked.scores)
    assert torch.equal(plain.scores, query @ key.mT)
    assert not torch.equal(masked.scores, masked.scaled_scores)


class TestWorkedExamples:
    def test_attention_of_two_keys_by_hand(self) -> None:
        sample = ATTENTION_SAMPLES["two-keys"]
        stages = scaled_dot_product_attention(sample.query, sample.key, sample.value)
        assert stages.scores.tolist() == [[32, 50]]
        assert [round(each, 6) for each in stages.scaled_scores[0].tolist()] == [18.475209, 28.867513]
        assert [round(each, 8) for each in stages.weights[0].tolist()] == [0.00003067, 0.99996933]
        assert [round(each, 6) for each in stages.output[0].tolist()] == [6.999908, 7.999908, 8.999908]

    def test_i_love_dogs_has_the_printed_numbers(self) -> None:
        x = ATTENTION_SAMPLES["i-love-dogs"].x
        weights = scaled_dot_product_attention(x, x, x).weights
        assert [[round(each, 6) for each in row] for row in weights.tolist()] == [
            [0.451863, 0.274069, 0.274069],
            [0.274069, 0.451863, 0.274069],
            [0.274069, 0.274069, 0.451863],
        ]

    def test_i_love_dogs_with_the_ramp(self) -> None:
        x = ATTENTION_SAMPLES["i-love-dogs-ramp"].x
        assert x.tolist() == [[1, 0, 0, 0], [0.5, 1.5, 0.5, 0.5], [1, 1, 2, 1]]
        weights = scaled_dot_product_attention(x, x, x).weights
        assert [[round(each, 6) for each in row] for row in weights.tolist()] == [
            [0.359867, 0.280265, 0.359867],
            [0.111457, 0.389025, 0.499518],
            [0.040690, 0.142023, 0.817287],
        ]

    def test_love_attends_to_dogs_because_dogs_is_long(self) -> None:
        x = ATTENTION_SAMPLES["i-love-dogs-ramp"].x
        assert scaled_dot_product_attention(x, x, x).weights[1].argmax() == 2
        unit = F.normalize(x, dim=1)
        assert scaled_dot_product_attention(unit, unit, unit).weights[1].argmax() == 1

    def test_scores_are_symmetric_when_query_is_key_but_weights_are_not(self) -> None:
        x = ATTENTION_SAMPLES["i-love-dogs-ramp"].x
        stages = scaled_dot_product_attention(x, x, x)
        assert torch.equal(stages.scores, stages.scores.mT)
        assert (stages.weights - stages.weights.mT).abs().max() > 0.1


class TestMask:
    def test_none_when_nothing_is_masked(self, draw: Draw) -> None:
        query, key, value = draw(5, 11), draw(7, 11), draw(7, 13)
        assert scaled_dot_product_attention(query, key, value).mask is None
        assert (
            scaled_dot_product_attention(query, key, value, torch.ones(5, 7, dtype=torch.bool)).mask is None
        )
        assert scaled_dot_product_attention(query, key, value, draw(5, 7)).mask is None

    def test_float_mask_minus_infinity_masks(self, draw: Draw) -> None:
        query, key, value, allowed = draw(5, 11), draw(7, 11), draw(7, 13), draw(5, 7) > 0
        bias = draw(5, 7)
        stages = scaled_dot_product_attention(query, key, value, bias.masked_fill(~allowed, -math.inf))
        assert stages.mask is not None
        assert torch.equal(stages.mask, allowed)
        assert (stages.weights[~allowed] == 0).all()
        assert (stages.weights[allowed] > 0).all()

    def test_mask_and_causal_both_apply(self, draw: Draw) -> None:
        query, key, value, allowed = draw(5, 11), draw(7, 11), draw(7, 13), draw(5, 7) > 0
        stages = scaled_dot_product_attention(query, key, value, allowed, is_causal=True)
        assert stages.mask is not None
        assert torch.equal(stages.mask, allowed & causal_mask(5, 7))

    def test_fully_masked_row_is_zero_with_finite_gradient(self, draw: Draw) -> None:
        query, key, value = (draw(*s).requires_grad_() for s in ((5, 11), (7, 11), (7, 13)))
        allowed = torch.ones(5, 7, dtype=torch.bool)
        allowed[2] = False
        stages = scaled_dot_product_attention(query, key, value, allowed)
        assert (stages.weights[2] == 0).all()
        assert (stages.output[2] == 0).all()
        assert (stages.scaled_scores[2] == -math.inf).all()
        with torch.autograd.set_detect_anomaly(True):
            stages.output.sum().backward()
        for each in (query, key, value):
            assert each.grad is not None
            assert each.grad.isfinite().all()
        assert query.grad is not None
        assert (query.grad[2] == 0).all()
        assert (query.grad[1] != 0).all()

    def test_fully_masked_map_is_zero(self, draw: Draw) -> None:
        stages = scaled_dot_product_attention(
            draw(5, 11), draw(7, 11), draw(7, 13), torch.zeros(5, 7, dtype=torch.bool)
        )
        assert (stages.weights == 0).all()
        assert (stages.output == 0).all()

    def test_gradient_with_a_mask(self, draw: Draw) -> None:
        allowed = draw(3, 5) > 0
        allowed[1] = False

        def output(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            return scaled_dot_product_attention(query, key, value, allowed).output

        inputs = tuple(draw(*shape).requires_grad_() for shape in ((3, 2), (5, 2), (5, 7)))
        assert torch.autograd.gradcheck(output, inputs)


class TestBatchesOfSteps:
    def test_temperature_batch_equals_one_at_a_time(self, draw: Draw) -> None:
        query, key, value = draw(2, 5, 11), draw(2, 7, 11), draw(2, 7, 13)
        temperatures = torch.tensor([0.3, 1.0, 4.0], dtype=torch.float64)
        batch = scaled_dot_product_attention(query, key, value, temperature=temperatures.reshape(3, 1, 1, 1))
        assert batch.scores.shape == (2, 5, 7)
        assert batch.weights.shape == (3, 2, 5, 7)
        for step, temperature in enumerate(temperatures.tolist()):
            one = scaled_dot_product_attention(query, key, value, temperature=temperature)
            torch.testing.assert_close(batch.weights[step], one.weights, **EXACT)
            torch.testing.assert_close(batch.output[step], one.output, **EXACT)

    def test_scale_multiplies_the_scores(self, draw: Draw) -> None:
        query, key, value = draw(5, 11), draw(7, 11), draw(7, 13)
        scales = torch.tensor([0.1, 1.0], dtype=torch.float64).reshape(2, 1, 1)
        batch = scaled_dot_product_attention(query, key, value, scale=scales)
        torch.testing.assert_close(batch.scaled_scores, batch.scores * scales, **EXACT)

    def test_masks(self, draw: Draw) -> None:
        query, key, value = draw(5, 11), draw(7, 11), draw(7, 13)
        masks = draw(3, 5, 7) > -1
        masks[1, 4] = False
        batch = scaled_dot_product_attention(query, key, value, masks)
        assert batch.mask is not None
        assert torch.equal(batch.mask, masks)
        for step, mask in enumerate(masks):
            one = scaled_dot_product_attention(query, key, value, mask)
            torch.testing.assert_close(batch.weights[step], one.weights, **EXACT)

    def test_all_true_masks_give_one_unmasked_result_per_mask(self, draw: Draw) -> None:
        query, key, value = draw(2, 5, 11), draw(2, 7, 11), draw(2, 7, 13)
        open_masks = torch.ones(3, 1, 5, 7, dtype=torch.bool)
        batch = scaled_dot_product_attention(query, key, value, open_masks)
        one = scaled_dot_product_attention(query, key, value)
        assert batch.weights.shape == (3, 2, 5, 7)
        torch.testing.assert_close(batch.output, one.output.expand(3, 2, 5, 13), **EXACT)

    def test_one_mask_row_for_every_query(self, draw: Draw) -> None:
        row = torch.tensor([True, False, True, True, False, True, True])
        stages = scaled_dot_product_attention(draw(5, 11), draw(7, 11), draw(7, 13), row)
        assert stages.mask is not None
        assert stages.mask.shape == (5, 7)


small = st.integers(1, 6)


@given(small, small, small, st.floats(0.01, 100), st.integers(0, 2**31))
def test_rows_sum_to_one_and_outputs_stay_in_the_hull(
    n_query: int, n_key: int, width: int, temperature: float, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    query, key, value = (
        10 * torch.randn(n, width, generator=generator, dtype=torch.float64) for n in (n_query, n_key, n_key)
    )
    stages = scaled_dot_product_attention(query, key, value, temperature=temperature)
    torch.testing.assert_close(stages.weights.sum(dim=1), torch.ones(n_query).double(), **EXACT)
    assert (stages.output <= value.max(dim=0).values + 1e-9).all()
    assert (stages.output >= value.min(dim=0).values - 1e-9).all()


@given(st.permutations(range(7)), st.permutations(range(5)))
def test_output_under_permutations_of_keys_and_queries(keys: list[int], queries: list[int]) -> None:
    generator = torch.Generator().manual_seed(1)
    query, key, value = (
        torch.randn(n, d, generator=generator, dtype=torch.float64) for n, d in ((5, 3), (7, 3), (7, 2))
    )
    output = scaled_dot_product_attention(query, key, value).output
    torch.testing.assert_close(
        scaled_dot_product_attention(query, key[keys], value[keys]).output, output, **EXACT
    )
    permuted = scaled_dot_product_attention(query[queries], key, value).output
    torch.testing.assert_close(permuted, output[queries], **EXACT)


@given(st.floats(-500, 500))
def test_weights_of_shifted_rows_are_equal(shift: float) -> None:
    generator = torch.Generator().manual_seed(2)
    query, key, value = (
        torch.randn(n, d, generator=generator, dtype=torch.float64) for n, d in ((5, 3), (7, 3), (7, 2))
    )
    shifted = scaled_dot_product_attention(query, key, value, torch.full((5, 7), shift, dtype=torch.float64))
    torch.testing.assert_close(
        shifted.weights, scaled_dot_product_attention(query, key, value).weights, **EXACT
    )


def test_limits_of_temperature(draw: Draw) -> None:
    query, key, value = draw(5, 11), draw(7, 11), draw(7, 13)
    cold = scaled_dot_product_attention(query, key, value, temperature=1e-9)
    torch.testing.assert_close(cold.output, value[cold.scores.argmax(dim=1)])
    hot = scaled_dot_product_attention(query, key, value, temperature=1e12)
    torch.testing.assert_close(hot.output, value.mean(dim=0).expand(5, 13))


def test_attention_keeps_dtype(draw: Draw) -> None:
    query, key, value = draw(5, 11).float(), draw(7, 11).float(), draw(7, 13).float()
    temperature = torch.ones(2, 1, 1, dtype=torch.float64)
    stages = scaled_dot_product_attention(query, key, value, draw(5, 7), temperature=temperature)
    assert stages.scores.dtype == stages.weights.dtype == stages.output.dtype == torch.float32


def test_large_results_equal_small_ones(draw: Draw) -> None:
    query, key, value = draw(751, 3), draw(757, 3), draw(757, 2)  # a map of 4.5 MB
    mask = causal_mask(751, 757)
    mask[5] = False
    large = scaled_dot_product_attention(query, key, value, mask)
    learning = scaled_dot_product_attention(query.clone().requires_grad_(), key, value, mask)
    assert learning.output.requires_grad
    for field in ("scores", "scaled_scores", "mask", "weights", "output"):
        torch.testing.assert_close(getattr(large, field), getattr(learning, field).detach(), **EXACT)
    torch.testing.assert_close(
        large.output, F.scaled_dot_product_attention(query, key, value, mask), rtol=0, atol=1e-10
    )


def test_stages_share_no_memory(draw: Draw) -> None:
    stages = scaled_dot_product_attention(draw(751, 3), draw(757, 3), draw(757, 2), is_causal=True)
    kept = stages.scores.clone()
    stages.weights.zero_()
    stages.scaled_scores.zero_()
    assert torch.equal(stages.scores, kept)


def test_temperature_and_bias_have_gradients(draw: Draw) -> None:
    query, key, value, bias = draw(3, 2), draw(5, 2), draw(5, 7), draw(3, 5).requires_grad_()
    temperature = torch.tensor([0.7, 2.0], dtype=torch.float64).reshape(2, 1, 1).requires_grad_()

    def output(bias: Tensor, temperature: Tensor) -> Tensor:
        return scaled_dot_product_attention(query, key, value, bias, temperature=temperature).output

    assert torch.autograd.gradcheck(output, (bias, temperature))


@pytest.mark.parametrize("masked", [False, True])
def test_softcap_equals_gemma_2(masked: bool, draw: Draw) -> None:
    query, key, value = draw(2, 3, 7, 5), draw(2, 3, 7, 5), draw(2, 3, 7, 5)
    allowed = causal_mask(7)
    module: Any = torch.nn.Module().eval()
    module.num_key_value_groups = 1
    bias = torch.zeros(7, 7).double().masked_fill(~allowed, -torch.inf) if masked else None
    output, weights = eager_attention_forward(module, query, key, value, bias, scaling=3.0, softcap=2.0)
    stages = scaled_dot_product_attention(
        query, key, value, allowed if masked else None, scale=3.0, softcap=2.0
    )
    # Theirs goes through float32 on its way.
    torch.testing.assert_close(stages.weights, weights, rtol=0, atol=1e-6)
    torch.testing.assert_close(stages.output, output.transpose(1, 2), rtol=0, atol=1e-5)
    seen = stages.scaled_scores if not masked else stages.scaled_scores[..., allowed]
    assert 1.9 < float(seen.abs().max()) <= 2.0
    assert float((stages.scores * 3).abs().max()) > 4


@pytest.mark.parametrize("masked", [False, True])
def test_sink_equals_gpt_oss_and_the_closed_form(masked: bool, draw: Draw) -> None:
    query, key, value = draw(2, 4, 3, 8), draw(2, 4, 5, 8), draw(2, 4, 5, 6)
    sinks = draw(4)
    mask = torch.ones(3, 5, dtype=torch.bool)
    mask[1, 2:] = False
    mask[2] = not masked  # a row that sees nothing gives all to the sink
    ours = scaled_dot_product_attention(query, key, value, mask, sink=sinks[:, None, None])
    module: Any = SimpleNamespace(num_key_value_groups=1, sinks=sinks, training=False)
    bias = torch.zeros(3, 5, dtype=torch.float64).masked_fill(~mask, -torch.inf)
    output, weights = gpt_oss.eager_attention_forward(module, query, key, value, bias, scaling=8**-0.5)
    torch.testing.assert_close(ours.weights, weights, rtol=0, atol=1e-12)
    torch.testing.assert_close(ours.output, output.transpose(1, 2), rtol=0, atol=1e-12)
    share = torch.sigmoid(sinks[:, None] - ours.scaled_scores.logsumexp(dim=-1))
    torch.testing.assert_close(1 - ours.weights.sum(dim=-1), share, rtol=0, atol=1e-12)
    low = scaled_dot_product_attention(query, key, value, mask, sink=-1e4).weights
    torch.testing.assert_close(low, scaled_dot_product_attention(query, key, value, mask).weights)


def test_attention_refusals_say_what_came(refuses: Refuses, draw: Draw) -> None:
    with refuses("sink must be finite; got inf"):
        scaled_dot_product_attention(draw(2, 3), draw(2, 3), draw(2, 3), sink=torch.inf)
    query, key, value = draw(5, 11), draw(7, 11), draw(7, 13)
    with refuses(r"same width d_k >= 1; got query \(5, 11\), key \(7, 3\), value \(7, 13\)"):
        scaled_dot_product_attention(query, draw(7, 3), value)
    with refuses(r"same length n_key; got query \(5, 11\), key \(7, 11\), value \(5, 13\)"):
        scaled_dot_product_attention(query, key, draw(5, 13))
    with refuses("softcap must be a finite number > 0; got 0"):
        scaled_dot_product_attention(query, key, value, softcap=0)
    with refuses(r"at least 2 axes \(n, d\); got query \(11,\)"):
        scaled_dot_product_attention(draw(11), key, value)
    with refuses(r"batch axes that broadcast; got query \(2, 5, 11\), key \(3, 7, 11\)"):
        scaled_dot_product_attention(draw(2, 5, 11), draw(3, 7, 11), value)
    with refuses(r"attn_mask must broadcast against the scores .* = \(5, 7\); got shape \(7, 5\)"):
        scaled_dot_product_attention(query, key, value, torch.ones(7, 5, dtype=torch.bool))
    with refuses(r"attn_mask must broadcast against the scores .* = \(1, 7\); got shape \(5, 7\)"):
        scaled_dot_product_attention(query[:1], key, value, torch.ones(5, 7, dtype=torch.bool))
    with refuses("attn_mask must be boolean or floating-point; got dtype torch.int64"):
        scaled_dot_product_attention(query, key, value, torch.ones(5, 7, dtype=torch.int64))
    for infinite in (math.nan, math.inf):
        with refuses(r"attn_mask must hold finite numbers or -inf; got NaN or \+inf"):
            scaled_dot_product_attention(query, key, value, torch.full((5, 7), infinite).double())
    attend: Callable[..., Attention] = partial(scaled_dot_product_attention, query, key, value)
    for name in ("scale", "temperature"):
        bad: Any
        for bad in (0, -1.0, math.nan, math.inf, "hot"):
            with refuses(f"{name} must be a finite number > 0; got {bad!r}"):
                attend(**{name: bad})
        with refuses(rf"{name} must hold finite numbers > 0; got \[1.0, 0.0\]"):
            attend(**{name: torch.tensor([1.0, 0.0])})
        with refuses(rf"{name} must broadcast against the scores .* = \(5, 7\); got shape \(3,\)"):
            attend(**{name: torch.ones(3)})
    with refuses(r"must broadcast together; got shapes \(2, 1, 1\), \(3, 5, 7\)"):
        steps = torch.ones(2, 1, 1, dtype=torch.float64)
        scaled_dot_product_attention(query, key, value, draw(3, 5, 7) > -1, temperature=steps)
    with refuses("share one floating-point dtype; got query torch.float32, key torch.float64"):
        scaled_dot_product_attention(query.float(), key, value)


class TestSelfAttention:
    def test_self_attention_equals_attention_of_projections(self, draw: Draw) -> None:
        head = SelfAttention(7, 3, 5, seed=4, dtype=torch.float64)
        x = draw(2, 11, 7)
        stages = head(x, is_causal=True, temperature=2.0)
        query, key, value = x @ head.W_q.weight.mT, x @ head.W_k.weight.mT, x @ head.W_v.weight.mT
        expected = scaled_dot_product_attention(query, key, value, is_causal=True, temperature=2.0)
        torch.testing.assert_close(stages.scores, expected.scores, **EXACT)
        torch.testing.assert_close(stages.output, expected.output, **EXACT)
        assert stages.output.shape == (2, 11, 5)

    def test_widths_default_to_d_model(self) -> None:
        head = SelfAttention(7)
        assert head.W_q.weight.shape == head.W_k.weight.shape == head.W_v.weight.shape == (7, 7)
        assert [name for name, _ in head.named_parameters()] == ["W_q.weight", "W_k.weight", "W_v.weight"]
        assert SelfAttention(7, bias=True).W_q.bias.shape == (7,)

    def test_seed_gives_equal_weights_in_every_dtype(self) -> None:
        first = SelfAttention(7, seed=3, dtype=torch.float64)
        again = SelfAttention(7, seed=3, dtype=torch.float32)
        other = SelfAttention(7, seed=5, dtype=torch.float64)
        assert torch.equal(first.W_v.weight.float(), again.W_v.weight)
        assert not torch.equal(first.W_q.weight, other.W_q.weight)
        assert not torch.equal(first.W_q.weight, first.W_k.weight)

    def test_the_global_generator_is_left_alone(self) -> None:
        before = torch.get_rng_state()
        SelfAttention(7)
        assert torch.equal(torch.get_rng_state(), before)

    def test_self_attention_learns(self, draw: Draw) -> None:
        head = SelfAttention(3, dtype=torch.float64)
        head(draw(5, 3)).output.sum().backward()
        assert all(each.grad is not None and each.grad.abs().sum() > 0 for each in head.parameters())

    def test_refusals(self, refuses: Refuses, draw: Draw) -> None:
        with refuses("d_k must be a whole number >= 1; got 0"):
            SelfAttention(7, 0)
        with refuses("d_model must be a whole number >= 1; got 2.5"):
            SelfAttention(2.5)  # type: ignore[arg-type]  # wrong on purpose
        with refuses(r"x must have shape \(\*batch, n, 7\); got \(5, 3\)"):
            SelfAttention(7, dtype=torch.float64)(draw(5, 3))
        with refuses("x, W_q must share one floating-point dtype; got x torch.float64, W_q torch.float32"):
            SelfAttention(7)(draw(5, 7))


def test_sink_that_is_a_number_keeps_the_digits_of_the_scores() -> None:
    one = torch.zeros(1, 1, dtype=torch.float64)
    weight = scaled_dot_product_attention(one, one, one, sink=-1.35).weights.item()
    assert weight == pytest.approx(1 / (1 + math.exp(-1.35)), abs=1e-15)
