"""How each scheme tells attention where its tokens stand, behind one door, so that schemes compare."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attn_core import _require
from attn_core.attention import Attention, scaled_dot_product_attention
from attn_core.positional import (
    alibi_slopes,
    ramp_encoding,
    relative_position_buckets,
    rotary_embedding,
    sinusoidal_encoding,
)


@dataclass(frozen=True)
class Scheme:
    """A way to tell positions apart: what it ``adds`` and to what, its formula in LaTeX, and who proposed it.

    "vector" schemes add a vector to each token, "rotation" turns queries and keys, "bias" schemes add a
    number to each score.
    """

    name: str
    adds: Literal["nothing", "vector", "rotation", "bias"]
    formula: str
    sentence: str
    source: str


SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        scheme.name: scheme
        for scheme in (
            Scheme(
                "none",
                "nothing",
                r"\tilde S = XX^\top/\sqrt{d}",
                "Order is invisible: a sentence is a bag of words.",
                "Vaswani et al. (2017), section 3.5, say why this does not do.",
            ),
            Scheme(
                "ramp",
                "vector",
                r"P_{p,i} = p \cdot \mathrm{step}",
                "A toy: the same number is added to every dimension, so later vectors are longer "
                "and draw more weight.",
                "A common first example; not an encoding to train with.",
            ),
            Scheme(
                "sinusoidal",
                "vector",
                r"P_{p,2i} = \sin(p\,\omega_i),\quad P_{p,2i+1} = \cos(p\,\omega_i),\quad "
                r"\omega_i = \mathrm{base}^{-2i/d}",
                "Waves from fast to slow are added to the vectors; the product of two encodings "
                "depends on their distance only.",
                "Vaswani et al. (2017), Attention Is All You Need, section 3.5.",
            ),
            Scheme(
                "learned",
                "vector",
                r"P_{p} = \text{row } p \text{ of a trained table}",
                "One trained vector for each position, added to the token; past the last row there is none.",
                "Gehring et al. (2017); Devlin et al. (2019), BERT. The table is that of all-MiniLM-L6-v2.",
            ),
            Scheme(
                "rotary",
                "rotation",
                r"q_p \to R_p\,q,\quad k_p \to R_p\,k,\quad (R_p q)\cdot(R_r k) = q \cdot R_{r-p}\,k",
                "Queries and keys are turned, pair of dimensions by pair, by an angle proportional to "
                "their position; the score sees the difference of the angles only.",
                "Su et al. (2021), RoFormer.",
            ),
            Scheme(
                "ALiBi",
                "bias",
                r"\tilde S_{ij} \to \tilde S_{ij} - m_h\,|i - j|,\quad m_h = 2^{-8h/n_{head}}",
                "A penalty grows with distance, at a slope of each head's own; nothing is trained.",
                "Press, Smith and Lewis (2022), Train Short, Test Long.",
            ),
            Scheme(
                "buckets",
                "bias",
                r"\tilde S_{ij} \to \tilde S_{ij} + b_h[\mathrm{bucket}(j - i)]",
                "Each range of offsets has one bias a head: exact when near, in widening buckets when far. "
                "A model learns the biases; here they are drawn from the seed.",
                "Raffel et al. (2020), T5, section 2.1.",
            ),
        )
    }
)
"""The schemes by name, read-only.

