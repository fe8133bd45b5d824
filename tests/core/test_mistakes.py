"""Every mistake on its example: right is torch's or a plain loop's, broken is what is said."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from einops import rearrange
from torch import Tensor, nn
from torch.nn import functional as F

from attn_core import (
    ATTENTION_MISTAKES,
    KERNEL_MISTAKES,
    MULTI_HEAD_MISTAKES,
    POSITION_MISTAKES,
    Mistake,
    MultiHeadAttention,
    rotary_embedding,
)
from attn_core.mistakes import kernels, one_head, positions
from attn_core.mistakes.heads import HEADS, WIDTH, unpacked_in_another_order
from attn_core.toys import TOY_MISTAKES
from tests.core.kinds import Refuses

ALL: Mapping[str, Mistake[Any]] = {
    f"{kind}: {name}": mistake
    for kind, mistakes in (
        ("one head", ATTENTION_MISTAKES),
        ("heads", MULTI_HEAD_MISTAKES),
        ("positions", POSITION_MISTAKES),
        ("kernels", KERNEL_MISTAKES),
        ("toys", TOY_MISTAKES),
    )
    for name, mistake in mistakes.items()
}


@pytest.mark.parametrize("name", ALL)
def test_right_passes_checks_and_broken_fails(name: str) -> None:
    mistake = ALL[name]
    assert mistake.what.endswith(".")
    assert mistake.why.endswith(".")
    assert mistake.example.sentence.endswith(".")
    (check, _, broken), *_ = mistake.numbers
    assert check is mistake.check
    assert not check.holds(broken)
    for each, right, _ in mistake.numbers:
        assert each.holds(right)
        assert not each.holds(math.nan)
        assert math.isfinite(each.least) or math.isfinite(each.most)


@pytest.mark.parametrize("name", ALL)
def test_mistake_maps_differ_plainly(name: str) -> None:
    right, broken = ALL[name].maps
    for each in (right, broken):
        assert each.values.shape == (len(each.rows), len(each.columns))
        assert each.mask is None or each.mask.shape == each.values.shape
    if right.values.shape != broken.values.shape:
        assert name == "heads: split without transpose"
        return
    apart = (right.values - broken.values).abs()
    assert apart.isnan().any() or float(apart.max()) > 0.08 * float(right.values.abs().max())


def inputs_of(mistake: Mistake[Any]) -> tuple[Any, ...]:
    return mistake.example.inputs()


@pytest.mark.parametrize("name", ATTENTION_MISTAKES)
def test_one_head_mistakes_equal_torch_operations(name: str) -> None:
    mistake = ATTENTION_MISTAKES[name]
    query, key, value, mask = inputs_of(mistake)
    right, broken = mistake.right(query, key, value, mask), mistake.broken(query, key, value, mask)
    expected = F.scaled_dot_product_attention(query, key, value, mask)
    torch.testing.assert_close(right.output, expected)
    may = torch.ones(6, 6).bool() if mask is None else mask
    plain = query @ key.T / 8
    hidden = plain.masked_fill(~may, -torch.inf)
    by_hand: dict[str, Callable[[], Tensor]] = {
        "softmax-over-queries": lambda: plain.exp() / plain.exp().sum(dim=0),
        "softmax-over-the-map": lambda: plain.exp() / plain.exp().sum(),
        "no-scale": lambda: (query @ key.T).softmax(dim=1),
        "constant-scale": lambda: (query @ key.T / math.sqrt(2)).softmax(dim=1),
        "mask-after-softmax": lambda: plain.softmax(dim=1) * may,
        "zero-for-minus-infinity": lambda: torch.where(may, plain, 0.0).softmax(dim=1),
        "mask-added": lambda: (plain + may).softmax(dim=1),
        "mask-turned-round": lambda: plain.masked_fill(may, -torch.inf).softmax(dim=1).nan_to_num(),
        "unguarded-softmax": lambda: hidden.softmax(dim=1),
    }
    weights = by_hand[name]()
    torch.testing.assert_close(broken.weights, weights, equal_nan=True)
    torch.testing.assert_close(broken.output, weights @ value, equal_nan=True)


def by_torch(module: MultiHeadAttention, x: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return output and maps of torch's own module with the same numbers."""
    theirs = nn.MultiheadAttention(WIDTH, HEADS, dtype=x.dtype)
    parts = (module.W_q, module.W_k, module.W_v)
    assert module.W_o is not None
    theirs.load_state_dict(
        {
            "in_proj_weight": torch.cat([each.weight for each in parts]),
            "in_proj_bias": torch.cat([each.bias for each in parts]),
            "out_proj.weight": module.W_o.weight,
            "out_proj.bias": module.W_o.bias,
        }
    )
    with torch.no_grad():
        output, maps = theirs(x, x, x, attn_mask=None if mask is None else ~mask, average_attn_weights=False)
    return output, maps


