"""Rotary positions past the trained length: which pairs of dimensions turn slower, and by how much."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.schemes.scheme import Steps
from attn_words import N_


@dataclass(frozen=True, eq=False, kw_only=True)
class RotaryScaling:
    r"""Rotary positions as they were trained; subclasses slow some pairs for longer texts.

    $$\omega_i = b^{-2i/d}, \qquad r_i = \frac{L\,\omega_i}{2\pi}$$

    Pair i turns by $\omega_i$ from one position to the next, and $r_i$ times round within the trained length
    L. At factor s a text has s L positions.

    Attributes:
        name: its key in `SCALINGS` and its name in links.
        formula: LaTeX of the new frequencies $\omega'_i$.
        sentence: what it does, in words.
        source: who proposed it.
        base: b; factor: s, at least 1; trained_length: L, in positions. Each is a number, or (steps,) of
            them, which compute all steps at once and put them in front.

    Raises ValueError for a base or trained length that is not finite and positive, or a factor below 1.

    >>> RotaryScaling(base=100.0).frequencies(4).tolist()
    [1.0, 0.1]
    """

    name: ClassVar[str] = "none"
    formula: ClassVar[str] = r"\omega'_i = \omega_i = b^{-2i/d}"
    sentence: ClassVar[str] = N_("Every pair turns as in training, and further than it did there.")
    source: ClassVar[str] = N_("Su et al. (2021), RoFormer.")

    base: Steps = 10000.0
    factor: Steps = 1.0
    trained_length: Steps = 2048.0

    def __post_init__(self) -> None:
        """Refuse a base, factor or trained length out of range."""
        for name in ("base", "factor", "trained_length"):
            value = _require.positive(name, getattr(self, name))
            if name == "factor" and bool((torch.as_tensor(value) < 1).any()):
                raise ValueError(f"factor must be >= 1: a longer text, not a shorter; got {value!r}")

    def frequencies(self, d_head: int) -> Float[Tensor, "*steps n_pair"]:
        r"""Return the angle $\omega'_i$ by which each pair turns from one position to the next.

        Invariant: each angle is between that of training and 1 / s of it, so that factor 1 changes none.

        Raises ValueError for a d_head that is odd or below 2.
        """
        if _require.integer("d_head", d_head, least=2) % 2:
            raise ValueError(f"rotary positions turn pairs of dimensions; got d_head {d_head}, which is odd")
        return self._scale(_powers(self.base, d_head))

    def _scale(self, plain: Tensor) -> Tensor:
        """Return the scaled frequencies, (*steps, n_pair), from the ``plain`` ones of training."""
        return plain

    @property
    def score_factor(self) -> Float[Tensor, "*steps"]:
        """The factor on each score, besides the rotation."""
        return torch.ones_like(_steps(self.factor))

    def turns(self, d_head: int) -> Float[Tensor, "*steps n_pair"]:
        r"""Return how many times round each pair turns over the longer text: $s L \omega'_i / 2\pi$.

        >>> round(float(RotaryScaling(factor=4, trained_length=16).turns(4)[0]), 2)
        10.19
        """
        length = _steps(self.factor) * _steps(self.trained_length)
        return length[..., None] * self.frequencies(d_head) / (2 * math.pi)

    def scores(self, offsets: Float[Tensor, " n_offset"], d_head: int) -> Float[Tensor, "*steps n_offset"]:
        r"""Return the score of a vector of equal entries with itself at each offset.

        $$f(r) = m^2\,\frac{2}{d} \sum_i \cos(r\,\omega'_i)$$

        The vector has length 1, so that every pair counts alike; $m^2$ is the `score_factor`.

        Invariant: m^2 at offset 0.

        >>> PositionInterpolation(factor=2.0).scores(torch.tensor([0.0, 2.0], dtype=torch.float64), 2)
        tensor([1.0000, 0.5403], dtype=torch.float64)
        """
        angles = offsets.to(torch.float64)[:, None] * self.frequencies(d_head)[..., None, :]
        return self.score_factor[..., None] * angles.cos().mean(-1)


@dataclass(frozen=True, eq=False, kw_only=True)
class PositionInterpolation(RotaryScaling):
    r"""All pairs turn s times slower, as if positions were divided by s.

    $$\omega'_i = \frac{\omega_i}{s}$$

    Invariant: position s p is rotated as position p was in training.

    Source: Chen et al. (2023), Extending Context Window of Large Language Models via Positional
    Interpolation.

    >>> PositionInterpolation(base=100.0, factor=2.0).frequencies(4).tolist()
    [0.5, 0.05]
    """

    name = "interpolation"
    formula = r"\omega'_i = \frac{\omega_i}{s}"
    sentence = N_("Position interpolation slows all pairs alike: positions are divided by the factor.")
    source = N_("Chen et al. (2023), Position Interpolation; `linear` in transformers.")

    def _scale(self, plain: Tensor) -> Tensor:
        return plain / _steps(self.factor)[..., None]


@dataclass(frozen=True, eq=False, kw_only=True)
class NtkAware(RotaryScaling):
    r"""A larger base: the fastest pair keeps its speed, the slowest turns s times slower, others in between.

    $$b' = b\,s^{d/(d-2)}, \qquad \omega'_i = b'^{-2i/d} = \omega_i\,s^{-2i/(d-2)}$$

    Edge case: in a head of one pair it turns by 1 with any base, so nothing is slowed.

    Source: bloc97 (2023), NTK-aware scaled RoPE; Peng et al. (2023), YaRN, section 3.1.

    >>> NtkAware(base=100.0, factor=2.0).frequencies(4).tolist()
    [1.0, 0.05]
    """

    name = "NTK"
    formula = r"b' = b\,s^{d/(d-2)}, \qquad \omega'_i = b'^{-2i/d} = \omega_i\,s^{-2i/(d-2)}"
    sentence = N_(
        "NTK-aware scaling raises the base: the fastest pair is kept, the slowest turns slower by the factor."
    )
    source = N_("bloc97 (2023), NTK-aware scaled RoPE; `dynamic` of factor 1 in transformers at full length.")

    def _scale(self, plain: Tensor) -> Tensor:
        n_pair = plain.shape[-1]
        # Not from the new base, which would over- or underflow before the factor does.
        share = torch.arange(n_pair, dtype=torch.float64) / max(n_pair - 1, 1)
        return plain * _steps(self.factor)[..., None] ** -share


@dataclass(frozen=True, eq=False, kw_only=True)
class Yarn(RotaryScaling):
    r"""By parts: pairs that turn often in training are kept, those that turn less than once are slowed by s.

    $$\omega'_i = (1 - \gamma_i)\,\omega_i + \gamma_i\,\frac{\omega_i}{s}, \qquad
      \gamma_i = \operatorname{clip}_{[0, 1]} \frac{i - i_{32}}{i_1 - i_{32}}, \qquad
      i_r = \frac{d \ln(L / 2\pi r)}{2 \ln b}, \qquad m = 0.1 \ln s + 1$$

    $i_r$ is the pair that turns r times round within the trained length L; from ``fast`` = 32 turns to
    ``slow`` = 1 turn $\gamma$ is a ramp over the pairs' indices. Its ends are rounded outwards, $i_{32}$ down
    and $i_1$ up, and clipped to 0 to d - 1, as in the authors' program. (In the paper's text the ramp is over
    turns.) Queries and keys are multiplied by m, so scores by $m^2$, an inverse temperature.

    Edge cases: where both ends are equal, pairs up to them are kept and all others slowed. At base 1 all
    pairs turn alike, and the ramp is its limit from above.

    Raises ValueError for a base below 1, and for a fast that is not above slow.

    Source: Peng et al. (2023), YaRN: Efficient Context Window Extension of Large Language Models, section 3.

    >>> [round(turns, 2) for turns in Yarn(factor=4.0, trained_length=2048).turns(8).tolist()]
    [1303.8, 130.38, 8.15, 0.33]
    """

    name = "YaRN"
    formula = (
        r"\begin{gathered} \omega'_i = (1 - \gamma_i)\,\omega_i + \gamma_i\,\frac{\omega_i}{s}, \qquad "
        r"\gamma_i = \operatorname{clip}_{[0, 1]} \frac{i - \lfloor i_{32} \rfloor}"
        r"{\lceil i_1 \rceil - \lfloor i_{32} \rfloor} \\ "
        r"i_r = \frac{d \ln(L / 2\pi r)}{2 \ln b}, \qquad \text{scores} \times m^2, \quad "
        r"m = 0.1 \ln s + 1 \end{gathered}"
    )
    sentence = N_(
        "YaRN goes by parts: pairs that turn often in training are kept, those that do not come round there "
        "are slowed by the factor, and scores are sharpened a little."
    )
    source = N_("Peng et al. (2023), YaRN; `yarn` in transformers.")

    fast: float = 32.0
    slow: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a base below 1, and a fast that is not above slow."""
        super().__post_init__()
        if bool((_steps(self.base) < 1).any()):
            raise ValueError(f"base must be >= 1, so that later pairs turn slower; got {self.base!r}")
        if _require.positive("fast", self.fast) <= _require.positive("slow", self.slow):
            raise ValueError(f"fast must be above slow; got {self.fast!r} and {self.slow!r}")

    def slowed_share(self, d_head: int) -> Float[Tensor, "*steps n_pair"]:
        r"""Return how far each pair is slowed, $\gamma_i$: from 0, not at all, to 1, by all of s."""
        ends = self._at_turns(self.fast, d_head).floor(), self._at_turns(self.slow, d_head).ceil()
        low, high = (each.clamp(0, d_head - 1)[..., None] for each in ends)
        high = torch.where(high == low, low + 0.001, high)  # as in the authors' program for equal ends
        return ((torch.arange(d_head // 2) - low) / (high - low)).clamp(0, 1)

    def _at_turns(self, turns: float, d_head: int) -> Tensor:
        """Return the (fractional) index of the pair that turns ``turns`` times within the trained length."""
        wavelengths = _steps(self.trained_length) / (2 * math.pi * turns)
        return d_head * wavelengths.log() / (2 * _steps(self.base).log())

    def _scale(self, plain: Tensor) -> Tensor:
        share = self.slowed_share(2 * plain.shape[-1])
        return plain * (1 - share + share / _steps(self.factor)[..., None])

    @property
    def score_factor(self) -> Float[Tensor, "*steps"]:
        """The factor on each score: the square of 0.1 ln s + 1.

        >>> round(float(Yarn(factor=4.0).score_factor), 4)
        1.2965
        """
        return (0.1 * _steps(self.factor).log() + 1) ** 2


SCALINGS: Mapping[str, type[RotaryScaling]] = MappingProxyType(
    {each.name: each for each in (RotaryScaling, PositionInterpolation, NtkAware, Yarn)}
)
"""The scalings by name, read-only; "none" is rotary as it was trained.

>>> list(SCALINGS)
['none', 'interpolation', 'NTK', 'YaRN']
"""


def make_scaling(name: str, **settings: Any) -> RotaryScaling:
    """Make a scaling by its name.

    Raises ValueError for an unknown name, and where the scaling refuses a setting.

    >>> make_scaling("NTK", factor=2.0, base=100.0).frequencies(4).tolist()
    [1.0, 0.05]
    """
    _require.one_of("scaling", name, SCALINGS)
    return SCALINGS[name](**settings)


def _steps(value: Steps) -> Tensor:
    return torch.as_tensor(value, dtype=torch.float64)


def _powers(base: Steps, d_head: int) -> Tensor:
    return _steps(base)[..., None] ** -(torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
