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
from streamlit.elements.lib import policies
from streamlit.testing.v1 import AppTest
from torch.nn import functional as F

from attn_core import MULTI_HEAD_MISTAKES, Masking, repeat_block
from attn_figures.numbers import counted
from attn_live.unpacking import count_steps
from pages import PAGES
from pages.multi_head import compute, programs, words
from pages.multi_head import settings as page_settings
from pages.multi_head.compute import (
    MEASURES,
    Now,
    divisors,
    draw,
    heads_slider,
    order_of,
    output_of,
    sequences,
    stages,
    width_of,
    written,
)
from pages.multi_head.settings import CASE, EXAMPLES, HEADS, MISTAKE, MISTAKES, ORDER_BY, SPELLING, TAB, VIEW
from pages.multi_head.sliders import Moving
from pages.multi_head.spellings import inputs, run
from pages.multi_head.spellings import spellings as spelt
from pages.multi_head.state import Look, Setting
from pages.multi_head.tabs import arithmetic, break_it, measures, shared_heads, spellings, token_by_token
from pages.multi_head.tabs.block import VARIANTS, name_of
from pages.multi_head.tabs.break_it import PICTURES
from pages.multi_head.tabs.checks import checks
from pages.multi_head.tabs.shapes import STAGE_WORDS, ledger
from pages.multi_head.views import packed
from tests.handed import leaves
from tests.pages import open_sound, shown_under
from tests.walk import said_now

open_page = partial(open_sound, "multi-head")
OWN = Setting(
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
LOOK = Look("every head", "number", 0, 1, ())
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
def test_a_mask_has_the_nearest_width_that_there_is(kind: str, reach: int, width: int) -> None:
    assert width_of(replace(OWN, mask=kind, reach=reach), kind) == width


def test_a_mask_of_ones_own_holds_between_two_sentences() -> None:
    """It names cells; a pattern such as a window needs as many queries as keys, and masks nothing there."""
    two = "cross=true&text2=a+b+c"
    own = PAGES["multi-head"].at(f"{two}&hmask=own&blocked=0.1%2C4.2").seen.now
    blocked = [(0, 1), (4, 2)]
    assert own.result.weights.shape[1:] == (6, 3)
    assert all((own.result.weights[:, query, key] == 0).all() for query, key in blocked)
    assert int((own.result.weights == 0).sum()) == len(blocked) * own.n_head
    window = PAGES["multi-head"].at(f"{two}&hmask=sliding+window").seen.now
    assert window.mask is None


def test_the_page_opens_on_a_sentence_with_four_heads() -> None:
    at = open_page()
    assert at.title[0].value == "Multi-head attention"
    assert at.text_input(key="text").value == "the cat sat on the mat"
    assert "4 heads of width 2, cut from projections 8 wide" in text(at)
    assert "link" not in captions(at)


def test_every_tab_opens() -> None:
    at = open_page(off="2", bias="true")
    for tab in TAB.options:
        assert show_tab(at, tab), tab


@pytest.mark.parametrize("fault", MISTAKE.options)
@pytest.mark.parametrize("heads", ["1", "4"])
def test_every_mistake_is_shown_with_the_check_that_fails(fault: str, heads: str) -> None:
    said = text(open_page(tab="Break it", fault=fault, heads=heads))
    without_others = ("split without transpose", "(d k h) for (k h d)", "own key not yet cached")
    # Nothing is turned where there are no positions.
    shown = fault != "place not counted on" and (heads == "4" or fault in without_others)
    assert said.count("here: ") + said.count("Fails: ") >= 1
    assert ("Fails: " in said) == shown
    assert ("Nothing fails here" in said) == (not shown)


@pytest.mark.parametrize("view", VIEW.options)
@pytest.mark.parametrize("tab", TAB.options)
def test_every_tab_opens_under_every_view(view: str, tab: str) -> None:
    at = open_page(view=view, tab=tab)
    assert shown_under(at, tab, TAB)


def test_a_single_query_is_broadcast_when_the_transpose_is_forgotten() -> None:
    said = text(open_page(tab="Break it", case="cross-attention, four heads"))
    assert "One query comes back as 10 rows" in said
    assert "(10, 20) in place of (1, 20)" in said
    refused = text(open_page(tab="Break it", cross="true", text2="one two"))
    assert "torch refuses to multiply 6 positions with 2" in refused


def test_as_many_heads_as_positions_hide_the_missing_transpose_from_a_look_at_shapes() -> None:
    said = text(open_page(tab="Break it", text="one two three four", heads="4"))
    assert "Fails: *the output is that of torch*" in said
    assert "by chance, and only the numbers tell" in said


def test_a_mistake_that_changes_nothing_here_is_not_said_to_fail() -> None:
    scale, merge = "√d_model for √d_head", "merge without transpose"
    wide = {"case": "I love ice, two full-width heads", "heads": "2", "free": "true", "wo": "false"}
    assert "heads as wide as the model, 4," in text(open_page(tab="Break it", fault=scale, dh="4", **wide))
    assert "too large, so the softmax is too sharp" in text(
        open_page(tab="Break it", fault=scale, dh="6", **wide)
    )
    alone = open_page(tab="Break it", fault=merge, case="cross-attention, four heads")
    assert "with a single query" in text(alone)
    assert "Fails: " not in text(alone)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASE.options[1:])
def test_every_example_works_in_every_tab(case: str) -> None:
    at = open_page()
    at.selectbox(key="case").select(case).run()
    sample = EXAMPLES[case]
    d_head = sample.d_head or sample.d_model // sample.num_heads
    for tab in TAB.options:
        assert show_tab(at, tab), tab
        assert f"{counted(sample.num_heads, 'head')} of width {d_head}" in text(at)
    at.selectbox(key="case").select("own sentence").run()
    assert not at.exception
    assert at.text_input(key="text").value == "the cat sat on the mat"


