"""The estimate at a query as a formula with its numbers."""

import math

import numpy as np

from attn_core import KERNELS
from attn_words import _
from pages.kernel_regression.compute import Result


def with_numbers(result: Result) -> str:
    """Return the estimate at the chosen query as LaTeX, or the fit of a line there."""
    selection = result.selection
    row, n, query = selection.row, len(selection.keys), np.atleast_1d(selection.queries[selection.row])
    place = ", ".join(f"{each:.6g}" for each in query)
    place = f"({place})" if len(query) > 1 else place
    weight = rf"K\!\left(\frac{{\lvert {place} - k_j \rvert}}{{{selection.bandwidth:.6g}}}\right)"
    kernel = rf"K(u) = {KERNELS[selection.kernel].formula}"
    if result.state.fits_lines:
        height, slope = float(selection.lines.estimate[row]), float(selection.lines.slope[row])
        value = _or_undefined(height, rf"({height:.6g},\ {slope:.6g})")
        return (
            rf"(a, b) = \arg\min_{{a, b}} \sum_j {weight}\bigl(v_j - a - b\,(k_j - {place})\bigr)^2 "
            rf"= {value}, \qquad \hat f({place}) = a, \qquad {kernel}"
        )
    estimate = float(selection.regression.estimate[row])
    return (
        rf"\hat f\left({place}\right) = \frac{{\sum_{{j=1}}^{{{n}}} {weight}\, v_j}}"
        rf"{{\sum_{{j=1}}^{{{n}}} {weight}}} = {_or_undefined(estimate, f'{estimate:.6g}')}, \qquad {kernel}"
    )


def _or_undefined(estimate: float, text: str) -> str:
    undefined = _("undefined: no key in the window")
    return rf"\text{{{undefined}}}" if math.isnan(estimate) else text
