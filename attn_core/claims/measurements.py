"""The measurements that decide a claim: curves over one quantity, once for each seed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

CLEAR = 3.0
"""By how many standard errors two means must differ to count as different."""


@dataclass(frozen=True, eq=False)
class Study:
    """Measurements over ``x`` for each seed, by the names of the measure and of the curve.

    Each curve is (n_seed, n_x); a curve without randomness has one row.
    """

    over: str
    x: tuple[float | int, ...]
    measures: Mapping[str, Mapping[str, Float[Tensor, "_ n_x"]]]

    def at(self, measure: str, curve: str, x: float | int) -> Float[Tensor, " _"]:
        """Return the measurements at one x, one per seed.

        >>> import torch
        >>> study = Study("width", (1, 2), {"size": {"a": torch.tensor([[3.0, 4.0]])}})
        >>> study.at("size", "a", 2)
        tensor([4.])
        """
        return self.measures[measure][curve][:, self.x.index(x)]


class Measurements:
    """Collects measurements: seed by seed, and for each seed from one x to the next.

    >>> measurements = Measurements()
    >>> for each in (1.0, 2.0, torch.tensor([3.0, 4.0])):
    ...     measurements.add("size", "a", each)
    >>> measurements.curves(2)["size"]["a"].tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    def __init__(self) -> None:
        """Start empty."""
        self._numbers: dict[str, dict[str, list[Tensor]]] = {}

    def add(self, measure: str, curve: str, numbers: Tensor | float | int) -> None:
        """Add the measurement at the next x, or the measurements at the next several."""
        numbers = torch.as_tensor(numbers, dtype=torch.float64).reshape(-1)
        self._numbers.setdefault(measure, {}).setdefault(curve, []).append(numbers)

    def curves(self, n_x: int) -> dict[str, dict[str, Float[Tensor, "_ n_x"]]]:
        """Return each curve with a row for each seed."""
        return {
            measure: {name: torch.cat(numbers).reshape(-1, n_x) for name, numbers in curves.items()}
            for measure, curves in self._numbers.items()
        }


class Difference(NamedTuple):
    """The mean over seeds of one number less another, and three standard errors of this mean."""

    mean: float
    margin: float

    @property
    def holds(self) -> bool | None:
        """Whether the difference is above 0; None where 0 lies within the margin.

        >>> [Difference(mean, 0.1).holds for mean in (0.2, 0.05, -0.2)], Difference(0.0, 0.0).holds
        ([True, None, False], False)
        """
        if 0 < self.margin >= abs(self.mean):
            return None
        return self.mean > 0


def difference(low: Float[Tensor, " n_seed"], high: Float[Tensor, " n_seed"]) -> Difference:
    r"""Return the mean over seeds of ``high`` less ``low``, and its margin of error.

    $$\bar{\Delta} \pm 3\,s_\Delta / \sqrt{n}, \qquad \Delta = high - low$$

    s is the sample standard deviation of the differences over the n seeds: high and low come from the same
    draws, so their own spreads do not count. With one seed the margin is 0.

    >>> import torch
    >>> difference(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 2.5]))
    Difference(mean=0.5, margin=0.0)
    """
    apart = high - low
    error = apart.std() / len(apart) ** 0.5 if len(apart) > 1 else 0.0
    return Difference(float(apart.mean()), CLEAR * float(error))


def clearly_below(low: Float[Tensor, " n_seed"], high: Float[Tensor, " n_seed"]) -> bool:
    """Return whether ``low`` is below ``high`` by more than the margin of error."""
    return difference(low, high).holds is True
