"""Adam by torch's own step, without its optimiser, which imports a compiler: 1.2 s and 74 MB for nothing."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.optim.adam import adam


class Adam:
    """What ``torch.optim.Adam`` does to groups of parameters, to the last bit.

    Source: Kingma and Ba (2015), Adam; with their beta and epsilon.
    """

    def __init__(self, *groups: tuple[Sequence[Tensor], float | Tensor]) -> None:
        """Start with no gradient seen.

        Args:
            groups: leaves that require a gradient, which `step` writes into, and about how far a number of
                them moves in a step.
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
        """Take one step down a loss, a single number that every parameter has a part in."""
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
