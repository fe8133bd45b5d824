"""The lines of PyTorch that reproduce the kernel regression on screen."""

from collections.abc import Sequence

# Places and true curve of each toy data set, and what its noise is multiplied by.
_TOYS = {
    "sine": ("5 * u", "2 * x.sin() + x", "1"),
    "step": ("5 * u", "3.0 * (x >= 2.5)", "1"),
    "bump": ("5 * u**0.4", "3 * torch.exp(-((x - 3.5) ** 2) / 0.18)", "1"),
    "heteroscedastic": ("5 * u", "2 * x.sin() + x", "x / 5"),
    "gap": ("torch.where(u < 0.5, 3 * u, 2 + 3 * u)", "2 * x.sin() + x", "1"),
}
_PROFILES = {
    "gaussian": "torch.exp(-u.square() / 2)",
    "boxcar": "(u <= 1).double()",
    "triangular": "(1 - u).clamp(min=0)",
    "epanechnikov": "(1 - u.square()).clamp(min=0)",
}


def toy_data(name: str, n_points: int, noise: float, seed: int) -> str:
    """Write the lines that draw a toy data set."""
    places, curve, spread = _TOYS[name]
    return f"""generator = torch.Generator().manual_seed({seed})
u = torch.rand({n_points}, generator=generator, dtype=torch.float64)
x = ({places}).sort().values                     # keys
noise = torch.randn({n_points}, generator=generator, dtype=torch.float64)
y = {curve} + {noise:g} * {spread} * noise       # values"""


def own_data(keys: Sequence[float], values: Sequence[float]) -> str:
    """Write a person's own points, seven significant digits each."""
    return "\n".join(
        f"{name} = torch.tensor([{', '.join(f'{number:.7g}' for number in numbers)}], dtype=torch.float64)"
        for name, numbers in (("x", keys), ("y", values))
    )


def snippet(*, data: str, kernel: str, bandwidth: float, query: float) -> str:
    """Write the regression of `data` at one query; it ends with `weights` and `estimate`."""
    return f"""import torch

{data}

query, h = torch.tensor([{query:.7g}], dtype=torch.float64), {bandwidth!r}
u = (query[:, None] - x[None, :]).abs() / h     # (n_query, n_key)
kernel = {_PROFILES[kernel]}
weights = kernel / kernel.sum(dim=1, keepdim=True)  # each row sums to one; no key in the window: nan
estimate = weights @ y
print(estimate, weights.sum(dim=1))
"""
