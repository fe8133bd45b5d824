"""The pairs of a head under a rotary scaling: the numbers of its picture, tables and checks."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from attn_core import SCALINGS, RotaryScaling, make_scaling
from attn_words import N_, _
from pages.positional_encoding.compute import Result
from pages.positional_encoding.settings import SCALING

MOST_OFFSETS = 160  # points, about, of a long curve of scores
NAMES = {"interpolation": N_("position interpolation"), "NTK": N_("NTK-aware scaling"), "YaRN": N_("YaRN")}
SAME = 1e-9  # relative difference of frequencies that is rounding only


def scaling_name(scaling: str) -> str:
    """Return the name of a scaling in sentences."""
    return _(NAMES[scaling])


@dataclass(frozen=True)
class ScaledHead:
    """One head under the chosen rotary scaling."""

    name: str
    d_head: int
    base: float
    factor: float
    trained: int

    @property
    def used_length(self) -> int:
        """The longer length, in positions."""
        return round(self.factor * self.trained)

    def under(self, name: str) -> RotaryScaling:
        """Return any scaling, by name, at the head's settings."""
        return make_scaling(name, base=self.base, factor=self.factor, trained_length=float(self.trained))

    @cached_property
    def scaling(self) -> RotaryScaling:
        """The chosen scaling."""
        return self.under(self.name)

    @cached_property
    def plain(self) -> RotaryScaling:
        """Unscaled rotary, used at the longer length."""
        return self.under(SCALING.default)

    @cached_property
    def trained_turns(self) -> Tensor:
        """The full turns of each pair within the trained length, (n_pair,)."""
        return self.plain.turns(self.d_head) / self.factor

    def slower(self, name: str) -> Tensor:
        """Return the factor by which a scaling slows each pair, (n_pair,)."""
        return self.plain.frequencies(self.d_head) / self.under(name).frequencies(self.d_head)

    @cached_property
    def offsets(self) -> Tensor:
        """The offsets whose scores are drawn: all, or about MOST_OFFSETS evenly on a logarithmic axis."""
        last = max(self.used_length - 1, 1)
        if last <= MOST_OFFSETS:
            return torch.arange(1, last + 1)
        spread = [round(last ** (step / (MOST_OFFSETS - 1))) for step in range(MOST_OFFSETS)]
        return torch.tensor(sorted({*spread, *self.doubling.tolist()}))

    @property
    def doubling(self) -> Tensor:
        """The offsets 1, 2, 4, ... within the longer length."""
        last = max(self.used_length - 1, 1)
        return 2 ** torch.arange(last.bit_length())


def head_of(result: Result) -> ScaledHead:
    """Return the head with the page's settings."""
    state = result.state
    width = Result(state.under("rotary")).width
    return ScaledHead(state.scaling, width, state.scheme.base, state.factor, state.trained)


SCALED = tuple(name for name in SCALINGS if name != SCALING.default)
"""The scalings other than unscaled rotary."""