@pytest.mark.parametrize("case", CASE.options[1:])
def test_a_link_to_an_example_means_all_of_the_example(case: str) -> None:
    at = open_page(case=case)
    sample = EXAMPLES[case]
    d_head = sample.d_head or sample.d_model // sample.num_heads
    assert f"{counted(sample.num_heads, 'head')} of width {d_head}" in text(at)
    assert at.toggle(key="wo").value is sample.output_projection
    assert at.toggle(key="free").value is (sample.d_head is not None)
    full = {name: at.query_params[name] for name in at.query_params}
    again = open_page(**full)
    assert f"{counted(sample.num_heads, 'head')} of width {d_head}" in text(again)
    assert "link's" not in captions(again)


@pytest.mark.parametrize("case", CASE.options[1:])
def test_an_example_says_what_of_it_is_not_so_here(case: str) -> None:
    assert "Changed in this sidebar" not in captions(open_page(case=case))
    sample = EXAMPLES[case]
    given = {"heads": "1", "free": "true", "dh": "3", "wo": str(not sample.output_projection).lower()}
    said = captions(open_page(case=case, bias="true", pos="ALiBi", **given))
    changed = "d_head, the output projection, biases and positions"
    assert f"As the example comes: {sample.description}" in said
    assert f"Changed in this sidebar: {changed}." in said
    # The heads are asked for there only where the slider under the picture moves something else.
    said = captions(open_page(case=case, bias="true", pos="ALiBi", hmoves="temperature", **given))
    assert f"Changed in this sidebar: the number of heads, {changed}." in said
    at = open_page(case=case)
    at.toggle(key="bias").set_value(True).run()
    assert "Changed in this sidebar: biases." in captions(at)
    at.toggle(key="bias").set_value(False).run()
    assert "Changed in this sidebar" not in captions(at)


@pytest.mark.parametrize("case", CASE.options[1:])
def test_an_example_logs_no_complaint_of_a_default_beside_a_value(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    complaints: list[str] = []
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)  # said once a process otherwise
    monkeypatch.setattr(policies._LOGGER, "warning", lambda text, *_, **__: complaints.append(text))
    open_page(case=case)
    open_page().selectbox(key="case").select(case).run()
    assert complaints == []


def test_a_link_that_says_more_than_the_example_means_what_it_says() -> None:
    at = open_page(case="I love ice, two full-width heads", heads="2", wo="false")
    assert "2 heads of width 2" in text(at)
    at = open_page(case="I love ice, two full-width heads", free="true", dh="4", wo="false")
    assert "4 heads of width 4" in text(at)  # links left four heads out, as the default
    assert "4 heads of width 128" in text(open_page(case="the original Transformer", heads="4"))


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
def test_examples_have_the_shapes_that_they_are_known_for(
    case: str, weights: tuple[int, ...], output: tuple[int, ...]
) -> None:
    result = stages(*SETTINGS[case])
    assert tuple(result.weights.shape) == weights
    assert tuple(result.output.shape) == output


@pytest.mark.parametrize("name", SETTINGS)
def test_all_checks_hold_on_every_setting(name: str) -> None:
    setting, n_head = SETTINGS[name]
    found = checks(Now(setting, LOOK, n_head))
    assert len(found) >= 5
    assert [check.name for check in found if not check.passed] == []


def test_a_check_fails_when_the_numbers_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    now = Now(OWN, LOOK, 4)
    wrong = replace(now.result, output=now.result.output + 1e-6, weights=now.result.weights * 1.0001)
    monkeypatch.setitem(now.__dict__, "result", wrong)
    failing = [check.name for check in checks(now) if not check.passed]
    assert len(failing) == 5
    assert any("nn.MultiheadAttention" in what for what in failing)
    assert any("add up" in what for what in failing)


@pytest.mark.parametrize("name", SETTINGS)
def test_the_code_reproduces_the_numbers_by_itself(name: str) -> None:
    setting, n_head = SETTINGS[name]
    now = Now(setting, LOOK, n_head)
    program = programs.snippet(now)
    assert "attn_core" not in program
    found = leaves(program)
    torch.testing.assert_close(found["weights"], now.result.weights, atol=1e-12, rtol=0)
    torch.testing.assert_close(found["output"], now.result.output, atol=1e-12, rtol=0)


def test_the_same_projections_serve_every_number_of_heads() -> None:
    one, four = (Now(OWN, LOOK, heads).module for heads in (1, 4))
    for name in ("W_q", "W_k", "W_v", "W_o"):
        torch.testing.assert_close(getattr(one, name).weight, getattr(four, name).weight)


def test_all_maps_are_packed_in_one_figure_within_its_limits() -> None:
    words_64 = " ".join(f"w{i}" for i in range(64))
    for setting in (OWN, replace(OWN, d_head=8), replace(OWN, text=words_64, d_model=64, mask="causal")):
        slider = heads_slider(setting)
        assert count_steps(packed(Moving("heads", setting, 0, slider), LOOK)) == len(slider.values)
    assert heads_slider(replace(OWN, d_head=8)).values == tuple(range(1, 17))
    # 136 maps of 64 x 64 are more than a figure takes; powers of two are left.
    assert heads_slider(replace(OWN, text=words_64, d_head=8)).values == (1, 2, 4, 8, 16)


