"""The worked examples and the toy data sets, by name and seed."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_core.typed_function import LARGEST, TypedFunction
from attn_words import N_, _


@dataclass(frozen=True, eq=False)
class AttentionSample:
    """A worked example of attention: tokens, vectors and sizes.

    ``query`` (n_query, d_model), ``key`` and ``value`` (n_key, d_model) in float64; in self-attention all
    three are one tensor.
    """

    name: str
    description: str
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    query: Float[Tensor, "n_query d_model"]
    key: Float[Tensor, "n_key d_model"]
    value: Float[Tensor, "n_key d_model"]
    num_heads: int = 1
    d_head: int | None = None
    output_projection: bool = True
    seed: int = 0

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the queries."""
        return self.query_tokens

    @property
    def x(self) -> Float[Tensor, "n_query d_model"]:
        """The vectors of the queries' tokens."""
        return self.query

    @property
    def d_model(self) -> int:
        """The width of the vectors."""
        return self.query.shape[-1]

    @property
    def is_self_attention(self) -> bool:
        """Whether the tokens attend to themselves."""
        return self.key is self.query


@dataclass(frozen=True, eq=False)
class RegressionSample:
    """A toy data set: ``values`` (n,) seen with noise at ``keys``, and the true function.

    Keys are numbers (n,), ascending, or vectors (n, d) as they were drawn; ``truth`` takes others too.
    """

    name: str
    description: str
    keys: Float[Tensor, " n"] | Float[Tensor, "n d"]
    values: Float[Tensor, " n"]
    truth: Callable[[Tensor], Tensor] | None


def sentence_vectors(
    tokens: Sequence[str],
    d_model: int,
    *,
    kind: Literal["random", "one-hot"] | str = "random",
    seed: int = 0,
) -> Float[Tensor, "n {d_model}"]:
    """Return one float64 vector per token; equal words have equal vectors.

    "random" draws standard normal numbers from the seed and the word alone, so a word keeps its vector in
    every sentence; "one-hot" gives the i-th different word the i-th unit vector.

    Raises ValueError for a width below one, an unknown kind, or more different words than one-hot vectors.

    >>> x = sentence_vectors(["I", "love", "I"], 4, seed=3)
    >>> tuple(x.shape), bool((x[0] == x[2]).all()), bool((x[0] == x[1]).any())
    ((3, 4), True, False)
    """
    d_model = _require.integer("d_model", d_model, least=1)
    seed = _require.integer("seed", seed, least=0)
    _require.one_of("kind", kind, ("random", "one-hot"))
    words = list(dict.fromkeys(tokens))
    if kind == "random":
        vectors = {word: _word_vector(word, d_model, seed) for word in words}
    else:
        if len(words) > d_model:
            raise ValueError(
                f"one-hot vectors need d_model >= the number of different words, {len(words)}; got {d_model}"
            )
        vectors = dict(zip(words, torch.eye(d_model, dtype=torch.float64), strict=False))
    rows = [vectors[token] for token in tokens]
    return torch.stack(rows) if rows else torch.zeros(0, d_model, dtype=torch.float64)


def regression_sample(
    name: str = "sine", *, n_points: int = 40, noise: float | int = 0.5, seed: int = 0
) -> RegressionSample:
    """Return a toy data set of ``n_points`` points in float64, its noise drawn from the seed.

    Names are those of ``REGRESSION_SAMPLES``. ``noise`` is the standard deviation of the normal noise; in
    "heteroscedastic" it is that at the right end.

    Raises ValueError for an unknown name, fewer than 2 points, or a noise that is not finite or below zero.

    >>> sample = regression_sample("sine", n_points=40, seed=1)
    >>> tuple(sample.keys.shape), float(sample.keys.min()) >= 0, float(sample.keys.max()) <= 5
    ((40,), True, True)
    """
    _require.one_of("name", name, REGRESSION_SAMPLES)
    recipe = _RECIPES[name]
    uniform, errors = _draw(noise, seed, n_points)
    keys = recipe.places(uniform).sort().values
    values = recipe.truth(keys) + recipe.noise_shape(keys) * errors
    return RegressionSample(name, recipe.description, keys, values, recipe.truth)


