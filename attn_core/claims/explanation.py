"""Whether weights explain a model: attention beside the effect of removing each token."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from attn_core.attention_flow import attention_rollout
from attn_core.claims.measurements import Measurements, Study
from attn_core.multi_head import MultiHeadAttention

N, D_MODEL, N_HEAD = 10, 16, 2
LAST, ROLLED = "the last layer's weights", "all layers' weights multiplied"


def ranks(x: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch n"]:
    """Return the ranks along the last axis, counted from 1; equal numbers share the mean of their ranks.

    >>> ranks(torch.tensor([0.5, 0.1, 0.5]))
    tensor([2.5000, 1.0000, 2.5000])
    """
    below = (x[..., None, :] < x[..., :, None]).sum(dim=-1)
    equal = (x[..., None, :] == x[..., :, None]).sum(dim=-1)
    return (below + (equal + 1) / 2).to(x.dtype)


def rank_correlation(a: Float[Tensor, "*batch n"], b: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch"]:
    """Return Spearman's rank correlation along the last axis: the correlation of the ranks.

    Invariant: from -1 (opposite order) to 1 (the same order).

    Edge cases: NaN where all numbers of ``a``, or of ``b``, are equal and so have no order.

    Source: Spearman (1904), The Proof and Measurement of Association between Two Things.

    >>> rank_correlation(torch.tensor([1.0, 2.0, 4.0]), torch.tensor([10.0, 20.0, 21.0])).round(decimals=3)
    tensor(1.)
    """
    deviations = [each - each.mean(dim=-1, keepdim=True) for each in (ranks(a), ranks(b))]
    sizes = [each.norm(dim=-1) for each in deviations]
    correlation: Tensor = (deviations[0] * deviations[1]).sum(dim=-1) / (sizes[0] * sizes[1])
    return correlation


def weights_and_effects(
    layers: Sequence[MultiHeadAttention], x: Float[Tensor, "n d_model"]
) -> tuple[Float[Tensor, "n_layer n n"], Float[Tensor, "n_layer n n"]]:
    r"""Return each layer's weights, averaged over heads, and how far its output moves without each token.

    $$e^{(l)}_{ij} = \lVert y^{(l)}_i(X) - y^{(l)}_i(X \setminus x_j) \rVert$$

    y is the output of layer l; each layer adds attention of the normalised rows to its input. A token is
    removed by letting no query of any layer attend to it. Both results end in (query, token); the diagonal
    of the effects means nothing, since a removed token has no query.

    Source: Jain and Wallace (2019), Attention is not Explanation, for leave-one-out as the comparison.
    """
    n = len(x)
    whole = torch.ones(n, n, dtype=torch.bool)
    # Mask t hides column t; the last mask hides nothing.
    masks = torch.stack([*(whole & (torch.arange(n) != away) for away in range(n)), whole])
    state, maps, effects = x.expand(n + 1, n, x.shape[-1]), [], []
    with torch.no_grad():
        for layer in layers:
            stages = layer(F.layer_norm(state, state.shape[-1:]), attn_mask=masks[:, None])
            maps.append(stages.weights[-1].mean(dim=0))
            state = state + stages.output
            effects.append((state[:-1] - state[-1]).norm(dim=-1).T)
    return torch.stack(maps), torch.stack(effects)


def explanation_by_depth(seeds: Sequence[int], depths: Sequence[int]) -> Study:
    """Measure how well weights predict which tokens matter, in stacks of one layer and of more.

    "rank correlation" is Spearman's over the 9 other tokens, the mean over 10 queries; "same first" is the
    share of queries whose largest weight is on the token with the largest effect. Weights are those of the
    last layer, or the product of all layers' maps, each half identity for the residual (attention rollout).
    Projections and tokens are random, d_model 16, 2 heads.

    Source: Abnar and Zuidema (2020), Quantifying Attention Flow in Transformers, for the rollout.

    >>> study = explanation_by_depth([0], [1, 3])
    >>> {name: list(curves) for name, curves in study.measures.items()}["same first"][0]
    "the last layer's weights"
    """
    measurements = Measurements()
    others = ~torch.eye(N, dtype=torch.bool)
    for seed in seeds:
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(N, D_MODEL, generator=generator, dtype=torch.float64)
        stack = [
            MultiHeadAttention(D_MODEL, N_HEAD, bias=False, seed=seed + layer, dtype=x.dtype)
            for layer in range(max(depths))
        ]
        maps, effects = weights_and_effects(stack, x)
        for depth in depths:
            for name, weights in ((LAST, maps[depth - 1]), (ROLLED, attention_rollout(maps[:depth])[-1])):
                a, b = (each[others].reshape(N, N - 1) for each in (weights, effects[depth - 1]))
                same = (a.argmax(dim=-1) == b.argmax(dim=-1)).to(a.dtype)
                measurements.add("rank correlation", name, rank_correlation(a, b).mean())
                measurements.add("same first", name, same.mean())
    return Study("layers", tuple(depths), measurements.curves(len(depths)))
