"""Whether an array is weights: whole rows, before anything is cut, as exact as their format lets them be."""

import numpy as np

from attn_core.attention_file.plan import MAX_PLACES
from attn_core.precision import exact_formats, row_tolerance

_TOLERANCE = 0.02  # of a row's sum, in any format: what is further off is no weights


def judge(layer: str, weights: np.ndarray, left: np.ndarray | None, precision: str) -> tuple[np.ndarray, str]:
    """Return the sum of each whole row, (head, query), and the precision of the numbers.

    ``left`` is the weight of each row that the file says lies on no key.

    Raises ValueError for numbers that are not finite or below zero, and rows that do not sum to one or zero.
    """
    if not np.isfinite(weights).all():
        head, query, key = np.argwhere(~np.isfinite(weights))[0].tolist()
        raise ValueError(
            f"weights must be finite numbers; got {weights[head, query, key]} in {layer}, head {head}, "
            f"query {query}, key {key}"
        )
    total = weights.sum(axis=-1, dtype=np.float64)
    if left is not None:
        if not np.isfinite(left).all() or left.min() < 0:
            raise ValueError(f"the weight beyond the keys must be finite and >= 0; got another in {layer}")
        total = total + left
    off = np.where(abs(total) < 1e-6, 0.0, abs(total - 1))
    n_key = weights.shape[-1]
    if off.max() > row_tolerance(precision, n_key):
        fitting = (
            coarser
            for coarser in exact_formats(weights, finer=precision)
            if off.max() <= row_tolerance(coarser, n_key)
        )
        precision = next(fitting, precision)
    allowed = max(_TOLERANCE, row_tolerance(precision, n_key))
    if off.max() > allowed or weights.min() < -1e-6:
        turned = (abs(weights.sum(axis=-2, dtype=np.float64) - 1) < _TOLERANCE).all()
        raise ValueError(
            "weights must be >= 0 and each row (query) sum to 1, or to 0 where a query sees nothing; got "
            f"numbers from {weights.min():.3g} and sums from {total.min():.3g} to {total.max():.3g} in "
            f"{layer}" + (" (the columns sum to 1: swap the last two axes)" if turned else "")
        )
    return total, precision


def cut(weights: np.ndarray, notes: list[str]) -> np.ndarray:
    """Return the first places of a map in single precision, and note what was left out."""
    notes += [
        f"The maps have {side:,} places; the first {MAX_PLACES} are shown, and weight on others is left out."
        for side in weights.shape[1:]
        if side > MAX_PLACES
    ]
    return np.array(weights[:, :MAX_PLACES, :MAX_PLACES], dtype=np.float32)
