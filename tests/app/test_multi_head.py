"""The multi-head page as Streamlit runs it: defaults, worked examples, links good and bad, bad input."""

import math
import re
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch.nn import functional as F

from attn_core import Masking
from attn_figures.numbers import number
from attn_live.packing import count_steps
from attn_ui.base.markdown import all_of
from attn_ui.base.schemes import SchemeSettings
from pages import PAGES
from pages.multi_head import words
from pages.multi_head.compute import (
    MEASURES,
    Result,
    heads_slider,
    order_of,
    output_of,
    sequences,
    stages,
    width_of,
)
from pages.multi_head.settings import CASE, EXAMPLES, ORDER_BY, TAB, VIEW
from pages.multi_head.sliders import Moving
from pages.multi_head.state import HeadsOptions, HeadsSetting
from pages.multi_head.tabs import arithmetic
from pages.multi_head.tabs.checks import checks
from pages.multi_head.tabs.shapes import STAGE_WORDS, ledger
from pages.multi_head.views import scene
from pages.single_head.tabs.arithmetic import products, score_to_weight_table
from tests.pages import open_sound, shown_under
from tests.run_programs import leaves
from tests.sentences import messages_in
from tests.walk import said_now

open_page = partial(open_sound, "multi-head")
OWN = HeadsSetting(
    case="own sentence",
    text="the cat sat on the mat",
    memory_text="a dog lay on the rug here",
    cross=False,
    d_model=8,
    d_memory=8,
    d_head=None,
    bias=False,
    projection=True,
    seed=4,
    mask="none",
    reach=1,
)
LOOK = HeadsOptions("every head", "number", 0, 1, ())
SETTINGS = {
    "default": (OWN, 4),
    "biases": (replace(OWN, bias=True), 2),
    "free width": (replace(OWN, d_head=3, bias=True), 5),
    "concatenated": (replace(OWN, projection=False), 8),
    "cross": (replace(OWN, cross=True, d_memory=11), 4),
    "causal": (replace(OWN, mask="causal"), 4),
    "window": (replace(OWN, mask="sliding window", reach=2), 2),
    "padding": (replace(OWN, mask="padding", reach=2, bias=True), 2),
    "all masked": (replace(OWN, mask="padding", reach=63, bias=True), 2),
    "sink": (replace(OWN, mask="padding", reach=63, bias=True, sink=1.5), 2),
    "sink, cross": (replace(OWN, cross=True, sink=-1.0), 4),
    "window, cross": (replace(OWN, cross=True, mask="sliding window"), 2),
    "strange words": (replace(OWN, text='<b>x</b> "quoted" don\'t 猫 $x$ \\n'), 2),
} | {
    case: (replace(OWN, case=case, d_head=s.d_head, projection=s.output_projection, seed=0), s.num_heads)
    for case, s in EXAMPLES.items()
}


def captions(at: AppTest) -> str:
    return "\n".join(each.value for each in [*at.caption, *at.warning])


def text(at: AppTest) -> str:
    return "\n".join([element.value for element in at.markdown] + said_now(at))


def show_tab(at: AppTest, tab: str) -> list[str]:
    """Open a tab; return what it says."""
    at.query_params["tab"] = tab
    at.run()
    assert not at.exception
    return shown_under(at, tab, TAB)


@pytest.mark.parametrize(
    ("kind", "reach", "width"),
    [
        ("sliding window", 63, 5),  # of six words none is further away
        ("sliding window", 3, 3),
        ("dilated", 63, 3),
        ("prefix", 63, 6),
        ("block-sparse", 0, 1),
        ("block-sparse", 63, 6),
        ("causal", 63, 0),  # it has no width
    ],
)
def test_mask_width_out_of_range_becomes_the_nearest(kind: str, reach: int, width: int) -> None:
    assert width_of(replace(OWN, mask=kind, reach=reach), kind) == width


def test_own_mask_applies_between_two_sentences() -> None:
    """It names cells; a pattern such as a window needs as many queries as keys, and masks nothing there."""
    two = "cross=true&text2=a+b+c"
    own = PAGES["multi-head"].at(f"{two}&hmask=own&blocked=0.1%2C4.2").view.result
    blocked = [(0, 1), (4, 2)]
    assert own.attention.weights.shape[1:] == (6, 3)
    assert all((own.attention.weights[:, query, key] == 0).all() for query, key in blocked)
    assert int((own.attention.weights == 0).sum()) == len(blocked) * own.n_head
    window = PAGES["multi-head"].at(f"{two}&hmask=sliding+window").view.result
    assert window.mask is None


