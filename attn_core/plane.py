"""Queries and keys projected onto one plane, by their main directions or two chosen dimensions."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attn_core import _require
from attn_core.checks import Check, compare
from attn_words import N_

_ALIKE = 1e-9  # of the largest number: what differs by less is taken for equal


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane through the origin, and the coordinates of queries and keys in it.

    ``directions`` are two rows of length one at right angles; the second is zero where vectors have one
    dimension only. ``queries`` and ``keys`` are coordinates along them. ``explained`` is the share of the
    squared length of all queries and keys that each direction keeps.
    """

    directions: Float[Tensor, "*batch 2 d_k"]
    queries: Float[Tensor, "*batch n_query 2"]
    keys: Float[Tensor, "*batch n_key 2"]
    explained: Float[Tensor, "*batch 2"]

    @property
    def scores(self) -> Float[Tensor, "*batch n_query n_key"]:
        """The scores within the plane: the products of the coordinates."""
        return self.queries @ self.keys.transpose(-2, -1)


def main_directions(
    queries: Float[Tensor, "*batch n_query d_k"], keys: Float[Tensor, "*batch n_key d_k"]
) -> Plane:
    r"""Find the plane through the origin that keeps most of the squared length of queries and keys.

    $$\begin{bmatrix} Q \\ K \end{bmatrix} = U \Sigma D^\top, \qquad
      P = \begin{bmatrix} d_1 & d_2 \end{bmatrix}^\top, \qquad
      \text{explained}_i = \frac{\sigma_i^2}{\sum_j \sigma_j^2}$$

    The rows are not centred, since scores depend on where the origin is. A direction's sign is free; it is
    chosen so that the largest entry (the first of equally large ones) is positive, which keeps a figure from
    turning over when its vectors change a little.

    Invariant: ``plane.scores`` are the scores themselves where queries and keys have rank 2 or less. Rotating
    all vectors alike changes no coordinate but for its sign.

    Edge cases: vectors of one dimension have coordinate 0 along a second direction of zeros; where all
    vectors are zero, the explained shares are NaN. Where two singular values are equal, their directions are
    one choice of many.

    Raises ValueError as ``chosen_dimensions``.

    Source: Eckart and Young (1936), The approximation of one matrix by another of lower rank.

    >>> queries = torch.tensor([[3.0, 0.0, 0.0], [0.0, 0.0, 1.0]], dtype=torch.float64)
    >>> plane = main_directions(queries, -queries)
    >>> plane.queries.round(decimals=12)
    tensor([[3., 0.],
            [0., 1.]], dtype=torch.float64)
    >>> plane.explained
    tensor([0.9000, 0.1000], dtype=torch.float64)
    """
    _check(queries, keys)
    vectors = torch.linalg.svd(torch.cat([queries, keys], dim=-2), full_matrices=False).Vh[..., :2, :]
    size = vectors.abs()
    largest = (size >= (1 - _ALIKE) * size.amax(dim=-1, keepdim=True)).to(torch.uint8)
    directions = vectors * vectors.gather(-1, largest.argmax(dim=-1, keepdim=True)).sign()
    if queries.shape[-1] == 1:
        directions = torch.cat([directions, torch.zeros_like(directions)], dim=-2)
    return _project(directions, queries, keys)


def chosen_dimensions(
    queries: Float[Tensor, "*batch n_query d_k"],
    keys: Float[Tensor, "*batch n_key d_k"],
    first: int,
    second: int,
) -> Plane:
    r"""Take two dimensions of queries and keys, counted from 0, as the plane.

    $$P = \begin{bmatrix} e_{first} & e_{second} \end{bmatrix}^\top$$

    Invariant: coordinates are entries of the vectors as they are.

    Edge cases: as in ``main_directions``, but vectors of one dimension have no two to choose.

    Raises ValueError for queries and keys of different widths, types or batches, for none of either, and
    for dimensions that are equal or out of range.

    >>> queries, keys = torch.tensor([[1.0, 2.0, 2.0]]), torch.tensor([[0.0, 4.0, 0.0]])
    >>> plane = chosen_dimensions(queries, keys, 2, 1)
    >>> plane.queries, plane.explained
    (tensor([[2., 2.]]), tensor([0.1600, 0.8000]))
    """
    _check(queries, keys)
    width = queries.shape[-1]
    for name, place in (("first", first), ("second", second)):
        _require.integer(name, place, least=0, most=width - 1)
    if first == second:
        raise ValueError(f"first and second must be two different dimensions; got {first} twice")
    directions = torch.eye(width, dtype=queries.dtype)[[first, second]]
    return _project(directions.expand(*queries.shape[:-2], 2, width), queries, keys)


