"""Checks of attention: invariants, and comparisons with independent code."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from attn_core.attention import Attention, scores_shape
from attn_words import N_, _

ROWS_SUM_TO_ONE = N_("each row of weights sums to one, or is empty")
MASKED_IS_ZERO = N_("a masked key has weight zero")
ALL_FINITE = N_("every number is finite")
SAME_AS_TORCH = N_("the output is that of torch")
WITHIN_HULL = N_("each output lies within the hull of the values that its query may see, if any")
_DIRECTIONS = 256


@dataclass(frozen=True)
class Check:
    """One condition that must hold: its name, how far the numbers deviate, and how large they are.

    ``error`` is the largest deviation (infinite where a number is missing), ``scale`` the largest magnitude
    that went into the numbers compared: right sums of house prices differ by more than wrong weights do.
    ``tolerance`` is relative to ``scale``.
    """

    name: str
    error: float
    scale: float = 1.0
    tolerance: float = 1e-9

    @property
    def passed(self) -> bool:
        """Whether the deviation stays within the tolerance of the numbers' own scale."""
        return self.error <= self.tolerance * self.scale

    @property
    def verdict(self) -> str:
        """A text on whether the check holds, and by how much.

        >>> Check("rows sum to one", 2.2e-16).verdict, Check("same as torch", 3.0, scale=100.0).verdict
        ('holds, off by 2.2e-16 in numbers up to 1', 'fails, off by 3 in numbers up to 100')
        """
        if math.isinf(self.error):
            return _("fails: a number is missing")
        if not self.error:
            return _("holds exactly")
        error, scale = f"{self.error:.2g}", f"{self.scale:.3g}"
        if self.passed:
            return _("holds, off by {error} in numbers up to {scale}", error=error, scale=scale)
        return _("fails, off by {error} in numbers up to {scale}", error=error, scale=scale)


def compare(name: str, ours: Tensor, theirs: Tensor | float, *, scale: float | None = None) -> Check:
    """Compare numbers with those of an independent computation, relative to the numbers' own scale.

    Args:
        name: what must hold.
        ours: the numbers at hand, of any shape.
        theirs: what they must be, of a shape that broadcasts to that of ``ours``.
        scale: the largest magnitude that went into them; the largest finite magnitude in ``theirs`` unless
            given. Give it where large terms cancel, and 1 where the numbers are weights.

    Returns the largest deviation as a Check. NaN agrees with NaN, an infinity with itself; one without the
    other is a missing number. An empty comparison holds exactly.

    >>> compare("equal", torch.tensor([1e6, torch.nan]), torch.tensor([1e6, torch.nan])).verdict
    'holds exactly'
    """
    other = torch.as_tensor(theirs, dtype=ours.dtype, device=ours.device).expand(ours.shape)
    alike = (ours == other) | (ours.isnan() & other.isnan())
    finite = other[other.isfinite()].abs()
    size = scale if scale is not None else float(finite.max()) if finite.numel() else 1.0
    return Check(name, _largest((ours - other)[~alike]), size, _tolerance(ours.dtype))


def _tolerance(dtype: torch.dtype) -> float:
    return math.sqrt(torch.finfo(dtype).eps) / 10


def audit_attention(
    result: Attention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    *,
    scale: float | None = None,
) -> tuple[Check, ...]:
    r"""Check five invariants of an attention.

    $$\Bigl|\sum_j A_{ij} - 1\Bigr|, \qquad \max_{M_{ij} = 0} |A_{ij}|, \qquad
      \max_u \bigl(u^\top O_i - \max_{j: M_{ij}} u^\top V_j\bigr), \qquad |O - O_{torch}|$$

    ``query`` (n_query, d_k), ``key`` (n_key, d_k), ``value`` (n_key, d_v), a boolean ``attn_mask`` (n_query,
    n_key) with True = may attend; ``scale`` is the whole factor on the scores, 1/sqrt(d_k) unless given. The
    hull is tested along every axis and along 256 directions u from a fixed seed: in each, no output may reach
    beyond the furthest value.

    Edge cases: a row with every key masked may be zero and has no hull; with NaN in it the checks fail.

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
    reference = F.scaled_dot_product_attention(query, key, value, attn_mask=attn_mask, scale=scale)
    largest = float(value.detach().abs().max()) if value.numel() else 1.0
    numbers = torch.cat([result.weights.flatten(), result.output.flatten()])
    sums = result.weights.sum(dim=-1)
    has_output = may | result.output.isnan().any(dim=-1)
    beyond = _beyond_hull(result.output[has_output], value, mask[has_output])
    return (
        compare(ROWS_SUM_TO_ONE, sums, (may | (sums > 0.5)).to(sums), scale=1.0),
        compare(MASKED_IS_ZERO, result.weights.expand(mask.shape)[~mask], 0.0, scale=1.0),
        compare(ALL_FINITE, numbers * 0, 0.0, scale=1.0),
        compare(WITHIN_HULL, beyond, 0.0, scale=largest),
        compare(SAME_AS_TORCH, result.output, reference, scale=largest),
    )


def _beyond_hull(output: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Return how far each output reaches beyond the furthest of its values, along each direction."""
    generator = torch.Generator().manual_seed(0)
    random = torch.randn(_DIRECTIONS, value.shape[-1], generator=generator, dtype=torch.float64).to(value)
    axes = torch.eye(value.shape[-1], dtype=value.dtype, device=value.device)
    directions = F.normalize(torch.cat([axes, -axes, random]), dim=-1)
    reach = (value @ directions.mT)[None].masked_fill(~mask[..., None], -torch.inf)
    excess: Tensor = output @ directions.mT - reach.amax(dim=-2)
    # clamp keeps NaN, so that a NaN output still fails.
    return excess.clamp(min=0)


def _largest(deviations: Tensor) -> float:
    if not deviations.numel():
        return 0.0
    largest = float(deviations.abs().max())
    return largest if math.isfinite(largest) else math.inf
