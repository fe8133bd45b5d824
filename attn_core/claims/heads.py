"""Claims about several heads: over-smoothing, noise, parameters, and the order of a fused projection."""

from collections.abc import Sequence
from itertools import permutations

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.attention import scaled_dot_product_attention
from attn_core.claims.measurements import Measurements, Study
from attn_core.multi_head import MultiHeadAttention, merge_heads, split_heads
from attn_core.transformer_block import token_distance

HEADS = {"1 head": 1, "2 heads": 2, "4 heads": 4, "8 heads": 8}
N, D_MODEL, DRAWS = 8, 16, 256


def random_layers(
    seed: int, n_layers: int
) -> tuple[Float[Tensor, "draws 2 8 16"], Float[Tensor, "draws layers 4 16 16"]]:
    """Draw 256 times: two sets of standard normal tokens, and Glorot uniform W_q, W_k, W_v and W_o."""
    generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
    tokens = torch.randn(DRAWS, 2, N, D_MODEL, generator=generator, dtype=torch.float64)
    uniform = torch.rand(DRAWS, n_layers, 4, D_MODEL, D_MODEL, generator=generator, dtype=torch.float64)
    return tokens, uniform.mul_(2).sub_(1).mul_((6 / (D_MODEL + D_MODEL)) ** 0.5)


def _attend(x: Tensor, layer: Tensor, heads: int, temperature: float = 1.0) -> tuple[Tensor, Tensor]:
    """Return weights (*draws, heads, n, n) and output; each draw has a layer of its own."""
    q, k, v = (split_heads(x @ layer[..., part, :, :].mT, heads) for part in range(3))
    stages = scaled_dot_product_attention(q, k, v, temperature=temperature)
    return stages.weights, merge_heads(stages.output) @ layer[..., 3, :, :].mT


def over_smoothing(seed: int, n_layers: int) -> Study:
    """Stack layers of one head and of several, of equal parameters, and measure their ``token_distance``.

    In each of 256 draws, all numbers of heads have the same tokens and projections.

    >>> study = over_smoothing(0, 2)
    >>> tuple(study.measures["difference, with residual"]["1 head"].shape)
    (256, 3)
    """
    tokens, layers = random_layers(seed, n_layers)
    measurements = Measurements()
    for name, residual in (("difference, no residual", 0.0), ("difference, with residual", 1.0)):
        for curve, heads in HEADS.items():
            states = [tokens[:, 0]]
            for layer in range(n_layers):
                states.append(residual * states[-1] + _attend(states[-1], layers[:, layer], heads)[1])
            measurements.add(name, curve, token_distance(torch.stack(states, dim=1)))
    return Study("layers", tuple(range(n_layers + 1)), measurements.curves(n_layers + 1))


def noise(seed: int, sizes: Sequence[float | int]) -> Study:
    r"""Add normal noise to the inputs, and measure how far outputs and weights of attention move.

    $$\frac{\lVert O(X + \sigma E) - O(X) \rVert}{\lVert O(X) \rVert}, \qquad
      \frac{1}{2} \sum_j |w_{ij}(X + \sigma E) - w_{ij}(X)|$$

    X and E are standard normal, (8, 16). In each of 256 draws, all numbers of heads have the same
    projections, so their parameters are equal. The weights' measure is the mean over queries and heads of the
    total variation, from 0 to 1. "soft" is temperature 1, "sharp" 0.1. "no attention" maps each token by
    W_v W_o alone.

    Invariant: without noise nothing moves.

    >>> study = noise(0, [0.0, 1.0])
    >>> study.at("output (soft)", "no attention", 0.0).max().item()
    0.0
    """
    sizes = tuple(sizes)
    tokens, layers = random_layers(seed, 1)
    x, e = tokens[:, :1], tokens[:, 1:]
    inputs = x + torch.tensor([0.0, *sizes], dtype=x.dtype)[:, None, None] * e
    measurements = Measurements()
    for name, temperature in (("soft", 1.0), ("sharp", 0.1)):
        for curve, heads in HEADS.items():
            weights, output = _attend(inputs, layers, heads, temperature)
            change = (weights[:, 1:] - weights[:, :1]).abs().sum(dim=-1) / 2
            measurements.add(f"output ({name})", curve, _change(output))
            measurements.add(f"weights ({name})", curve, change.mean(dim=(-2, -1)))
        alone = inputs @ layers[:, :, 2].mT @ layers[:, :, 3].mT
        measurements.add(f"output ({name})", "no attention", _change(alone))
    return Study("size of the noise", sizes, measurements.curves(len(sizes)))


