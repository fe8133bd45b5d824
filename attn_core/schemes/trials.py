"""Comparisons of schemes: shuffled words, shifted positions, equal offsets at different positions."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attn_core.schemes.scheme import Scheme


def by_offset(
    similarity: Float[Tensor, "*steps n n"],
) -> tuple[
    Float[Tensor, "*steps n_offset"], Float[Tensor, "*steps n_offset"], Float[Tensor, "*steps n_offset"]
]:
    """Return the least, mean and greatest value at each offset, column less row, from 1 - n to n - 1.

    Where all three are equal, the similarity depends on the offset alone.

    Edge cases: NaN, such as the cosine with a vector of zeros, is ignored; an offset with NaN only is NaN.

    >>> [curve.tolist() for curve in by_offset(torch.tensor([[1.0, 2.0], [3.0, 5.0]]))]
    [[3.0, 1.0, 2.0], [3.0, 3.0, 2.0], [3.0, 5.0, 2.0]]
    """
    n = similarity.shape[-1]
    diagonals = [similarity.diagonal(offset, dim1=-2, dim2=-1) for offset in range(1 - n, n)]
    is_empty = torch.stack([d.isnan().all(dim=-1) for d in diagonals], dim=-1)
    low = torch.stack([d.masked_fill(d.isnan(), torch.inf).amin(dim=-1) for d in diagonals], dim=-1)
    high = torch.stack([d.masked_fill(d.isnan(), -torch.inf).amax(dim=-1) for d in diagonals], dim=-1)
    return (
        low.masked_fill(is_empty, torch.nan),
        torch.stack([d.nanmean(dim=-1) for d in diagonals], dim=-1),
        high.masked_fill(is_empty, torch.nan),
    )


def shuffle_difference(
    scheme: Scheme, x: Float[Tensor, "n d_model"], order: Int[Tensor, " n"]
) -> Float[Tensor, "*steps n d_model"]:
    r"""Return the output of shuffled words less the shuffled output.

    $$\mathrm{attend}(X_\pi) - \mathrm{attend}(X)_\pi$$

    ``order`` holds the index of the word at each position. Invariant: zero, but for rounding, for "none".

    Raises ValueError when the order is not a permutation of 0, ..., n - 1.

    >>> from attn_core import NoPositions
    >>> x = torch.eye(3, dtype=torch.float64)
    >>> shuffle_difference(NoPositions(), x, torch.tensor([2, 0, 1])).abs().max().item() < 1e-15
    True
    """
    if sorted(order.tolist()) != list(range(x.shape[0])):
        raise ValueError(f"order must be a permutation of 0 to {x.shape[0] - 1}; got {order.tolist()}")
    return scheme.attend(x[order]).output - scheme.attend(x).output[..., order, :]


def shift_difference(
    scheme: Scheme, length: int, d_model: int, shifts: Int[Tensor, " steps"]
) -> Float[Tensor, "steps n n"]:
    """Return the change of the similarity of positions when all of them move by each shift.

    They start at the scheme's ``first``: BERT's position 0 is that of [CLS] and of no word. The similarity is
    of positions alone; see ``attention_shift_difference`` for the attention of words.

    Invariant: zero, but for rounding, where only the offset counts (``sees_offsets_only``).

    >>> from attn_core import Ramp
    >>> shift_difference(Ramp(step=1.0), 2, 1, torch.tensor([3]))
    tensor([[[ 9., 12.],
             [12., 15.]]], dtype=torch.float64)
    """
    after = scheme.pairwise_products(shifts[:, None] + torch.arange(length) + scheme.first, d_model)
    return after - scheme.similarity(length, d_model, start=scheme.first)


def attention_shift_difference(
    scheme: Scheme, x: Float[Tensor, "n d_model"], shifts: Int[Tensor, " steps"]
) -> Float[Tensor, "steps n n"]:
    r"""Return the change of the weights between words when all positions move by each shift.

    $$A(X,\ p_0 + r) - A(X,\ p_0)$$

    Invariant: zero, but for rounding, for a rotation or a bias, which are called relative. A vector that is
    added has products with the words too, $x_i \cdot p_j$, so positions themselves count, even where the
    products of positions depend on offsets only.

    Raises ValueError for a shift below zero.

    >>> from attn_core import Rotary, Sinusoidal
    >>> x, shifts = torch.eye(3, 4, dtype=torch.float64), torch.tensor([5])
    >>> [bool(attention_shift_difference(s, x, shifts).abs().max() < 1e-9) for s in (Rotary(), Sinusoidal())]
    [True, False]
    """
    before = scheme.attend(x).weights
    after = [scheme.attend(x, start=scheme.first + int(shift)).weights for shift in shifts]
    return torch.stack(after) - before
