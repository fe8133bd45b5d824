import math
from collections.abc import Callable

import pytest
import torch

from attn_core import KERNELS

U = torch.tensor([0.0, 0.25, 0.5, 1.0, 1.0 + 1e-9, 3.0], dtype=torch.float64)
CLOSED_FORMS: dict[str, Callable[[float], float]] = {
    "gaussian": lambda u: math.exp(-(u**2) / 2),
    "boxcar": lambda u: 1.0 if u <= 1 else 0.0,
    "triangular": lambda u: max(0.0, 1 - u),
    "epanechnikov": lambda u: max(0.0, 1 - u**2),
}


def test_kernels_are_the_four() -> None:
    assert list(KERNELS) == ["gaussian", "boxcar", "triangular", "epanechnikov"]
    assert all(name == kernel.name for name, kernel in KERNELS.items())


def test_kernels_are_read_only() -> None:
    with pytest.raises(TypeError):
        KERNELS["cosine"] = KERNELS["gaussian"]  # type: ignore[index]  # wrong on purpose


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_profile_is_its_formula(name: str) -> None:
    expected = torch.tensor([CLOSED_FORMS[name](u) for u in U.tolist()], dtype=torch.float64)
    torch.testing.assert_close(KERNELS[name].profile(U), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_log_profile_is_the_log_of_profile(name: str) -> None:
    kernel = KERNELS[name]
    torch.testing.assert_close(kernel.log_profile(U), kernel.profile(U).log(), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("name", ["boxcar", "triangular", "epanechnikov"])
def test_support_is_the_end_of_compact_kernels(name: str) -> None:
    kernel = KERNELS[name]
    assert kernel.support == 1.0
    assert kernel.profile(torch.tensor([kernel.support - 1e-6])).item() > 0
    assert kernel.profile(torch.tensor([kernel.support + 1e-6])).item() == 0
    assert kernel.log_profile(torch.tensor([kernel.support + 1e-6])).item() == -math.inf


def test_gaussian_has_infinite_support() -> None:
    kernel = KERNELS["gaussian"]
    assert kernel.support == math.inf
    assert math.isfinite(kernel.log_profile(torch.tensor([1e200], dtype=torch.float64)).item())


@pytest.mark.parametrize("name", ["gaussian", "triangular", "epanechnikov"])
def test_log_profile_has_a_finite_slope_everywhere(name: str) -> None:
    u = U.clone().requires_grad_()
    logs = KERNELS[name].log_profile(u)
    logs.masked_fill(logs == -math.inf, 0.0).sum().backward()
    assert u.grad is not None
    assert u.grad.isfinite().all()


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_kernels_keep_dtype(name: str) -> None:
    u = torch.tensor([0.5], dtype=torch.float32)
    assert KERNELS[name].profile(u).dtype == KERNELS[name].log_profile(u).dtype == torch.float32
