"""Attention without its small weights: those below a threshold, or all but the k largest, are set to zero."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attn_core import _require
from attn_core.checks import Check, compare
from attn_core.hard_lookup import TIE
from attn_words import N_


@dataclass(frozen=True, eq=False)
class ThresholdedWeights:
    """``mask``, True for the weights that are kept, their sum in each row, and the renormalised rows."""

    mask: Bool[Tensor, "*steps n_query n_key"]
    mass: Float[Tensor, "*steps n_query"]
    weights: Float[Tensor, "*steps n_query n_key"]


def threshold_weights(
    weights: Float[Tensor, "*batch n_query n_key"],
    *,
    threshold: float | Float[Tensor, "..."] | None = None,
    top: int | Int[Tensor, "..."] | None = None,
) -> ThresholdedWeights:
    r"""Keep the weights that reach a threshold, or the k largest of each row.

    $$K_{ij} = [\,A_{ij} \ge \tau\,] \ \text{ or } \ [\,A_{ij} \ge A_{i(k)}\,], \qquad
      m_i = \sum_j K_{ij} A_{ij}, \qquad \hat A_{ij} = \frac{K_{ij} A_{ij}}{m_i}$$

    ``weights`` (*batch, n_query, n_key) are not below zero; A_i(k) is the k-th largest of row i.
    ``threshold`` and ``top`` are numbers, or tensors of the shape (steps, 1, 1) that compute all their steps
    at once.

    Invariant: each row of the result's ``weights`` that keeps anything sums to one.

    Edge cases: a weight of zero is never kept, and a row that keeps nothing is zero. Weights that tie with
    the k-th largest are all kept, so such a row keeps more than k; they tie where they differ by less than
    1e-10 of it, for a weight's rounding is a share of itself. A ``top`` beyond the number of keys keeps all.

    Raises ValueError unless exactly one of ``threshold`` and ``top`` is given, for a threshold that is not
    finite or is below zero, a top below one, weights below zero, and steps that do not broadcast.

    Source: Zhao et al. (2019), Explicit Sparse Transformer, section 3, for the k largest.

    >>> found = threshold_weights(torch.tensor([[0.5, 0.25, 0.25], [0.75, 0.125, 0.125]]), threshold=0.25)
    >>> found.mass.tolist(), found.weights.tolist()
    ([1.0, 0.75], [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
    """
    if (threshold is None) == (top is None):
        raise ValueError(
            f"give exactly one of threshold and top; got threshold = {threshold!r} and top = {top!r}"
        )
    if weights.ndim < 2 or not bool((weights >= 0).all()):
        raise ValueError(
            "weights must have shape (*batch, n_query, n_key) and hold numbers >= 0; "
            f"got shape {tuple(weights.shape)}"
        )
    least = _at_least(weights, threshold) if top is None else _kth(weights, top)
    mask = (weights >= least) & (weights > 0)
    rest = torch.where(mask, weights, 0.0)
    mass = rest.sum(dim=-1)
    return ThresholdedWeights(mask, mass, rest / torch.where(mass > 0, mass, 1.0)[..., None])


def audit_threshold(
    weights: Float[Tensor, "*batch n_query n_key"], *, threshold: float | None = None, top: int | None = None
) -> Check:
    r"""Compare the renormalised weights with torch's softmax over the kept keys alone.

    $$\Bigl| \hat A_i - \mathrm{softmax}(\ln A_i + M_i) \Bigr|, \qquad M_{ij} = 0 \text{ where kept, else }
      -\infty$$

    Edge cases: a row that keeps nothing is compared with zeros.

    Source: torch's ``softmax`` for the reference.

    >>> audit_threshold(torch.eye(3), top=1).passed
    True
    """
    result = threshold_weights(weights, threshold=threshold, top=top)
    again = torch.softmax(weights.log().masked_fill(~result.mask, -torch.inf), dim=-1).nan_to_num()
    return compare(N_("kept weights, renormalised, are torch's softmax over the kept keys"),
                   result.weights, again, scale=1.0)  # fmt: skip


def _at_least(weights: Tensor, threshold: object) -> Tensor:
    if isinstance(threshold, Tensor):
        _require.broadcasts("threshold", threshold, weights.shape)
        least = threshold.to(weights)
    else:
        least = weights.new_tensor(
            _require.finite("threshold", threshold, requirement="a finite number >= 0")
        )
    if not bool((least.isfinite() & (least >= 0)).all()):
        raise ValueError(f"threshold must be a finite number >= 0; got {least.tolist()}")
    return least


def _kth(weights: Tensor, top: object) -> Tensor:
    """Return the k-th largest weight of each row, less a margin for rounding."""
    if isinstance(top, Tensor):
        _require.broadcasts("top", top, weights.shape)
        if top.is_floating_point() or not bool((top >= 1).all()):
            raise ValueError(f"top must hold whole numbers >= 1; got {top.tolist()}")
        places = top
    else:
        places = torch.tensor(_require.integer("top", top, least=1))
    descending = weights.sort(dim=-1, descending=True).values
    rows = _require.broadcast_shape(places.shape, torch.Size((*weights.shape[:-1], 1)))
    assert rows is not None  # a tensor was checked, a number always broadcasts
    places = (places.clamp(max=weights.shape[-1]) - 1).to(weights.device).expand(rows)
    kth = descending.expand(*rows[:-1], weights.shape[-1]).gather(-1, places)
    return kth * (1 - TIE)
