"""Programs that print the line fitted around a query, and its formula with the numbers in it."""

import math

from attn_ui.base.program_lines import program
from attn_ui.base.programs import printing
from attn_words import _

_SCORES = """score = -(u**2) / 2  # the logarithm of the Gaussian kernel
score = score - score[near]
if (a != 0).any():  # weights too small for a number still decide the slope: all of them are lifted alike
    score = torch.where(a == 0, score, score + (-600 - score[a != 0].max()).clamp(min=0))
w = torch.softmax(score, dim=0)"""
_KERNELS = {
    "boxcar": "kernel = (u <= 1).double()",
    "triangular": "kernel = (1 - u).clamp(min=0)",
    "epanechnikov": "kernel = (1 - u**2).clamp(min=0)",
}
_PRINTS = 'print(f"estimate: {estimate.item():.6g}")\nprint(f"slope: {slope.item():.6g}")\n'


def lines_snippet(*, data: str, kernel: str, bandwidth: float, query: float) -> str:
    """Write the line of `data` around one query; it leaves and prints `weights`, `estimate` and `slope`."""
    weigh = _SCORES
    empty = ""
    if kernel in _KERNELS:
        divided = "w = kernel / kernel.sum(dim=0)  # a sum of one; nan where no key is near"
        weigh = f"{_KERNELS[kernel]}\n{divided}"
        empty = "weights = weights.nan_to_num()  # no key is near: no weights\n"
    fit = f"""query = torch.tensor({query!r})
u = (query - x).abs() / {bandwidth!r}
near = u.argmin()
a, b = x - x[near], query - x[near]  # places counted from the nearest key
{weigh}

# The line that fits the values best, each point counted by its weight, read at the query.
middle = (w * a).sum()
spread = (w * (a - middle) ** 2).sum()
lean = torch.where(spread > 0, w * (a - middle) / spread, 0 * w)  # level where all keys lie at one place
weights = (w + (b - middle) * lean)[None]
estimate, slope = weights[0] @ y, lean @ y
{empty}"""
    return program(data, fit, f"{printing('weights')}{_PRINTS}")


def lines_short(*, data: str, kernel: str, bandwidth: float, query: float) -> str:
    """Write the same with attn_core."""
    return f"""import torch

from attn_core import local_linear

{data}

query = torch.tensor([{query!r}], dtype=torch.float64)
line = local_linear(query, x, y, kernel={kernel!r}, bandwidth={bandwidth!r})
weights, estimate, slope = line.weights, line.estimate, line.slope

{printing("weights")}{_PRINTS}"""


def lines_formula(query: float, bandwidth: float, kernel: str, *, estimate: float, slope: float) -> str:
    """Write the fit at one query as LaTeX.

    Args:
        query: where it is asked; bandwidth: h; kernel: K(u) as LaTeX.
        estimate, slope: of the line, NaN where no key is in the window.
    """
    at = f"{query:.6g}"
    none = _("undefined: no key in the window")
    value = rf"\text{{{none}}}" if math.isnan(estimate) else rf"({estimate:.6g},\ {slope:.6g})"
    weight = rf"K\!\left(\frac{{\lvert {at} - k_j \rvert}}{{{bandwidth:.6g}}}\right)"
    return (
        rf"(a, b) = \arg\min_{{a, b}} \sum_j {weight}\bigl(v_j - a - b\,(k_j - {at})\bigr)^2 = {value}, "
        rf"\qquad \hat f({at}) = a, \qquad K(u) = {kernel}"
    )