def function_sample(
    function: TypedFunction, *, n_points: int = 40, noise: float | int = 0.5, seed: int = 0
) -> RegressionSample:
    r"""Return a toy data set of a typed function, drawn as "sine" is.

    $$y = f(x) + \varepsilon, \qquad x \in [0, 5]$$

    ``noise`` is the standard deviation of the normal noise; keys and noise are those of
    ``regression_sample("sine")`` with the same seed, whatever the function.

    Raises ValueError as ``regression_sample``, and for a function that is not a number of at most 10^6 in
    size everywhere on [0, 5].

    >>> from attn_core import read_function
    >>> sample = function_sample(read_function("2sin(x) + x"), noise=0, seed=3)
    >>> bool((sample.values == regression_sample("sine", noise=0, seed=3).values).all())
    True
    """
    uniform, errors = _draw(noise, seed, n_points)
    keys = _evenly(uniform).sort().values
    exact = function(keys)
    gap = function.first_gap(0.0, 5.0)
    if gap is not None or not bool((exact.abs() <= LARGEST).all()):
        at = keys[~(exact.abs() <= LARGEST)][:1].tolist() if gap is None else [gap]
        raise ValueError(
            _(
                "The function must be a number of at most {most} in size everywhere from 0 to 5; {function} "
                "is not at x = {place}.",
                most=f"{LARGEST:,.0f}",
                function=function.expression,
                place=f"{at[0]:.4g}",
            )
        )
    return RegressionSample("typed function", f"y = {function.expression}", keys, exact + errors, function)


def plane_sample(*, n_points: int = 40, noise: float | int = 0.5, seed: int = 0) -> RegressionSample:
    r"""Return a toy data set whose keys are vectors ``(n_points, 2)`` spread evenly over a square.

    $$y = 2 (\sin x_1 + \cos x_2) + \varepsilon, \qquad x \in [0, 5]^2$$

    ``noise`` is the standard deviation of the normal noise, drawn from the seed as the keys are.

    Raises ValueError for fewer than 2 points, or a noise that is not finite or below zero.

    >>> sample = plane_sample(n_points=40, seed=1)
    >>> tuple(sample.keys.shape), tuple(sample.values.shape)
    ((40, 2), (40,))
    """
    uniform, errors = _draw(noise, seed, n_points, 2)
    keys = _evenly(uniform)
    return RegressionSample(
        "waves",
        "y = 2 (sin x₁ + cos x₂), seen with even noise at places spread evenly over a square.",
        keys,
        _waves(keys) + errors,
        _waves,
    )


def _draw(noise: float | int, seed: int, *shape: int) -> tuple[Tensor, Tensor]:
    """Return uniform numbers from 0 to 1 for the keys, of the given shape, and each key's noise."""
    _require.integer("n_points", shape[0], least=2)
    if _require.finite("noise", noise, requirement="a finite number >= 0") < 0:
        raise ValueError(f"noise must be a finite number >= 0; got {noise!r}")
    generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
    uniform = torch.rand(*shape, generator=generator, dtype=torch.float64)
    return uniform, noise * torch.randn(shape[0], generator=generator, dtype=torch.float64)


def _waves(x: Tensor) -> Tensor:
    return 2 * (x[..., 0].sin() + x[..., 1].cos())


@dataclass(frozen=True, eq=False)
class _Recipe:
    description: str
    truth: Callable[[Tensor], Tensor]
    places: Callable[[Tensor], Tensor]  # from uniform numbers in [0, 1) to keys
    noise_shape: Callable[[Tensor], Tensor] = torch.ones_like


def _evenly(uniform: Tensor) -> Tensor:
    return 5 * uniform


def _sine(x: Tensor) -> Tensor:
    return 2 * x.sin() + x


def _two_clusters(uniform: Tensor) -> Tensor:
    # The lower half of the draws fills [0, 1.5], the upper half [3.5, 5].
    return torch.where(uniform < 0.5, 3 * uniform, 2 + 3 * uniform)


_RECIPES: Mapping[str, _Recipe] = MappingProxyType(
    {
        "sine": _Recipe(
            "y = 2 sin x + x, seen with even noise at places spread evenly over [0, 5].", _sine, _evenly
        ),
        "step": _Recipe(
            "A step from 0 to 3 at x = 2.5: every bandwidth either blurs the edge or follows the noise.",
            lambda x: 3.0 * (x >= 2.5),
            _evenly,
        ),
        "bump": _Recipe(
            "A narrow bump at x = 3.5 on a flat line, with few points on the left and many on the right.",
            lambda x: 3 * torch.exp(-((x - 3.5) ** 2) / 0.18),
            lambda uniform: 5 * uniform.pow(0.4),
        ),
        "heteroscedastic": _Recipe(
            "y = 2 sin x + x again, with noise that grows from left to right.",
            _sine,
            _evenly,
            lambda x: x / 5,
        ),
        "gap": _Recipe(
            "Two clusters, [0, 1.5] and [3.5, 5], and a gap in which a compact kernel finds no point.",
            _sine,
            _two_clusters,
        ),
    }
)

