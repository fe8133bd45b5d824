"""Positions, masks, temperature and what the slider moves on the multi-head page."""

import cmath
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from attn_core import MASK_PATTERNS, SCHEMES, Masking, RelativeBuckets
from attn_live.packing import count_steps
from attn_ui.base.markdown import all_of
from attn_ui.base.schemes import SchemeSettings
from attn_ui.base.shared_settings import STRENGTH, TEMPERATURE
from pages import PAGES
from pages.multi_head import compute, programs
from pages.multi_head.compute import Result, allowed, heads_slider, sequences, widths
from pages.multi_head.settings import (
    A_PATTERN_A_HEAD,
    HEADS_MASK,
    MOVES,
    PATTERNS,
    POSITIONS,
    TAB,
    USUAL_PATTERNS,
    VIEW,
)
from pages.multi_head.sliders import Moving, slider_of
from pages.multi_head.state import HeadsOptions, HeadsSetting
from pages.multi_head.tabs.checks import checks
from pages.multi_head.views import caption, scene
from tests.app.test_multi_head import OWN, captions, open_page, text
from tests.messages import figure_at
from tests.run_programs import leaves
from tests.sentences import messages_in

LOOK = HeadsOptions("every head", "number", 0, 1, ())
HEADS = 4


TABLE = torch.randn(80, 384, generator=torch.Generator().manual_seed(5), dtype=torch.float64)


