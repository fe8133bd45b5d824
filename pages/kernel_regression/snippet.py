"""Programs that reproduce the kernel regression on screen, and its formula with the numbers in it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from attn_figures.long_map import SHORT
from attn_ui.base.program_lines import program
from attn_ui.base.programs import printing
from attn_words import _

# Places and true curve of each toy data set, and what its noise is multiplied by.
_TOYS = {
    "sine": ("5 * u", "2 * x.sin() + x", "1"),
    "step": ("5 * u", "3.0 * (x >= 2.5)", "1"),
    "bump": ("5 * u**0.4", "3 * torch.exp(-((x - 3.5) ** 2) / 0.18)", "1"),
    "heteroscedastic": ("5 * u", "2 * x.sin() + x", "x / 5"),
    "gap": ("torch.where(u < 0.5, 3 * u, 2 + 3 * u)", "2 * x.sin() + x", "1"),
}
_ESTIMATE = 'print(f"estimate: {estimate.item():.6g}")\n'
_DIVIDED = "weights = kernel / kernel.sum(dim=1, keepdim=True)  # a row sums to one; nan where no key is near"
_WEIGHTS = {
    # A softmax of the kernel's logarithm: exp(-u**2 / 2) itself is 0 for every key where h is small.
    "gaussian": ("weights = torch.softmax(-(u**2) / 2, dim=1)  # exp(-u**2 / 2), over each row's sum",),
    "boxcar": ("kernel = (u <= 1).double()", _DIVIDED),
    "triangular": ("kernel = (1 - u).clamp(min=0)", _DIVIDED),
    "epanechnikov": ("kernel = (1 - u**2).clamp(min=0)", _DIVIDED),
}


def toy_data(name: str, n_points: int, noise: float, seed: int) -> str:
    """Write the lines that draw a toy data set."""
    return _drawn(*_TOYS[name], n_points=n_points, noise=noise, seed=seed)


def typed_data(code: str, n_points: int, noise: float, seed: int) -> str:
    """Write the lines that draw points of a function of x, given as an expression."""
    return _drawn("5 * u", code, "1", n_points=n_points, noise=noise, seed=seed)


def _drawn(places: str, curve: str, spread: str, *, n_points: int, noise: float, seed: int) -> str:
    by = "" if spread == "1" else f" * {spread}"
    return f"""generator = torch.Generator().manual_seed({seed})
u = torch.rand({n_points}, generator=generator, dtype=torch.float64)
x = ({places}).sort().values  # keys
noise = torch.randn({n_points}, generator=generator, dtype=torch.float64)
y = {curve} + {noise:g}{by} * noise  # values"""


def plane_data(n_points: int, noise: float, seed: int) -> str:
    """Write the lines that draw the toy data set of two inputs."""
    return f"""generator = torch.Generator().manual_seed({seed})
x = 5 * torch.rand({n_points}, 2, generator=generator, dtype=torch.float64)  # keys, (n_key, d)
noise = torch.randn({n_points}, generator=generator, dtype=torch.float64)
y = 2 * (x[:, 0].sin() + x[:, 1].cos()) + {noise:g} * noise  # values"""


def own_data(keys: Sequence[object], values: Sequence[float]) -> str:
    """Write the points themselves, numbers or vectors as keys, every digit of them."""
    return (
        f"x = torch.tensor({keys!r}, dtype=torch.float64)  # keys\n"
        f"y = torch.tensor({values!r}, dtype=torch.float64)  # values"
    )


@dataclass(frozen=True)
class Learning:
    """How the bandwidth is learned: so many steps of Adam, at a rate on its logarithm."""

    steps: int
    rate: float


