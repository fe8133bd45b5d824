"""Hard look-up, as in a dictionary: the value of the best key. Attention is its soft form."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attn_core import _require
from attn_core.checks import Check, compare
from attn_words import N_

TIE = 1e-10  # of the largest score of its row: scores that differ by less are equal but for rounding
APART = 40.0  # exp(-40) = 4e-18: the next best key's weight, relative to the best key's


@dataclass(frozen=True, eq=False)
class HardLookup:
    """The value of each query's best key; a fully masked query has weights and output of zero.

    ``best`` counts the keys that share the best score, which is one unless some tie; ``gap`` is how far the
    next score lies below the best, infinite where there is none.
    """

    weights: Float[Tensor, "*batch n_query n_key"]
    output: Float[Tensor, "*batch n_query d_v"]
    best: Int[Tensor, "*batch n_query"]
    gap: Float[Tensor, "*batch n_query"]


def hard_lookup(
    scores: Float[Tensor, "*batch n_query n_key"],
    value: Float[Tensor, "n_value d_v"],
    attn_mask: Bool[Tensor, "..."] | None = None,
) -> HardLookup:
    r"""Return for each query the value of the key whose score is the largest.

    $$J_i = \{\, j : S_{ij} = \max_l S_{il} \,\}, \qquad O_i = \frac{1}{|J_i|} \sum_{j \in J_i} V_j
      = \lim_{T \to 0} \sum_j \mathrm{softmax}(S_i / T)_j\, V_j$$

    ``scores`` (*batch, n_query, n_key) may be raw or scaled: a positive factor changes the gap and nothing
    else. A boolean ``attn_mask`` broadcasts against them, may have more leading axes, and is True where a
    query may attend.

    Invariant: the weights are the limit of softmax(S / T) as T falls to 0.

    Edge cases: keys that tie share the weight in equal parts, as they do in that limit; a dictionary would
    return one of them. Scores tie where they differ by less than 1e-10 of the largest magnitude in their row.
    A row with every key masked is zero.

    Raises ValueError for scores without two axes, for a value of another number of keys, and for a mask that
    does not broadcast.

    Source: Graves, Wayne and Danihelka (2014), Neural Turing Machines, section 3.3, for the temperature that
    sharpens a look-up by content.

    >>> lookup = hard_lookup(torch.tensor([[1.0, 3.0, 3.0], [2.0, 0.0, 1.0]]), torch.eye(3))
    >>> lookup.weights.tolist(), lookup.best.tolist(), lookup.gap.tolist()
    ([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]], [2, 1], [2.0, 1.0])
    """
    if scores.ndim < 2 or value.ndim != 2 or value.shape[0] != scores.shape[-1]:
        raise ValueError(
            "scores must have shape (*batch, n_query, n_key) and value (n_key, d_v); "
            f"got {tuple(scores.shape)} and {tuple(value.shape)}"
        )
    may = torch.ones_like(scores, dtype=torch.bool)
    if attn_mask is not None:
        _require.broadcasts("attn_mask", attn_mask, scores.shape)
        may, _ = torch.broadcast_tensors(attn_mask, scores)
    visible = scores.masked_fill(~may, -torch.inf)
    rounding = TIE * scores.abs().masked_fill(~may, 0.0).amax(dim=-1, keepdim=True)
    largest = visible.amax(dim=-1, keepdim=True)
    ties = may & (visible >= largest - rounding)
    best = ties.sum(dim=-1)
    weights = ties.to(scores) / best.clamp(min=1)[..., None]
    rest = visible.masked_fill(ties, -torch.inf).amax(dim=-1)
    gap = torch.where(rest == -torch.inf, torch.inf, largest[..., 0] - rest)
    return HardLookup(weights, weights @ value, best, gap)


def audit_hard_lookup(
    query: Float[Tensor, "n_query d_k"],
    key: Float[Tensor, "n_key d_k"],
    value: Float[Tensor, "n_key d_v"],
    attn_mask: Bool[Tensor, "n_query n_key"] | None = None,
) -> Check:
    r"""Compare the look-up with torch's own attention at a temperature near zero.

    $$\Bigl| O_i - \sum_j \mathrm{softmax}\bigl(q_i^\top K^\top / T_i\bigr)_j V_j \Bigr|, \qquad
      T_i = \frac{\text{gap}_i}{40}$$

    Each query has a temperature of its own, cold enough that the next best key keeps exp(-40) of the best
    key's weight.

    Edge cases: a query that has no next best key is measured at temperature 1.

    Source: torch's ``scaled_dot_product_attention`` for the reference output.

    >>> x = torch.eye(3, dtype=torch.float64)
    >>> audit_hard_lookup(x, x, x).passed
    True
    """
    lookup = hard_lookup(query @ key.mT, value, attn_mask)
    temperature = torch.where(lookup.gap.isinf(), 1.0, lookup.gap / APART)
    cold = query / temperature[:, None]
    reference = F.scaled_dot_product_attention(cold, key, value, attn_mask=attn_mask, scale=1.0)
    largest = float(value.detach().abs().max()) if value.numel() else 1.0
    return compare(
        N_("as T → 0, torch's attention becomes the hard look-up"), lookup.output, reference, scale=largest
    )