def _change(outputs: Tensor) -> Tensor:
    """Return how far each later output is from the first, relative to the norm of the first."""
    first = outputs[:, :1]
    change: Tensor = (outputs[:, 1:] - first).norm(dim=(-2, -1)) / first.norm(dim=(-2, -1))
    return change


def parameters(num_heads: Sequence[int]) -> Study:
    """Count the parameters of modules, W_q, W_k, W_v and W_o without biases; d_model is 16.

    "d_model / heads" is the width of a head in the paper; "d_model" gives the whole width to each head.

    >>> parameters([1, 2]).measures["parameters"]["d_model / heads"].tolist()
    [[1024.0, 1024.0]]
    """
    widths = {
        "d_model / heads": [D_MODEL // heads for heads in num_heads],
        "d_model": [D_MODEL] * len(num_heads),
    }

    def count(heads: int, width: int) -> float:
        module = MultiHeadAttention(D_MODEL, heads, d_head=width, bias=False)
        return float(sum(each.numel() for each in module.parameters()))

    return Study(
        "heads",
        tuple(num_heads),
        {
            "parameters": {
                name: torch.tensor([[*map(count, num_heads, each)]], dtype=torch.float64)
                for name, each in widths.items()
            }
        },
    )


LAYOUTS = tuple(" ".join(order) for order in permutations("dkh"))


def unpack_projection(
    projection: Float[Tensor, "n d_fused"], layout: str, n_head: int
) -> Float[Tensor, "3 {n_head} n {projection.shape[1]//3//n_head}"]:
    """Split a fused projection into queries, keys and values.

    ``layout`` orders three axes: k (query, key or value), h (head), d (index within the head).

    Raises ValueError for a layout that is not one of the six, and for a width that does not divide.

    >>> unpack_projection(torch.arange(12.0)[None], "k h d", 2)[0].tolist()
    [[[0.0, 1.0]], [[2.0, 3.0]]]
    """
    _require.one_of("layout", layout, LAYOUTS)
    if projection.shape[-1] % (3 * n_head):
        raise ValueError(f"projection must have 3 * {n_head} * d_head columns; got {projection.shape[-1]}")
    sizes = {"k": 3, "h": n_head, "d": projection.shape[-1] // (3 * n_head)}
    letters = layout.split()
    apart = projection.reshape(len(projection), *(sizes[each] for each in letters))
    return apart.permute(*(letters.index(each) + 1 for each in "kh"), 0, letters.index("d") + 1)


def rows_in(layout: str, of: str, n_head: int, d_head: int) -> list[int]:
    """Return the order of rows that brings a fused weight from the layout ``of`` into ``layout``.

    >>> rows_in("h d k", "k h d", 1, 2)
    [0, 2, 4, 1, 3, 5]
    """
    sizes = {"k": 3, "h": n_head, "d": d_head}
    theirs, ours = of.split(), layout.split()
    places = torch.arange(3 * n_head * d_head).reshape([sizes[each] for each in theirs])
    order: list[int] = places.permute(*(theirs.index(each) for each in ours)).flatten().tolist()
    return order


def fused_layouts(seeds: Sequence[int], num_heads: Sequence[int]) -> Study:
    """Read one fused W_qkv as (d k h) and as (h d k), with and without reordering its rows to match.

    "difference" is that of the attention's outputs, relative to the output's norm, for standard normal
    inputs (8, 16) and a weight of standard deviation 1/4.

    Invariant: 0 with the rows in order, and with one head, where both orders are the same.

    >>> study = fused_layouts([0], [1, 2])
    >>> study.measures["difference"]["rows in order"].tolist()
    [[0.0, 0.0]]
    """
    measurements = Measurements()
    for seed in seeds:
        x, weight = _normal(N, D_MODEL, seed=seed), _normal(3 * D_MODEL, D_MODEL, seed=seed + 1) / 4
        for heads in num_heads:
            right = _attend_fused(x, weight, "d k h", heads)
            order = rows_in("h d k", "d k h", heads, D_MODEL // heads)
            for name, each in (("rows in order", weight[order]), ("mixed", weight)):
                other = _attend_fused(x, each, "h d k", heads)
                measurements.add("difference", name, (other - right).norm() / right.norm())
    return Study("heads", tuple(num_heads), measurements.curves(len(num_heads)))


def _attend_fused(x: Tensor, weight: Tensor, layout: str, n_head: int) -> Tensor:
    return merge_heads(scaled_dot_product_attention(*unpack_projection(x @ weight.T, layout, n_head)).output)


def _normal(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
    return torch.randn(*shape, generator=generator, dtype=torch.float64)
