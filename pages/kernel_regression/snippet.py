"""Programs that reproduce the kernel regression on screen, and its formula with the numbers in it."""

import math
from collections.abc import Sequence

from attn_ui.programs import printing

# Places and true curve of each toy data set, and what its noise is multiplied by.
_TOYS = {
    "sine": ("5 * u", "2 * x.sin() + x", "1"),
    "step": ("5 * u", "3.0 * (x >= 2.5)", "1"),
    "bump": ("5 * u**0.4", "3 * torch.exp(-((x - 3.5) ** 2) / 0.18)", "1"),
    "heteroscedastic": ("5 * u", "2 * x.sin() + x", "x / 5"),
    "gap": ("torch.where(u < 0.5, 3 * u, 2 + 3 * u)", "2 * x.sin() + x", "1"),
}
_DIVIDED = "\nweights = kernel / kernel.sum(dim=1, keepdim=True)  # a row sums to one; an empty window: nan"
_ESTIMATE = 'print(f"estimate: {estimate.item():.6g}")\n'
_WEIGHTS = {
    # A softmax of the kernel's logarithm: exp(-u**2 / 2) itself is 0 for every key where h is small.
    "gaussian": "weights = torch.softmax(-u.square() / 2, dim=1)  # exp(-u**2 / 2) by each row's sum",
    "boxcar": f"kernel = (u <= 1).double(){_DIVIDED}",
    "triangular": f"kernel = (1 - u).clamp(min=0){_DIVIDED}",
    "epanechnikov": f"kernel = (1 - u.square()).clamp(min=0){_DIVIDED}",
}


def toy_data(name: str, n_points: int, noise: float, seed: int) -> str:
    """Write the lines that draw a toy data set."""
    places, curve, spread = _TOYS[name]
    return f"""generator = torch.Generator().manual_seed({seed})
u = torch.rand({n_points}, generator=generator, dtype=torch.float64)
x = ({places}).sort().values                     # keys
noise = torch.randn({n_points}, generator=generator, dtype=torch.float64)
y = {curve} + {noise:g} * {spread} * noise       # values"""


def plane_data(n_points: int, noise: float, seed: int) -> str:
    """Write the lines that draw the toy data set of two inputs."""
    return f"""generator = torch.Generator().manual_seed({seed})
x = 5 * torch.rand({n_points}, 2, generator=generator, dtype=torch.float64)  # keys, (n_key, d)
noise = torch.randn({n_points}, generator=generator, dtype=torch.float64)
y = 2 * (x[:, 0].sin() + x[:, 1].cos()) + {noise:g} * noise  # values"""


def own_data(keys: Sequence[object], values: Sequence[float]) -> str:
    """Write the points themselves, numbers or vectors as keys, every digit of them."""
    return (
        f"x = torch.tensor({keys!r}, dtype=torch.float64)\ny = torch.tensor({values!r}, dtype=torch.float64)"
    )


def snippet(*, data: str, kernel: str, bandwidth: float, query: float | Sequence[float]) -> str:
    """Write the regression of `data` at one query; it prints `weights` and `estimate`.

    The query is a number, or a vector as long as each key.
    """
    if isinstance(query, Sequence):
        distance, wide = "torch.cdist(query, x)", "  # (n_query, d)"
    else:
        distance, wide = "(query[:, None] - x[None, :]).abs()", ""
    return f"""import torch

{data}

query, h = torch.tensor([{query!r}], dtype=torch.float64), {bandwidth!r}{wide}
u = {distance} / h     # (n_query, n_key)
{_WEIGHTS[kernel]}
estimate = weights @ y

{printing("weights" if kernel == "gaussian" else "weights.nan_to_num()")}{_ESTIMATE}"""


def short(*, data: str, kernel: str, bandwidth: float, query: float | Sequence[float]) -> str:
    """Write the same with attn_core, and draw its weights."""
    return f"""import torch

from attn_core import nadaraya_watson
from attn_figures import show

{data}

query = torch.tensor([{query!r}], dtype=torch.float64)
regression = nadaraya_watson(query, x, y, kernel={kernel!r}, bandwidth={bandwidth!r})
weights, estimate = regression.weights, regression.estimate

{printing("weights")}{_ESTIMATE}\
show(weights).show()
"""


def formula(
    query: float | Sequence[float], bandwidth: float, kernel: str, *, n_key: int, estimate: float
) -> str:
    """Write the estimate at one query as LaTeX.

    Args:
        query: a number, or a vector.
        bandwidth: h; kernel: K(u) as LaTeX.
        n_key: keys there are; estimate: what comes out, NaN where no key is in the window.
    """
    parts = query if isinstance(query, Sequence) else [query]
    asked = ", ".join(f"{each:.6g}" for each in parts)
    asked = f"({asked})" if len(parts) > 1 else asked
    term = rf"K\!\left(\frac{{\lvert {asked} - k_j \rvert}}{{{bandwidth:.6g}}}\right)"
    value = r"\text{undefined: no key in the window}" if math.isnan(estimate) else f"{estimate:.6g}"
    return (
        rf"\hat f\left({asked}\right) = \frac{{\sum_{{j=1}}^{{{n_key}}} {term}\, v_j}}"
        rf"{{\sum_{{j=1}}^{{{n_key}}} {term}}} = {value}, \qquad K(u) = {kernel}"
    )
