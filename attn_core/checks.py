"""What any attention must hold to, measured on the numbers at hand against independent code."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from attn_core.attention import Attention, scores_shape
from attn_core.mistakes import ALL_FINITE, MASKED_IS_ZERO, ROWS_SUM_TO_ONE, SAME_AS_TORCH

WITHIN_HULL = "each output lies within the hull of the values that its query may see"
_DIRECTIONS = 256


@dataclass(frozen=True)
class Check:
    """One invariant: its name, the largest deviation from it (infinite where a number is NaN), the bound."""

    name: str
    error: float
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether the deviation stays within the tolerance."""
        return self.error <= self.tolerance


def audit_attention(
    result: Attention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    *,
    scale: float | None = None,
) -> tuple[Check, ...]:
    r"""Measure five invariants of one attention, whoever computed it.

    $$\Bigl|\sum_j W_{ij} - 1\Bigr|, \qquad \max_{M_{ij} = 0} |W_{ij}|, \qquad
      \max_u \bigl(u^\top O_i - \max_{j: M_{ij}} u^\top V_j\bigr), \qquad |O - O_{torch}|$$

    ``query`` (n_query, d_k), ``key`` (n_key, d_k), ``value`` (n_key, d_v), a boolean ``attn_mask`` (n_query,
    n_key) with True = may attend; ``scale`` is the whole factor on the scores, 1/sqrt(d_k) unless given. The
    hull is tested along every axis and along 256 directions u from a fixed seed: along each, a point within
    it stays below its furthest value.

    Edge cases: a row with every key masked must be zero and is left out of the sums and the hull.

    Raises ValueError for shapes that do not fit.

    Source: torch's ``scaled_dot_product_attention`` for the reference output.

    >>> from attn_core import scaled_dot_product_attention
    >>> x = torch.eye(3, dtype=torch.float64)
    >>> all(check.passed for check in audit_attention(scaled_dot_product_attention(x, x, x), x, x, x))
    True
    """
    scores_shape(query, key, value)
    everywhere = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device)
    mask = everywhere if attn_mask is None else attn_mask
    may = mask.any(dim=-1)
    tolerance = math.sqrt(torch.finfo(query.dtype).eps) / 10
    reference = F.scaled_dot_product_attention(query, key, value, attn_mask=attn_mask, scale=scale)
    sums = result.weights.sum(dim=-1)
    deviations = {
        ROWS_SUM_TO_ONE: (sums - 1)[may],
        MASKED_IS_ZERO: result.weights.expand(mask.shape)[~mask],
        ALL_FINITE: torch.cat([result.weights.flatten(), result.output.flatten()]) * 0,
        WITHIN_HULL: _beyond_hull(result.output[may], value, mask[may]),
        SAME_AS_TORCH: result.output - reference,
    }
    return tuple(Check(name, _largest(each), tolerance) for name, each in deviations.items())


def _beyond_hull(output: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """How far each output reaches beyond the furthest of its values, along each direction."""
    generator = torch.Generator().manual_seed(0)
    drawn = torch.randn(_DIRECTIONS, value.shape[-1], generator=generator, dtype=torch.float64).to(value)
    axes = torch.eye(value.shape[-1], dtype=value.dtype, device=value.device)
    directions = F.normalize(torch.cat([axes, -axes, drawn]), dim=-1)
    reach = (value @ directions.mT)[None].masked_fill(~mask[..., None], -torch.inf)
    excess: Tensor = output @ directions.mT - reach.amax(dim=-2)
    # clamp keeps NaN, so that a NaN output is still seen.
    return excess.clamp(min=0)


def _largest(deviations: Tensor) -> float:
    if not deviations.numel():
        return 0.0
    largest = float(deviations.abs().max())
    return largest if math.isfinite(largest) else math.inf
