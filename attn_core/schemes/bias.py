"""Schemes that add a bias to each score, different in every head: ALiBi and relative buckets."""

from abc import abstractmethod
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attn_core import _require
from attn_core.positional import alibi_slopes, relative_position_buckets
from attn_core.schemes.scheme import Scheme
from attn_words import N_


@dataclass(frozen=True, eq=False, kw_only=True)
class BiasScheme(Scheme):
    """A scheme that adds a bias to the scores of each head; a subclass computes ``table``.

    ``head`` is the zero-based index of the head that attends, out of ``num_heads``.

    Raises ValueError for a head that does not exist.
    """

    adds = "bias"

    num_heads: int = 8
    head: int = 0

    def __post_init__(self) -> None:
        """Check that the head exists."""
        _require.integer("num_heads", self.num_heads, least=1)
        _require.integer("head", self.head, least=0, most=self.num_heads - 1)

    @abstractmethod
    def table(self, offsets: Int[Tensor, "n_query n_key"]) -> Float[Tensor, "n_head n_query n_key"]:
        """Return every head's bias at each offset, key position less query position, at strength 1."""

    def biases(
        self, n_query: int, n_key: int, *, key_shift: int = 0
    ) -> Float[Tensor, "*steps n_head n_query n_key"]:
        """Return the bias of every head: see ``bias``."""
        n_query = _require.integer("n_query", n_query, least=1)
        n_key = _require.integer("n_key", n_key, least=1)
        key_shift = _require.integer("key_shift", key_shift, least=0)
        offsets = torch.arange(n_key)[None, :] + key_shift - torch.arange(n_query)[:, None]
        return self._steps(None, None, None) * self.table(offsets)

    def bias(self, n_query: int, n_key: int, *, key_shift: int = 0) -> Float[Tensor, "*steps n_query n_key"]:
        """Return the bias added to the scaled scores of the head that attends.

        ``key_shift`` is the number of positions by which the keys are too far ahead.

        >>> Alibi(num_heads=8).bias(1, 3)
        tensor([[-0.0000, -0.5000, -1.0000]], dtype=torch.float64)
        """
        return self.biases(n_query, n_key, key_shift=key_shift)[..., self.head, :, :]

    def pairwise_products(
        self, positions: Int[Tensor, "*sets n"], d_model: int, *, cosine: bool = False
    ) -> Float[Tensor, "*steps n n"]:
        """Return the bias of each pair of positions."""
        total = int(positions.max()) + 1
        return self.bias(total, total)[..., positions[..., :, None], positions[..., None, :]]

    def profile(
        self, length: int, d_model: int, *, vector: Float[Tensor, " d_model"] | None = None
    ) -> Float[Tensor, "*steps length"]:
        """Return the bias's factor on the weight of each later key, relative to that at offset 0."""
        bias = self.bias(1, length)[..., 0, :]
        return (bias - bias[..., :1]).exp()

    def _terms(self, x: Tensor, query: int, key: int, start: int) -> dict[str, float]:
        return {N_("bias"): float(self.bias(len(x), len(x))[query, key])}


@dataclass(frozen=True, eq=False, kw_only=True)
class Alibi(BiasScheme):
    """A penalty proportional to the distance, with a slope for each head."""

    name = "ALiBi"
    formula = r"\tilde S_{ij} \to \tilde S_{ij} + sB_{ij},\quad B_{ij} = -m_h\,|i - j|"
    sentence = N_(
        "A penalty grows with distance, at a slope of each head's own; nothing is trained. Where the number "
        "of heads n is a power of two, the slope of head h is 2^(-8h/n); else the slopes of the power below "
        "n come first, and every other one of the power above fills up."
    )
    source = N_("Press, Smith and Lewis (2022), Train Short, Test Long.")

    def latex(self) -> str:
        """Return the formula with the slopes of ``num_heads`` heads."""
        power = 2 ** (self.num_heads.bit_length() - 1)
        slopes = rf"m_h = 2^{{-8h/{power}}}"
        if self.num_heads > power:
            more = rf"m_h = 2^{{-8(2(h - {power}) - 1)/{2 * power}}}"
            slopes = rf"{slopes}\ (h \le {power}),\quad {more}\ (h > {power})"
        return rf"{self.formula},\quad {slopes}"

    def slopes(self) -> Float[Tensor, " n_head"]:
        """Return how much each head subtracts per position of distance, at strength 1."""
        return alibi_slopes(self.num_heads)

    def table(self, offsets: Int[Tensor, "n_query n_key"]) -> Float[Tensor, "n_head n_query n_key"]:
        """Return minus slope times distance."""
        return -self.slopes()[:, None, None] * offsets.abs()


@dataclass(frozen=True, eq=False, kw_only=True)
class RelativeBuckets(BiasScheme):
    """One bias for each range of offsets, drawn from ``seed`` where a model would have learned it."""

    name = "buckets"
    formula = r"\tilde S_{ij} \to \tilde S_{ij} + sB_{ij},\quad B_{ij} = b_h[\mathrm{bucket}(j - i)]"
    sentence = N_(
        "Each range of offsets has one bias a head: exact when near, in widening buckets when far. A model "
        "learns the biases; here they are drawn from the seed."
    )
    source = N_("Raffel et al. (2020), T5, section 2.1.")

    seed: int = 0

    def latex(self) -> str:
        """Return the formula with the bucket of an offset o: 32 of them, up to a distance of 128."""
        far = r"\min\Bigl(15,\ 8 + \Bigl\lfloor 8\,\frac{\ln(|o|/8)}{\ln 16} \Bigr\rfloor\Bigr)"
        cases = rf"\begin{{cases}} |o| & |o| < 8 \\ {far} & |o| \ge 8 \end{{cases}}"
        return rf"{self.formula},\quad \mathrm{{bucket}}(o) = 16\,[o > 0] + {cases}"

    def bucket_biases(self, num_buckets: int = 32) -> Float[Tensor, "n_head n_bucket"]:
        """Return the biases of every head's buckets: standard normal numbers from the seed, untrained."""
        generator = torch.Generator().manual_seed(self.seed)
        return torch.randn(self.num_heads, num_buckets, generator=generator, dtype=torch.float64)

    def buckets(self, n_query: int, n_key: int) -> Int[Tensor, "n_query n_key"]:
        """Return the bucket of each pair."""
        return relative_position_buckets(n_query, n_key)

    def table(self, offsets: Int[Tensor, "n_query n_key"]) -> Float[Tensor, "n_head n_query n_key"]:
        """Return the bias of each offset's bucket."""
        reach = int(offsets.abs().max()) + 1
        buckets = self.buckets(reach, reach)
        # Row 0 has the offsets from 0 upwards, column 0 the negative ones.
        return self.bucket_biases()[:, buckets[(-offsets).clamp(min=0), offsets.clamp(min=0)]]
