"""The estimate at a query as a formula with its numbers."""

import math
from collections.abc import Sequence

from attn_words import _

Query = float | Sequence[float]


def formula(query: Query, bandwidth: float, kernel: str, *, n_key: int, estimate: float) -> str:
    """Write the estimate at one query as LaTeX.

    Args:
        query: a number, or a vector.
        bandwidth: h; kernel: K(u) as LaTeX.
        n_key: keys there are; estimate: what comes out, NaN where no key is in the window.
    """
    parts = query if isinstance(query, Sequence) else [query]
    query_text = ", ".join(f"{each:.6g}" for each in parts)
    query_text = f"({query_text})" if len(parts) > 1 else query_text
    term = rf"K\!\left(\frac{{\lvert {query_text} - k_j \rvert}}{{{bandwidth:.6g}}}\right)"
    value = _undefined() if math.isnan(estimate) else f"{estimate:.6g}"
    return (
        rf"\hat f\left({query_text}\right) = \frac{{\sum_{{j=1}}^{{{n_key}}} {term}\, v_j}}"
        rf"{{\sum_{{j=1}}^{{{n_key}}} {term}}} = {value}, \qquad K(u) = {kernel}"
    )


def of_line(query: Query, bandwidth: float, kernel: str, estimate: float, slope: float) -> str:
    """Write the fit of a line at one query as LaTeX."""
    query_text = f"{query:.6g}"
    value = _undefined() if math.isnan(estimate) else rf"({estimate:.6g},\ {slope:.6g})"
    weight = rf"K\!\left(\frac{{\lvert {query_text} - k_j \rvert}}{{{bandwidth:.6g}}}\right)"
    return (
        rf"(a, b) = \arg\min_{{a, b}} \sum_j {weight}\bigl(v_j - a - b\,(k_j - {query_text})\bigr)^2 "
        rf"= {value}, \qquad \hat f({query_text}) = a, \qquad K(u) = {kernel}"
    )


def _undefined() -> str:
    return rf"\text{{{_('undefined: no key in the window')}}}"