def test_heads_tabs_open() -> None:
    at = open_page(off="2", bias="true")
    for tab in TAB.options:
        assert show_tab(at, tab), tab


@pytest.mark.parametrize("case", CASE.options[1:])
def test_link_to_example_sets_all_of_the_example(case: str) -> None:
    at = open_page(case=case)
    sample = EXAMPLES[case]
    size = {"count": sample.num_heads, "width": sample.d_head or sample.d_model // sample.num_heads}
    assert messages_in(text(at), **size)
    setting = PAGES["multi-head"].at(urlencode({"case": case})).view.result.setting
    assert (setting.projection, setting.d_head) == (sample.output_projection, sample.d_head)
    again = open_page(**{name: at.query_params[name] for name in at.query_params})
    assert messages_in(text(again), **size)
    assert not again.warning


@pytest.mark.parametrize("case", CASE.options[1:])
def test_example_with_changed_settings_names_them(case: str) -> None:
    sample = EXAMPLES[case]
    given = {"heads": "1", "free": "true", "dh": "3", "wo": str(not sample.output_projection).lower()}
    (told,) = messages_in(captions(open_page(case=case, bias="true", pos="ALiBi", **given)), "settings")
    assert len(re.split(", | and ", told["settings"])) == 4
    # The heads are asked for there only where the slider under the picture moves something else.
    at = open_page(case=case, bias="true", pos="ALiBi", hmoves="temperature", **given)
    (more,) = messages_in(captions(at), "settings")
    assert len(re.split(", | and ", more["settings"])) == 5
    at = open_page(case=case)
    assert not messages_in(captions(at), "settings")
    shown = {name: at.query_params[name] for name in at.query_params}
    assert messages_in(captions(open_page(**shown, bias="true")), "settings")


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    ("link", "size"),
    [
        ({"case": "I love ice, two full-width heads", "heads": "2", "wo": "false"}, (2, 2)),
        # Links left four heads out, as the default.
        ({"case": "I love ice, two full-width heads", "free": "true", "dh": "4", "wo": "false"}, (4, 4)),
        ({"case": "the original Transformer", "heads": "4"}, (4, 128)),
        ({"heads": "2", "dm": "12", "free": "true", "dh": "5", "wo": "false", "bias": "true"}, (2, 5)),
    ],
)
def test_link_beyond_its_example_is_named(link: dict[str, str], size: tuple[int, int]) -> None:
    at = open_page(**link)
    assert messages_in(text(at), count=size[0], width=size[1])
    assert not at.warning


@pytest.mark.parametrize(
    ("case", "weights", "output"),
    [
        ("I love dogs, two heads", (2, 3, 3), (3, 4)),
        ("I love ice, two full-width heads", (2, 3, 3), (3, 8)),
        ("cross-attention, four heads", (4, 1, 10), (1, 20)),
        ("the original Transformer", (8, 9, 9), (9, 512)),
        ("heads wider than their share", (4, 9, 9), (9, 16)),
    ],
)
def test_examples_have_their_known_shapes(
    case: str, weights: tuple[int, ...], output: tuple[int, ...]
) -> None:
    result = stages(*SETTINGS[case])
    assert tuple(result.weights.shape) == weights
    assert tuple(result.output.shape) == output


@pytest.mark.parametrize("name", SETTINGS)
def test_checks_hold_on_every_setting(name: str) -> None:
    setting, n_head = SETTINGS[name]
    found = checks(Result(setting, LOOK, n_head))
    assert len(found) >= 4
    assert [check.name for check in found if not check.passed] == []


def test_check_fails_on_wrong_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    result = Result(OWN, LOOK, 4)
    wrong = replace(
        result.attention, output=result.attention.output + 1e-6, weights=result.attention.weights * 1.0001
    )
    monkeypatch.setitem(result.__dict__, "attention", wrong)
    failing = [check.name for check in checks(result) if not check.passed]
    assert len(failing) == 5
    assert any("nn.MultiheadAttention" in what for what in failing)
    assert any("add up" in what for what in failing)


def test_projections_are_equal_for_any_number_of_heads() -> None:
    one, four = (Result(OWN, LOOK, heads).module for heads in (1, 4))
    for name in ("W_q", "W_k", "W_v", "W_o"):
        torch.testing.assert_close(getattr(one, name).weight, getattr(four, name).weight)