>>> SCHEMES["rotary"].adds
'rotation'
"""

Strength = float | int | Float[Tensor, " steps"]


@dataclass(frozen=True, eq=False)
class Positions:
    """A scheme with its settings, ready to place tokens.

    ``base`` and ``step`` are numbers, or tensors (steps,) that compute all steps at once. ``base`` belongs to
    "sinusoidal" and "rotary", ``layout`` to both ("concatenated" means the half layout of rotary), ``step``
    to "ramp", ``table`` (limit, d_model) to "learned"; ``head`` of ``num_heads`` chooses the slope of
    "ALiBi" and the biases of "buckets", which are drawn from ``seed``.

    Raises ValueError for an unknown scheme, a head that does not exist, or "learned" without its table.
    """

    scheme: str
    base: float | int | Float[Tensor, " steps"] = 10000.0
    layout: str = "interleaved"
    step: float | int | Float[Tensor, " steps"] = 0.5
    num_heads: int = 8
    head: int = 0
    seed: int = 0
    table: Float[Tensor, "limit d_model"] | None = None

    def __post_init__(self) -> None:
        """Check what can be checked before a length is known."""
        _require.one_of("scheme", self.scheme, SCHEMES)
        _require.whole("num_heads", self.num_heads, least=1)
        _require.whole("head", self.head, least=0, most=self.num_heads - 1)
        if self.scheme == "learned" and self.table is None:
            raise ValueError("the learned scheme needs a trained table (limit, d_model); got None")

    @property
    def adds(self) -> str:
        """What the scheme adds: "nothing", a "vector", a "rotation" or a "bias"."""
        return SCHEMES[self.scheme].adds

    def vectors(self, length: int, d_model: int, *, start: int = 0) -> Float[Tensor, "*steps n d_model"]:
        """Return the vectors of positions start, ..., start + length - 1: zeros unless the scheme adds some.

        Raises ValueError for positions or a width that the learned table does not have.

        >>> Positions("ramp").vectors(2, 3, start=4)
        tensor([[2.0000, 2.0000, 2.0000],
                [2.5000, 2.5000, 2.5000]], dtype=torch.float64)
        """
        length = _require.whole("length", length, least=1)
        end = _require.whole("start", start, least=0) + length
        if self.scheme == "sinusoidal":
            return sinusoidal_encoding(end, d_model, base=self.base, layout=self.layout)[..., start:, :]
        if self.scheme == "ramp":
            return ramp_encoding(end, d_model, step=self.step)[..., start:, :]
        if self.scheme == "learned" and self.table is not None:
            limit, width = self.table.shape
            if end > limit or d_model != width:
                raise ValueError(
                    f"the learned table has positions 0 to {limit - 1} of width {width}; "
                    f"got positions {start} to {end - 1} of width {d_model}"
                )
            return self.table[start:end]
        return torch.zeros(length, d_model, dtype=torch.float64)

    def turn(self, x: Tensor, places: Tensor) -> Tensor:
        """Turn x (..., n, d) by its places, which may be fractions, if the scheme is a rotation."""
        if self.adds != "rotation":
            return x
        layout = "interleaved" if self.layout == "interleaved" else "half"
        return rotary_embedding(x, places, base=self.base, layout=layout)

    def bias(self, n_query: int, n_key: int, *, key_shift: int = 0) -> Float[Tensor, "n_query n_key"]:
        """Return what the scheme adds to the scaled scores of its head: zeros unless it is a bias.

        ``key_shift`` says how many positions the keys are ahead of where they should be.

        >>> Positions("ALiBi", num_heads=8).bias(1, 3)
        tensor([[-0.0000, -0.5000, -1.0000]], dtype=torch.float64)
        """
        if self.scheme == "ALiBi":
            slope = alibi_slopes(self.num_heads)[self.head]
            places = torch.arange(n_key, dtype=torch.float64) + key_shift
            return -slope * (places - torch.arange(n_query)[:, None]).abs()
        if self.scheme == "buckets":
            buckets = relative_position_buckets(n_query, n_key + key_shift)
            return self.bucket_biases()[self.head][buckets[:, key_shift:]]
        return torch.zeros(n_query, n_key, dtype=torch.float64)

    def bucket_biases(self, num_buckets: int = 32) -> Float[Tensor, "n_head n_bucket"]:
        """Return the biases of every head's buckets: standard normal numbers from the seed, untrained."""
        generator = torch.Generator().manual_seed(self.seed)
        return torch.randn(self.num_heads, num_buckets, generator=generator, dtype=torch.float64)

    def attend(
        self,
        x: Float[Tensor, "n d_model"],
        *,
        strength: Strength = 1.0,
        start: int = 0,
        key_shift: int = 0,
    ) -> Attention:
        r"""Let tokens attend to one another, Q = K = V = x, with their positions made known.

        $$X' = X + sP \quad\text{or}\quad q_p \to R_{sp}\,q,\; k_p \to R_{sp}\,k
          \quad\text{or}\quad \tilde S \to \tilde S + sB$$

        ``x`` is (n, d_model). ``strength`` s multiplies what the scheme adds: the vector, the angle or the
        bias; a tensor (steps,) computes all steps at once and puts them in front. ``start`` is the first
        token's position; ``key_shift`` puts the keys that many positions further than the queries (a
        mistake, unless 0).

        Invariant: at strength 0 every scheme attends as "none" does.

        Raises ValueError as ``vectors`` and ``rotary_embedding`` do.

        >>> x = torch.eye(4, dtype=torch.float64)[:3]
        >>> Positions("ramp").attend(x).weights[2]
        tensor([0.0407, 0.1420, 0.8173], dtype=torch.float64)
        """
        n, d_model = x.shape
        key_shift = _require.whole("key_shift", key_shift, least=0)
        s = torch.as_tensor(strength, dtype=x.dtype)
        steps = s[..., None, None]
        places = s[..., None] * (torch.arange(n) + start)
        query = x + steps * self.vectors(n, d_model, start=start)
        key = x + steps * self.vectors(n, d_model, start=start + key_shift) if key_shift else query
        turned_query = self.turn(query, places)
        turned_key = self.turn(key, places + key_shift * s[..., None])
        bias = steps * self.bias(n, n, key_shift=key_shift) if self.adds == "bias" else None
        if bias is not None and bias.ndim > 2:  # one map of scores, one bias a step
            turned_query = turned_query.expand(*bias.shape[:-2], n, d_model)
        return scaled_dot_product_attention(turned_query, turned_key, query, bias)

    def similarity(
        self, length: int, d_model: int, *, start: int = 0, cosine: bool = False
    ) -> Float[Tensor, "*steps n n"]:
        r"""Return what positions alone say about each pair, from positions start on.

        For vectors the products $P_p \cdot P_r$, divided by both lengths if ``cosine``; for a rotation the
        score of a query and a key that are both the vector with 1/sqrt(d_model) in every dimension, so that
        equal positions have 1; for a bias, the bias.

        Edge cases: the cosine of a vector of zeros with anything is 0.

        >>> Positions("ALiBi").similarity(2, 8)
        tensor([[-0.0000, -0.5000],
                [-0.5000, -0.0000]], dtype=torch.float64)
        """
        if self.adds == "bias":
            return self.bias(length, length)
        vectors = self.directions(length, d_model, start=start)
        if cosine:
            vectors = torch.nn.functional.normalize(vectors, dim=-1)
        return vectors @ vectors.mT

    def directions(self, length: int, d_model: int, *, start: int = 0) -> Float[Tensor, "*steps n d_model"]:
        """Return the vectors whose products are the similarity: a rotation turns one vector of length 1."""
        if self.adds != "rotation":
            return self.vectors(length, d_model, start=start)
        same = torch.full((length, d_model), d_model**-0.5, dtype=torch.float64)
        return self.turn(same, torch.arange(length) + start)

    def profile(
        self, length: int, d_model: int, *, vector: Float[Tensor, " d_model"] | None = None
    ) -> Float[Tensor, "*steps length"]:
        r"""Return how a query at position 0 sees the keys at offsets 0, ..., length - 1, 1 for the nearest.

        For vectors and rotations the score over that at offset 0; a rotation turns ``vector``, the same in
        every dimension unless given. For a bias its factor on the weight, $e^{b_k - b_0}$.

        >>> Positions("ALiBi").profile(3, 8)
        tensor([1.0000, 0.6065, 0.3679], dtype=torch.float64)
        """
        if self.adds == "bias":
            bias = self.bias(1, length)[0]
            return (bias - bias[0]).exp()
        if self.adds == "rotation":
            same = torch.ones(d_model, dtype=torch.float64) if vector is None else vector
            vectors = self.turn(same.expand(length, d_model), torch.arange(length))
        else:
            vectors = self.vectors(length, d_model)
        scores = (vectors @ vectors[..., :1, :].mT)[..., 0]
        return scores / scores[..., :1]


