"""The base class of positional schemes: vectors, rotations or biases that encode positions."""

from abc import ABC
from dataclasses import dataclass, fields
from typing import ClassVar, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attn_core import _require
from attn_core.attention import Attention, scaled_dot_product_attention
from attn_words import N_

Steps = float | int | Float[Tensor, " steps"]
"""A number, or (steps,) of them, which compute all steps at once and put them in front."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Scheme(ABC):
    r"""A way to tell positions apart, times its ``strength`` s; the base class adds nothing.

    $$X = E + sP \quad\text{or}\quad \tilde q_p = R_{sp}\,q_p,\; \tilde k_p = R_{sp}\,k_p
      \quad\text{or}\quad \tilde S \to \tilde S + sB$$

    E are the tokens' vectors, P those of their positions, and X is the input of attention.

    ``adds`` decides which of ``vectors``, ``turn`` and ``bias`` has an effect: the other two leave attention
    unchanged. A new scheme derives from `VectorScheme`, `RotationScheme` or `BiasScheme`, and has a line in
    `SCHEMES`. Its settings are its fields.

    Attributes:
        name: its name on the screen, and its key in `SCHEMES`.
        adds: "nothing", a "vector" to each token, a "rotation" of queries and keys, a "bias" to each score.
        formula: LaTeX, with s for the strength; see `latex`.
        sentence: what it does, in words.
        source: who proposed it.
        first: the position of a sentence's first token.
        strength: the factor on what is added; at 0 every scheme attends as "none" does.
    """

    name: ClassVar[str]
    adds: ClassVar[Literal["nothing", "vector", "rotation", "bias"]] = "nothing"
    formula: ClassVar[str]
    sentence: ClassVar[str]
    source: ClassVar[str]
    first: ClassVar[int] = 0

    strength: Steps = 1.0

    @classmethod
    def settings(cls) -> frozenset[str]:
        """Return the names of the settings; none where nothing is added.

        >>> from attn_core import Ramp
        >>> sorted(Ramp.settings())
        ['step', 'strength']
        """
        return frozenset(field.name for field in fields(cls) if cls.adds != "nothing")

    @classmethod
    def missing_package(cls) -> str:
        """Return the name of a package that must be installed first; "" if none is missing."""
        return ""

    @classmethod
    def fitting_width(cls, d_model: int) -> int:
        """Return the smallest width from ``d_model`` upwards that the scheme can take."""
        return d_model

    @classmethod
    def sees_offsets_only(cls, d_model: int) -> bool:
        """Whether its similarity of two positions depends on their offset alone, at width ``d_model``."""
        return True

    def vectors(self, length: int, d_model: int, *, start: int = 0) -> Float[Tensor, "*steps n d_model"]:
        """Return the vectors added to the tokens at positions start, ..., start + length - 1.

        Raises ValueError for positions or a width that a learned table does not have.
        """
        _require.integer("start", start, least=0)
        length = _require.integer("length", length, least=1)
        return torch.zeros(length, _require.integer("d_model", d_model, least=1), dtype=torch.float64)

    def turn(
        self, x: Float[Tensor, "*batch n d"], positions: Int[Tensor, "*#sets n"] | Float[Tensor, "*#sets n"]
    ) -> Float[Tensor, "*all n d"]:
        """Rotate queries or keys by their positions."""
        return x

    def bias(self, n_query: int, n_key: int, *, key_shift: int = 0) -> Float[Tensor, "*steps n_query n_key"]:
        """Return the bias added to the scaled scores.

        ``key_shift`` is the number of positions by which the keys are too far ahead.
        """
        _require.integer("key_shift", key_shift, least=0)
        return torch.zeros(n_query, n_key, dtype=torch.float64)

    def attend(
        self, x: Float[Tensor, "n d_model"], *, start: int | None = None, key_shift: int = 0
    ) -> Attention:
        """Attend from tokens to one another, Q = K = V = x, with this scheme's positions.

        ``x`` is (n, d_model). ``start`` is the first token's position, ``first`` unless given; ``key_shift``
        puts the keys that many positions further than the queries (a mistake, unless 0).

        Invariant: at strength 0 every scheme attends as "none" does.

        Raises ValueError as ``vectors`` and ``turn`` do.

        >>> from attn_core import Ramp
        >>> Ramp().attend(torch.eye(4, dtype=torch.float64)[:3]).weights[2]
        tensor([0.0407, 0.1420, 0.8173], dtype=torch.float64)
        """
        n, d_model = x.shape
        start = self.first if start is None else start
        positions = torch.arange(n) + start
        query = x + self.vectors(n, d_model, start=start)
        key = x + self.vectors(n, d_model, start=start + key_shift) if key_shift else query
        bias = self.bias(n, n, key_shift=key_shift) if self.adds == "bias" else None
        queries = self.turn(query, positions)
        if bias is not None and bias.ndim > 2:  # one map of scores, one bias per step
            queries = queries.expand(*bias.shape[:-2], n, d_model)
        return scaled_dot_product_attention(queries, self.turn(key, positions + key_shift), query, bias)

    def pairwise_products(
        self, positions: Int[Tensor, "*sets n"], d_model: int, *, cosine: bool = False
    ) -> Float[Tensor, "*steps n n"]:
        r"""Return the similarity of each pair of ``positions``, by these alone.

        For vectors the products $P_p \cdot P_r$, divided by both lengths if ``cosine``; for a rotation the
        score of a query and a key that are both the vector with 1/sqrt(d_model) in every dimension, so that
        equal positions have 1; for a bias, the bias.

        Edge cases: a vector of zeros has no direction, so its cosines are NaN. Where nothing is added, 0.
        """
        return torch.zeros(*positions.shape, positions.shape[-1], dtype=torch.float64)

    def similarity(
        self, length: int, d_model: int, *, start: int = 0, cosine: bool = False
    ) -> Float[Tensor, "*steps n n"]:
        """Return the similarity of each pair of positions from ``start`` on: see ``pairwise_products``.

        >>> from attn_core import Alibi
        >>> Alibi(num_heads=8).similarity(2, 8)
        tensor([[-0.0000, -0.5000],
                [-0.5000, -0.0000]], dtype=torch.float64)
        """
        length = _require.integer("length", length, least=1)
        return self.pairwise_products(torch.arange(length) + start, d_model, cosine=cosine)

    def profile(
        self, length: int, d_model: int, *, vector: Float[Tensor, " d_model"] | None = None
    ) -> Float[Tensor, "*steps length"]:
        r"""Return the score of position 0 with offsets 0, ..., length - 1, relative to that at offset 0.

        For vectors and rotations it is the score divided by that at offset 0; a rotation rotates ``vector``,
        of equal entries unless given. For a bias it is the factor on the weight, $e^{b_k - b_0}$.

        Edge cases: NaN where position 0 has a vector of zeros: a ramp, and sines of width 1.

        >>> from attn_core import Alibi
        >>> Alibi(num_heads=8).profile(3, 8)
        tensor([1.0000, 0.6065, 0.3679], dtype=torch.float64)
        """
        return torch.ones(_require.integer("length", length, least=1), dtype=torch.float64)

    def terms(
        self, x: Float[Tensor, "n d_model"], query: int, key: int, *, start: int | None = None
    ) -> dict[str, float]:
        r"""Return the summands of one scaled score, by their origin; the strength must be one number.

        For vectors

        $$(x_i + s p_i) \cdot (x_j + s p_j) =
          x_i \cdot x_j + s\,x_i \cdot p_j + s\,p_i \cdot x_j + s^2 p_i \cdot p_j$$

        each divided by sqrt(d_model). For a rotation: the product without rotation, and its change by the
        rotation. For a bias: the product, and s times the bias.

        Invariant: they sum to ``attend(...).scaled_scores[query, key]``.

        Raises ValueError for a query or key that is not an index into x.

        >>> from attn_core import Ramp
        >>> Ramp().terms(torch.eye(4, dtype=torch.float64)[:3], 1, 2)
        {'word · word': 0.0, 'word · position': 0.5, 'position · word': 0.25, 'position · position': 1.0}
        """
        n, d_model = x.shape
        query = _require.integer("query", query, least=0, most=n - 1)
        key = _require.integer("key", key, least=0, most=n - 1)
        words = {N_("word · word"): float(x[query] @ x[key]) / d_model**0.5}
        return words | self._terms(x, query, key, self.first if start is None else start)

    def _terms(self, x: Tensor, query: int, key: int, start: int) -> dict[str, float]:
        """Return the summands that depend on positions."""
        return {}

    def latex(self) -> str:
        r"""Return the formula with these settings, s for the strength and d for the width.

        >>> from attn_core import Ramp
        >>> Ramp(step=0.25).latex()
        'X = E + sP,\\quad P_{p,i} = 0.25\\,p'
        """
        return self.formula

    def _steps(self, *axes: None) -> Tensor:
        """Return the strength, with trailing axes of size 1."""
        strength = torch.as_tensor(self.strength, dtype=torch.float64)
        return strength[(..., *axes)]


class NoPositions(Scheme):
    """No positions: the order of tokens has no effect."""

    name = "none"
    formula = r"\tilde S = XX^\top/\sqrt{d}"
    sentence = N_("Order is invisible: a sentence is a bag of words.")
    source = N_("Vaswani et al. (2017), section 3.5, say why this does not do.")


def format_setting(value: Steps, symbol: str) -> str:
    """Write a setting in a formula: its number, or its symbol where it has many.

    >>> format_setting(10000.0, "b"), format_setting(torch.ones(2), "b")
    ('10000', 'b')
    """
    return symbol if isinstance(value, Tensor) and value.ndim else f"{float(value):.12g}"