def test_head_maps_fit_in_one_figure_message() -> None:
    words_64 = " ".join(f"w{i}" for i in range(64))
    for setting in (OWN, replace(OWN, d_head=8), replace(OWN, text=words_64, d_model=64, mask="causal")):
        slider = heads_slider(setting)
        assert count_steps(scene(Moving("heads", setting, 0, slider), LOOK).steps) == len(slider.values)
    assert heads_slider(replace(OWN, d_head=8)).values == tuple(range(1, 17))
    # 136 maps of 64 x 64 are more than a figure takes; powers of two are left.
    assert heads_slider(replace(OWN, text=words_64, d_head=8)).values == (1, 2, 4, 8, 16)


def test_slider_has_the_divisors_only() -> None:
    for d_model in (1, 7, 12, 96):
        offered = heads_slider(replace(OWN, d_model=d_model)).values
        assert offered == tuple(h for h in range(1, 17) if d_model % h == 0)


def test_head_orders_follow_their_measure_and_ties_keep_numbers() -> None:
    result = stages(OWN, 8)
    assert set(MEASURES) == set(ORDER_BY.options[1:])
    for name, measure in MEASURES.items():
        values = measure(result)[order_of(name, result)]
        assert bool((values.diff() <= 0).all()), name
    assert order_of("number", result) == list(range(8))
    everything_masked = stages(replace(OWN, mask="padding", reach=63), 8)
    assert order_of("entropy", everything_masked) == list(range(8))


def test_switched_off_heads_remove_their_contribution_only() -> None:
    setting = replace(OWN, bias=True)
    result = stages(setting, 4)
    assert result.output_bias is not None
    torch.testing.assert_close(
        output_of(result, [1, 3, 9]),
        result.contributions[0] + result.contributions[2] + result.output_bias,
        atol=1e-12,
        rtol=0,
    )
    assert output_of(result, []) is result.output


def test_switched_off_heads_are_limited_to_existing_ones() -> None:
    result = Result(OWN, replace(LOOK, off=(1, 3, 4, 9)), 4)
    assert (result.off, result.shown_heads) == ([1, 3], [0, 2])


def test_size_table_equals_the_tensors() -> None:
    table = ledger(Result(SETTINGS["cross"][0], LOOK, 4))
    assert "| `B, n_key, d_model` | `1, 7, 11` | 77 |" in table
    assert "| `B, n_head, n_query, n_key` | `1, 4, 6, 7` | 168 |" in table
    assert len(STAGE_WORDS) == 6


def test_arithmetic_of_cell_ends_at_the_drawn_weight() -> None:
    at = open_page(tab="Arithmetic", head="3", q="2", k="1")
    result = stages(OWN, 4)
    tables = text(at)
    assert f"**{float(result.weights[2, 2, 1]):.6f}**" in tables
    q, k = result.query[2, 2], result.key[2, 1]
    assert f"**{number(float(q @ k), 6)}**" in tables


def test_head_count_that_does_not_divide_becomes_the_nearest() -> None:
    at = open_page(heads="3")
    assert messages_in(captions(at), wanted=3, d_model=8, offered="1, 2, 4 and 8", taken=2)
    assert messages_in(text(at), count=2, width=4)
    at = open_page(heads="3", dm="9")
    assert not messages_in(captions(at), "wanted", "d_model")
    assert messages_in(text(at), count=3, width=3)


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    ("link", "fields"),
    [
        ({"hmask": "sliding window", "cross": "true", "text2": "one two"}, {"n_query": 6, "n_key": 2}),
        ({"hmask": "prefix", "cross": "true", "text2": "one two"}, {"n_query": 6, "n_key": 2}),
        ({"dm": "16", "pos": "rotary", "heads": "16"}, {"offered": "1, 2, 4 and 8", "taken": 8}),
        ({"pos": "rotary", "free": "true", "dh": "5"}, {"used": 6, "given": 5}),
        ({"pos": "rotary", "case": "cross-attention, four heads"}, {"wanted": 4, "d_model": 20}),
    ],
)
def test_settings_that_do_not_fit_are_named_with_sizes(
    link: dict[str, str], fields: dict[str, object]
) -> None:
    assert messages_in(captions(open_page(**link)), **fields)


