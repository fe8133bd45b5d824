"""Other scores against torch's own functions, loops, the kernel estimator and the recurrent form."""

import math
from fractions import Fraction

import pytest
import torch
import torch.nn.functional as F

from attn_core import (
    SCORES,
    nadaraya_watson,
    scaled_dot_product_attention,
    score_attention,
    score_pairs,
    score_weights,
)
from attn_core.scores import audit_score, feature_map, score_terms


def random_inputs(seed: int, *, keys: int = 7, width: int = 3) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    shapes = ((5, width), (keys, width), (keys, 2))
    query, key, value = (torch.randn(*each, generator=generator, dtype=torch.float64) for each in shapes)
    return query, key, value, torch.rand(5, keys, generator=generator) < 0.6


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(5))
def test_scores_equal_other_code_and_audit_fails_wrong_ones(score: str, seed: int) -> None:
    query, key, value, mask = random_inputs(seed)
    weights = score_weights(score, 3, seed=seed)
    scores = score_pairs(score, query, key, weights)
    assert all(
        each.passed
        for each in audit_score(score, query, key, value, attn_mask=mask, parameters=weights, scores=scores)
    )
    wrong = scores.clone()
    wrong[2, 1] += 1e-6
    checks = audit_score(score, query, key, value, attn_mask=mask, parameters=weights, scores=wrong)
    assert not checks[0].passed


def test_dot_product_is_scaled_dot_product_attention() -> None:
    query, key, value, mask = random_inputs(2)
    ours = score_attention("dot product", query, key, value, mask, scale=0.3, temperature=2.0)
    theirs = scaled_dot_product_attention(query, key, value, mask, scale=0.3, temperature=2.0)
    torch.testing.assert_close(ours.weights, theirs.weights)
    torch.testing.assert_close(ours.output, theirs.output)


@pytest.mark.parametrize("temperature", [0.1, 1.0, 4.0])
def test_kernel_score_equals_kernel_regression(temperature: float) -> None:
    query, key, value, _mask = random_inputs(3)
    ours = score_attention("kernel", query, key, value, temperature=temperature)
    theirs = nadaraya_watson(query, key, value, bandwidth=math.sqrt(temperature))
    torch.testing.assert_close(ours.weights, theirs.weights)
    torch.testing.assert_close(ours.output, theirs.estimate)


def test_kernel_score_with_equal_keys_is_dot_product() -> None:
    query, key, value, mask = random_inputs(4)
    key = 1.7 * F.normalize(key, dim=-1)
    ours = score_attention("kernel", query, key, value, mask, scale=0.5)
    theirs = scaled_dot_product_attention(query, key, value, mask, scale=0.5)
    torch.testing.assert_close(ours.weights, theirs.weights)


def test_cosine_ignores_length_and_general_by_identity_is_dot() -> None:
    query, key, _value, _mask = random_inputs(5)
    torch.testing.assert_close(score_pairs("cosine", 9 * query, 0.1 * key), score_pairs("cosine", query, key))
    identity = {"W_a": torch.eye(3, dtype=torch.float64)}
    torch.testing.assert_close(score_pairs("general", query, key, identity), query @ key.mT)
    assert not score_pairs("cosine", 0 * query, key).any()


def test_causal_linear_attention_equals_running_sums() -> None:
    query, key, value, _mask = random_inputs(6, keys=5)
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    ours = score_attention("linear", query, key, value, causal).output
    features = F.elu(key) + 1
    sums = (features[:, :, None] * value[:, None]).cumsum(dim=0)
    read = F.elu(query) + 1
    theirs = torch.einsum("nd,ndv->nv", read, sums) / (read * features.cumsum(dim=0)).sum(-1, keepdim=True)
    torch.testing.assert_close(ours, theirs)


def test_features_are_exact_and_finite() -> None:
    far = torch.full((1, 2), -2000.0, dtype=torch.float64)
    assert torch.isfinite(score_pairs("linear", far, far)).all()
    small = feature_map(torch.full((1,), -50.0, dtype=torch.float64))
    assert float(small) == pytest.approx(math.exp(-50), rel=1e-12)


