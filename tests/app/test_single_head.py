"""The single-head page: its presets' digits, every setting by link, and what it says of bad input."""

import json
import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
import torch.nn.functional as F
from streamlit.testing.v1 import AppTest

from attn_core import ATTENTION_SAMPLES, MASK_PATTERNS, Masking, make_mask
from attn_figures.matrix import NUMBERS_UP_TO
from attn_ui.base.masking import explain_mask
from attn_ui.base.shared_settings import TABLE_Q, TEMPERATURE, TEXT
from attn_ui.screen.typed_tables import apply_edits, matrix_of
from pages import PAGES
from pages.single_head.compute import at_every_step
from pages.single_head.head import make_head
from pages.single_head.settings import MASK, MASK_WIDTH, MOVES, STAGE, TAB
from pages.single_head.state import Inputs, Scoring, StageOptions, State
from tests.messages import caption_at
from tests.pages import open_sound, shown_under
from tests.run_programs import leaves
from tests.sentences import messages_in, numbers_in

opened = partial(open_sound, "single-head")


def text_of(at: AppTest) -> str:
    return "\n".join(each.value for each in [*at.markdown, *at.caption, *at.warning])


def picture_says(at: AppTest) -> str:
    """The sentence that travels with the main figure, at the slider's place."""
    apart, figure = (each.proto.bytes for each in at.get("bidi_component")[:2])
    end = 4 + int.from_bytes(figure[:4], "little")
    slider = json.loads(figure[4:end])["slider"]
    end = 4 + int.from_bytes(apart[:4], "little")
    assert json.loads(apart[4:end]) == {"key": "walk"}
    said = apart[end + 4 : end + 4 + int.from_bytes(apart[end : end + 4], "little")]
    return "".join(text for _, text in caption_at(said, slider["index"] if slider else 0))


def sidebar(at: AppTest) -> str:
    return "\n".join(each.value for each in at.sidebar.caption)


# ---- the presets' digits, WORKED_EXAMPLES ----


def scoring(masking: Masking | None = None, **more: Any) -> Scoring:
    settings: dict[str, Any] = {
        "scale": "1/√dₖ", "free_scale": 1.0, "temperature": TEMPERATURE, "width": MASK_WIDTH,
        "moves": "temperature",
    }  # fmt: skip
    return Scoring(masking or Masking(), **settings | more)


def weights_and_output(inputs: Inputs) -> tuple[torch.Tensor, torch.Tensor]:
    (result,) = at_every_step(State(inputs, scoring()))
    return torch.from_numpy(result.matrices.weights), torch.from_numpy(result.matrices.output)


def test_two_keys_one_query_have_their_worked_weights() -> None:
    weights, output = weights_and_output(Inputs(example="two keys, one query", qkv="as they are"))
    np.testing.assert_allclose(weights, [[0.00003067, 0.99996933]], atol=5e-9)
    np.testing.assert_allclose(output, [[6.999908, 7.999908, 8.999908]], atol=5e-7)


def test_i_love_dogs_has_its_weights_with_and_without_the_ramp() -> None:
    inputs = Inputs(example="I love dogs", qkv="as they are")
    plain, _ = weights_and_output(inputs)
    np.testing.assert_allclose(plain, np.where(np.eye(3), 0.451863, 0.274069), atol=5e-7)
    ramp, _ = weights_and_output(Inputs(example="I love dogs", qkv="as they are", ramp=True))
    expected = [
        [0.359867, 0.280265, 0.359867],
        [0.111457, 0.389025, 0.499518],
        [0.040690, 0.142023, 0.817287],
    ]
    np.testing.assert_allclose(ramp, expected, atol=5e-7)
    unit, _ = weights_and_output(Inputs(example="I love dogs", qkv="as they are", ramp=True, unit_rows=True))
    # With rows of equal length each token's own key wins again.
    assert unit.argmax(dim=1).tolist() == [0, 1, 2]


def test_i_love_ice_has_its_vectors_and_full_projections() -> None:
    head = make_head(Inputs(example="I love ice", seed=9))
    assert head.x is not None
    assert head.x.tolist() == [[1, 0, 1, 0], [0, 1, 1, 0], [1, 0.5, 0, 1]]
    assert head.projections is not None
    assert [tuple(each.shape) for each in head.projections] == [(4, 4)] * 3
    torch.testing.assert_close(head.query, head.x @ head.projections[0])
    other = make_head(Inputs(example="I love ice", seed=10))
    assert not torch.equal(head.query, other.query)