def audit_plane(
    plane: Plane,
    queries: Float[Tensor, "n_query d_k"],
    keys: Float[Tensor, "n_key d_k"],
    *,
    is_main: bool = True,
) -> tuple[Check, ...]:
    r"""Compare a plane with the eigenvalues of the Gram matrix of queries and keys.

    $$\begin{bmatrix} d_1 \\ d_2 \end{bmatrix} (Q^\top Q + K^\top K)
      \begin{bmatrix} d_1 \\ d_2 \end{bmatrix}^\top = \mathrm{diag}(\lambda_1, \lambda_2), \qquad
      q \cdot k = q' \cdot k' + (q - P^\top q') \cdot (k - P^\top k')$$

    ``is_main`` is True for the plane of the main directions; for others only the second equation holds.
    The check depends neither on a direction's sign nor on the choice among equal eigenvalues.

    Edge cases: vectors of one dimension have no second eigenvalue, which counts as 0.

    Raises ValueError as ``chosen_dimensions``.

    >>> queries, keys = torch.eye(3).double(), torch.ones(2, 3).double()
    >>> [check.passed for check in audit_plane(main_directions(queries, keys), queries, keys)]
    [True, True]
    """
    _check(queries, keys)
    checks = []
    if is_main:
        gram = queries.mT @ queries + keys.mT @ keys
        values = torch.linalg.eigvalsh(gram).flip(-1)[:2]
        largest = torch.zeros(2, 2, dtype=gram.dtype)
        largest[range(len(values)), range(len(values))] = values
        products = plane.directions @ gram @ plane.directions.mT
        scale = max(float(gram.trace()), torch.finfo(gram.dtype).tiny)
        checks.append(
            compare(
                N_("the plane is that of the Gram matrix's largest eigenvalues"),
                products,
                largest,
                scale=scale,
            )
        )
    residuals = [
        each - coordinates @ plane.directions
        for each, coordinates in ((queries, plane.queries), (keys, plane.keys))
    ]
    whole = queries @ keys.mT
    size = float(queries.norm(dim=-1).max() * keys.norm(dim=-1).max())
    checks.append(
        compare(
            N_("what the plane shows of q·k and what it leaves out add up to it"),
            plane.scores + residuals[0] @ residuals[1].mT,
            whole,
            scale=max(size, torch.finfo(whole.dtype).tiny),
        )
    )
    return tuple(checks)


def count_rank_changes(
    scores: Float[Tensor, "*batch n_key"], approximate: Float[Tensor, "*batch n_key"]
) -> Int[Tensor, "*batch"]:
    r"""Count the keys whose rank by score differs from their rank by the approximate score.

    $$\bigl|\{j : |\{l : s_l > s_j\}| \neq |\{l : t_l > t_j\}|\}\bigr|$$

    Invariant: 0 where ``approximate`` is an increasing function of ``scores``.

    Edge cases: scores that differ by less than a billionth of the largest count as tied.

    Raises ValueError for two different shapes.

    >>> count_rank_changes(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 0.5, 1.0]))
    tensor(2)
    """
    if scores.shape != approximate.shape:
        raise ValueError(
            f"scores and shown must have one shape; got {tuple(scores.shape)} and {tuple(approximate.shape)}"
        )
    return (_ranks(scores) != _ranks(approximate)).sum(dim=-1)


def _ranks(scores: Tensor) -> Tensor:
    above = scores[..., None, :] - scores[..., :, None]
    return (above > _ALIKE * scores.abs().amax(dim=-1)[..., None, None]).sum(dim=-1)


def _project(directions: Tensor, queries: Tensor, keys: Tensor) -> Plane:
    along = directions.transpose(-2, -1)
    coordinates = queries @ along + 0.0, keys @ along + 0.0  # turns -0.0 into 0.0
    squares = torch.cat(coordinates, dim=-2).square().sum(dim=-2)
    whole = torch.cat([queries, keys], dim=-2).square().sum(dim=(-2, -1))
    return Plane(directions, *coordinates, squares / whole[..., None])


def _check(queries: Tensor, keys: Tensor) -> None:
    _require.same_dtype(queries=queries, keys=keys)
    fits = queries.ndim == keys.ndim >= 2 and queries.shape[:-2] == keys.shape[:-2]
    if not fits or queries.shape[-1] != keys.shape[-1] or not queries.numel() or not keys.numel():
        raise ValueError(
            "queries and keys must be (*batch, n_query, d_k) and (*batch, n_key, d_k) with one row or more; "
            f"got {tuple(queries.shape)} and {tuple(keys.shape)}"
        )