@pytest.mark.parametrize("score", SCORES)
def test_fully_masked_row_is_zero(score: str) -> None:
    query, key, value, mask = random_inputs(7)
    mask[1] = False
    weights = score_weights(score, 3, seed=0)
    steps = torch.tensor([0.5, 1.0, 3.0], dtype=torch.float64)[:, None, None]
    stages = score_attention(score, query, key, value, mask, parameters=weights, temperature=steps)
    assert stages.weights.shape == (3, 5, 7)
    assert not stages.output[:, 1].any()
    alone = score_attention(score, query, key, value, mask, parameters=weights, temperature=3.0)
    torch.testing.assert_close(stages.weights[2], alone.weights)
    checks = audit_score(score, query, key, value, attn_mask=mask, parameters=weights, scores=stages.scores)
    assert all(each.passed for each in checks)


def test_scores_refuse_misfits() -> None:
    query, key, _value, _mask = random_inputs(8)
    with pytest.raises(ValueError, match="score must be one of dot product, additive"):
        score_pairs("cubic", query, key)
    with pytest.raises(ValueError, match="general needs W_a of shape"):
        score_pairs("general", query, key)
    with pytest.raises(ValueError, match=r"got \(5, 3\) and \(7, 2\)"):
        score_terms("cosine", query, key[:, :2], {})


def exact_weights(query: list[list[float]], key: list[list[float]]) -> list[list[float]]:
    """Linear attention in fractions: exp by its series, to many more digits than float64 has."""

    def exp(x: Fraction) -> Fraction:
        halvings = 0
        while abs(x) > 1:
            x, halvings = x / 2, halvings + 1
        total = term = Fraction(1)
        for n in range(1, 40):
            term = term * x / n
            total += term
        for _ in range(halvings):
            total = Fraction(round(total * total * 2**6000), 2**6000)
        return total

    def features(row: list[float]) -> list[Fraction]:
        return [Fraction(x) + 1 if x > 0 else exp(Fraction(x)) for x in row]

    rows = []
    for q in map(features, query):
        alike = [sum(a * b for a, b in zip(q, features(k), strict=True)) for k in key]
        rows.append([float(each / sum(alike)) for each in alike])
    return rows


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize(
    ("query", "key"),
    [
        ([[-400.0, -401.5]], [[-400.0, -399.0], [-398.0, -402.0], [-400.5, -400.5]]),
        ([[-800.0, -801.0], [2.0, -900.0]], [[-750.0, -752.0], [-751.0, -750.5], [-900.0, -700.0]]),
        ([[-60.0, 0.5], [0.0, -80.0]], [[-50.0, -45.0], [3.0, -70.0], [-55.0, 0.0]]),
        ([[1.0, -1.0]], [[0.5, -0.5], [-2.0, 2.0], [0.0, 0.0]]),
    ],
)
def test_linear_attention_with_tiny_features_equals_fractions(
    query: list[list[float]], key: list[list[float]], dtype: torch.dtype
) -> None:
    asked, keys = (torch.tensor(each, dtype=dtype, requires_grad=True) for each in (query, key))
    weights = score_attention("linear", asked, keys, torch.eye(len(key), dtype=dtype)).weights
    wanted = torch.tensor(exact_weights(query, key), dtype=dtype)
    # A score of some 1,600 has that many times its own rounding, and a weight has as much relative to itself.
    rounding = float(weights.new_tensor(2000.0)) * torch.finfo(dtype).eps
    torch.testing.assert_close(weights, wanted, rtol=2 * rounding, atol=torch.finfo(dtype).tiny)
    weights[:, 0].sum().backward()
    for each in (asked, keys):
        assert each.grad is not None
        assert torch.isfinite(each.grad).all()


def test_gradient_of_linear_scores_equals_differences() -> None:
    query = torch.tensor([[-300.0, 0.7], [0.2, -2.0]], dtype=torch.float64, requires_grad=True)
    key = torch.tensor(
        [[-400.0, -2.0], [-395.0, 1.5], [0.4, -350.0]], dtype=torch.float64, requires_grad=True
    )
    assert torch.autograd.gradcheck(lambda q, k: score_pairs("linear", q, k), (query, key))


def test_large_features_have_finite_scores() -> None:
    far = torch.full((1, 2), 1e30, dtype=torch.float32)
    assert float(score_pairs("linear", far, far)) == pytest.approx(math.log(2) + 60 * math.log(10), rel=1e-6)