def test_one_query_and_ten_keys_open() -> None:
    inputs = Inputs(example="one query, ten keys", d_k=7, d_v=5)
    weights, output = weights_and_output(inputs)
    assert (tuple(weights.shape), tuple(output.shape)) == ((1, 10), (1, 5))
    assert make_head(inputs).is_cross
    assert ATTENTION_SAMPLES["cross-attention"].d_model == 20


@pytest.mark.parametrize("kind", MASK.options)
def test_every_mask_at_every_width_equals_torch(kind: str) -> None:
    inputs = Inputs(text="a b c d e f g", second_text="h i j k l", d_k=3, d_v=2)
    head, masking = make_head(inputs), Masking(kind, blocked_cells=((0, 1), (6, 4), (60, 60)))
    asked = scoring(masking, scale="free", free_scale=0.3, width=replace(MASK_WIDTH, values=tuple(range(9))))
    for result in at_every_step(State(inputs, asked), look=StageOptions(moves="mask width", temperature=0.7)):
        expected = F.scaled_dot_product_attention(
            head.query,
            head.key,
            head.value,
            attn_mask=make_mask(masking, 7, 5, result.width),
            scale=0.3 / 0.7,
        )
        np.testing.assert_allclose(result.matrices.output, expected, rtol=0, atol=1e-12)
        shares = result.matrices.exponentials / np.maximum(result.matrices.row_sums, 1e-300)
        np.testing.assert_allclose(shares, result.matrices.weights, rtol=0, atol=1e-12)


def test_each_step_equals_its_own_computation() -> None:
    inputs, asked = Inputs(text="a b c a"), scoring(Masking("causal"))
    together = at_every_step(State(inputs, asked), look=StageOptions(moves="temperature"))
    for step, temperature in enumerate(TEMPERATURE.values):
        (alone,) = at_every_step(State(inputs, asked), look=StageOptions(temperature=temperature))
        for name in ("scaled_scores", "weights", "output", "row_sums"):
            np.testing.assert_allclose(
                getattr(together[step].matrices, name), getattr(alone.matrices, name), rtol=0, atol=1e-13
            )
        assert together[step].temperature == temperature


def test_biases_are_added_to_the_same_projections() -> None:
    plain, biased = (make_head(Inputs(seed=9, bias=bias)) for bias in (False, True))
    assert plain.projections is not None
    assert biased.projections is not None
    assert plain.biases is None
    assert biased.biases is not None
    for name, one, other, bias in zip(
        ("query", "key", "value"), plain.projections, biased.projections, biased.biases, strict=True
    ):
        assert torch.equal(one, other)
        torch.testing.assert_close(getattr(biased, name), getattr(plain, name) + bias)
    assert biased.x is not None
    linear = torch.nn.Linear(6, 4, dtype=torch.float64)
    with torch.no_grad():
        linear.weight.copy_(biased.projections[1].mT)
        linear.bias.copy_(biased.biases[1][0])
    torch.testing.assert_close(biased.key, linear(biased.x).detach())


def test_word_has_equal_vectors_in_both_sentences() -> None:
    for vectors in ("random", "one-hot"):
        head = make_head(Inputs(text="the cat", second_text="a the", vectors=vectors))
        assert head.x is not None
        assert head.memory is not None
        assert torch.equal(head.x[0], head.memory[1])


# ---- the page ----


@pytest.mark.parametrize("tab", TAB.options)
@pytest.mark.parametrize("stage", STAGE.options)
def test_every_stage_opens_with_every_tab(stage: str, tab: str) -> None:
    at = opened(tab=tab, stage=stage, mask="causal", bias="true")
    assert shown_under(at, tab, TAB)
    assert at.get("bidi_component")


@pytest.mark.parametrize(
    "settings",
    [
        {"mask": "global + local", "global": "6", "moves": "mask width"},
        {"mask": "block-sparse", "blocks": "5", "moves": "mask width"},
        {"mask": "sliding window", "text": "one", "moves": "mask width"},
        {"mask": "dilated", "text": "one", "gap": "8", "moves": "mask width"},
        {"mask": "prefix", "example": "one query, ten keys", "moves": "mask width"},
    ],
)
def test_masks_that_block_nothing_at_any_width_open(settings: dict[str, str]) -> None:
    assert opened(**settings).get("bidi_component")


@pytest.mark.parametrize(("stage", "offers"), [("weights", True), ("scores", False), ("threshold", False)])
def test_slider_is_chosen_where_a_stage_has_it(stage: str, offers: bool) -> None:
    labels = PAGES["single-head"].at(f"mask=causal+window&stage={stage}").controls.labels
    assert (MOVES.name in labels) == offers