def test_the_slider_offers_what_divides() -> None:
    for d_model in (1, 7, 12, 96):
        offered = heads_slider(replace(OWN, d_model=d_model)).values
        assert offered == tuple(h for h in range(1, 17) if d_model % h == 0)


def test_orders_follow_their_measure_and_ties_keep_their_number() -> None:
    result = stages(OWN, 8)
    assert set(MEASURES) == set(ORDER_BY.options[1:])
    for name, measure in MEASURES.items():
        values = measure(result)[order_of(name, result)]
        assert bool((values.diff() <= 0).all()), name
    assert order_of("number", result) == list(range(8))
    everything_masked = stages(replace(OWN, mask="padding", reach=63), 8)
    assert order_of("entropy", everything_masked) == list(range(8))


def test_switching_heads_off_takes_away_their_part_and_no_more() -> None:
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


def test_heads_off_are_those_that_are_there() -> None:
    now = Now(OWN, replace(LOOK, off=(1, 3, 4, 9)), 4)
    assert (now.off, now.shown_heads) == ([1, 3], [0, 2])


def test_the_ledger_follows_the_tensors() -> None:
    table = ledger(Now(SETTINGS["cross"][0], LOOK, 4))
    assert "| `B, n_key, d_model` | `1, 7, 11` | 77 |" in table
    assert "| `B, n_head, n_query, n_key` | `1, 4, 6, 7` | 168 |" in table
    assert len(STAGE_WORDS) == 6


def test_the_arithmetic_of_a_cell_ends_at_the_weight_that_is_drawn() -> None:
    at = open_page(tab="Arithmetic", head="3", q="2", k="1")
    weight = float(stages(OWN, 4).weights[2, 2, 1])
    formulas = "\n".join(element.value for element in at.latex)
    assert f"{weight:.6f}" in formulas
    result = stages(OWN, 4)
    q, k = result.query[2, 2], result.key[2, 1]
    assert f"= {arithmetic._number(float(q @ k))}" in formulas
    masked = open_page(tab="Arithmetic", head="3", q="0", k="1", hmask="causal")
    assert "This key is masked" in text(masked)


def test_a_cell_is_chosen_by_name_too() -> None:
    at = open_page(tab="Arithmetic")
    at.selectbox(key="pick-head").select(2).run()
    at.selectbox(key="pick-q").select(5).run()
    assert "In head 3, :violet[mat] asks" in text(at)


def test_a_number_of_heads_that_does_not_divide_is_answered_with_the_nearest() -> None:
    at = open_page(heads="3")
    assert "3 heads do not divide d_model = 8. The nearest that do are 2 and 4; 2 is shown." in captions(at)
    assert "2 heads of width 4" in text(at)
    at.slider(key="dm").set_value(9).run()
    assert "do not divide" not in captions(at)
    assert "3 heads of width 3" in text(at)


def test_more_heads_than_dimensions_is_answered() -> None:
    said = captions(open_page(heads="8", dm="4"))
    assert "8 heads do not divide d_model = 4, for there are only 4 dimensions" in said
    assert "The nearest that does is 4." in said


@pytest.mark.parametrize(
    ("name", "value", "used"),
    [
        ("heads", "0", "1"),
        ("heads", "17", "16"),
        ("dh", "0", "1"),
        ("dm", "129", "128"),
        ("kv", "-1", "1"),
    ],
)
def test_a_number_out_of_bounds_is_named_and_the_nearest_taken(name: str, value: str, used: str) -> None:
    at = open_page(**{name: value})
    assert f"The link's `{name}` was `{value}`; wanted: " in captions(at)
    assert f" {used} is used." in captions(at)
    assert not at.exception


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("heads", "four"),
        ("case", "<script>alert(1)</script>"),
        ("fault", "none"),
        ("off", "17"),
        ("hmask", "every second"),
        ("pos", "spiral"),
        ("hmoves", "nothing"),
        ("seed", "1e9"),
        ("nonsense", "1"),
    ],
)
def test_a_bad_link_is_named_and_the_default_taken(name: str, value: str) -> None:
    at = open_page(**{name: value})
    assert "The link's" in captions(at)
    assert "The default is used." in captions(at)
    assert "4 heads of width 2" in text(at)


def test_a_link_with_many_settings_is_followed() -> None:
    at = open_page(
        heads="2", dm="12", free="true", dh="5", wo="false", bias="true", hmask="causal", off=["1", "2"]
    )
    assert "2 heads of width 5" in text(at)
    assert "The link's" not in captions(at)
    assert at.toggle(key="bias").value is True
    assert "All heads are off" in captions(at)


def test_widths_that_differ_are_explained() -> None:
    at = open_page(cross="true", dmem="5")
    assert "Queries are 8 wide and keys 5" in captions(at)
    assert not at.exception


def test_a_mask_that_blocks_everything_or_fits_nothing_is_said() -> None:
    assert "With 5 at most, some are left" in captions(open_page(hmask="padding", reach="6"))
    said = captions(open_page(hmask="sliding window", cross="true", text2="one two"))
    assert "here are 6 and 2. Nothing is masked." in said


def test_hostile_and_empty_sentences() -> None:
    at = open_page(text="<script>alert(1)</script> $x^2$ [a](b)")
    assert not at.exception
    at.text_input(key="text").set_value("   ").run()
    assert not at.exception
    assert "No word here yet" in captions(at)
    at.text_input(key="text").set_value("word " * 500).run()
    assert "500 tokens. The first 64 are drawn." in captions(at)


