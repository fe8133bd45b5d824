"""Initialisations of a projection's weight, by name."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor, nn

from attn_core import _require
from attn_words import N_

GLOROT = "Glorot uniform"


@dataclass(frozen=True)
class Init:
    """An initialisation of a weight from d_in to d_out numbers.

    ``sentence`` describes it in words and formulas; ``factor`` of (d_in, d_out) multiplies uniform numbers
    from -1 to 1, or standard normal ones.
    """

    name: str
    sentence: str
    is_normal: bool
    factor: Callable[[int, int], float]

    def std(self, d_in: int, d_out: int) -> float:
        r"""Return the standard deviation of one number: the factor, over $\sqrt 3$ where it is uniform.

        >>> round(INITS["nn.Linear"].std(12, 4), 6), INITS["standard normal"].std(12, 4)
        (0.166667, 1.0)
        """
        return self.factor(d_in, d_out) / (1.0 if self.is_normal else math.sqrt(3))

    def draw(self, d_in: int, d_out: int, generator: torch.Generator) -> Tensor:
        """Return a weight as ``nn.Linear`` holds it, (d_out, d_in), in float64."""
        if self.is_normal:
            numbers = torch.randn(d_out, d_in, generator=generator, dtype=torch.float64)
        else:
            numbers = 2 * torch.rand(d_out, d_in, generator=generator, dtype=torch.float64) - 1
        return numbers * self.factor(d_in, d_out)


INITS: Mapping[str, Init] = MappingProxyType(
    {
        each.name: each
        for each in (
            Init(
                GLOROT,
                N_("uniform within ±√(6 / (d_in + d_out)), as torch.nn.init.xavier_uniform_ draws"),
                is_normal=False,
                factor=lambda d_in, d_out: math.sqrt(6 / (d_in + d_out)),
            ),
            Init(
                "scaled normal",
                N_("normal with standard deviation 1/√d_in"),
                is_normal=True,
                factor=lambda d_in, d_out: math.sqrt(1 / d_in),
            ),
            Init(
                "standard normal",
                N_("normal with standard deviation 1, as torch.randn draws"),
                is_normal=True,
                factor=lambda d_in, d_out: 1.0,
            ),
            Init(
                "nn.Linear",
                N_("uniform within ±1/√d_in, as torch.nn.Linear draws its own"),
                is_normal=False,
                factor=lambda d_in, d_out: math.sqrt(1 / d_in),
            ),
        )
    }
)
"""Every way to draw a weight, by name; the first is the default everywhere."""


def make_init(name: str) -> Init:
    """Return an initialisation by its name.

    Raises ValueError, with the known names, for an unknown one.

    >>> make_init("Xavier")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: init must be one of 'Glorot uniform', 'scaled normal', ..., 'nn.Linear'; got 'Xavier'
    """
    _require.one_of("init", name, INITS)
    return INITS[name]


def weights_of(module: nn.Module) -> dict[str, Tensor]:
    r"""Return the projections of an attention by their names, as $XW + b$ takes them.

    ``W_q`` and the others are (d_in, d_out), the transpose of what ``nn.Linear`` holds; ``b_q`` and the
    others, where there are biases, are (d_out,). They are views of the module's numbers, not copies.

    >>> from attn_core import SelfAttention
    >>> {name: tuple(each.shape) for name, each in weights_of(SelfAttention(3, 2)).items()}
    {'W_q': (3, 2), 'W_k': (3, 2), 'W_v': (3, 3)}
    """
    every = {letter: getattr(module, f"W_{letter}", None) for letter in "qkvo"}
    linears = {letter: each for letter, each in every.items() if each is not None}
    weights = {f"W_{letter}": each.weight.detach().mT for letter, each in linears.items()}
    biases = {f"b_{letter}": each.bias for letter, each in linears.items() if each.bias is not None}
    return weights | {name: each.detach() for name, each in biases.items()}


def set_weights(module: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Set some projections of an attention, named and laid out as by ``weights_of``; others stay.

    Raises ValueError for a name that the module does not have, and for another shape; nothing is set then.

    >>> from attn_core import SelfAttention
    >>> head = SelfAttention(2, 1, dtype=torch.float64)
    >>> set_weights(head, {"W_q": torch.tensor([[3.0], [4.0]])})
    >>> head.W_q(torch.tensor([[1.0, 1.0]], dtype=torch.float64)).item()
    7.0
    """
    current = weights_of(module)
    for name, numbers in weights.items():
        if name not in current:
            raise ValueError(f"a weight must be one of {', '.join(current)}; got {name!r}")
        if numbers.shape != current[name].shape:
            raise ValueError(
                f"{name} must have shape {tuple(current[name].shape)}, as X W takes it; "
                f"got {tuple(numbers.shape)}"
            )
    for name, numbers in weights.items():
        current[name].copy_(numbers)
