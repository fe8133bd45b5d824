"""Checks that an array holds weights: finite numbers, none negative, in rows that sum to at most one."""

from collections.abc import Iterator

import numpy as np

from attn_core.attention_file.plan import MAX_PLACES
from attn_core.precision import AT_ONCE, exact_formats, row_tolerance
from attn_words import _

_TOLERANCE = 0.02  # of a row's sum in any format: further above one, rows are no weights


def check_weights(
    layer: str, weights: np.ndarray, beyond: np.ndarray | None, precision: str
) -> tuple[np.ndarray, str]:
    """Return each kept row's sum before it is cut, (head, query), and the precision of the numbers.

    ``beyond`` is the weight of each row on no key, where the file has it. Without it, rows that sum to less
    than one are taken to lack an attention sink's weight: their sum is returned as one, or zero for zeros.

    Raises ValueError for numbers that are not finite or below zero, and for rows that sum to more than one.
    """
    if beyond is not None and (not np.isfinite(beyond).all() or beyond.min() < 0):
        raise ValueError(
            _("the weight beyond the keys must be finite and >= 0; got another in {layer}", layer=layer)
        )
    n_head, n_query, n_key = weights.shape
    whole = np.empty((n_head, min(n_query, MAX_PLACES)))
    furthest = 0.0
    numbers, sums = (np.inf, -np.inf), (np.inf, -np.inf)
    for head, first, rows in _blocks(weights):
        _check_finite(layer, head, first, rows)
        total = rows.sum(axis=-1, dtype=np.float64)
        if beyond is not None:
            total = total + beyond[head, first : first + len(rows)]
        sums_kept = whole[head, first : first + len(rows)]
        sums_kept[:] = total[: len(sums_kept)]
        furthest = max(furthest, float(np.where(abs(total) < 1e-6, 0.0, abs(total - 1)).max()))
        numbers = (min(numbers[0], rows.min()), max(numbers[1], rows.max()))
        sums = (min(sums[0], total.min()), max(sums[1], total.max()))
    if furthest > row_tolerance(precision, n_key):
        fitting = (
            coarser
            for coarser in exact_formats(weights, finer=precision)
            if furthest <= row_tolerance(coarser, n_key)
        )
        precision = next(fitting, precision)
    tolerance = row_tolerance(precision, n_key)
    is_short = furthest > tolerance and numbers[0] >= -1e-6 and sums[1] <= 1 + tolerance
    if is_short and beyond is None and not _is_turned(weights):
        return (whole > 1e-6).astype(np.float64), precision
    if furthest > max(_TOLERANCE, tolerance) or numbers[0] < -1e-6:
        cause = _("the columns sum to 1: the axis of keys is wanted last") if _is_turned(weights) else ""
        message = _(
            "weights must be >= 0 and each row (query) sum to 1, or less where a sink took the rest; got "
            "numbers from {least} and sums from {low} to {high} in {layer}",
            least=f"{numbers[0]:.3g}",
            low=f"{sums[0]:.3g}",
            high=f"{sums[1]:.3g}",
            layer=layer,
        )
        raise ValueError(f"{message} ({cause})" if cause else message)
    return whole, precision


def _blocks(weights: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield blocks of rows: the head, the first query, and the rows (query, key)."""
    step = max(1, AT_ONCE // weights.shape[-1])
    for head, each in enumerate(weights):
        for first in range(0, len(each), step):
            yield head, first, each[first : first + step]


def _check_finite(layer: str, head: int, first: int, rows: np.ndarray) -> None:
    is_finite = np.isfinite(rows)
    if not is_finite.all():
        query, key = divmod(int(is_finite.argmin()), rows.shape[-1])
        raise ValueError(
            _(
                "weights must be finite numbers; got {number} in {layer}, head {head}, query {query}, key "
                "{key}",
                number=rows[query, key],
                layer=layer,
                head=head,
                query=first + query,
                key=key,
            )
        )


def _is_turned(weights: np.ndarray) -> bool:
    """Whether the columns sum to one."""
    starts = range(0, weights.shape[-1], AT_ONCE)
    return all(
        (abs(each[:, start : start + AT_ONCE].sum(axis=0, dtype=np.float64) - 1) < _TOLERANCE).all()
        for each in weights
        for start in starts
    )


def crop(weights: np.ndarray, notes: list[str]) -> np.ndarray:
    """Return the first positions of a map in single precision, and note what was left out."""
    notes += [
        _(
            "The maps have {places} places; the first {most} are shown, and weight on others is left out.",
            places=f"{side:,}",
            most=f"{MAX_PLACES:,}",
        )
        for side in weights.shape[1:]
        if side > MAX_PLACES
    ]
    return np.array(weights[:, :MAX_PLACES, :MAX_PLACES], dtype=np.float32)