def test_a_table_keeps_a_word_that_is_called_as_its_first_column() -> None:
    at = open_page(tab="Data", text="token meets Token")
    weights = next(each.value for each in at.dataframe if "meets" in each.value.columns)
    assert list(weights.columns) == [" ", "token", "meets", "Token"]
    np.testing.assert_allclose(
        weights["token"], stages(replace(OWN, text="token meets Token"), 4).weights[0, :, 0]
    )


def test_where_layers_cannot_follow_one_another_the_block_says_why() -> None:
    assert "attend to another sequence" in text(open_page(tab="Block", cross="true"))
    wide = text(open_page(tab="Block", free="true", dh="5", wo="false"))
    assert "the output here is 20 wide and the input 8" in wide


def test_names_of_the_variants_differ() -> None:
    assert len({name_of(*variant) for variant in VARIANTS}) == 6
    assert set(MISTAKES.values()) == set(PICTURES)


def test_the_single_head_is_plain_attention() -> None:
    n, result = sequences(OWN), stages(OWN, 1)
    module = Now(OWN, LOOK, 1).module
    assert module.W_o is not None
    q, k, v = (F.linear(n.query, m.weight) for m in (module.W_q, module.W_k, module.W_v))
    expected = F.linear(F.scaled_dot_product_attention(q, k, v), module.W_o.weight)
    torch.testing.assert_close(result.output, expected, atol=1e-12, rtol=0)


def test_sentences() -> None:
    assert words.maps([3.0], 6, 8, 8).startswith("1 head of width 8: one map")
    assert "every head are as spread as equal weights on 3.0 of 6 keys" in words.maps([3.0, 3.01], 6, 4, 8)
    assert (
        "Head 2 has the narrowest weights: as spread as equal weights on 1.5 of 6 keys, on average."
        in words.maps([3.0, 1.5], 6, 4, 8)
    )
    assert "cut" not in words.maps([3.0, 1.5], 6, 8, 8)
    assert "head 2 gives 0.30 more weight there than head 1" in words.against(0, 1, -0.3, "a", "b")
    assert "against itself" in words.against(1, 1, 0.0, "a", "b")
    assert "head 2 moves it most" in words.moved_most("a", [0.1, 0.9], 1.0, None)
    assert words.moved_most("a", [0.9], 1.0, None).startswith("a: the head adds a vector of length 0.9, and")
    assert "differ by less than 0.005" in words.against(0, 1, 0.004, "a", "b")
    assert words.moved_most("a", [0.1, 0.9], 1.0, 0.25).endswith("the output moves by 0.25.")
    assert "hold the same number" in words.parameters(256, 256, 4, 2, 8)
    assert "cost no more" not in words.parameters(256, 256, 4, 2, 8)
    assert "1,024 more" in words.parameters(2048, 1024, 4, 8, 16)
    assert "768 fewer" in words.parameters(256, 1024, 1, 4, 16)
    assert "Over heads 1 and 3: rows of the mean" in words.combined([0, 2], 1.4, 0.3)
    assert "Over head 2 alone" in words.combined([1], 1.0, 0.0)
    assert "no query may attend" in words.combined([0, 1], 0.0, 0.0, all_attend=False)
    assert "hardly differ" in words.combined([0, 1], 1.001, 0.001)
    assert "for the heads are equal" in words.combined([0, 1], 1.0, 0.0)
    assert words.combined([0, 1], 1.0, 1e-17, all_attend=False).endswith("for the heads are equal.")
    assert "differ by up to 0.0012." in words.combined([0, 1], 1.02, 0.00123)
    assert "but for the empty ones" in words.combined([0, 1], 1.4, 0.3, all_attend=False)
    assert "the same weights" in words.against(0, 1, 0.0, "a", "b")
    assert "the same weights" in words.against(0, 1, 1e-17, "a", "b")
    assert "nearly the same way, their cosines 0.001 below 1" in words.layers("x", 12, 1.0, 2.0, 0.999)
    assert words.does_not_divide(16, 1, [1], 1) == (
        "16 heads do not divide d_model = 1, for there is only 1 dimension. The nearest that does is 1."
    )
    assert words.layers("x", 2, 1.0, 2.0, None).endswith("there is no second token to be compared with.")
    assert "keep their mean length" in words.layers("x", 12, 1.0, 1.01, 0.5)
    assert "Before the first layer" in words.layers("x", 0, 1.0, 1.0, 0.5)


def test_every_setting_has_a_name_of_its_own() -> None:
    names = [parameter.name for parameter in page_settings.SETTINGS]
    assert len(names) == len(set(names))
    assert HEADS.values == tuple(range(1, 17))


@pytest.mark.parametrize("name", SETTINGS)
def test_shared_heads_and_the_cache_hold_on_every_setting(name: str) -> None:
    setting, n_head = SETTINGS[name]
    now = Now(setting, LOOK, n_head)
    for groups in divisors(n_head):
        found = shared_heads.checks(now, groups, 1)
        assert [check.name for check in found if not check.passed] == []
        if now.is_self_attention:
            assert [check.name for check in token_by_token.checks(now, groups) if not check.passed] == []


def test_a_wrong_cache_fails_its_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    now = Now(OWN, LOOK, 4)
    rows, kept = written(OWN, 4, 2)
    wrong = [*rows[:2], replace(rows[2], output=rows[2].output * 1.001), *rows[3:]]
    monkeypatch.setattr(token_by_token, "written", lambda *_: (wrong, kept))
    assert len([check for check in token_by_token.checks(now, 2) if not check.passed]) == 2


