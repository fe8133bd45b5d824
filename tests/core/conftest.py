"""Seeded numbers for the tests of the mathematics."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor


@pytest.fixture
def draw() -> Callable[..., Tensor]:
    """Draw standard normal float64 tensors, each call new numbers, each test the same ones."""
    generator = torch.Generator().manual_seed(20_011)

    def drawn(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    return drawn