@pytest.fixture(autouse=True)
def _a_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand in for the learned table, whose package is optional; forget what has the other in it."""
    monkeypatch.setattr("attn_core.schemes.additive.scaled_table", lambda: TABLE)
    for forget in (sequences.cache_clear, compute._NUMBERS.clear):
        forget()
    yield
    for forget in (sequences.cache_clear, compute._NUMBERS.clear):
        forget()


def placed(name: str, **more: Any) -> HeadsSetting:
    """A setting with positions that are strong enough to be seen, of widths that they fit."""
    positions = SchemeSettings(name, strength=0.8, base=100.0, step=0.35)
    width = 384 if name == "learned" else 8
    return replace(OWN, positions=positions, d_model=width, d_memory=width, **more)


DETAILS = Masking(dilation=2, blocked_cells=((1, 2), (3, 0)))
SETTINGS: dict[str, tuple[HeadsSetting, int]] = {
    **{name: (placed(name), HEADS) for name in SCHEMES},
    **{f"{name}, causal": (placed(name, mask="causal", temperature=0.5, bias=True), 2) for name in SCHEMES},
    **{f"{name}, cross": (placed(name, cross=True, mask="padding", reach=2), 2) for name in SCHEMES},
    "rotary, concatenated": (
        replace(
            placed("rotary", projection=False), positions=SchemeSettings("rotary", layout="concatenated")
        ),
        2,
    ),
    "sinusoidal, concatenated": (
        replace(placed("sinusoidal"), positions=SchemeSettings("sinusoidal", layout="concatenated")),
        2,
    ),
    "cold": (replace(OWN, temperature=0.1), 4),
    **{f"{mask} mask": (replace(OWN, mask=mask, reach=2, masking=DETAILS), 4) for mask in HEADS_MASK.options},
    "patterns and biases": (placed("buckets", mask=A_PATTERN_A_HEAD, reach=1, temperature=2.0), 8),
    "patterns of three heads": (
        replace(OWN, mask=A_PATTERN_A_HEAD, patterns=("causal", "dilated"), d_head=3, projection=False),
        3,
    ),
    "a row without a key": (
        replace(OWN, mask="own", masking=Masking(blocked_cells=tuple((1, j) for j in range(6)))),
        2,
    ),
    "the ramp on dogs": (
        replace(
            OWN,
            case="I love dogs with the ramp, two heads",
            projection=False,
            positions=SchemeSettings("ramp"),
        ),
        2,
    ),
}


def bucket_of(offset: int) -> int:
    """The bucket of key place less query place, as the T5 paper has it: 32, both ways, to 128."""
    start, distance = 16 * (offset > 0), abs(offset)
    if distance < 8:
        return start + distance
    return start + min(15, 8 + int(math.log(distance / 8) / math.log(128 / 8) * 8))


def with_places(x: list[list[float]], scheme: SchemeSettings) -> list[list[float]]:
    """Add the vectors of places, one number after the other."""
    rows = []
    for place, row in enumerate(x):
        d = len(row)
        added = [0.0] * d
        if scheme.name == "ramp":
            added = [scheme.step * place] * d
        elif scheme.name == "sinusoidal":
            angles = [place * scheme.base ** (-2 * (i // 2) / d) for i in range(d)]
            added = [math.cos(a) if i % 2 else math.sin(a) for i, a in enumerate(angles)]
            if scheme.layout == "concatenated":
                added = added[0::2] + added[1::2]
        elif scheme.name == "learned":
            added = TABLE[place + 1].tolist()
        rows.append([a + scheme.strength * b for a, b in zip(row, added, strict=True)])
    return rows


def turned(row: list[float], place: int, scheme: SchemeSettings) -> list[float]:
    """Turn pairs of numbers as complex ones."""
    if scheme.name != "rotary":
        return row
    d = len(row)
    pairs = [(2 * i, 2 * i + 1) if scheme.layout == "interleaved" else (i, i + d // 2) for i in range(d // 2)]
    out = list(row)
    for i, (a, b) in enumerate(pairs):
        angle = scheme.strength * place * scheme.base ** (-2 * i / d)
        number = complex(row[a], row[b]) * cmath.exp(1j * angle)
        out[a], out[b] = number.real, number.imag
    return out


def naive(setting: HeadsSetting, n_head: int) -> torch.Tensor:
    """Return the weights (n_head, n_query, n_key) from the projections, by loops over single numbers."""
    result, scheme = Result(setting, LOOK, n_head), setting.positions
    bare = sequences(replace(setting, positions=SchemeSettings("none")))
    x, memory = (with_places(each.tolist(), scheme) for each in (bare.query, bare.key))
    module, d_head = result.module, result.module.d_head
    q, k = (
        module.W_q(torch.tensor(x, dtype=torch.float64)),
        module.W_k(torch.tensor(memory, dtype=torch.float64)),
    )
    may = allowed(setting, n_head)
    learned = RelativeBuckets(num_heads=n_head, seed=setting.seed).bucket_biases()
    weights = torch.zeros(n_head, len(x), len(memory), dtype=torch.float64)
    for head in range(n_head):
        own = slice(head * d_head, (head + 1) * d_head)
        for i in range(len(x)):
            row = {}
            for j in range(len(memory)):
                if may is not None and not (may[head, i, j] if may.ndim > 2 else may[i, j]):
                    continue
                one, other = turned(q[i, own].tolist(), i, scheme), turned(k[j, own].tolist(), j, scheme)
                score = sum(a * b for a, b in zip(one, other, strict=True)) / math.sqrt(d_head)
                score /= setting.temperature
                if scheme.name == "ALiBi":  # 2, 4 and 8 heads
                    score -= scheme.strength * 2 ** (-8 * (head + 1) / n_head) * abs(i - j)
                if scheme.name == "buckets":
                    score += scheme.strength * float(learned[head, bucket_of(j - i)])
                row[j] = score
            top = max(row.values(), default=0.0)
            total = sum(math.exp(score - top) for score in row.values())
            for j, score in row.items():
                weights[head, i, j] = math.exp(score - top) / total
    return weights


@pytest.mark.parametrize("name", SETTINGS)
def test_heads_with_positions_weights_equal_scalar_loops(name: str) -> None:
    setting, n_head = SETTINGS[name]
    torch.testing.assert_close(
        Result(setting, LOOK, n_head).attention.weights, naive(setting, n_head), atol=1e-10, rtol=0
    )


@pytest.mark.parametrize("name", SETTINGS)
def test_heads_with_positions_checks_hold(name: str) -> None:
    setting, n_head = SETTINGS[name]
    result = Result(setting, LOOK, n_head)
    assert [check.name for check in checks(result) if not check.passed] == []


@pytest.mark.parametrize("name", SETTINGS)
def test_heads_with_positions_code_computes_the_same_numbers(name: str) -> None:
    setting, n_head = SETTINGS[name]
    result = Result(setting, LOOK, n_head)
    found = leaves(programs.programs(result), "PyTorch")
    torch.testing.assert_close(found["weights"], result.attention.weights, atol=1e-10, rtol=0)
    torch.testing.assert_close(found["output"], result.attention.output, atol=1e-10, rtol=0)


def random_setting(chance: random.Random) -> tuple[HeadsSetting, int]:
    """Any setting of positions, mask and temperature that the page can have, ends of ranges included."""
    name = chance.choice([name for name in SCHEMES if name != "learned"])
    setting = replace(
        OWN,
        text=chance.choice(("a", "the the the", "two words", OWN.text, " ".join(f"w{i}" for i in range(20)))),
        cross=chance.random() < 0.2,
        d_model=chance.choice((2, 8, 12, 64)),
        d_memory=chance.choice((1, 8, 20)),
        d_head=chance.choice((None, None, 2, 64)),
        bias=chance.random() < 0.5,
        projection=chance.random() < 0.7,
        seed=chance.randrange(9999),
        mask=chance.choice(HEADS_MASK.options),
        reach=chance.choice((0, 1, 2, 5, 64)),
        temperature=chance.choice((1.0, 0.1, 10.0)),
        positions=SchemeSettings(
            name,
            strength=chance.choice((0.0, 1.0, 2.0)),
            base=chance.choice((1.0, 100.0, 1e5)),
            step=chance.choice((0.0, 0.5, 2.0)),
            layout=chance.choice(("interleaved", "concatenated")),
        ),
        patterns=tuple(chance.sample(PATTERNS.options, chance.randrange(4))),
        masking=Masking(
            dilation=chance.choice((1, 2, 8)),
            global_tokens=chance.choice((0, 1, 8)),
            random_blocks=chance.choice((0, 1, 8)),
            blocked_cells=tuple(
                (chance.randrange(6), chance.randrange(6)) for _ in range(chance.randrange(9))
            ),
        ),
    )
    return setting, int(chance.choice(heads_slider(setting).values))


@pytest.mark.parametrize("seed", range(24))
def test_heads_with_positions_random_states_pass_checks_and_code(seed: int) -> None:
    chance = random.Random(seed)
    setting, n_head = random_setting(chance)
    result = Result(setting, LOOK, n_head)
    assert [check.name for check in checks(result) if not check.passed] == []
    program = leaves(programs.programs(result), "NumPy")
    np.testing.assert_allclose(program["weights"], result.attention.weights, atol=1e-9, rtol=0)
    assert caption(result)


DEFINITIONS: dict[str, Callable[[int, int], bool]] = {
    "causal": lambda i, j: j <= i,
    "sliding window": lambda i, j: abs(i - j) <= 2,
    "causal window": lambda i, j: 0 <= i - j <= 2,
    "dilated": lambda i, j: abs(i - j) in (0, 3, 6),
    "global + local": lambda i, j: abs(i - j) <= 2 or i < 2 or j < 2,
    "prefix": lambda i, j: j <= i or j < 2,
    "packed": lambda i, j: j <= i and (i < 2) == (j < 2),
    "padding": lambda i, j: j < 7,
    "own": lambda i, j: (i, j) not in ((0, 1), (4, 4)),
}


def masked(mask: str, **more: Any) -> HeadsSetting:
    masking = Masking(dilation=3, global_tokens=2, blocked_cells=((0, 1), (4, 4)))
    nine = "one two three four five six seven eight nine"
    return replace(OWN, text=nine, mask=mask, reach=2, masking=masking, **more)


@pytest.mark.parametrize("mask", DEFINITIONS)
def test_heads_masks_equal_their_definition_cell_by_cell(mask: str) -> None:
    result = Result(masked(mask), LOOK, HEADS).attention
    for i in range(9):
        for j in range(9):
            assert bool((result.weights[:, i, j] > 0).all()) is DEFINITIONS[mask](i, j), (i, j)
            assert bool((result.weights[:, i, j] > 0).any()) is DEFINITIONS[mask](i, j), (i, j)


def test_heads_take_mask_patterns_in_turn() -> None:
    setting = masked(A_PATTERN_A_HEAD, d_head=2)
    result = Result(setting, LOOK, 5)
    alone = [Result(masked(kind, d_head=2), LOOK, 5).attention for kind in USUAL_PATTERNS]
    for head in range(5):
        own = alone[head % 3]
        torch.testing.assert_close(result.attention.weights[head], own.weights[head], atol=0, rtol=0)


def test_heads_page_has_all_nine_single_head_masks() -> None:
    assert set(HEADS_MASK.options) == {*MASK_PATTERNS, A_PATTERN_A_HEAD}
    assert set(PATTERNS.options) < set(MASK_PATTERNS)
    assert tuple(SCHEMES) == POSITIONS.options


@pytest.mark.parametrize("what", MOVES.options)
def test_heads_slider_steps_equal_the_page_at_each_value(what: str) -> None:
    setting = placed("ramp", mask="sliding window")
    moving = Moving(what, setting, 2, slider_of(what, setting))
    values = moving.steps.values
    full = {
        "heads": (1, 2, 4, 8),
        "mask width": tuple(range(6)),
        "temperature": TEMPERATURE.values,
        "strength of positions": STRENGTH.values,
    }
    assert values == full[what]
    message = scene(moving.still, LOOK).steps
    assert count_steps(message) == len(values)
    for step in (0, len(values) - 1):
        result = moving.at(values[step], LOOK)
        maps = [each for each in figure_at(message, step)["data"] if each.get("name") == "head 1 weights"]
        maps = maps or [each for each in figure_at(message, step)["data"] if each.get("name") == "head 1"]
        drawn = torch.tensor(maps[0]["z"], dtype=torch.float64).nan_to_num()
        torch.testing.assert_close(drawn, result.attention.weights[0], atol=1e-6, rtol=0)
    still = [moving.still, replace(moving, setting=moving.at(values[0], LOOK).setting).still]
    assert still[0] == still[1]  # wherever it stands, one picture is kept


def test_heads_slider_of_large_maps_has_few_values_and_names_them() -> None:
    text_64 = " ".join(f"w{i}" for i in range(64))
    at = open_page(text=text_64, free="true", heads="16", hmoves="temperature")
    (told,) = messages_in(captions(at), "offered", "what")
    assert told["offered"] == "0.10, 1.00 and 10.00"
    assert messages_in(text(at), count=16, width=8)


def test_heads_i_love_dogs_with_ramp_and_two_heads_is_one_link() -> None:
    at = open_page(case="I love dogs with the ramp, two heads")
    assert at.selectbox(key="pos").value == "ramp"
    said = text(at)
    setting = SETTINGS["the ramp on dogs"][0]
    result = Result(setting, LOOK, 2).attention
    assert sequences(setting).query.tolist() == [[1, 0, 0, 0], [0.5, 1.5, 0.5, 0.5], [1, 1, 2, 1]]
    without = Result(replace(setting, positions=SchemeSettings("none")), LOOK, 2).attention
    change = (result.weights - without.weights).abs()
    head, _, _ = (int(each) for each in (change == change.max()).nonzero()[0])
    assert messages_in(said, "scheme", head=head + 1, change=f"{float(change.max()):.3f}")
    full = {name: at.query_params[name] for name in at.query_params}
    assert full["pos"] in ("ramp", ["ramp"])
    assert text(open_page(**full)) == said
    assert open_page(case="I love dogs, two heads").selectbox(key="pos").value == "none"


@pytest.mark.parametrize("tab", TAB.options)
@pytest.mark.parametrize(
    "link",
    [
        {"pos": "rotary", "t": "0.5", "hmoves": "strength of positions"},
        {"pos": "ALiBi", "hmask": A_PATTERN_A_HEAD, "hmoves": "mask width"},
        {"pos": "learned", "cross": "true"},
        {"pos": "ramp", "hmask": "own", "blocked": "0.0,0.1,0.2,0.3,0.4,0.5"},
    ],
)
def test_heads_tabs_open_with_positions(tab: str, link: dict[str, str]) -> None:
    at = open_page(tab=tab, **link)
    assert "fails" not in text(at)


@pytest.mark.parametrize("view", VIEW.options)
@pytest.mark.parametrize("mask", HEADS_MASK.options)
def test_heads_views_open_under_every_mask(view: str, mask: str) -> None:
    said = text(open_page(view=view, hmask=mask, reach="2", pos="buckets"))
    # Views that take words and sizes alone say nothing of positions.
    sizes_alone = view in ("single vs multi-head", "encoder and decoder")
    assert bool(messages_in(said, "scheme")) is not sizes_alone


def test_heads_positions_that_move_no_weight_name_no_cell() -> None:
    said = PAGES["multi-head"].at("case=own+sentence&text=a&pos=sinusoidal").sentence  # one word has weight 1
    assert messages_in(said, scheme="sinusoidal")
    assert not messages_in(said, "scheme", "change")
    assert messages_in(PAGES["multi-head"].at("pos=sinusoidal").sentence, "scheme", "change")


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    ("link", "fields"),
    [
        ({"pos": "rotary", "strength": "1.5"}, {"scheme": "rotary"}),
        ({"view": "single vs multi-head", "heads": "8"}, {"count": 8, "parameters": 256}),
    ],
)
def test_heads_link_with_positions_has_its_numbers(link: dict[str, str], fields: dict[str, object]) -> None:
    at = open_page(**link)
    assert messages_in(text(at), **fields)
    assert not at.warning


def test_heads_cell_is_blocked_and_freed_by_its_button() -> None:
    at = open_page(hmask="own", tab="Arithmetic", q="2", k="1")
    for label, blocked in (("Block this cell", "2.1"), ("Free this cell", "")):
        (button,) = [each for each in at.button if each.label == label]
        button.click().run()
        assert at.query_params.get("blocked", "") == blocked


def test_heads_widths_equal_those_of_the_words() -> None:
    assert widths(replace(OWN, mask="prefix")).values == tuple(range(7))
    assert widths(replace(OWN, mask="block-sparse")).values == tuple(range(1, 7))
    assert widths(replace(OWN, mask="dilated", masking=Masking(dilation=2))).values == (0, 1, 2, 3)


@pytest.mark.parametrize("name", SETTINGS)
def test_heads_readouts_equal_scalar_loops(name: str) -> None:
    setting, n_head = SETTINGS[name]
    maps = naive(setting, n_head).numpy()

    def told(view: str, **fields: object) -> bool:
        result = Result(setting, replace(LOOK, view=view), n_head, (1, 0))
        return bool(messages_in(caption(result), **fields))

    attending = [[row[row > 0] for row in head if row.any()] for head in maps]
    spread = [np.mean([np.exp(-(row * np.log(row)).sum()) for row in head]) for head in attending]
    assert told("every head", count=n_head, spread=all_of([f"{each:.1f}" for each in spread]))
    rows = [f"{each.sum(axis=-1).max():.2f}" for each in (maps.mean(axis=0), maps.max(axis=0))]
    apart = f"{(maps.max(axis=0) - maps.min(axis=0)).max():.3f}"
    assert told("mean and max", mean=rows[0], largest=rows[1], spread=apart)
    if n_head > 1:
        at = np.unravel_index(np.abs(maps[0] - maps[1]).argmax(), maps[0].shape)
        assert told("two heads", one=1, other=2, first=f"{maps[0][at]:.3f}", second=f"{maps[1][at]:.3f}")
    best = maps[:, 1].max(axis=-1)
    assert told("points", weight=f"{best.max():.3f}", head=int(best.argmax()) + 1) == bool(best.any())
    if setting.positions.name != "none":
        bare = naive(replace(setting, positions=SchemeSettings("none")), n_head).numpy()
        assert told("every head", change=f"{np.abs(maps - bare).max():.3f}")