@pytest.mark.parametrize("name", ["default", "biases", "causal", "padding", "all masked", "concatenated"])
def test_the_code_of_shared_heads_and_of_the_cache_prints_their_numbers(name: str) -> None:
    setting, n_head = SETTINGS[name]
    now = Now(setting, LOOK, n_head)
    program, more = programs.snippet(now), programs.going_on(now)
    for groups in divisors(n_head):
        found = leaves(program + more.shared_heads(groups, cross=not now.is_self_attention))
        result = now.sharing(groups).result
        torch.testing.assert_close(found["shared_weights"], result.weights, atol=1e-12, rtol=0)
        torch.testing.assert_close(found["shared_output"], result.output, atol=1e-12, rtol=0)
    found = leaves(program + more.token_by_token())
    rows, kept = written(setting, n_head, n_head)
    torch.testing.assert_close(found["written"], torch.cat([row.output for row in rows]), atol=1e-12, rtol=0)
    assert found["kept_numbers"] == kept.numbers


def test_shared_heads_are_one_link() -> None:
    said = text(open_page(tab="Shared heads", kv="2", latent="3"))
    assert "| 2 | grouped-query | 192 |" in said
    assert "enable_gqa=True" in said
    assert "fails" not in said
    broken = open_page(tab="Break it", fault="key heads tiled", kv="2")
    assert "Heads 2 and 3 read another group's keys" in text(broken)
    assert "Here 4 heads share 2 heads of keys." in captions(broken)
    alone = open_page(tab="Break it", fault="key heads tiled", heads="1")
    assert "Nothing fails here" in text(alone)
    assert "Here 1 head has 1 head of keys to itself." in captions(alone)


@pytest.mark.parametrize("tab", ["Shared heads", "Block", "One or many"])
def test_the_widest_model_is_computed_once_for_all_runs(tab: str) -> None:
    """Its modules of 8 MB threw one another out: each run of *Shared heads* made all anew."""
    link = {"case": "the original Transformer", "tab": tab}
    open_page(**link)
    before = compute.fullness().misses
    open_page(**link)
    assert compute.fullness().misses == before


def test_the_cache_is_one_link() -> None:
    said = text(open_page(tab="Token by token", q="3"))
    assert "2 × 4 heads × 2 dimensions × 4 tokens = **64 numbers**" in said
    assert "fails" not in said
    assert "take one sentence" in text(open_page(tab="Token by token", cross="true"))


def test_sentences_on_what_is_kept() -> None:
    assert "multi-query attention (MQA) keeps 4 numbers a token where 16" in words.sharing(4, 1, 4, 16, 0.5)
    assert "each read by 2 heads" in words.sharing(4, 2, 8, 16, 0.5)
    assert words.latent(3, 8, 16, 0.25).endswith("only 3 of 8 directions are left.")
    assert "nothing is lost" in words.latent(8, 8, 16, 0.0)
    assert "nothing is kept yet" in words.writing("a", 0, 5, 5, 4)
    assert "reads 2 tokens kept before it: 50 operations in place of 100, 2.0 times" in words.writing(
        "a", 2, 50, 100, 4
    )


@pytest.mark.parametrize("name", SETTINGS)
def test_five_spellings_agree(name: str) -> None:
    setting, n_head = SETTINGS[name]
    now = Now(setting, LOOK, n_head)
    if not now.is_self_attention:
        return
    given = inputs(now.module, now.tokens.query, now.mask)
    assert [spelling.name for spelling in spelt(now.module)] == list(SPELLING.options)
    for spelling in spelt(now.module):
        shapes, output = run(spelling, given)
        torch.testing.assert_close(output, now.result.output, atol=1e-12, rtol=0)
        assert shapes[0] == (len(now.tokens.queries), 3 * n_head * now.module.d_head)
        scope = dict(given)
        exec(spelling.program, scope)
        torch.testing.assert_close(scope["output"], output, atol=0, rtol=0)
    assert len(spellings.checks(now)) == 5
    assert all(check.passed for check in spellings.checks(now))


def test_spellings_are_one_link_and_the_order_is_a_mistake() -> None:
    for spelling in SPELLING.options:
        said = text(open_page(tab="Spellings", spelling=spelling))
        assert "**output** `6 × 8`" in said
        assert "fails" not in said
    assert "take one sentence" in text(open_page(tab="Spellings", cross="true"))
    broken = text(open_page(tab="Break it", fault="(d k h) for (k h d)"))
    assert "what is read as the query holds 4 of the query and 4 of the key" in broken
    assert "two. Take one sentence" in text(
        open_page(tab="Break it", fault="(d k h) for (k h d)", cross="true")
    )


def test_the_wrong_order_is_that_of_einops() -> None:
    module, x = Now(OWN, LOOK, 4).module, sequences(OWN).query
    given = inputs(module, x, None)
    einops = spelt(module)[3]
    wrong = [replace(step, lines=step.lines.replace("(k h d)", "(d k h)")) for step in einops.steps]
    _, output = run(replace(einops, steps=tuple(wrong)), given)
    ours = MULTI_HEAD_MISTAKES["unpacked-in-another-order"].attend(module, x)
    torch.testing.assert_close(ours.output, output, atol=1e-12, rtol=0)


def test_one_token_alone_is_like_no_other() -> None:
    at = open_page(case="own sentence", text="alone", tab="Block", layers="3")
    assert any(said.endswith("there is no second token to be compared with.") for said in said_now(at))


@pytest.mark.parametrize(("d_head", "too"), [("2", "flat"), ("16", "sharp")])
def test_the_wrong_root_is_said_to_go_one_way(d_head: str, too: str) -> None:
    at = open_page(tab="Break it", fault="√d_model for √d_head", heads="2", free="true", dh=d_head)
    said = text(at)
    assert f"so the softmax is too {too}." in said
    assert "with fewer than d_model weights come out too flat, with more too sharp." in said