def test_arithmetic_follows_the_selected_cell_to_the_digit() -> None:
    at = opened(example="two keys, one query", k="1")
    words = text_of(at)
    for digits in ("**50**", "50 ÷ √3 ÷ 1.00 | 28.8675", "**0.999969**", "6.99991 | 7.99991 | 8.99991"):
        assert digits in words
    at.selectbox(key="pick-k").set_value(0).run()
    assert "**32**" in text_of(at)
    assert "**0.000031**" in text_of(at)
    assert "k" not in at.query_params


@pytest.mark.parametrize("temperature", TEMPERATURE.texts()[1:-1:5])
def test_arithmetic_of_scaling_computes_its_result(temperature: str) -> None:
    told = text_of(open_sound("single-head", tab="Arithmetic", t=temperature)).replace("−", "-")
    step = re.search(r"\| scaled \| (\S+) ÷ √(\d+) ÷ (\S+) \| (\S+) \|", told)
    assert step is not None
    score, width, divisor, result = map(float, step.groups())
    assert divisor == float(temperature)
    assert score / width**0.5 / divisor == pytest.approx(result, rel=1e-5)


# ---- bad input ----


def test_sentence_empty_or_of_500_words_has_a_picture() -> None:
    at = opened(text="one two three")
    at.text_input(key="text").set_value("  ").run()
    assert not at.exception
    assert messages_in(sidebar(at), sentence=TEXT.default)
    words = " ".join(["word"] * 500)
    at.text_input(key="text").set_value(words).run()
    assert messages_in(sidebar(at), count=500, most=64)
    assert at.text_input(key="text").value == words


HOSTILE = (
    "<script>alert(1)</script> <b>x</b> %{z} $x^2$ [a](b) :red[x] 👩‍👩‍👧 שלום `c` *e* _u_ ~s~ | # - &amp; \\"
)


@pytest.mark.parametrize("tab", ["Arithmetic", "Data", "Code"])
def test_foreign_text_is_escaped_in_every_sentence(tab: str) -> None:
    at = opened(text=HOSTILE, vectors="typed", tab=tab)
    for query in range(0, 50, 7):
        at.query_params["q"] = at.query_params["k"] = str(query)
        at.segmented_control(key="stage").set_value(STAGE.options[query // 7]).run()
        assert not at.exception
        # A backslash stands before each mark that markdown would read.
        for value in (each.value for each in [*at.markdown[1:], *at.caption]):
            assert not re.search(r":(violet|orange)\[[^\]]*(?<!\\)[<>$*_`~&]", value), value


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"Q": "1,2", "K": "1,2,3", "V": "1"}, "Q has width 2 and K width 3"),
        ({"Q": "1,2", "K": "1,2;3,4", "V": "1"}, "K has 2 rows and V has 1"),
    ],
)
def test_tables_that_do_not_fit_are_named(settings: dict[str, str], sentence: str) -> None:
    at = opened(qkv="typed", tab="Data", **settings)
    assert sentence in sidebar(at)
    assert at.get("bidi_component")


def test_vectors_of_two_widths_are_named() -> None:
    at = opened(vectors="typed", cross="true", X="1,2", Y="1,2,3")
    assert "X has width 2 and Y width 3" in sidebar(at)


def test_typed_tables_start_from_the_screen_and_are_in_the_link() -> None:
    at = opened(text="red green", vectors="one-hot", qkv="as they are")
    at.selectbox(key="qkv").set_value("typed").run()
    assert not at.exception
    for name in "QKV":
        assert at.query_params[name] in ("1,0;0,1", ["1,0;0,1"])


@pytest.mark.parametrize(
    ("settings", "shape"),
    [
        ({"Q": "1,2,3"}, (1, 3)),
        ({"Q": "nan,1,2"}, (6, 4)),
        ({"Q": "nan,1,2", "K": "4,5,6;7,8,9", "V": "1;2"}, (2, 3)),
        ({"V": "1;2;3"}, (6, 4)),
        ({"K": "1,2;3,4"}, (2, 2)),
        ({"Q": "1,2", "V": "1;2;3"}, (1, 2)),
    ],
)
def test_missing_table_starts_from_what_fits_the_others(
    settings: dict[str, str], shape: tuple[int, int]
) -> None:
    at = opened(qkv="typed", tab="Code", **settings)
    assert tuple(leaves(at.code[0].value)["Q"].shape) == shape


def test_prefix_starts_wider_than_the_causal_mask() -> None:
    at = opened(stage="masked")
    at.selectbox(key="mask").set_value("prefix").run()
    assert at.query_params["w"] in ("2", ["2"])