# torch's module neither turns nor shares: the next test has the right heads of these two.
OWN = [each for each in MULTI_HEAD_MISTAKES if each not in ("place not counted on", "key heads tiled")]


@pytest.mark.parametrize("name", OWN)
def test_right_between_heads_is_torchs(name: str) -> None:
    mistake = MULTI_HEAD_MISTAKES[name]
    module, x, mask = inputs_of(mistake)
    output, maps = by_torch(module, x, mask)
    right = mistake.right(module, x, mask)
    torch.testing.assert_close(right.output, output)
    torch.testing.assert_close(right.weights, maps)
    if name == "mean map for one head":
        torch.testing.assert_close(mistake.broken(module, x).weights[2], maps.mean(dim=0))


def attended(q: Tensor, k: Tensor, v: Tensor, may: Tensor | None = None) -> Tensor:
    """Return the heads (h, n, d) of queries, keys and values of that shape, in torch's own operations."""
    scores = torch.einsum("hid,hjd->hij", q, k) / math.sqrt(q.shape[-1])
    if may is not None:
        scores = scores.masked_fill(~may, -1e30)
    return torch.einsum("hij,hjd->hid", scores.softmax(dim=-1), v)


@pytest.mark.parametrize("name", MULTI_HEAD_MISTAKES)
def test_heads_mistakes_equal_torch_operations(name: str) -> None:
    mistake = MULTI_HEAD_MISTAKES[name]
    module, x, mask = inputs_of(mistake)
    broken, n, d = mistake.broken(module, x, mask), len(x), module.d_head
    flat = [each(x) for each in (module.W_q, module.W_k, module.W_v)]
    q, k, v = (rearrange(each, "n (h d) -> h n d", d=d) for each in flat)
    if name == "split without transpose":
        by_word = [each.view(n, HEADS, d) for each in flat]
        torch.testing.assert_close(broken.output, attended(*by_word))
    elif name == "merge without transpose":
        torch.testing.assert_close(broken.concatenated, attended(q, k, v).reshape(n, -1))
    elif name == "own key not yet cached":
        assert not broken.weights[:, 0].any()
        earlier = torch.ones(n, n).tril(-1).bool()
        torch.testing.assert_close(broken.heads[:, 1:], attended(q, k, v, earlier)[:, 1:])
    elif name == "place not counted on":
        torch.testing.assert_close(broken.heads, attended(q, k, v, mask))
        turned_q, turned_k = (rotary_embedding(each, torch.arange(n)) for each in (q, k))
        expected = attended(turned_q, turned_k, v, mask)
        torch.testing.assert_close(mistake.right(module, x, mask).heads, expected)
    elif name != "mean map for one head":
        if name == "key heads tiled":
            expected = attended(q, k.repeat_interleave(2, dim=0), v.repeat_interleave(2, dim=0))
            torch.testing.assert_close(mistake.right(module, x, mask).heads, expected)
        ways: dict[str, Callable[[], Tensor]] = {
            "heads cut by view": lambda: attended(*[each.view(HEADS, -1, d) for each in flat]),
            "√d_model for √d_head": lambda: attended(q * math.sqrt(d / WIDTH), k, v),
            "one W for all heads": lambda: attended(*(each[:1].expand(HEADS, -1, -1) for each in (q, k, v))),
            "key heads tiled": lambda: attended(q, k.repeat(2, 1, 1), v.repeat(2, 1, 1)),
            "(d k h) for (k h d)": lambda: attended(
                *rearrange(torch.cat(flat, dim=-1), "n (d k h) -> k h n d", k=3, h=HEADS)
            ),
            "padding mask turned round": lambda: attended(q, k, v, ~mask),
        }
        torch.testing.assert_close(broken.heads, ways[name]())


def test_unpacked_refuses_shared_key_heads(refuses: Refuses) -> None:
    with refuses("needs num_kv_heads = num_heads; got 2 and 4"):
        unpacked_in_another_order(MultiHeadAttention(8, 4, num_kv_heads=2), torch.ones(3, 8))


def products(wave: Callable[[int, int], float]) -> Tensor:
    """Return the products of all pairs of positions, of waves with an angle for place and dimension."""
    encoding = [
        [math.cos(wave(place, i)) if i % 2 else math.sin(wave(place, i)) for i in range(positions.WIDTH)]
        for place in range(positions.LENGTH)
    ]
    table = torch.tensor(encoding, dtype=torch.float64)
    return table @ table.T