REGRESSION_SAMPLES: Mapping[str, str] = MappingProxyType(
    {name: each.description for name, each in _RECIPES.items()}
)
"""Names of the toy data sets, each with one sentence about it."""


def _word_vector(word: str, d_model: int, seed: int) -> Tensor:
    # Python's own hash changes from one run to the next; this one does not.
    digest = hashlib.sha256(f"{seed}\n{word}".encode("utf-8", "surrogatepass")).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)
    return torch.randn(d_model, generator=generator, dtype=torch.float64)


def _matrix(*rows: list[float | int]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def _to_itself(name: str, tokens: str, x: Tensor, description: str, **settings: Any) -> AttentionSample:
    names = tuple(tokens.split())
    return AttentionSample(name, description, names, names, x, x, x, **settings)


_TWO_KEYS = _matrix([4, 5, 6], [7, 8, 9])
_TEN_KEYS = tuple(f"key {j}" for j in range(10))
_MEMORY = sentence_vectors(_TEN_KEYS, 20)
_ICE = _matrix([1, 0, 1, 0], [0, 1, 1, 0], [1, 0.5, 0, 1])
_DOGS = torch.eye(4, dtype=torch.float64)[:3]
_PANGRAM = "the quick brown fox jumps over a lazy dog"

ATTENTION_SAMPLES: Mapping[str, AttentionSample] = MappingProxyType(
    {
        sample.name: sample
        for sample in (
            AttentionSample(
                "two-keys",
                N_(
                    "One query, two keys: the scores 32 and 50 differ so much that the softmax saturates. "
                    "Why scale?"
                ),
                ("query",),
                ("key 1", "key 2"),
                *(_matrix([1, 2, 3]), _TWO_KEYS, _TWO_KEYS),
            ),
            _to_itself(
                "i-love-ice",
                "I love ice",
                _ICE,
                N_("Three tokens of width 4 under random projections."),
            ),
            _to_itself(
                "i-love-ice-two-heads",
                "I love ice",
                _ICE,
                N_(
                    "Two heads, each with its own full 4 x 4 projections; side by side their outputs are 3 x "
                    "8."
                ),
                num_heads=2,
                d_head=4,
                output_projection=False,
            ),
            _to_itself(
                "i-love-dogs",
                "I love dogs",
                _DOGS,
                N_("One-hot rows attend as they are: every token mostly to itself, to the others alike."),
            ),
            _to_itself(
                "i-love-dogs-ramp",
                "I love dogs",
                _DOGS + torch.arange(3)[:, None] * 0.5,
                "The same with the ramp encoding added: later vectors are longer, and draw more weight.",
            ),
            _to_itself(
                "i-love-dogs-two-heads",
                "I love dogs",
                _DOGS,
                N_("d_model 4 split into two heads of width 2, each attending by itself."),
                num_heads=2,
                output_projection=False,
            ),
            AttentionSample(
                "cross-attention",
                N_("One query of width 20 attends to ten keys in 4 heads: one row of weights a head."),
                ("query",),
                _TEN_KEYS,
                *(sentence_vectors(["query"], 20), _MEMORY, _MEMORY),
                num_heads=4,
            ),
            _to_itself(
                "transformer-sizes",
                _PANGRAM,
                sentence_vectors(_PANGRAM.split(), 512),
                N_("The sizes of the original Transformer: d_model 512, 8 heads of width 64."),
                num_heads=8,
            ),
            _to_itself(
                "free-head-width",
                _PANGRAM,
                sentence_vectors(_PANGRAM.split(), 16),
                N_("4 heads of width 8 in a model of width 16: twice the parameters of heads of width 4."),
                num_heads=4,
                d_head=8,
            ),
        )
    }
)
"""The worked examples of attention by name, read-only; do not write into their tensors.

>>> sample = ATTENTION_SAMPLES["i-love-dogs"]
>>> sample.tokens, tuple(sample.x.shape), sample.is_self_attention
(('I', 'love', 'dogs'), (3, 4), True)
"""
