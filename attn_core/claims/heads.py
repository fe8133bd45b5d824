"""Claims about several heads: over-smoothing, noise, parameters, and the order of a fused projection."""

from collections.abc import Sequence
from itertools import permutations

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.attention import scaled_dot_product_attention
from attn_core.claims.study import Kept, Study
from attn_core.heads_study import heads_study
from attn_core.multi_head import MultiHeadAttention, merge_heads

HEADS = (1, 2, 4, 8)
N, D_MODEL = 8, 16
SOFT, SHARP = "soft", "sharp"
TEMPERATURES = {SOFT: 1.0, SHARP: 0.1}


def counted(heads: int) -> str:
    """Name a number of heads.

    >>> counted(1), counted(2)
    ('1 head', '2 heads')
    """
    return "1 head" if heads == 1 else f"{heads} heads"


def over_smoothing(seeds: Sequence[int], n_layers: int) -> Study:
    """Stack layers of one head and of several, of equal parameters, and measure what tells tokens apart.

    The distance is that of ``token_distance``; each seed draws the layers, the first one the 8 tokens. Seeds
    must lie ``n_layers`` apart, since layer l is drawn from seed + l.

    Source: see ``heads_study``.

    >>> study = over_smoothing([0, 100], 2)
    >>> tuple(study.measures["difference, with residual"]["1 head"].shape)
    (2, 3)
    """
    found = heads_study(
        _normal(N, D_MODEL, seed=seeds[0]), num_heads=HEADS, seeds=seeds, n_layers=n_layers, bias=False
    ).distances
    assert found is not None
    return Study(
        "layers",
        tuple(range(n_layers + 1)),
        {
            name: {counted(heads): each[:, at] for at, heads in enumerate(HEADS)}
            for name, each in zip(
                ("difference, no residual", "difference, with residual"),
                found,
                strict=True,
            )
        },
    )


def noise(seeds: Sequence[int], sizes: Sequence[float | int]) -> Study:
    r"""Add normal noise to the inputs, and measure how far outputs and weights of attention move.

    $$\frac{\lVert O(X + \sigma E) - O(X) \rVert}{\lVert O(X) \rVert}, \qquad
      \frac{1}{2} \sum_j |w_{ij}(X + \sigma E) - w_{ij}(X)|$$

    X and E are standard normal, (8, 16). All numbers of heads share one seed's projections, so their
    parameters are equal. The weights' measure is the mean over queries and heads of the total variation, from
    0 to 1. "soft" is temperature 1, "sharp" 0.1. "no attention" maps each token by W_v W_o alone.

    Invariant: without noise nothing moves.

    >>> study = noise([0, 1], [0.0, 1.0])
    >>> study.at("output (soft)", "no attention", 0.0).tolist()
    [0.0, 0.0]
    """
    sizes = tuple(sizes)
    kept = Kept()
    with torch.no_grad():
        for seed in seeds:
            x, e = _normal(2, N, D_MODEL, seed=seed)
            inputs = x + torch.tensor([0.0, *sizes], dtype=x.dtype)[:, None, None] * e
            for name, temperature in TEMPERATURES.items():
                for heads in HEADS:
                    module = MultiHeadAttention(D_MODEL, heads, bias=False, seed=seed, dtype=x.dtype)
                    stages = module(inputs, temperature=temperature)
                    moved = (stages.weights[1:] - stages.weights[0]).abs().sum(dim=-1) / 2
                    kept.add(f"output ({name})", counted(heads), _moved(stages.output))
                    kept.add(f"weights ({name})", counted(heads), moved.mean(dim=(-2, -1)))
                assert module.W_o is not None
                alone = _moved(module.W_o(module.W_v(inputs)))
                kept.add(f"output ({name})", "no attention", alone)
    return Study("size of the noise", sizes, kept.curves(len(sizes)))


def _moved(outputs: Tensor) -> Tensor:
    """Return how far each of the later outputs is from the first, as a share of its size."""
    moved: Tensor = (outputs[1:] - outputs[0]).norm(dim=(-2, -1)) / outputs[0].norm()
    return moved


def parameters(num_heads: Sequence[int]) -> Study:
    """Count the numbers that modules hold, W_q, W_k, W_v and W_o, without biases; d_model is 16.

    "d_model / heads" is how wide a head is in the paper; "d_model" keeps the whole width in each.

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


def unpacked(
    fused: Float[Tensor, "n d_fused"], layout: str, n_head: int
) -> Float[Tensor, "3 {n_head} n {fused.shape[1]//3//n_head}"]:
    """Take the numbers of a fused projection apart: k is one of query, key and value, h a head, d a number.

    Raises ValueError for a layout that is not one of the six, and for a width that does not divide.

    >>> unpacked(torch.arange(12.0)[None], "k h d", 2)[0].tolist()
    [[[0.0, 1.0]], [[2.0, 3.0]]]
    """
    _require.one_of("layout", layout, LAYOUTS)
    if fused.shape[-1] % (3 * n_head):
        raise ValueError(f"fused must have 3 * {n_head} * d_head columns; got {fused.shape[-1]}")
    sizes = {"k": 3, "h": n_head, "d": fused.shape[-1] // (3 * n_head)}
    letters = layout.split()
    apart = fused.reshape(len(fused), *(sizes[each] for each in letters))
    return apart.permute(*(letters.index(each) + 1 for each in "kh"), 0, letters.index("d") + 1)


def rows_in(layout: str, of: str, n_head: int, d_head: int) -> list[int]:
    """Return which row of a fused weight made for the layout ``of`` stands at each place of ``layout``.

    >>> rows_in("h d k", "k h d", 1, 2)
    [0, 2, 4, 1, 3, 5]
    """
    sizes = {"k": 3, "h": n_head, "d": d_head}
    theirs, ours = of.split(), layout.split()
    places = torch.arange(3 * n_head * d_head).reshape([sizes[each] for each in theirs])
    order: list[int] = places.permute(*(theirs.index(each) for each in ours)).flatten().tolist()
    return order


def fused_layouts(seeds: Sequence[int], num_heads: Sequence[int]) -> Study:
    """Read one fused W_qkv as (d k h) and as (h d k), its rows brought into that order or not.

    The difference is that of the attention's outputs, as a share of the output's size, for standard normal
    inputs (8, 16) and a weight of standard deviation 1/4.

    Invariant: 0 with the rows in order, and with one head, where both orders are the same.

    >>> study = fused_layouts([0], [1, 2])
    >>> study.measures["difference"]["rows in order"].tolist()
    [[0.0, 0.0]]
    """
    kept = Kept()
    for seed in seeds:
        x, weight = _normal(N, D_MODEL, seed=seed), _normal(3 * D_MODEL, D_MODEL, seed=seed + 1) / 4
        for heads in num_heads:
            right = _attended(x, weight, "d k h", heads)
            order = rows_in("h d k", "d k h", heads, D_MODEL // heads)
            for name, each in (("rows in order", weight[order]), ("mixed", weight)):
                other = _attended(x, each, "h d k", heads)
                kept.add("difference", name, (other - right).norm() / right.norm())
    return Study("heads", tuple(num_heads), kept.curves(len(num_heads)))


def _attended(x: Tensor, weight: Tensor, layout: str, n_head: int) -> Tensor:
    return merge_heads(scaled_dot_product_attention(*unpacked(x @ weight.T, layout, n_head)).output)


def _normal(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(_require.whole("seed", seed, least=0))
    return torch.randn(*shape, generator=generator, dtype=torch.float64)