def snippet(
    *,
    data: str,
    kernel: str,
    bandwidth: float,
    query: float | Sequence[float],
    learning: Learning | None = None,
) -> str:
    """Write the regression of `data` at one query; it leaves and prints `weights` and `estimate`.

    The query is a number, or a vector as long as each key. With `learning`, which takes the Gaussian kernel
    and a number, the program then learns the bandwidth and prints that too.
    """
    made = f"""regression = NadarayaWatson(bandwidth={bandwidth!r})
query = torch.tensor([{query!r}])
with torch.no_grad():
    estimate, weights = regression(query, x, y)"""
    if kernel != "gaussian":
        made += "\n    weights = weights.nan_to_num()  # no key is near: no weights"
    module = _module(kernel, wide=isinstance(query, Sequence)) if learning is None else _LEARNER
    learned = "" if learning is None else _learned(learning)
    return program(data, module, made, f"{printing('weights')}{_ESTIMATE}", learned)


def _module(kernel: str, *, wide: bool) -> str:
    """Write the module; wide: whether queries and keys are vectors."""
    distance = "torch.cdist(queries, keys)" if wide else "(queries[:, None] - keys[None, :]).abs()"
    shapes = "(n_query, d), (n_key, d)" if wide else "(n_query,), (n_key,)"
    weigh = "\n        ".join(_WEIGHTS[kernel])
    return f'''class NadarayaWatson(nn.Module):
    """Attention by distance: near keys weigh more."""

    def __init__(self, bandwidth):
        super().__init__()
        self.h = nn.Parameter(torch.tensor(bandwidth))  # the width of the kernel

    def forward(self, queries, keys, values):  # {shapes}, (n_key,)
        u = {distance} / self.h  # (n_query, n_key)
        {weigh}
        return weights @ values, weights'''


_LEARNER = '''class NadarayaWatson(nn.Module):
    """Attention by distance: near keys weigh more. The width of the kernel can be learned."""

    def __init__(self, bandwidth):
        super().__init__()
        self.log_h = nn.Parameter(torch.tensor(bandwidth).log())  # h = exp(log h) stays above zero

    def forward(self, queries, keys, values, mask=None):  # (n_query,), (n_key,), (n_key,)
        u = (queries[:, None] - keys[None, :]).abs() / self.log_h.exp()  # (n_query, n_key)
        scores = -(u**2) / 2  # the logarithm of the Gaussian kernel
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = torch.softmax(scores, dim=1)  # exp(-u**2 / 2), over each row's sum
        return weights @ values, weights'''


def _learned(learning: Learning) -> str:
    """Write the lines that learn the bandwidth on the leave-one-out error."""
    return f"""# Learn h: no point may attend to itself, or the error would always want h = 0.
others = ~torch.eye(len(x), dtype=torch.bool)  # True = may attend
optimizer = torch.optim.Adam(regression.parameters(), lr={learning.rate!r})
for step in range({learning.steps}):
    optimizer.zero_grad()
    error = (regression(x, x, y, others)[0] - y).square().mean()
    error.backward()
    optimizer.step()
learned = regression.log_h.exp().item()
print(f"h learned in {learning.steps} steps: {{learned:.4g}}")"""


def short(*, data: str, kernel: str, bandwidth: float, query: float | Sequence[float], n_key: int) -> str:
    """Write the same with attn_core, and draw its weights: of many points those of the heaviest."""
    drawn = "show(weights).show()"
    if n_key > SHORT:
        drawn = f"""# A figure of Plotly holds {SHORT} keys: those with the most weight.
heaviest = weights[0].topk({SHORT}).indices.sort().values
show(weights, columns=heaviest.tolist()).show()"""
    return f"""import torch

from attn_core import nadaraya_watson
from attn_figures import show

{data}

query = torch.tensor([{query!r}], dtype=torch.float64)
regression = nadaraya_watson(query, x, y, kernel={kernel!r}, bandwidth={bandwidth!r})
weights, estimate = regression.weights, regression.estimate

{printing("weights")}{_ESTIMATE}\
{drawn}
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
    none = _("undefined: no key in the window")
    value = rf"\text{{{none}}}" if math.isnan(estimate) else f"{estimate:.6g}"
    return (
        rf"\hat f\left({asked}\right) = \frac{{\sum_{{j=1}}^{{{n_key}}} {term}\, v_j}}"
        rf"{{\sum_{{j=1}}^{{{n_key}}} {term}}} = {value}, \qquad K(u) = {kernel}"
    )