def test_hostile_empty_or_long_sentence_opens_the_page() -> None:
    at = open_page(text="<script>alert(1)</script> $x^2$ [a](b)")
    at.text_input(key="text").set_value("   ").run()
    assert not at.exception
    assert len(at.warning) + len(at.caption) > 0
    at.text_input(key="text").set_value("word " * 500).run()
    assert messages_in(captions(at), count=500, most=64)


def test_table_keeps_a_word_equal_to_its_first_column_name() -> None:
    at = open_page(tab="Data", text="token meets Token")
    weights = next(each.value for each in at.dataframe if "meets" in each.value.columns)
    assert list(weights.columns) == [" ", "token", "meets", "Token"]
    np.testing.assert_allclose(
        weights["token"], stages(replace(OWN, text="token meets Token"), 4).weights[0, :, 0]
    )


def test_single_head_equals_plain_attention() -> None:
    n, result = sequences(OWN), stages(OWN, 1)
    module = Result(OWN, LOOK, 1).module
    assert module.W_o is not None
    q, k, v = (F.linear(n.query, m.weight) for m in (module.W_q, module.W_k, module.W_v))
    expected = F.linear(F.scaled_dot_product_attention(q, k, v), module.W_o.weight)
    torch.testing.assert_close(result.output, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("view", VIEW.options)
def test_saved_heads_name_their_mask(view: str) -> None:
    links = (f"text=a+b+c&view={view}", f"text=a+b+c&view={view}&hmask=causal")
    none, causal = (PAGES["multi-head"].at(link).view.figure for link in links)
    assert none is not None
    assert causal is not None
    assert ("causal" in causal.caption) == (none.steps != causal.steps)


def shown_numbers(at: AppTest) -> list[str]:
    """Every cell of the tables as Streamlit shows it."""
    cells: list[str] = []
    for each in at.dataframe:
        shown = pa.ipc.open_stream(each.proto.arrow_data.styler.display_values).read_pandas()
        cells += shown.drop(columns=" ").to_numpy().ravel().tolist()
    return cells


@pytest.mark.parametrize(
    "link", [{}, {"pos": "rotary", "wo": "false"}, {"case": "I love ice, two full-width heads"}]
)
def test_tables_have_a_minus_sign_and_all_digits(link: dict[str, str]) -> None:
    at = open_page(tab="Data", **link)
    cells = shown_numbers(at)
    assert any(cell.startswith("−") for cell in cells)
    assert [cell for cell in cells if "-" in cell or (cell.startswith("−") and not float(cell[1:]))] == []
    numbers = np.concatenate([each.value.drop(columns=" ").to_numpy().ravel() for each in at.dataframe])
    assert len(numbers) == len(cells)
    for cell, value in zip(cells, numbers, strict=True):
        assert float(cell.replace("−", "-")) == pytest.approx(value, abs=5.1e-7)


def test_arithmetic_adds_biases_and_cuts_long_products() -> None:
    slopes = replace(OWN, positions=SchemeSettings("ALiBi"), temperature=2.0)
    result = Result(slopes, replace(LOOK, head=1), 2, cell=(3, 0))
    at = arithmetic.working(result)
    q, k = result.attention.query[1, 3], result.attention.key[1, 0]
    scaled = float(q @ k) / 2 / 2.0  # heads are 4 wide, and T = 2
    assert at.bias is not None
    assert at.bias == pytest.approx(-3 / 2**8)  # the second of two slopes, three places away
    assert f"{number(scaled, 6)} + (" in score_to_weight_table(at)
    assert f" | {number(scaled + at.bias, 6)} |" in score_to_weight_table(at)
    wide = Result(replace(OWN, d_model=128), LOOK, 1, cell=(1, 2))
    rows = products(arithmetic.working(wide)).splitlines()[2:]
    assert len(rows) == 64 + 2
    score = float(wide.attention.query[0, 1] @ wide.attention.key[0, 2])
    assert f"**{number(score, 6)}**" in rows[-1]


def test_previous_token_score_is_the_mean_over_queries_that_have_one() -> None:
    result = Result(OWN, LOOK, 4).attention
    of_five = result.weights.diagonal(offset=-1, dim1=-2, dim2=-1).sum(dim=-1) / 5
    torch.testing.assert_close(MEASURES["previous token"](result), of_five)
    assert (
        float(MEASURES["previous token"](Result(replace(OWN, text="a"), LOOK, 4).attention).abs().max()) == 0
    )


def test_effective_keys_of_equal_words_is_the_number_of_visible_keys() -> None:
    kinds = [("hmask", "a pattern a head"), ("patterns", "causal"), ("patterns", "sliding window")]
    link = urlencode([*kinds, ("heads", "4"), ("text", "a a a a a"), ("reach", "1")])
    said = PAGES["multi-head"].at(link).sentence
    # Of equal words a query shares its weight equally among the keys that it sees.
    window, causal = (f"{np.mean(each):.1f}" for each in ([2, 3, 3, 3, 2], [1, 2, 3, 4, 5]))
    assert messages_in(said, count=4, keys=5, spread=f"{causal}, {window}, {causal} and {window}")


@pytest.mark.parametrize("blocked", ["", "0.0,0.1"])
def test_spread_measures_leave_out_empty_rows(blocked: str) -> None:
    cells = ((0, 0), (0, 1)) if blocked else ()
    setting = replace(OWN, text="x y", mask="own", masking=Masking(blocked_cells=cells))
    weights = stages(setting, 4).weights.numpy()
    rows = [[row for row in head if row.any()] for head in weights]
    nats = [[-sum(w * math.log(w) for w in row if w) for row in head] for head in rows]
    spread = [float(np.mean(np.exp(head))) for head in nats]
    np.testing.assert_allclose(MEASURES["effective keys"](stages(setting, 4)), spread)
    np.testing.assert_allclose(MEASURES["entropy"](stages(setting, 4)), [np.mean(head) for head in nats])
    said = text(open_page(text="x y", hmask="own", blocked=blocked, tab="Measures"))
    first = ", ".join(f"{each:.1f}" for each in spread[:3])
    assert messages_in(said, keys=2, spread=f"{first} and {spread[3]:.1f}")
    assert bool(messages_in(said, queries="“x”")) == bool(blocked)


def test_switched_off_heads_past_the_count_leave_the_address() -> None:
    at = open_page(off=["2", "4"], hmoves="temperature", heads="4")
    assert at.query_params["off"] == ["2", "4"]
    at.select_slider(key="step-heads").set_value("2").run()
    assert at.query_params["off"] in ("2", ["2"])
    at.select_slider(key="step-heads").set_value("1").run()
    assert "off" not in at.query_params
    assert not open_page(**{name: at.query_params[name] for name in at.query_params}).warning


def test_row_that_a_sink_takes_whole_may_still_attend() -> None:
    matrix = ";".join(",".join("900" if i == j else "0" for j in range(8)) for i in range(8))
    link = f"hand=true&W_q={matrix}&W_k={matrix.replace('900', '-900')}&t=0.1&hmask=causal&sink=true"
    result = PAGES["multi-head"].at(link).view.result
    assert float(result.attention.weights.sum(dim=-1).min()) == 0
    assert words.warning(result) == ""


@pytest.mark.parametrize(
    "link", ["", "&hmask=causal&t=0.7&pos=ALiBi", "&view=threshold&keep=all+but+one+word"]
)
def test_sink_takes_its_share_in_every_head(link: str) -> None:
    page = PAGES["multi-head"].at("sink=true&logit=1.5&heads=2" + link)
    result = page.view.result
    attention = result.attention
    column = attention.scaled_scores.new_full((2, 6, 1), 1.5)
    weights = torch.cat([attention.scaled_scores, column], dim=-1).softmax(dim=-1)[..., :-1]
    torch.testing.assert_close(attention.weights, weights, rtol=0, atol=1e-12)
    torch.testing.assert_close(attention.heads, weights @ attention.value, rtol=0, atol=1e-12)
    shares = all_of([f"{share:.3f}" for share in 1 - weights.sum(dim=-1).mean(dim=-1)])
    assert any({*each} == {"shares"} for each in messages_in(page.sentence, shares=shares))
    even = weights / weights.sum(dim=-1, keepdim=True)
    spread = torch.special.entr(even).sum(dim=-1).exp().mean(dim=-1)
    torch.testing.assert_close(MEASURES["effective keys"](attention), spread, rtol=0, atol=1e-12)
    for kind in ("PyTorch", "NumPy", "attn_core"):
        np.testing.assert_allclose(leaves(page.programs, kind)["weights"], weights, atol=1e-9)
    if "without" in leaves(page.programs):
        np.testing.assert_allclose(leaves(page.programs)["without"][:, 0], 0.0)
        rest = weights[0, :, 1:] / (1 - weights[0, :, :1])
        np.testing.assert_allclose(leaves(page.programs)["without"][:, 1:], rest, atol=1e-9)
