"""Adam through torch's functional step: importing ``torch.optim.Adam`` would cost 1.2 s and 74 MB."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.optim.adam import adam


class Adam:
    """The Adam optimiser for groups of parameters, bit for bit that of ``torch.optim.Adam``.

    Source: Kingma and Ba (2015), Adam; with their beta and epsilon.
    """

    def __init__(self, *groups: tuple[Sequence[Tensor], float | Tensor]) -> None:
        """Start with zero moments.

        Args:
            groups: pairs of parameters, which require a gradient and are updated by `step`, and their rate.
        """
        self._groups = [
            (
                list(parameters),
                learning_rate,
                [torch.zeros_like(each) for each in parameters],  # means of the gradients
                [torch.zeros_like(each) for each in parameters],  # and of their squares
                [torch.tensor(0.0) for _ in parameters],  # steps taken
            )
            for parameters, learning_rate in groups
        ]

    def step(self, loss: Tensor) -> None:
        """Take one step down the loss, a scalar that depends on every parameter."""
        all_of_them = [each for parameters, *_ in self._groups for each in parameters]
        gradients = iter(torch.autograd.grad(loss, all_of_them))
        with torch.no_grad():
            for parameters, learning_rate, means, squares, steps in self._groups:
                adam(
                    parameters,
                    [next(gradients) for _ in parameters],
                    means,
                    squares,
                    [],
                    steps,
                    foreach=False,
                    fused=False,
                    amsgrad=False,
                    beta1=0.9,
                    beta2=0.999,
                    lr=learning_rate,
                    weight_decay=0.0,
                    eps=1e-8,
                    maximize=False,
                )
