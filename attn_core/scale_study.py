"""Why scores are divided by sqrt(d_k): random queries and keys of growing width, scaled and not."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.measures import entropy


@dataclass(frozen=True, eq=False)
class ScaleStudy:
    """Means over all queries at each width; index 0 of the first axis is unscaled, index 1 scaled."""

    widths: tuple[int, ...]
    variance: Float[Tensor, "2 n_width"]  # of the softmax's inputs
    entropy: Float[Tensor, "2 n_width"]
    largest: Float[Tensor, "2 n_width"]
    gradient: Float[Tensor, "2 n_width"]
    weights: Float[Tensor, "2 n_width n_key"]  # of the first query


def scale_study(widths: Sequence[int], *, n_query: int = 128, n_key: int = 16, seed: int) -> ScaleStudy:
    r"""Draw standard normal queries and keys, and measure their softmax at growing widths.

    $$\mathrm{Var}(q \cdot k) = d_k, \qquad \mathrm{Var}\bigl(q \cdot k / \sqrt{d_k}\bigr) = 1, \qquad
      \Bigl\lVert \frac{\partial w}{\partial s} \Bigr\rVert_F = \lVert \mathrm{diag}(w) - w w^\top \rVert_F$$

    Every query has keys of its own. Width w takes the first w dimensions of the same draw, so
    neighbouring widths are comparable. The gradient's size is the Frobenius norm of the softmax's Jacobian,
    at most 1/2 (two keys, half each).

    Invariant: the scaled variance stays near 1, the unscaled one near the width.

    Edge cases: at width 1 both are the same.

    Raises ValueError for no width, a width below one, or fewer than two queries or keys.

    Source: Vaswani et al. (2017), section 3.2.1, footnote 4.

    >>> study = scale_study([1, 4, 64], seed=0)
    >>> study.variance.shape, bool(study.largest[0, -1] > study.largest[1, -1])
    (torch.Size([2, 3]), True)
    """
    sizes = tuple(_require.integer("each width", width, least=1) for width in widths)
    if not sizes:
        raise ValueError("widths must hold at least one width; got none")
    n_query = _require.integer("n_query", n_query, least=2)
    n_key = _require.integer("n_key", n_key, least=2)
    generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
    query = torch.randn(n_query, 1, max(sizes), generator=generator, dtype=torch.float64)
    key = torch.randn(n_query, n_key, max(sizes), generator=generator, dtype=torch.float64)
    # Partial sums over the dimensions are the scores at every width; the width's axis goes to the front.
    scores = (query * key).cumsum(dim=-1)[..., [size - 1 for size in sizes]].movedim(-1, 0)
    scale = torch.tensor(sizes, dtype=torch.float64)[:, None, None].rsqrt()
    entering = torch.stack([scores, scores * scale])  # (2, n_width, n_query, n_key)
    weights = torch.softmax(entering, dim=-1)
    square = weights.square().sum(dim=-1)
    # ||diag(w) - w w^T||_F^2 = sum w^2 - 2 sum w^3 + (sum w^2)^2
    jacobian = (square - 2 * weights.pow(3).sum(dim=-1) + square.square()).clamp(min=0).sqrt()
    return ScaleStudy(
        sizes,
        entering.flatten(start_dim=2).var(dim=-1),
        entropy(weights).mean(dim=-1),
        weights.amax(dim=-1).mean(dim=-1),
        jacobian.mean(dim=-1),
        weights[..., 0, :],
    )