@pytest.mark.parametrize("residual", ["true", "false"])
@pytest.mark.parametrize("norm", ["none", "before", "after"])
def test_the_block_says_what_stands_around_attention(norm: str, residual: str) -> None:
    at = open_page(tab="Block", norm=norm, residual=residual)
    said = text(at)
    assert "same attention" not in said
    now = Now(OWN, LOOK, 4)
    layers = [draw(8, 4, d_head=None, d_key=8, bias=False, projection=True, seed=4 + at) for at in range(6)]
    states = repeat_block(layers, now.tokens.query, residual=residual == "true", norm=norm)
    lengths = states[1:].norm(dim=-1)
    one_length = bool((lengths / math.sqrt(8) - 1).abs().max() < 0.01)
    assert ("**layer norm** then brings every vector to one length" in said) == one_length
    assert ("goes on to the next layer keeps its own" in said) == (norm == "before")
    assert ("the input is **added**" in said) == (residual == "true")
    if norm == "none" and residual == "false":
        assert "point nearly the same way, their cosines" in said or "point the same way" in said


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
def test_tables_write_a_true_minus_and_keep_all_digits(link: dict[str, str]) -> None:
    at = open_page(tab="Data", **link)
    cells = shown_numbers(at)
    assert any(cell.startswith("−") for cell in cells)
    assert [cell for cell in cells if "-" in cell or (cell.startswith("−") and not float(cell[1:]))] == []
    numbers = np.concatenate([each.value.drop(columns=" ").to_numpy().ravel() for each in at.dataframe])
    assert len(numbers) == len(cells)
    for cell, value in zip(cells, numbers, strict=True):
        assert float(cell.replace("−", "-")) == pytest.approx(value, abs=5.1e-7)


def test_arithmetic_writes_zero_without_a_sign_and_small_numbers_as_powers() -> None:
    assert arithmetic._vector(torch.tensor([-0.0, 0.0, -1.5e-17, 0.25])) == (
        r"[0,\ 0,\ -1.5 \cdot 10^{-17},\ 0.25]"
    )
    blocked = open_page(tab="Arithmetic", hmask="causal", q="0", k="3")
    written = "\n".join(each.value for each in blocked.latex)
    assert not re.search(r"(?<![\d.])-0(?![.\d])", written)
    assert re.search(r"= -\d", written) or re.search(r"= \d", written)
    assert "= (-" not in written
    placed = open_page(tab="Arithmetic", pos="rotary", q="1", k="4")
    (bare,) = [each.value for each in placed.markdown if each.value.startswith("Without positions this")]
    assert "-" not in bare


def test_words_agree_with_one_and_with_many() -> None:
    first, second = (text(open_page(tab="Token by token", q=place)) for place in "01")
    assert "The first token and its one score a head are computed with the cache or without." in first
    assert "Without the cache all 2 tokens are projected again, and 3 scores a head are computed" in second
    for said in (first, second):
        assert not re.search(r"each of the 1 |\b1 (tokens|scores|dimensions|heads|pairs|queries)\b", said)
    assert "× 1 dimension ×" in text(open_page(tab="Token by token", heads="8"))
    assert "which reads 1 head of keys" in captions(open_page(tab="Token by token", heads="1"))
    assert words.latent(1, 8, 16, 0.1).endswith("only 1 of 8 directions is left.")
    assert words.latent(2, 8, 16, 0.1).endswith("only 2 of 8 directions are left.")
    assert "1 of 1 pair (100.0%)" in words.pairs(1, 1, [], 1)
    assert "equal weights on 1.0 of 1 key, on average" in text(open_page(text="a", heads="1"))
    assert "there is no other to compare it with" in text(open_page(view="two heads", heads="1"))
    assert "so 1 stands out." in text(open_page(text="a", dm="7", free="true", heads="3", view="one or many"))
    assert "16 heads would be 1 wide. 1, 2, 4 and 8 heads fit pairs" in captions(
        open_page(dm="16", pos="rotary", heads="16")
    )


def test_one_projection_for_all_promises_no_equal_maps_where_biases_part_them() -> None:
    said = text(open_page(tab="Break it", fault="one W for all heads", pos="buckets"))
    assert "maps still differ" in said
    assert "computes the same map" not in said


def test_measures_say_what_they_are_means_over() -> None:
    said = text(open_page(tab="Measures"))
    assert "Means over the 6 queries, *previous token* over the 5 that have a token before them." in said
    result = Now(OWN, LOOK, 4).result.weights
    of_five = result.diagonal(offset=-1, dim1=-2, dim2=-1).sum(dim=-1) / 5
    torch.testing.assert_close(MEASURES["previous token"](Now(OWN, LOOK, 4).result), of_five)
    assert "Of the only query; *previous token* is 0" in text(open_page(tab="Measures", text="a"))
    assert "*previous token* over the second query alone" in text(open_page(tab="Measures", text="a b"))
    blocked = open_page(tab="Measures", hmask="padding", reach="6", text="the cat sat on the mat")
    assert "no query may attend to any key, so all measures are 0" in text(blocked)


def test_heads_that_are_alike_are_not_ranked() -> None:
    assert "All heads have equal maps" in text(open_page(tab="Measures", text="the the the"))
    assert "The two heads have equal maps" in text(open_page(tab="Measures", text="a", heads="2"))
    close = [[1.0, 0.9999, 0.5], [0.9999, 1.0, 0.5], [0.5, 0.5, 1.0]]
    assert "Heads 1 and 2 look most alike (1 − 0.0001), heads" in measures.closest(close)
    even = [[1.0, 0.25, 0.25], [0.25, 1.0, 0.25], [0.25, 0.25, 1.0]]
    assert measures.closest(even).startswith("Every two heads are equally alike (0.250)")


