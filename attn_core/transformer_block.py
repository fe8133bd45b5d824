"""The parts around attention in a transformer block: residual connection and layer normalisation."""

from collections.abc import Sequence
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional as F

from attn_core import _require
from attn_core.multi_head import MultiHeadAttention

NORMS = ("none", "before", "after")
"""Where layer normalisation is applied: nowhere, before attention, or after the residual sum."""


def repeat_block(
    layers: Sequence[MultiHeadAttention],
    x: Float[Tensor, "*batch n d_model"],
    attn_mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
    *,
    residual: bool = True,
    norm: Literal["none", "before", "after"] | str = "after",
) -> Float[Tensor, "n_states *batch n d_model"]:
    r"""Send x through layers of self-attention, and return the input and output of each.

    $$x_{l+1} = \begin{cases}
      r\,x_l + \mathrm{attention}_l(x_l) & \text{no norm} \\
      r\,x_l + \mathrm{attention}_l(\mathrm{LN}(x_l)) & \text{before} \\
      \mathrm{LN}(r\,x_l + \mathrm{attention}_l(x_l)) & \text{after}
    \end{cases}$$

    r is 1 with the residual connection and 0 without; LN subtracts each row's mean and divides by its
    standard deviation (plus 1e-5 under the root), without learned gain. State 0 is x itself, state l the
    output of the l-th layer, so there is one more state than layers. There is no feed-forward part.

    Invariant: with the norm "after", every row has length sqrt(d_model), but for the 1e-5.

    Edge cases: no layer gives x alone; with d_model = 1 LN gives zero.

    Raises ValueError for an unknown norm, and for a layer whose output width is not its input width.

    Source: Vaswani et al. (2017), section 3.1, for "after"; Xiong et al. (2020), On Layer Normalization in
    the Transformer Architecture, for "before".

    >>> layers = [MultiHeadAttention(4, 2, seed=seed, dtype=torch.float64) for seed in range(3)]
    >>> states = repeat_block(layers, torch.eye(4, dtype=torch.float64)[:3])
    >>> tuple(states.shape), states[-1].detach().norm(dim=-1).round(decimals=3).tolist()
    ((4, 3, 4), [2.0, 2.0, 2.0])
    """
    _require.one_of("norm", norm, NORMS)
    states = [x]
    for layer in layers:
        entering = states[-1]
        output = layer(_normalise(entering) if norm == "before" else entering, attn_mask=attn_mask).output
        if output.shape[-1] != x.shape[-1]:
            raise ValueError(
                f"each layer must give back width d_model = {x.shape[-1]}; got {output.shape[-1]}"
            )
        leaving = entering + output if residual else output
        states.append(_normalise(leaving) if norm == "after" else leaving)
    return torch.stack(states)


def token_similarity(x: Float[Tensor, "*batch n d_model"]) -> Float[Tensor, "*batch"]:
    r"""Return how alike the rows are: the mean cosine between two different ones that are not zero.

    $$\frac{1}{n(n-1)} \sum_{i \ne j} \frac{x_i \cdot x_j}{|x_i|\,|x_j|}$$

    Invariant: from -1/(n-1) to 1; 1 when all rows point the same way.

    Edge cases: a row of zeros has no direction and is left out; NaN where fewer than two rows are left. A
    single row has similarity 1.

    Raises ValueError for fewer than two axes.

    Source: Dong, Cordonnier and Loukas (2021), Attention Is Not All You Need, for the collapse of rows.

    >>> token_similarity(torch.eye(3)).item(), token_similarity(torch.ones(3, 4)).item()
    (0.0, 1.0)
    """
    if x.ndim < 2:
        raise ValueError(f"x must have shape (*batch, n, d_model); got {tuple(x.shape)}")
    n = x.shape[-2]
    if n < 2:
        return x.new_ones(x.shape[:-2])
    lengths = x.norm(dim=-1, keepdim=True)
    unit = x / lengths.masked_fill(lengths == 0, 1.0)
    cosines = unit @ unit.mT
    own = cosines.diagonal(dim1=-2, dim2=-1).sum(dim=-1)
    n_row = (lengths[..., 0] > 0).sum(dim=-1)
    similarity: Tensor = (cosines.sum(dim=(-2, -1)) - own) / (n_row * (n_row - 1))
    return similarity.clamp(-1, 1)


def token_distance(x: Float[Tensor, "*batch n d_model"]) -> Float[Tensor, "*batch"]:
    r"""Return how far the rows are from their mean, relative to their norm.

    $$\frac{\lVert X - \mathbf{1}\bar{x}^\top \rVert_F}{\lVert X \rVert_F}, \qquad
      \lVert X - \mathbf{1}\bar{x}^\top \rVert_F^2 = \frac{1}{2n} \sum_{i,j} |x_i - x_j|^2$$

    Invariant: from 0 (all rows are the same: over-smoothing) to 1 (they cancel out); the same for any
    multiple of X.

    Edge cases: a single row, and rows of zeros, have 0.

    Raises ValueError for fewer than two axes.

    Source: Dong, Cordonnier and Loukas (2021), Attention Is Not All You Need, whose residual it is, here in
    the Frobenius norm.

    >>> token_distance(torch.tensor([[[1.0], [-1.0]], [[1.0], [1.0]]]))
    tensor([1., 0.])
    """
    if x.ndim < 2:
        raise ValueError(f"x must have shape (*batch, n, d_model); got {tuple(x.shape)}")
    apart: Tensor = (x - x.mean(dim=-2, keepdim=True)).norm(dim=(-2, -1))
    size: Tensor = x.norm(dim=(-2, -1))
    return apart / size.masked_fill(size == 0, 1.0)


def _normalise(x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:])
