"""A mistake: two ways to compute the same thing, an example, and a check that tells them apart."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from jaxtyping import Bool, Float
from torch import Tensor

from attn_words import N_

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class LabelledMap:
    """A map of a result: its values, and the labels and titles of its rows and columns.

    ``mask`` is True for cells that are not masked; ``quantity`` is the name of the values.
    """

    values: Float[Tensor, "n_row n_column"]
    rows: Sequence[str]
    columns: Sequence[str]
    titles: tuple[str, str] = (N_("Query"), N_("Key"))
    quantity: str = N_("weight")
    mask: Bool[Tensor, "n_row n_column"] | None = None


@dataclass(frozen=True, eq=False)
class MustHold:
    """A property of the right result: its ``name``, the ``number`` that is measured, and its bounds.

    ``measure`` is called with the result and the example's inputs. NaN fails.
    """

    name: str
    number: str
    measure: Callable[..., float]
    least: float = -math.inf
    most: float = math.inf

    def holds(self, numbers: float) -> bool:
        """Return whether a number is within the bounds.

        >>> check = MustHold("rows sum to one", "largest distance of a sum from 1", float, most=1e-9)
        >>> check.holds(2e-16), check.holds(0.3), check.holds(math.nan)
        (True, False, False)
        """
        return self.least <= numbers <= self.most


@dataclass(frozen=True, eq=False)
class Example:
    """The example of a mistake: a ``sentence`` about it, its ``inputs``, and how a result is drawn.

    ``inputs`` is a function that returns them; ``draw`` is called with the result and the inputs.
    """

    sentence: str
    inputs: Callable[[], tuple[Any, ...]]
    draw: Callable[..., LabelledMap]


@dataclass(frozen=True, eq=False)
class Mistake(Generic[Result]):
    """A mistake: ``what`` is done, ``why`` it is wrong, both ways to compute, the ``check`` that finds it.

    ``right`` and ``broken`` are called with the inputs of the ``example``. ``name`` is used in links.
    ``also`` are further checks of the right result, which the broken one may pass.
    """

    name: str
    what: str
    why: str
    right: Callable[..., Result]
    broken: Callable[..., Result]
    check: MustHold
    example: Example
    also: tuple[MustHold, ...] = ()

    @cached_property
    def _results(self) -> tuple[tuple[Any, ...], Result, Result]:
        inputs = self.example.inputs()
        return inputs, self.right(*inputs), self.broken(*inputs)

    @cached_property
    def maps(self) -> tuple[LabelledMap, LabelledMap]:
        """The right map and the broken one, on the example."""
        inputs, right, broken = self._results
        return self.example.draw(right, *inputs), self.example.draw(broken, *inputs)

    @cached_property
    def numbers(self) -> tuple[tuple[MustHold, float, float], ...]:
        """Each check, with the number measured on the right result and on the broken one."""
        inputs, right, broken = self._results
        return tuple(
            (check, check.measure(right, *inputs), check.measure(broken, *inputs))
            for check in (self.check, *self.also)
        )


def mistakes_by_name(*mistakes: Mistake[Result]) -> Mapping[str, Mistake[Result]]:
    """Return mistakes by name, read-only."""
    return MappingProxyType({mistake.name: mistake for mistake in mistakes})