def by_offset(
    similarity: Float[Tensor, "*steps n n"],
) -> tuple[
    Float[Tensor, "*steps n_offset"], Float[Tensor, "*steps n_offset"], Float[Tensor, "*steps n_offset"]
]:
    """Return the least, mean and greatest value at each offset, column less row, from 1 - n to n - 1.

    Where all three agree, only the offset counts.

    >>> [curve.tolist() for curve in by_offset(torch.tensor([[1.0, 2.0], [3.0, 5.0]]))]
    [[3.0, 1.0, 2.0], [3.0, 3.0, 2.0], [3.0, 5.0, 2.0]]
    """
    n = similarity.shape[-1]
    diagonals = [similarity.diagonal(offset, dim1=-2, dim2=-1) for offset in range(1 - n, n)]
    return (
        torch.stack([d.amin(dim=-1) for d in diagonals], dim=-1),
        torch.stack([d.mean(dim=-1) for d in diagonals], dim=-1),
        torch.stack([d.amax(dim=-1) for d in diagonals], dim=-1),
    )


def shuffle_difference(
    positions: Positions,
    x: Float[Tensor, "n d_model"],
    order: Int[Tensor, " n"],
    *,
    strength: Strength = 1.0,
    start: int = 0,
) -> Float[Tensor, "*steps n d_model"]:
    r"""Return by how much shuffling the words does more than shuffle the output.

    $$\mathrm{attend}(X_\pi) - \mathrm{attend}(X)_\pi$$

    ``order`` says which word comes to each place, ``start`` is the first place's position. Invariant: zero,
    but for rounding, for the scheme "none".

    Raises ValueError when the order is not a permutation of 0, ..., n - 1.

    >>> x = torch.eye(3, dtype=torch.float64)
    >>> shuffle_difference(Positions("none"), x, torch.tensor([2, 0, 1])).abs().max().item() < 1e-15
    True
    """
    if sorted(order.tolist()) != list(range(x.shape[0])):
        raise ValueError(f"order must be a permutation of 0 to {x.shape[0] - 1}; got {order.tolist()}")
    shuffled = positions.attend(x[order], strength=strength, start=start).output
    return shuffled - positions.attend(x, strength=strength, start=start).output[..., order, :]


def shift_difference(
    positions: Positions, length: int, d_model: int, shifts: Int[Tensor, " steps"]
) -> Float[Tensor, "steps n n"]:
    """Return by how much the similarity of positions changes when all of them move on by each shift.

    Invariant: zero, but for rounding, where only the offset counts: not for "ramp" and "learned".

    >>> shift_difference(Positions("ramp", step=1.0), 2, 1, torch.tensor([3]))
    tensor([[[ 9., 12.],
             [12., 15.]]], dtype=torch.float64)
    """
    places = shifts[:, None] + torch.arange(length)
    total = int(places.max()) + 1
    if positions.adds == "bias":
        moved = positions.bias(total, total)[places[:, :, None], places[:, None, :]]
    else:
        vectors = positions.directions(total, d_model)[places]
        moved = vectors @ vectors.mT
    return moved - positions.similarity(length, d_model)
