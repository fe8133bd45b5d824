"""Positional encodings: sinusoids, rotations and biases for the order of tokens."""

import math
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attn_core import _require


def sinusoidal_encoding(
    length: int,
    d_model: int,
    *,
    base: float | int | Float[Tensor, "*steps"] = 10000.0,
    layout: Literal["interleaved", "concatenated"] | str = "interleaved",
    dtype: torch.dtype = torch.float64,
) -> Float[Tensor, "*steps {length} {d_model}"]:
    r"""Give each position a vector of sines and cosines whose wavelengths grow geometrically.

    $$P_{p,2i} = \sin(p\,\omega_i), \qquad P_{p,2i+1} = \cos(p\,\omega_i), \qquad
      \omega_i = \mathrm{base}^{-2i/d_{model}}$$

    Returns (length, d_model); a tensor of bases (*steps,) computes all steps at once and puts them in front.
    "interleaved" alternates sine and cosine as in the equation; "concatenated" puts all sines before all
    cosines, with the same frequencies, so the two differ by a permutation of dimensions only. (Some programs
    with the concatenated layout also divide by d_model/2 - 1 instead of d_model/2; this one does not.)

    Invariant: the dot product of two positions depends on their offset only (for even d_model).

    Edge cases: an odd d_model ends on a sine without its cosine. With base 1 all frequencies are equal.

    Raises ValueError for a length or width below one, a base that is not finite and positive, an unknown
    layout.

    Source: Vaswani et al. (2017), section 3.5.

    >>> sinusoidal_encoding(2, 3)
    tensor([[0.0000, 1.0000, 0.0000],
            [0.8415, 0.5403, 0.0022]], dtype=torch.float64)
    """
    length = _require.integer("length", length, least=1)
    d_model = _require.integer("d_model", d_model, least=1)
    _require.one_of("layout", layout, ("interleaved", "concatenated"))
    angles = torch.arange(length)[:, None] * _frequencies(base, d_model)
    if layout == "interleaved":
        waves = torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)[..., :d_model]
    else:
        waves = torch.cat((angles.sin(), angles.cos()[..., : d_model // 2]), dim=-1)
    return waves.to(dtype)


def ramp_encoding(
    length: int,
    d_model: int,
    *,
    step: float | int | Float[Tensor, "*steps"] = 0.5,
    dtype: torch.dtype = torch.float64,
) -> Float[Tensor, "*steps {length} {d_model}"]:
    r"""Return p times ``step`` in every dimension of position p: a toy that shows what an encoding does.

    $$P_{p,i} = p \cdot \mathrm{step}$$

    Returns (length, d_model), with the axes of a tensor of steps (*steps,) in front. It makes later vectors
    longer, and dot products grow with length: not an encoding to train with.

    Raises ValueError for a length or width below one, or a step that is not finite.

    >>> ramp_encoding(3, 2)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [1.0000, 1.0000]], dtype=torch.float64)
    """
    length = _require.integer("length", length, least=1)
    d_model = _require.integer("d_model", d_model, least=1)
    if not isinstance(step, Tensor):
        step = torch.tensor(_require.finite("step", step), dtype=torch.float64)
    elif not bool(step.isfinite().all()):
        raise ValueError(f"step must hold finite numbers; got {step.tolist()}")
    ramp = step.to(torch.float64)[..., None, None] * torch.arange(length)[:, None]
    return ramp.expand(*ramp.shape[:-1], d_model).to(dtype)


def rotary_embedding(
    x: Float[Tensor, "*batch n d_head"],
    positions: Int[Tensor, "*#sets n"] | Float[Tensor, "*#sets n"] | None = None,
    *,
    base: float | int | Float[Tensor, "*steps"] = 10000.0,
    frequencies: Float[Tensor, " n_pair"] | None = None,
    layout: Literal["interleaved", "half"] | str = "interleaved",
) -> Float[Tensor, "*all n d_head"]:
    r"""Turn each pair of dimensions of a query or key by an angle proportional to its position.

    $$\begin{pmatrix} x'_a \\ x'_b \end{pmatrix} =
      \begin{pmatrix} \cos p\,\omega_i & -\sin p\,\omega_i \\
        \sin p\,\omega_i & \cos p\,\omega_i \end{pmatrix}
      \begin{pmatrix} x_a \\ x_b \end{pmatrix}, \qquad \omega_i = \mathrm{base}^{-2i/d_{head}}$$

    ``x`` is (*batch, n, d_head); ``positions`` (n,) or (*sets, n) default to 0, 1, ..., n - 1 and broadcast
    against it. A tensor of bases (*steps,) computes all steps at once and puts them in front;
    ``frequencies`` (d_head/2,) are the $\omega_i$ themselves, in place of a base. Pair i is (a, b) = (2i,
    2i + 1) in the "interleaved" layout of the paper and (i, i + d_head/2) in the "half" layout of GPT-NeoX
    and Llama: the same rotation of permuted dimensions. Angles are computed in float64.

    Invariant: lengths stay as they are, and the product of a rotated query and a rotated key depends on
    the offset of their positions only.

    Raises ValueError for an odd d_head, positions or frequencies that do not fit x, a base that is not
    finite and positive, an unknown layout.

    Source: Su et al. (2021), RoFormer, section 3.2.

    >>> x = torch.tensor([[1.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
    >>> rotary_embedding(x)
    tensor([[1.0000, 0.0000],
            [0.5403, 0.8415]], dtype=torch.float64)
    """
    _require.one_of("layout", layout, ("interleaved", "half"))
    _require.same_dtype(x=x)
    if x.ndim < 2 or x.shape[-1] % 2 or not x.shape[-1]:
        raise ValueError(f"x must have shape (*batch, n, d_head) with an even d_head; got {tuple(x.shape)}")
    places = torch.arange(x.shape[-2], device=x.device) if positions is None else positions
    together = _require.broadcast_shape(places.shape, x.shape[:-1])
    if together is None or not places.ndim or together[-1] != x.shape[-2]:
        raise ValueError(
            "positions must have shape (n,) or broadcast against (*batch, n) = "
            f"{tuple(x.shape[:-1])}; got shape {tuple(places.shape)}"
        )
    if frequencies is not None and frequencies.shape != (x.shape[-1] // 2,):
        raise ValueError(
            f"frequencies must have shape ({x.shape[-1] // 2},), one a pair; got {tuple(frequencies.shape)}"
        )
    frequencies = (_frequencies(base, x.shape[-1]) if frequencies is None else frequencies[None]).to(x.device)
    # The axes of x and positions go between the steps of the bases and their frequencies.
    frequencies = frequencies.reshape(*frequencies.shape[:-2], *(1,) * len(together), -1)
    angles = places[..., None].to(torch.float64) * frequencies
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    if layout == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)


def alibi_slopes(num_heads: int, *, dtype: torch.dtype = torch.float64) -> Float[Tensor, " {num_heads}"]:
    r"""Return how steeply each head's bias falls with distance: a geometric sequence.

    $$m_h = 2^{-8h/n_{head}}, \qquad h = 1, \ldots, n_{head}$$

    Edge cases: where the number of heads is not a power of two, the slopes of the power below it come first,
    and then every other slope of the power above it.

    Raises ValueError for fewer than one head.

    Source: Press, Smith and Lewis (2022), Train Short, Test Long (ALiBi), section 3, and their program.

    >>> alibi_slopes(4)
    tensor([0.2500, 0.0625, 0.0156, 0.0039], dtype=torch.float64)
    """
    num_heads = _require.integer("num_heads", num_heads, least=1)
    power = 2 ** int(math.log2(num_heads))

    def geometric(n: int) -> list[float]:
        return [2 ** (-8 * h / n) for h in range(1, n + 1)]

    return torch.tensor(geometric(power) + geometric(2 * power)[0::2][: num_heads - power], dtype=dtype)


def alibi_bias(
    num_heads: int, n_query: int, n_key: int, *, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "{num_heads} {n_query} {n_key}"]:
    r"""Penalise each key by its distance from the query, at every head's own slope.

    $$B_{hij} = -m_h\,|i - j|$$

    Pass it as a floating-point ``attn_mask``. Under the causal mask of the paper it is the paper's bias; the
    absolute value extends it to attention in both directions.

    Raises ValueError for a number of heads or a length below one.

    Source: Press, Smith and Lewis (2022), ALiBi.

    >>> alibi_bias(1, 2, 3)
    tensor([[[-0.0000, -0.0039, -0.0078],
             [-0.0039, -0.0000, -0.0039]]], dtype=torch.float64)
    """
    return -alibi_slopes(num_heads, dtype=dtype)[:, None, None] * _offsets(n_query, n_key).abs()


def relative_position_buckets(
    n_query: int, n_key: int, *, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
) -> Int[Tensor, "{n_query} {n_key}"]:
    r"""Sort offsets into buckets that share a learned bias: exact when near, logarithmic when far.

    With n buckets to a side, an offset below n/2 is its own bucket; from there to ``max_distance`` buckets
    widen logarithmically, and everything beyond shares the last one. ``bidirectional`` gives half of the
    buckets to keys after the query; otherwise all of these fall into bucket 0, the causal mask being
    expected to hide them.

    Returns bucket numbers (n_query, n_key) from 0 to num_buckets - 1.

    Raises ValueError for a length below one, fewer than 2 buckets (4, and an even number, when
    bidirectional), or a max_distance that is not above the exact offsets.

    Source: Raffel et al. (2020), T5, section 2.1, and its program.

    >>> relative_position_buckets(2, 4, num_buckets=8, max_distance=8)
    tensor([[0, 5, 6, 6],
            [1, 0, 5, 6]])
    """
    sides = 2 if bidirectional else 1
    num_buckets = _require.integer("num_buckets", num_buckets, least=2 * sides)
    if num_buckets % sides:
        raise ValueError(f"num_buckets must be even when bidirectional; got {num_buckets}")
    n_bucket = num_buckets // sides
    n_exact = n_bucket // 2
    max_distance = _require.integer("max_distance", max_distance, least=n_exact + 1)
    offsets = _offsets(n_query, n_key)
    distances = offsets.abs() if bidirectional else (-offsets).clamp(min=0)
    # In float32, as T5 does: the rounding at a bucket's edge decides on which side an offset falls.
    ratio = (distances.clamp(min=1).float() / n_exact).log() / math.log(max_distance / n_exact)
    far = (n_exact + (ratio * (n_bucket - n_exact)).long()).clamp(max=n_bucket - 1)
    buckets = torch.where(distances < n_exact, distances, far)
    return buckets + (offsets > 0) * n_bucket if bidirectional else buckets


def _frequencies(base: object, width: int) -> Tensor:
    """Angular frequency of each pair of dimensions, ``(*steps, 1, ceil(width / 2))`` in float64."""
    bases = _require.positive("base", base)
    bases = torch.as_tensor(bases, dtype=torch.float64)[..., None, None]
    return bases ** -(torch.arange(0, width, 2, dtype=torch.float64, device=bases.device) / width)


def _offsets(n_query: int, n_key: int) -> Tensor:
    """Return key position less query position, ``(n_query, n_key)``."""
    n_query = _require.integer("n_query", n_query, least=1)
    n_key = _require.integer("n_key", n_key, least=1)
    return torch.arange(n_key)[None, :] - torch.arange(n_query)[:, None]
