"""Checks: the page's numbers compared with independent code."""

import cmath
import math
from collections.abc import Callable, Mapping, Sequence

import streamlit as st
import torch
import torch.nn.functional as F
from torch import Tensor

from attn_core import Alibi, NoPositions, shift_difference, shuffle_difference
from attn_core.checks import Check, compare
from attn_core.positional import rotary_embedding, sinusoidal_encoding
from attn_ui.screen.tables import checks_table
from attn_words import _
from pages.positional_encoding.compute import Result
from pages.positional_encoding.scaled import ScaledHead, head_of, scaling_name

SHIFTED_BY = 7  # positions by which all positions are shifted
LENGTH = 64  # positions of the encoding in the plain loop


def show(result: Result) -> None:
    """Show the checks."""
    st.markdown(_("Computed now, on the words and settings on screen, in float64:"))
    st.markdown(checks_table({_("this page"): run_checks(result)}))


def run_checks(result: Result) -> list[Check]:
    """Compute the checks of the numbers on screen."""
    x, attended, state = result.x, result.attended, result.state
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(state.seed))
    reference, largest = _by_torch(result), float(x.abs().max())
    shuffled = shuffle_difference(NoPositions(), x, order)
    return [
        compare(_("each row of weights sums to one, or is empty"), attended.weights.sum(-1), 1.0),
        compare(_("the output is that of torch"), attended.output, reference),
        compare(
            _("Without positions, shuffled words give the shuffled output"), shuffled, 0.0, scale=largest
        ),
        *_shift_checks(result),
        *(_scaling_checks(head_of(result)) if state.is_scaled else []),
        *(check for own in _OWN.get(result.scheme_name, ()) for check in own(result)),
    ]


def _by_torch(result: Result) -> Tensor:
    scheme, x = result.scheme(), result.x
    n, d = x.shape
    query = x + scheme.vectors(n, d, start=scheme.first)
    rotated = scheme.turn(query, torch.arange(n) + scheme.first)
    bias = scheme.bias(n, n) if scheme.adds == "bias" else None
    return F.scaled_dot_product_attention(rotated[None], rotated[None], query[None], attn_mask=bias)[0]


def _shift_checks(result: Result) -> list[Check]:
    """Check that shifting all positions changes nothing, or at an odd width only the lone last sine."""
    scheme, n, width = result.bare(), len(result.x), result.width
    if scheme.adds == "nothing":
        return []
    change = shift_difference(scheme, n, width, torch.tensor([SHIFTED_BY]))[0]
    scale = float(scheme.similarity(n, width).abs().max())
    if scheme.sees_offsets_only(width):
        what = _("Moving all positions on by {shift} changes nothing between positions", shift=SHIFTED_BY)
        return [compare(what, change, 0.0, scale=scale)]
    if result.scheme_name != "sinusoidal":
        return []
    omega = result.state.scheme.base ** (-(width - 1) / width)
    sines = [[math.sin(p * omega) for p in range(start, start + n)] for start in (0, SHIFTED_BY)]
    before, after = (torch.outer(s, s) for s in torch.tensor(sines, dtype=torch.float64))
    what = _(
        "The width is odd, so moving on by {shift} changes the product of the last sine, which has no "
        "cosine, and nothing else",
        shift=SHIFTED_BY,
    )
    return [compare(what, change, after - before, scale=scale)]


def _sinusoidal_checks(result: Result) -> list[Check]:
    d, base = result.width, result.state.scheme.base
    naive = torch.zeros(LENGTH, d, dtype=torch.float64)
    for p in range(LENGTH):
        for i in range(d):
            angle = p * base ** (-(i - i % 2) / d)
            naive[p, i] = math.cos(angle) if i % 2 else math.sin(angle)
    # The concatenated layout has all sines first.
    order = [*range(0, d, 2), *range(1, d, 2)]
    concatenated = result.state.scheme.layout == "concatenated"
    other = sinusoidal_encoding(
        LENGTH, d, base=base, layout="interleaved" if concatenated else "concatenated"
    )
    vectors = result.bare().vectors(LENGTH, d)
    permuted = (other[:, order], vectors) if concatenated else (vectors[:, order], other)
    return [
        compare(
            _("{values} by the formula, in a plain loop", values=_("encoding")),
            vectors,
            naive[:, order] if concatenated else naive,
        ),
        compare(_("The two layouts differ by a permutation of dimensions only"), *permuted),
    ]