def test_bare_address_opens_as_an_empty_link() -> None:
    at = opened()
    assert not at.query_params
    assert picture_says(at) == picture_says(opened(q="0", k="0"))


def test_own_mask_cell_is_blocked_without_a_mouse() -> None:
    at = opened(text="a b c", mask="own", tab="Arithmetic")
    at.selectbox(key="pick-q").set_value(2).run()
    next(button for button in at.button if button.label == "Block this cell").click().run()
    assert at.query_params["blocked"] in ("2.0", ["2.0"])
    next(button for button in at.button if button.label == "Free this cell").click().run()
    assert "blocked" not in at.query_params


def test_editor_report_becomes_the_table() -> None:
    frame = pd.DataFrame([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], columns=["1", "2"])
    changes = {
        "edited_rows": {0: {"2": -1}, "2": {"1": None}},
        "deleted_rows": [1],
        "added_rows": [{"1": 7, "2": 8}, {"2": 9}],
    }
    wanted = [[1, -1], [np.nan, 6], [7, 8], [np.nan, 9]]
    np.testing.assert_array_equal(apply_edits(frame, changes), wanted)


@pytest.mark.parametrize(
    ("text", "rows"),
    [("1,2\n3,4", [[1, 2], [3, 4]]), ("1 2;3 4;", [[1, 2], [3, 4]]), ("  1\t-2e1 \n\n", [[1, -20]])],
)
def test_pasted_matrix_is_read(text: str, rows: list[list[float]]) -> None:
    assert matrix_of(text, TABLE_Q) == (rows, "")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,2\n3", {1, 2}),
        ("1,a", {1}),
        ("1;-1001", {2, 1, -1000, 1000}),
        (" ".join(["1"] * 17), {17, 16}),
        (";".join(["1"] * 65), {65, 64}),
    ],
)
def test_pasted_matrix_that_cannot_be_used_is_named(text: str, numbers: set[float]) -> None:
    assert {*numbers_in(matrix_of(text, TABLE_Q)[1])} >= numbers


def test_pasted_matrix_replaces_the_table_unless_it_is_bad() -> None:
    at = opened(qkv="typed", Q="1,2", K="1,2", V="3", tab="Data")
    at.text_area(key="_paste_Q").set_value("5 6\n7 8").run()
    assert not at.exception
    assert at.query_params["Q"] in ("5,6;7,8", ["5,6;7,8"])
    assert at.text_area(key="_paste_Q").value == ""
    at.text_area(key="_paste_Q").set_value("5 x").run()
    assert matrix_of("5 x", TABLE_Q)[1] in text_of(at)
    assert at.text_area(key="_paste_Q").value == "5 x"
    assert at.query_params["Q"] in ("5,6;7,8", ["5,6;7,8"])


@pytest.mark.parametrize(
    ("page", "link", "said"),
    [
        ("single-head", "mask=causal", "mask: causal"),
        ("single-head", "", ""),
        ("single-head", "mask=causal&stage=X", ""),  # no mask has come to these
        ("multi-head", "hmask=causal", "mask: causal"),
        ("multi-head", "hmask=a pattern a head&patterns=causal", "mask: causal"),
        (
            "multi-head",
            "hmask=a pattern a head&patterns=causal&patterns=sliding window",
            "masks, head by head: causal, sliding window",
        ),
    ],
)
def test_saved_picture_names_its_mask(page: str, link: str, said: str) -> None:
    figure = PAGES[page].at(link).view.figure
    assert figure
    assert figure.caption == said


@pytest.mark.parametrize(
    ("count", "power"),
    [(NUMBERS_UP_TO, 1.0), (NUMBERS_UP_TO + 1, 2.0)],  # without numbers colours alone tell small weights
)
def test_weight_colours_are_bent_for_many_keys(count: int, power: float) -> None:
    words = "+".join(f"word{place}" for place in range(count))
    at = PAGES["single-head"].at(f"text={words}&colours=even")  # a setting that old links have
    assert at.dropped == []
    assert at.view.result.matrices.ramp_power == power


def test_mask_help_is_the_sentence_of_its_own_term() -> None:
    texts = {kind: explain_mask(kind) for kind in MASK_PATTERNS}
    assert {kind for kind, text in texts.items() if text is None} == {"none", "own"}
    for kind, term in {"causal": "causal mask", "causal window": "window of 4", "packed": "packed"}.items():
        assert term in (texts[kind] or "").lower()
    app = open_sound("single-head", mask="causal window", w="3")
    assert app.selectbox(key="mask").help == texts["causal window"]