def test_position_mistakes_equal_a_loop() -> None:
    width = positions.WIDTH
    waves: dict[str, Callable[[int, int], float]] = {
        "one frequency": lambda place, _i: float(place),
        "split pairs": lambda place, i: place / 10_000 ** (i / width),
        "base too small": lambda place, i: place / 1.2 ** (2 * (i // 2) / width),
    }
    right = products(lambda place, i: place / 10_000 ** (2 * (i // 2) / width))
    for name, wave in waves.items():
        mistake = POSITION_MISTAKES[name]
        torch.testing.assert_close(mistake.right(*inputs_of(mistake)), right)
        torch.testing.assert_close(mistake.broken(*inputs_of(mistake)), products(wave))
    (x,) = inputs_of(POSITION_MISTAKES["too loud"])
    encoding = torch.tensor(
        [
            [(math.cos if i % 2 else math.sin)(p / 10_000 ** (2 * (i // 2) / width)) for i in range(width)]
            for p in range(7)
        ],
        dtype=torch.float64,
    )
    loud, itself = POSITION_MISTAKES["too loud"], torch.eye(6, dtype=torch.float64)
    for made, strength in ((loud.right, 1), (loud.broken, 30)):
        placed = x + strength * encoding[:6]
        expected = F.scaled_dot_product_attention(placed, placed, itself)
        torch.testing.assert_close(made(x)[0], expected)
    late = F.scaled_dot_product_attention(2 * encoding[:6], 2 * encoding[1:], itself)
    torch.testing.assert_close(POSITION_MISTAKES["off by one"].broken(x), late)


def test_kernels_are_those_of_plain_loops() -> None:
    profiles: dict[str, Callable[[float], float]] = {
        "gaussian": lambda u: math.exp(-u * u / 2),
        "parabola": lambda u: max(0.0, 1 - u * u),
        "triangle": lambda u: max(0.0, 1 - abs(u)),
    }

    def heights(profile: str, queries: Tensor, keys: Tensor, h: float = 1.0) -> Tensor:
        rows = [[profiles[profile]((q - k) / h) for k in keys.tolist()] for q in queries.tolist()]
        return torch.tensor(rows, dtype=torch.float64)

    queries, keys, values = inputs_of(KERNEL_MISTAKES["softmax over queries"])
    for name, of, profile, axis in (
        ("softmax over queries", "right", "gaussian", 1),
        ("softmax over queries", "broken", "gaussian", 0),
        ("triangular as Epanechnikov", "right", "parabola", 1),
        ("triangular as Epanechnikov", "broken", "triangle", 1),
    ):
        table = heights(profile, queries, keys)
        made = getattr(KERNEL_MISTAKES[name], of)(queries, keys, values)
        torch.testing.assert_close(made, table / table.sum(dim=axis, keepdim=True))
    points, targets = inputs_of(KERNEL_MISTAKES["training error"])
    errors: dict[bool, dict[float, float]] = {True: {}, False: {}}
    for left_out, h in ((each, h) for each in errors for h in kernels.BANDWIDTHS):
        table = heights("gaussian", points, points, h)
        if left_out:
            table.fill_diagonal_(0)
        if h == 0.05 and left_out:
            continue  # all the others are too far away for a plain exponential
        estimates = table @ targets / table.sum(dim=1)
        errors[left_out][h] = float((estimates - targets).square().mean())
    chosen = KERNEL_MISTAKES["training error"]
    assert chosen.right(points, targets).bandwidth == min(errors[True], key=errors[True].__getitem__)
    assert chosen.broken(points, targets).bandwidth == min(errors[False], key=errors[False].__getitem__)
    query, plane = inputs_of(KERNEL_MISTAKES["mixed units"])
    for i, j in ((0, 0), (5, 5), (3, 9), (10, 5)):
        x, y = plane[i, j].tolist()
        gaussian = profiles["gaussian"]
        assert kernels.kernel_of_distance(query, plane)[i, j] == pytest.approx(gaussian(math.hypot(x, y) / 2))
        assert kernels.mixed_units(query, plane)[i, j] == pytest.approx(gaussian(math.hypot(10 * x, y) / 2))
        each = (gaussian(x / 2) + gaussian(y / 2)) / 2
        assert kernels.kernel_of_each_coordinate(query, plane)[i, j] == pytest.approx(each)


def test_sentences_state_the_numbers_of_examples() -> None:
    for mistake, number in (
        (ATTENTION_MISTAKES["no-scale"], f"{one_head.WIDTH} numbers"),
        (MULTI_HEAD_MISTAKES["heads cut by view"], f"{WIDTH} random numbers"),
        (POSITION_MISTAKES["split pairs"], f"{positions.LENGTH} positions"),
        (POSITION_MISTAKES["split pairs"], f"{positions.WIDTH} dimensions"),
        (POSITION_MISTAKES["base too small"], f"The base is {positions.SMALL_BASE},"),
        (POSITION_MISTAKES["too loud"], f"multiplied by {positions.LOUD:g} before"),
        (KERNEL_MISTAKES["softmax over queries"], f"h = {kernels.BANDWIDTH:g}"),
        (KERNEL_MISTAKES["mixed units"], f"h = {kernels.WIDE:g}"),
    ):
        assert number in mistake.what + mistake.example.sentence
