"""Schemes that rotate queries and keys by their positions: rotary embedding."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attn_core.positional import rotary_embedding
from attn_core.schemes.scheme import Scheme, Steps, format_setting
from attn_words import N_


@dataclass(frozen=True, eq=False, kw_only=True)
class RotationScheme(Scheme):
    """A scheme that rotates queries and keys; a subclass computes ``turn``, with its strength."""

    adds = "rotation"

    @abstractmethod
    def turn(
        self, x: Float[Tensor, "*batch n d"], positions: Int[Tensor, "*#sets n"] | Float[Tensor, "*#sets n"]
    ) -> Float[Tensor, "*all n d"]:
        """Rotate queries or keys by their positions, times the strength."""

    def pairwise_products(
        self, positions: Int[Tensor, "*sets n"], d_model: int, *, cosine: bool = False
    ) -> Float[Tensor, "*steps n n"]:
        """Return the scores of one vector of length 1 with itself, rotated by each pair of positions."""
        same = torch.full((positions.shape[-1], d_model), d_model**-0.5, dtype=torch.float64)
        vectors = self.turn(same, positions)
        return vectors @ vectors.mT

    def profile(
        self, length: int, d_model: int, *, vector: Float[Tensor, " d_model"] | None = None
    ) -> Float[Tensor, "*steps length"]:
        """Return the scores of the rotated vector with itself at position 0, over its length squared."""
        same = torch.ones(d_model, dtype=torch.float64) if vector is None else vector
        vectors = self.turn(same.expand(length, d_model), torch.arange(length))
        scores = (vectors @ vectors[..., :1, :].mT)[..., 0]
        return scores / scores[..., :1]

    def _terms(self, x: Tensor, query: int, key: int, start: int) -> dict[str, float]:
        vectors = self.turn(x, torch.arange(len(x)) + start)
        change = vectors[query] @ vectors[key] - x[query] @ x[key]
        return {N_("turning"): float(change) / x.shape[1] ** 0.5}


@dataclass(frozen=True, eq=False, kw_only=True)
class Rotary(RotationScheme):
    """Pairs of dimensions turn by angles proportional to the position.

    ``layout`` "concatenated" pairs dimensions i and i + d/2, the half layout of Llama.
    """

    name = "rotary"
    formula = (
        r"\begin{gathered} \tilde q_p = R_{sp}\,q_p,\quad \tilde k_p = R_{sp}\,k_p,\quad "
        r"(R_p q)\cdot(R_r k) = q \cdot R_{r-p}\,k \\ "
        r"\begin{pmatrix} (R_p x)_{2i} \\ (R_p x)_{2i+1} \end{pmatrix} = "
        r"\begin{pmatrix} \cos p\,\omega_i & -\sin p\,\omega_i \\ "
        r"\sin p\,\omega_i & \cos p\,\omega_i \end{pmatrix} "
        r"\begin{pmatrix} x_{2i} \\ x_{2i+1} \end{pmatrix},\quad "
        r"\omega_i = \mathrm{base}^{-2i/d} \end{gathered}"
    )
    sentence = N_(
        "Queries and keys are turned, pair of dimensions by pair, by an angle proportional to their "
        "position; the score sees the difference of the angles only."
    )
    source = N_("Su et al. (2021), RoFormer.")

    base: Steps = 10000.0
    layout: Literal["interleaved", "concatenated"] | str = "interleaved"

    @classmethod
    def fitting_width(cls, d_model: int) -> int:
        """Return an even width: dimensions turn in pairs."""
        return d_model + d_model % 2

    def turn(
        self, x: Float[Tensor, "*batch n d"], positions: Int[Tensor, "*#sets n"] | Float[Tensor, "*#sets n"]
    ) -> Float[Tensor, "*all n d"]:
        """Rotate queries or keys by their positions, which may be fractions, times the strength."""
        layout = "interleaved" if self.layout == "interleaved" else "half"
        strength = self._steps(*(None,) * positions.ndim)
        return rotary_embedding(x, strength * positions, base=self.base, layout=layout)

    def latex(self) -> str:
        """Return the formula with its base, and with the pairs of its layout."""
        text = self.formula.replace(r"\mathrm{base}", format_setting(self.base, r"\mathrm{base}"))
        if self.layout == "interleaved":
            return text
        return text.replace("_{2i+1} ", "_{i+d/2} ").replace("_{2i} ", "_{i} ")