def _rotary_checks(result: Result) -> list[Check]:
    x, (n, d) = result.x, result.x.shape
    rotated = result.bare().turn(x, torch.arange(n))
    naive = torch.zeros_like(x)
    interleaved = result.state.scheme.layout == "interleaved"
    for p in range(n):
        for pair in range(d // 2):
            a, b = (2 * pair, 2 * pair + 1) if interleaved else (pair, pair + d // 2)
            angle = p * result.state.scheme.base ** (-2 * pair / d)
            z = complex(float(x[p, a]), float(x[p, b])) * cmath.exp(1j * angle)
            naive[p, a], naive[p, b] = z.real, z.imag
    one, other = ("2m", "2m + 1") if interleaved else ("m", f"m + {d // 2}")
    what = _(
        "Turning multiplies dimensions {one} and {other} by exp(i p ω_m), as complex numbers",
        one=one,
        other=other,
    )
    return [
        compare(what, rotated, naive),
        compare(_("Turning leaves lengths as they are"), rotated.norm(dim=-1), x.norm(dim=-1)),
    ]


def _alibi_checks(result: Result) -> list[Check]:
    n, state = len(result.x), result.state
    slope = _slopes(state.num_heads)[state.head - 1]
    naive = [[-slope * abs(i - j) for j in range(n)] for i in range(n)]
    return [
        compare(
            _("{values} by the formula, in a plain loop", values=_("bias")),
            Alibi(num_heads=state.num_heads, head=state.head - 1).bias(n, n),
            torch.tensor(naive, dtype=torch.float64),
        )
    ]


def _slopes(num_heads: int) -> list[float]:
    """Return ALiBi's slopes for any number of heads, as the program of its paper computes them."""

    def powers(n: int) -> list[float]:
        ratio = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [ratio * ratio**i for i in range(n)]

    near = 2 ** math.floor(math.log2(num_heads))
    return (powers(near) + powers(2 * near)[0::2])[:num_heads]


def _scaling_checks(head: ScaledHead) -> list[Check]:
    """Compare a rotary scaling with its formula, pair by pair, and its scores with turned vectors."""
    d, s, name = head.d_head, head.factor, scaling_name(head.name)
    naive = [_slowed_frequency(head, pair) for pair in range(d // 2)]
    frequencies = head.scaling.frequencies(d)
    m = 0.1 * math.log(s) + 1 if head.name == "YaRN" else 1.0
    # At offset r the key is at position r + 1 and the query at position 1.
    places = torch.cat((torch.ones(1), head.doubling + 1.0)).double()
    vector = torch.full((len(places), d), m * d**-0.5, dtype=torch.float64)
    rotated = rotary_embedding(vector, places, frequencies=frequencies)
    return [
        compare(
            _("{values} by the formula, in a plain loop", values=_("rad a position, scaled")),
            frequencies,
            torch.tensor(naive, dtype=torch.float64),
        ),
        compare(
            _("The scores under {scaling} are the products of turned vectors", scaling=name),
            head.scaling.scores(head.doubling, d),
            rotated[1:] @ rotated[0],
        ),
    ]


def _slowed_frequency(head: ScaledHead, pair: int) -> float:
    d, b, s = head.d_head, head.base, head.factor
    plain = float(b ** (-2 * pair / d))
    if head.name == "interpolation":
        return plain / s
    if head.name == "NTK":
        return plain if d == 2 else float((b * s ** (d / (d - 2))) ** (-2 * pair / d))
    bounds = [_pair_at(head, turns) for turns in (32, 1)]
    low, high = (min(max(each, 0), d - 1) for each in (math.floor(bounds[0]), math.ceil(bounds[1])))
    share = min(max((pair - low) / ((high - low) or 0.001), 0.0), 1.0)
    return (1 - share) * plain + share * plain / s


def _pair_at(head: ScaledHead, turns: int) -> float:
    """Return the index of the pair with so many turns in training; at base 1 beyond all, or before all."""
    wavelengths = math.log(head.trained / (2 * math.pi * turns))
    logarithm = 2 * math.log(head.base)
    return head.d_head * wavelengths / logarithm if logarithm else math.copysign(1e9, wavelengths)


# Checks of single schemes.
_OWN: Mapping[str, Sequence[Callable[[Result], list[Check]]]] = {
    "sinusoidal": [_sinusoidal_checks],
    "rotary": [_rotary_checks],
    "ALiBi": [_alibi_checks],
}
