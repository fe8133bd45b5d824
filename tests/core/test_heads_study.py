"""One head or many, against torch's own module, plain loops and numpy."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from attn_core import (
    MultiHeadAttention,
    causal_mask,
    effective_rank,
    fit_heads,
    heads_study,
    token_distance,
    two_pattern_task,
)
from tests.core.kinds import Refuses

SEEDS = (3, 103)
COUNTS = (1, 2, 3, 6)


def vectors(n: int = 5, d: int = 6, seed: int = 0) -> Tensor:
    return torch.randn(n, d, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def apart(x: Tensor) -> float:
    """Every pair of rows, one after the other."""
    n = len(x)
    squares = sum(float((x[i] - x[j]).square().sum()) for i in range(n) for j in range(n))
    return math.sqrt(squares / (2 * n)) / float(x.norm())


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_heads_study_equals_torch_and_loops(bias: bool, causal: bool) -> None:
    x = vectors()
    mask = causal_mask(5) if causal else None
    study = heads_study(x, None, mask, num_heads=COUNTS, seeds=SEEDS, n_layers=3, bias=bias)
    assert study.distances is not None
    for at, seed in enumerate(SEEDS):
        for place, count in enumerate(COUNTS):
            layers = [
                MultiHeadAttention(6, count, bias=bias, seed=seed + layer, dtype=torch.float64)
                for layer in range(3)
            ]
            theirs = [layer.to_torch().eval() for layer in layers]
            assert sum(each.numel() for each in theirs[0].parameters()) == study.sizes[place].parameters
            with torch.no_grad():
                _, weights = theirs[0](
                    x, x, x, attn_mask=None if mask is None else ~mask, average_attn_weights=False
                )
                scores = layers[0](x).scores
            rows = [float(w) for w in weights.flatten()]
            summed = sum(-w * math.log(w) for w in rows if w > 0) / (count * 5)
            assert study.entropy[at, place].item() == pytest.approx(summed, abs=1e-12)
            ranks = [np.linalg.matrix_rank(each) for each in scores.numpy()]
            assert study.score_rank[at, place].item() == np.mean(ranks) <= 6 // count
            spread = []
            for each in weights.numpy():
                singular = np.linalg.svd(each, compute_uv=False)
                shares = singular / singular.sum()
                spread.append(math.exp(-sum(p * math.log(p) for p in shares if p > 0)))
            assert study.effective_rank[at, place].item() == pytest.approx(np.mean(spread), abs=1e-9)
            for residual in (0, 1):
                state = x
                found = study.distances[residual, at, place]
                assert found[0].item() == pytest.approx(apart(state), abs=1e-12)
                for layer, module in enumerate(theirs, start=1):
                    with torch.no_grad():
                        out, _ = module(state, state, state, attn_mask=None if mask is None else ~mask)
                    state = residual * state + out
                    assert found[layer].item() == pytest.approx(apart(state), abs=1e-9)


def test_pure_attention_collapses_doubly_exponentially() -> None:
    study = heads_study(vectors(8, 16), num_heads=[1, 4, 16], seeds=range(0, 600, 100))
    assert study.distances is not None
    without, kept = study.distances.log10().mean(dim=1)
    falls = without[:, :4].diff(dim=-1)
    assert bool((falls[:, 1:] < 2 * falls[:, :-1]).all())  # each layer takes off more than twice the digits
    assert bool((without[:, -1] < -14).all())
    assert bool((kept[:, -1] > -2).all())


def test_another_sequence_has_no_layers() -> None:
    study = heads_study(vectors(3), vectors(7, 4, seed=1), num_heads=[1, 2], seeds=[0])
    assert study.distances is None
    assert study.sizes[0].parameters == 2 * (6 * 6 + 6) + 2 * (4 * 6 + 6)
    attend = MultiHeadAttention(6, 2, d_key=4, d_value=4, seed=0, dtype=torch.float64)
    weights = attend(vectors(3), vectors(7, 4, seed=1)).weights
    entropy = -(weights * weights.log()).sum(dim=-1).mean()
    torch.testing.assert_close(study.entropy[0, 1], entropy.detach())


def test_heads_study_of_one_word_or_head(refuses: Refuses) -> None:
    alone = heads_study(vectors(1), num_heads=[1, 2], seeds=[0], output_projection=False)
    assert alone.distances is not None
    assert alone.distances.max() == 0
    assert alone.entropy.abs().max() == 0
    assert alone.effective_rank.tolist() == [[1.0, 1.0]]
    blocked = heads_study(vectors(), None, torch.zeros(5, 5, dtype=torch.bool), num_heads=[2], seeds=[0])
    assert blocked.entropy.item() == blocked.effective_rank.item() == 0
    assert blocked.distances is not None
    assert bool(blocked.distances.isfinite().all())
    assert effective_rank(torch.zeros(2, 3)).item() == 0
    assert token_distance(torch.zeros(2, 3)).item() == 0
    for counts, seeds, n_layers in (([4], [0], 1), ([], [0], 1), ([1], [], 1), ([1], [0], 0)):
        with pytest.raises(ValueError, match="got"):
            heads_study(vectors(), num_heads=counts, seeds=seeds, n_layers=n_layers)
    for measure in (effective_rank, token_distance):
        with refuses(r"must have shape .* got \(3,\)"):
            measure(torch.zeros(3))


@pytest.mark.parametrize("num_heads", [1, 2, 8])
def test_fit_equals_torch_module_and_optimiser(num_heads: int) -> None:
    fit = fit_heads(num_heads, seeds=(7, 11), steps=6, keep_every=2)
    assert fit.steps == (0, 2, 4, 6)
    task = two_pattern_task()
    for at, seed in enumerate((7, 11)):
        drawn = MultiHeadAttention(8, num_heads, bias=False, d_value=4, seed=seed, dtype=torch.float64)
        module = drawn.to_torch().train()
        adam = torch.optim.Adam(module.parameters(), lr=0.05)
        losses = []
        batch = len(task.content)
        queries, keys = (x.expand(batch, *x.shape) for x in (task.queries, task.place))
        for _ in range(7):
            output, weights = module(queries, keys, task.content, average_attn_weights=False)
            loss = torch.nn.functional.mse_loss(output, task.target)
            losses.append(loss.item())
            adam.zero_grad()
            loss.backward()
            adam.step()
        np.testing.assert_allclose(fit.losses[:, at], losses[::2], rtol=1e-9)
        if at == 0:
            torch.testing.assert_close(fit.weights[-1], weights[0].detach(), atol=1e-9, rtol=0)


def test_task_error_is_the_expected_error() -> None:
    fit = fit_heads(2, seeds=[0], steps=20, keep_every=20)
    generator = torch.Generator().manual_seed(5)
    content = torch.randn(20_000, 8, 4, generator=generator, dtype=torch.float64)
    target = torch.cat([content[:, 1:7], content[:, :1].expand(-1, 6, -1)], dim=-1)
    w_v, w_o = fit.parameters[2][0], fit.parameters[3][0]
    value = (content @ w_v.T).unflatten(-1, (2, 4))
    heads = torch.einsum("hqk,bkhd->bqhd", fit.weights[-1], value).flatten(-2)
    error = (heads @ w_o.T - target).square().mean().item()
    assert fit.losses[-1, 0].item() == pytest.approx(error, rel=0.02)


def test_fit_with_two_heads_beats_one_and_eight() -> None:
    ends = {heads: fit_heads(heads, seeds=range(3), steps=120).losses for heads in (1, 2, 4, 8)}
    assert ends[1].min() >= 0.5
    assert ends[1][-1].max() < 0.51
    assert ends[2][-1].max() < 0.01
    assert ends[4][-1].max() < 0.01
    assert ends[8][-1].min() > 0.1
    again = fit_heads(8, seeds=range(3), steps=120).losses
    assert torch.equal(again, ends[8])


def test_task_and_fit_refuse_misfits() -> None:
    for wrong in (3, 5, 2):
        with pytest.raises(ValueError, match="n_token"):
            two_pattern_task(wrong)
    for heads, seeds, steps, rate in ((3, [0], 1, 0.1), (2, [], 1, 0.1), (2, [0], 0, 0.1), (2, [0], 1, -1.0)):
        with pytest.raises(ValueError, match="got"):
            fit_heads(heads, seeds=seeds, steps=steps, learning_rate=rate)
