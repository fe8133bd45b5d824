"""The rounding of weights, by the floating-point format that they have gone through."""

from collections.abc import Iterable, Iterator

import numpy as np
import torch

_FORMATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
_EIGHT_BITS = tuple(
    getattr(torch, name)
    for name in ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
    if hasattr(torch, name)
)
PRECISIONS = {str(dtype).removeprefix("torch."): torch.finfo(dtype) for dtype in (*_FORMATS, *_EIGHT_BITS)}
"""The formats by name, as torch calls them."""

AT_ONCE = 2**18  # numbers that are checked together: a file of few bytes may have twenty million rows


def coarsest(names: Iterable[str]) -> str:
    """Return the least precise of some formats; ``float64`` where there is none.

    >>> coarsest(["float32", "bfloat16", "float16"])
    'bfloat16'
    """
    return max(names, key=lambda name: PRECISIONS[name].eps, default="float64")


def row_tolerance(precision: str, n_key: int) -> float:
    r"""Return how far the sum of a row of weights may lie from one.

    $$|\sum_j \tilde w_j - 1| \le u \sum_j w_j + n_{key} \frac{s}{2} + n_{key}\,2^{-23}$$

    Each weight is rounded to within a share u, half of eps, of itself, or to within half of the smallest
    positive number s; the last term is that of a softmax in single precision.

    Raises KeyError for a format that is none of ``PRECISIONS``.

    >>> f"{row_tolerance('float32', 10):.1e}", f"{row_tolerance('float16', 10):.1e}"
    ('1.3e-06', '4.9e-04')
    """
    info = PRECISIONS[precision]
    smallest = info.smallest_normal * info.eps
    return float(info.eps / 2 + n_key * (smallest / 2 + 2.0**-23))


def exact_formats(numbers: np.ndarray, *, finer: str) -> Iterator[str]:
    """Yield the half precisions coarser than ``finer`` that hold every number exactly.

    >>> list(exact_formats(np.array([0.5, 0.2000732421875]), finer="float32"))
    ['float16']
    """
    flat = numbers.reshape(-1)
    for name in ("float16", "bfloat16"):
        coarser = PRECISIONS[name].eps > PRECISIONS[finer].eps
        starts = range(0, flat.size, AT_ONCE)
        if coarser and all(_is_exact(flat[start : start + AT_ONCE], name) for start in starts):
            yield name


def _is_exact(numbers: np.ndarray, name: str) -> bool:
    whole = torch.from_numpy(numbers.astype(np.float64))
    return torch.equal(whole.to(getattr(torch, name)).to(torch.float64), whole)
