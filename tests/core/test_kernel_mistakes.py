"""Mistakes with vectors: each against a plain loop, and seen by the invariant that it is said to break."""

import math
from collections.abc import Callable

import pytest
import torch

from attn_core import KERNELS
from attn_core.kernel_mistakes import FACTOR, KERNEL_MISTAKES, ONE_HEIGHT, by_distance

PROFILES: dict[str, Callable[[float], float]] = {
    "gaussian": lambda u: math.exp(-u * u / 2),
    "boxcar": lambda u: float(u <= 1),
    "triangular": lambda u: max(0.0, 1 - u),
    "epanechnikov": lambda u: max(0.0, 1 - u * u),
}


def height(name: str, kernel: str, q: list[float], k: list[float], h: float) -> float:
    """What a key counts, one coordinate after the other."""
    K = PROFILES[kernel]
    if name == "kernel of each coordinate":
        return sum(K(abs(a - b) / h) for a, b in zip(q, k, strict=True)) / len(q)
    units = [FACTOR if name == "mixed units" and at == 0 else 1.0 for at in range(len(q))]
    return K(math.sqrt(sum((u * (a - b)) ** 2 for u, a, b in zip(units, q, k, strict=True))) / h)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", [*KERNEL_MISTAKES, "right"])
def test_a_mistake_is_what_a_plain_loop_makes(name: str, kernel: str) -> None:
    generator = torch.Generator().manual_seed(5)
    queries, keys = (3 * torch.rand(n, 3, generator=generator, dtype=torch.float64) for n in (7, 11))
    values = torch.randn(11, generator=generator, dtype=torch.float64)
    attend = by_distance if name == "right" else KERNEL_MISTAKES[name].attend
    made = attend(queries, keys, values, kernel=kernel, bandwidth=0.9)
    for i, q in enumerate(queries.tolist()):
        heights = [height(name, kernel, q, k, 0.9) for k in keys.tolist()]
        torch.testing.assert_close(made.scores[i].exp(), torch.tensor(heights).double(), atol=1e-6, rtol=1e-6)
        total = sum(heights)
        if not total:
            assert made.estimate[i].isnan()
            assert not made.weights[i].any()
            continue
        estimate = sum(w * v for w, v in zip(heights, values.tolist(), strict=True)) / total
        assert float(made.estimate[i]) == pytest.approx(estimate, rel=1e-9)
        assert float(made.weights[i].sum()) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_kernel_of_the_distance_alone_is_as_high_all_around(kernel: str) -> None:
    angles = torch.linspace(0, 2 * math.pi, 33, dtype=torch.float64)
    around = torch.stack([angles.cos(), angles.sin()], dim=-1)
    query = torch.tensor([[0.3, -1.2]], dtype=torch.float64)
    spread = {}
    ways = {"right": by_distance} | {name: mistake.attend for name, mistake in KERNEL_MISTAKES.items()}
    for name, attend in ways.items():
        heights = torch.stack(
            [
                attend(query, query + reach * around, angles, kernel=kernel, bandwidth=1.0).scores.exp()[0]
                for reach in (0.5, 1.2)
            ]
        )
        spread[name] = float((heights.amax(dim=-1) - heights.amin(dim=-1)).max())
    assert spread.pop("right") < 1e-12
    assert all(each > 0.04 for each in spread.values())
    assert {mistake.breaks for mistake in KERNEL_MISTAKES.values()} == {ONE_HEIGHT}


@pytest.mark.parametrize("name", KERNEL_MISTAKES)
def test_what_does_not_fit_is_refused(name: str) -> None:
    keys = torch.zeros(3, 2, dtype=torch.float64)
    attend = KERNEL_MISTAKES[name].attend
    with pytest.raises(ValueError, match="bandwidth"):
        attend(keys, keys, keys[:, 0], kernel="gaussian", bandwidth=0.0)
    with pytest.raises(ValueError, match="kernel must be"):
        attend(keys, keys, keys[:, 0], kernel="cosine", bandwidth=1.0)
    with pytest.raises(ValueError, match="finite"):
        attend(keys / 0, keys, keys[:, 0], kernel="gaussian", bandwidth=1.0)
