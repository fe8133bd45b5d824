"""Linear maps that are initialised from a seed."""

import torch
from torch import nn

from attn_core.weight_init import GLOROT, make_init


class Linear(nn.Linear):
    """A linear map without initial values; torch's own `skip_init` takes four times as long."""

    def reset_parameters(self) -> None:
        """Leave the weights uninitialised."""


def seeded_linear(
    d_in: int,
    d_out: int,
    *,
    bias: bool,
    generator: torch.Generator,
    dtype: torch.dtype | None,
    init: str = GLOROT,
) -> nn.Linear:
    """Return an ``nn.Linear`` drawn from the generator: weight by ``init``, bias within 1/sqrt(d_in).

    Drawn in float64 and then rounded, so that one seed means the same map in every dtype.
    """
    linear = Linear(d_in, d_out, bias=bias, dtype=dtype)
    with torch.no_grad():
        linear.weight.copy_(make_init(init).draw(d_in, d_out, generator))
        if bias:
            uniform = torch.rand(d_out, generator=generator, dtype=torch.float64)
            linear.bias.copy_((2 * uniform - 1) * d_in**-0.5)
    return linear