SAME_SCORES = "all keys that a query sees score alike"
ONE_KEY = "no query may attend to more than one key"
APART = "the scores are so far apart that every query has all its weight on one key"
SCALE, ONE_W, TILED = "√d_model for √d_head", "one W for all heads", "key heads tiled"


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ({"fault": SCALE, "text": "q q", "pos": "ALiBi"}, SAME_SCORES),
        ({"fault": SCALE, "text": "the the the", "hmask": "causal"}, SAME_SCORES),
        ({"fault": SCALE, "text": "q q q q", "hmask": "sliding window"}, SAME_SCORES),
        ({"fault": SCALE, "text": "q", "cross": "true", "text2": "z z z"}, SAME_SCORES),
        ({"fault": SCALE, "text": "q r s", "hmask": "sliding window", "reach": "0"}, ONE_KEY),
        ({"fault": ONE_W, "text": "q q"}, SAME_SCORES),
        ({"fault": ONE_W, "text": "q"}, ONE_KEY),
        ({"fault": TILED, "text": "q q q", "heads": "4"}, SAME_SCORES),
        ({"fault": TILED, "text": "q", "heads": "4"}, ONE_KEY),
    ],
)
def test_why_maps_do_not_tell_is_the_reason_that_holds(link: dict[str, str], why: str) -> None:
    said = text(open_page(tab="Break it", **link))
    assert [each for each in (SAME_SCORES, ONE_KEY, APART) if each in said] == [why]


def test_scores_are_far_apart_only_where_each_row_has_all_its_weight_on_one_key() -> None:
    cold = replace(OWN, text="a b c", temperature=1e-6)
    assert stages(cold, 4).weights.amax(dim=-1).min() == 1
    assert break_it._why_same_maps(Now(cold, LOOK, 4)) == APART
    tied = replace(cold, text="a a b")
    assert stages(tied, 4).weights.amax(dim=-1).min() == 0.5
    assert break_it._why_same_maps(Now(tied, LOOK, 4)).startswith("all weight of a query is on the keys that")
    assert break_it._why_same_maps(Now(OWN, LOOK, 4)) == "on these numbers weights are the same"


@pytest.mark.parametrize("bias", [True, False])
def test_heads_add_up_names_the_bias_where_there_is_one(bias: bool) -> None:
    result = stages(replace(OWN, bias=bias), 2)
    missed = np.abs(result.output.numpy() - result.contributions.numpy().sum(axis=0)).max()
    said = text(open_page(tab="Heads add up", heads="2", bias=str(bias).lower()))
    assert ("**sum with one term a head**, and the bias b_o." in said) == bool(missed > 1e-9) == bias
    merged = text(open_page(tab="Break it", fault="merge without transpose", bias=str(bias).lower()))
    assert ("With the bias b_o they miss it" in merged) == bias


@pytest.mark.parametrize("norm", ["none", "after"])
def test_the_block_names_the_vectors_that_are_zero_and_averages_the_others(norm: str) -> None:
    link = {"text": "x y", "hmask": "own", "blocked": "0.0,0.1", "layers": "1", "residual": "false"}
    at = open_page(tab="Block", norm=norm, heads="1", **link)
    x = sequences(replace(OWN, text="x y")).query.numpy()
    module = draw(8, 1, d_head=None, d_key=8, bias=False, projection=True, seed=4)
    assert module.W_o is not None
    q, k, v, o = (each.weight.numpy() for each in (module.W_q, module.W_k, module.W_v, module.W_o))
    scores = np.exp((x[1] @ q.T) @ (x @ k.T).T / np.sqrt(8))
    output = scores / scores.sum() @ (x @ v.T) @ o.T
    if norm == "after":
        output = (output - output.mean()) / np.sqrt(output.var() + 1e-5)
    length = np.linalg.norm(output)
    told = next(each for each in said_now(at) if "layer" in each)
    assert "the vector of x is zero and has no direction; the other " in told
    assert f"{length:.3g}" in told
    assert "cosine" not in told
    assert told.endswith("there is no second one to be compared with.")
    whole = "brings every vector to one length, but for those whose numbers are all the same" in text(at)
    assert whole == (norm == "after")


@pytest.mark.parametrize(
    "link",
    [
        {"norm": "after", "dm": "1", "heads": "1"},
        {"norm": "none", "hmask": "padding", "reach": "6", "residual": "false", "layers": "1"},
    ],
)
def test_where_every_vector_is_zero_the_block_speaks_of_no_cosine(link: dict[str, str]) -> None:
    said = text(open_page(tab="Block", **link))
    assert "every vector is zero: none has a direction" in said
    assert "a cosine of" not in said
    assert "but for those whose numbers are all the same" in text(
        open_page(tab="Block", norm="before", dm="1")
    )


def test_all_heads_that_are_equally_narrow_are_named() -> None:
    kinds = [("hmask", "a pattern a head"), ("patterns", "causal"), ("patterns", "sliding window")]
    link = urlencode([*kinds, ("heads", "4"), ("text", "a a a a a"), ("reach", "1")])
    said = PAGES["multi-head"].at(link).sentence
    # Of equal words a query shares its weight equally among the keys that it sees.
    window, causal = np.mean([2, 3, 3, 3, 2]), np.mean([1, 2, 3, 4, 5])
    assert f"Heads 2 and 4 have the narrowest weights: as spread as equal weights on {window:.1f}" in said
    assert f"Heads 1 and 3 have the widest: {causal:.1f}." in said


