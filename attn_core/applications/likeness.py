"""How alike patches or frames are: their vectors, centred and of length 1."""

from jaxtyping import Float
from torch import Tensor


def likeness(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    r"""Return each row less the mean of all rows, scaled to length 1.

    $$u_i = \frac{x_i - \bar x}{\lVert x_i - \bar x \rVert}, \qquad u_i \cdot u_j = \cos(x_i - \bar x,
      x_j - \bar x)$$

    Invariant: the dot product of two rows is 1 where they lie in one direction from the mean, and -1 where
    they lie in opposite ones.

    Edge cases: a row that is the mean itself has no direction, and stays zero.

    Raises ValueError for an x without two axes.

    >>> import torch
    >>> likeness(torch.tensor([[1.0, 0.0], [3.0, 0.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    if x.ndim != 2:
        raise ValueError(f"x must have shape (n, d); got {tuple(x.shape)}")
    beyond = x - x.mean(dim=0)
    length = beyond.norm(dim=-1, keepdim=True)
    unit: Tensor = beyond / length.masked_fill(length == 0, 1.0)
    return unit
