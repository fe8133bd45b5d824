"""Schemes that add a vector to each token: a ramp, sines and cosines, a learned table."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float, Int
from torch import Tensor

from attn_core import _require
from attn_core.learned_positions import PACKAGE, scaled_table
from attn_core.positional import ramp_encoding, sinusoidal_encoding
from attn_core.schemes.scheme import Scheme, Steps, format_setting
from attn_words import N_, _

_P_AMONG_WORDS = r"} p \text{"
_ROW_P = r"\text{row } p \text{ of a trained table}"


@dataclass(frozen=True, eq=False, kw_only=True)
class VectorScheme(Scheme):
    """A scheme that adds a vector to each token; a subclass computes ``encoding``."""

    adds = "vector"

    @abstractmethod
    def encoding(self, length: int, d_model: int) -> Float[Tensor, "*steps n d_model"]:
        """Return the vectors of positions 0, ..., length - 1 at strength 1."""

    @classmethod
    def sees_offsets_only(cls, d_model: int) -> bool:
        """Return False: the position itself counts too; schemes where it does not override this."""
        return False

    def vectors(self, length: int, d_model: int, *, start: int = 0) -> Float[Tensor, "*steps n d_model"]:
        """Return the vectors added to the tokens at positions start, ..., start + length - 1.

        >>> Ramp().vectors(2, 3, start=4)
        tensor([[2.0000, 2.0000, 2.0000],
                [2.5000, 2.5000, 2.5000]], dtype=torch.float64)
        """
        length = _require.integer("length", length, least=1)
        end = _require.integer("start", start, least=0) + length
        return self._steps(None, None) * self.encoding(end, d_model)[..., start:, :]

    def pairwise_products(
        self, positions: Int[Tensor, "*sets n"], d_model: int, *, cosine: bool = False
    ) -> Float[Tensor, "*steps n n"]:
        """Return the product of each pair of positions' vectors, or its cosine: NaN for a vector of zeros."""
        vectors = self.vectors(int(positions.max()) + 1, d_model)[..., positions, :]
        if cosine:
            vectors = vectors / vectors.norm(dim=-1, keepdim=True)
        return vectors @ vectors.mT

    def profile(
        self, length: int, d_model: int, *, vector: Float[Tensor, " d_model"] | None = None
    ) -> Float[Tensor, "*steps length"]:
        """Return each position's product with position 0, divided by that of position 0 with itself."""
        vectors = self.vectors(length, d_model)
        scores = (vectors @ vectors[..., :1, :].mT)[..., 0]
        return scores / scores[..., :1]

    def _terms(self, x: Tensor, query: int, key: int, start: int) -> dict[str, float]:
        n, d_model = x.shape
        p, root = self.vectors(n, d_model, start=start), d_model**0.5
        return {
            N_("word · position"): float(x[query] @ p[key]) / root,
            N_("position · word"): float(p[query] @ x[key]) / root,
            N_("position · position"): float(p[query] @ p[key]) / root,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Ramp(VectorScheme):
    """The same number in every dimension: ``step`` times the position."""

    name = "ramp"
    formula = r"X = E + sP,\quad P_{p,i} = \mathrm{step}\,p"
    sentence = N_(
        "A toy: one number, larger at each later place, is added to every dimension alike. Whether later "
        "keys then draw more weight is up to the words and the projections."
    )
    source = N_("A common first example; not an encoding to train with.")

    step: Steps = 0.5

    def encoding(self, length: int, d_model: int) -> Float[Tensor, "*steps n d_model"]:
        """Return the ramp."""
        return ramp_encoding(length, d_model, step=self.step)

    def latex(self) -> str:
        """Return the formula with its step."""
        return self.formula.replace(r"\mathrm{step}", format_setting(self.step, r"\mathrm{step}"))


@dataclass(frozen=True, eq=False, kw_only=True)
class Sinusoidal(VectorScheme):
    """Sines and cosines of wavelengths that grow geometrically up to about 2 pi times ``base``."""

    name = "sinusoidal"
    formula = (
        r"X = E + sP,\quad P_{p,2i} = \sin(p\,\omega_i),\quad P_{p,2i+1} = \cos(p\,\omega_i),\quad "
        r"\omega_i = \mathrm{base}^{-2i/d}"
    )
    sentence = N_(
        "Waves from fast to slow are added to the vectors; the product of two encodings depends on their "
        "distance only."
    )
    source = N_("Vaswani et al. (2017), Attention Is All You Need, section 3.5.")

    base: Steps = 10000.0
    layout: Literal["interleaved", "concatenated"] | str = "interleaved"

    @classmethod
    def sees_offsets_only(cls, d_model: int) -> bool:
        """True at even widths: at an odd width the last sine has no cosine."""
        return d_model % 2 == 0

    def encoding(self, length: int, d_model: int) -> Float[Tensor, "*steps n d_model"]:
        """Return the sines and cosines of the positions."""
        return sinusoidal_encoding(length, d_model, base=self.base, layout=self.layout)

    def latex(self) -> str:
        """Return the formula with its base, and with sines and cosines as in its layout."""
        text = self.formula.replace(r"\mathrm{base}", format_setting(self.base, r"\mathrm{base}"))
        if self.layout == "interleaved":
            return text
        return text.replace("P_{p,2i} ", "P_{p,i} ").replace("P_{p,2i+1} ", r"P_{p,\lceil d/2\rceil+i} ")


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned(VectorScheme):
    """A trained vector for each position; the table of all-MiniLM-L6-v2, scaled, unless one is given.

    Raises ValueError when no ``table`` (limit, d_model) is given and the package that holds one is missing.
    """

    name = "learned"
    formula = rf"X = E + sP,\quad P_p = {_ROW_P},\quad p = 1, 2, \ldots"
    sentence = N_(
        "One trained vector for each position, added to the token; past the last row there is none."
    )
    source = N_("Gehring et al. (2017); Devlin et al. (2019), BERT. The table is that of all-MiniLM-L6-v2.")
    first = 1  # BERT puts its words after the [CLS] token, which has position 0

    table: Float[Tensor, "limit d_model"] | None = None

    def __post_init__(self) -> None:
        """Check that there is a table."""
        if self.table is None and scaled_table() is None:
            raise ValueError(
                f"a trained table (limit, d_model) is needed, or the package {PACKAGE}; got None"
            )

    @classmethod
    def missing_package(cls) -> str:
        """Return the name of the package that has the table; "" if it is installed."""
        return PACKAGE if scaled_table() is None else ""

    @classmethod
    def fitting_width(cls, d_model: int) -> int:
        """Return the width of the installed table."""
        table = scaled_table()
        return d_model if table is None else table.shape[1]

    def encoding(self, length: int, d_model: int) -> Float[Tensor, "*steps n d_model"]:
        """Return the first rows of the table."""
        table = scaled_table() if self.table is None else self.table
        limit, width = (0, 0) if table is None else table.shape
        if table is None or length > limit or d_model != width:
            raise ValueError(
                f"the learned table has positions 0 to {limit - 1} of width {width}; "
                f"got positions 0 to {length - 1} of width {d_model}"
            )
        return table[:length]

    def latex(self) -> str:
        """Return the formula with its words in the current language."""
        row = _("row {p} of a trained table", p=_P_AMONG_WORDS)
        return self.formula.replace(_ROW_P, rf"\text{{{row}}}")