def test_the_block_says_that_heads_switched_off_attend_in_it() -> None:
    link = {"tab": "Block", "text": "a b c", "heads": "2"}
    some_off, none_off = open_page(**link, off=["1", "2"]), open_page(**link)
    assert said_now(some_off)[-1] == said_now(none_off)[-1]
    assert "All heads attend, whatever the sidebar switches off" in captions(some_off)
    for more in ({"hmask": "causal"}, {"t": "0.1"}):
        assert said_now(open_page(**link, **more))[-1] != said_now(none_off)[-1]


def test_what_grows_with_the_heads_is_told_above_the_table_that_counts_it() -> None:
    said = text(open_page(tab="Shapes", heads="8"))
    rows = [
        line.strip("| ").split(" | ") for line in said.splitlines() if "of width" in line and " | " in line
    ]
    one, here = ([int(each.replace(",", "")) for each in row[1:]] for row in rows[:2])
    assert one[:2] == here[:2]  # parameters, and what the projections take
    assert one[2] < here[2]
    assert (
        "The projections take as many operations too; scaling and softmax take more with every head" in said
    )


@pytest.mark.parametrize("blocked", ["", "0.0,0.1"])
def test_measures_of_spread_leave_out_who_attends_to_nothing(blocked: str) -> None:
    cells = ((0, 0), (0, 1)) if blocked else ()
    setting = replace(OWN, text="x y", mask="own", masking=Masking(blocked=cells))
    weights = stages(setting, 4).weights.numpy()
    rows = [[row for row in head if row.any()] for head in weights]
    nats = [[-sum(w * math.log(w) for w in row if w) for row in head] for head in rows]
    spread = [float(np.mean(np.exp(head))) for head in nats]
    np.testing.assert_allclose(MEASURES["effective keys"](stages(setting, 4)), spread)
    np.testing.assert_allclose(MEASURES["entropy"](stages(setting, 4)), [np.mean(head) for head in nats])
    at = open_page(text="x y", hmask="own", blocked=blocked, tab="Measures")
    narrow = min(range(4), key=spread.__getitem__)
    assert (
        f"Head {narrow + 1} has the narrowest weights: as spread as equal weights on {spread[narrow]:.1f}"
        in text(at)
    )
    assert ("over the queries that may attend" in text(at)) == bool(blocked)
    assert ("leave out a query that may attend to nothing" in text(at)) == bool(blocked)
    nobody = text(open_page(hmask="padding", reach="6"))
    assert "no query may attend to any key, so every weight is zero" in nobody


def test_an_empty_map_is_not_said_to_sum_to_one() -> None:
    said = text(open_page(tab="Checks", hmask="padding", reach="6"))
    assert "| each row of each map sums to one, or is empty | :material/check: holds exactly |" in said


def test_one_head_is_not_compared_with_itself() -> None:
    shapes = text(open_page(tab="Shapes", heads="1"))
    assert "One head of width 8 holds 256 parameters." in shapes
    assert "each |" not in shapes
    assert "1 head of width 1 holds 32 parameters" in text(
        open_page(tab="Shapes", heads="1", free="true", dh="1")
    )
    assert "4 heads × 1 pair × (" in text(open_page(tab="One or many", text="a"))
    assert "every head are as spread as equal weights on 1.0 of 1 key, on average" in text(
        open_page(text="a")
    )


@pytest.mark.parametrize(
    ("link", "wanted"),
    [
        ("head=1&against=2", ""),
        ("head=1&against=2&off=3", ""),
        ("head=1&against=2&off=2", "Head 2 is off: it has no part in the output."),
        ("head=3&against=1&off=3&off=1", "Heads 1 and 3 are off: they have no part in the output."),
        ("head=2&against=2&off=2", "Head 2 is off: it has no part in the output."),
    ],
)
def test_two_heads_tell_which_of_them_is_off(link: str, wanted: str) -> None:
    said = PAGES["multi-head"].at(f"view=two+heads&{link}").sentence
    assert said.strip().endswith(wanted)
    assert ("off" in said) == bool(wanted)


def test_heads_that_are_equal_are_told_as_equal() -> None:
    zeros = ";".join(["0,0,0,0"] * 4)
    link = f"text=a+b+c&dm=4&heads=2&hand=true&W_q={zeros}&view=mean+and+max"
    page = PAGES["multi-head"].at(link)
    np.testing.assert_allclose(page.seen.now.result.weights, 1 / 3, atol=1e-15)
    assert "rows of the largest weight do too, for the heads are equal." in page.sentence


def test_what_moves_no_weight_is_told_as_that_and_words_stand_in_quotes() -> None:
    said = PAGES["multi-head"].at("pos=sinusoidal&strength=0").sentence
    assert said.strip().endswith("Positions (sinusoidal, strength 0) move no weight.")
    assert "weight by 0.001" in words.placed("ramp", 1.0, "head 1", 0.5, 0.5004)
    page = PAGES["multi-head"].at("hmask=own&text=a+b&blocked=0.0,0.1")
    assert any("The mask leaves “a” no key" in note for note in page.seen.notes)


def test_a_diagram_of_one_head_speaks_of_one() -> None:
    said = PAGES["multi-head"].at("view=diagram&heads=1").sentence
    assert said.strip().endswith("by a matrix of its own. W_o makes vectors 8 wide of its output.")
    said = PAGES["multi-head"].at("view=diagram&heads=4&kv=1").sentence
    assert "Keys and values have 1 head: 4 share it." in said
    assert said.strip().endswith("= 8. W_o mixes them into vectors 8 wide.")
