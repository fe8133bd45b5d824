"""Weights that are drawn in one of several ways, or set by hand: links, tables, files, programs, numbers."""

import io
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from attn_core import INITS
from attn_ui.base.hand_weight_settings import TABLES, Weight
from attn_ui.base.parameters import Choice, parameters_by_name
from attn_ui.screen.matrices_file import csv_of, npz_of
from attn_ui.screen.weights_tab import texts_in_file
from pages.multi_head.compute import sequences
from pages.multi_head.head_count_study import plain_setting, study_head_counts
from pages.multi_head.settings import SETTINGS as HEADS_SETTINGS
from pages.single_head.settings import SETTINGS as HEAD_SETTINGS
from tests import run_programs
from tests.app.test_multi_head import OWN
from tests.pages import open_page
from tests.sentences import messages_in, numbers_in

Numbers = NDArray[np.float64]
WORDS = {"text": "a b c", "vectors": "one-hot"}  # d_model 3, X the identity


def normal(seed: int, shape: tuple[int, ...]) -> Numbers:
    return np.random.default_rng(seed).normal(size=shape).round(3)


def link_of(matrices: dict[str, Numbers]) -> dict[str, str]:
    return {name: TABLES[name].text(np.atleast_2d(each).tolist()) for name, each in matrices.items()}


def softmax(scores: Numbers) -> Numbers:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def output_shown(at: AppTest) -> Numbers:
    """The last table of the tab Data."""
    assert not at.exception
    return run_programs.table(at, len(at.dataframe) - 1)


def sidebar(at: AppTest) -> str:
    return "\n".join(str(each.value) for each in at.sidebar.caption)


def text_of(at: AppTest) -> str:
    return "\n".join(str(each.value) for kind in (at.markdown, at.caption) for each in kind)


def parameter(at: AppTest, name: str) -> str:
    value = at.query_params[name]
    return value if isinstance(value, str) else value[0]


# ---- how weights are drawn ----


@pytest.mark.parametrize("page", [HEAD_SETTINGS, HEADS_SETTINGS])
def test_weight_names_in_links_are_unchanged(page: Any) -> None:
    """Public: never change them."""
    named = parameters_by_name(page)
    assert named["init"].default == "Glorot uniform"
    init = named["init"]
    assert isinstance(init, Choice)
    assert init.options == ("Glorot uniform", "scaled normal", "standard normal", "nn.Linear")
    assert {"hand", "W_q", "W_k", "W_v", "b_q", "b_k", "b_v"} <= set(named)
    assert named["hand"].default is False


@pytest.mark.parametrize("name", INITS)
def test_single_head_weights_follow_their_initialisation(name: str) -> None:
    at = open_page("single-head", init=name, seed="7", tab="Data", **WORDS)
    generator = torch.Generator().manual_seed(7)
    W_q, W_k, W_v = (by_torch(name, 3, 4, generator) for _ in "qkv")
    np.testing.assert_allclose(output_shown(at), softmax(W_q @ W_k.T / 2) @ W_v, atol=1e-9)


def by_torch(name: str, d_in: int, d_out: int, generator: torch.Generator) -> Numbers:
    """A weight as X W takes it, drawn by torch's own initialiser."""
    weight = torch.empty(d_out, d_in, dtype=torch.float64)
    match name:
        case "Glorot uniform":
            torch.nn.init.xavier_uniform_(weight, generator=generator)
        case "nn.Linear":
            torch.nn.init.kaiming_uniform_(weight, a=math.sqrt(5), generator=generator)
        case _:
            std = 1.0 if name == "standard normal" else 1 / math.sqrt(d_in)
            torch.nn.init.normal_(weight, std=std, generator=generator)
    return np.asarray(weight.T)


@pytest.mark.parametrize("name", INITS)
def test_many_heads_weights_follow_their_initialisation(name: str) -> None:
    at = open_page("multi-head", init=name, heads="2", dm="4", text="a b c", tab="Data")
    x = run_programs.table(at, 0)
    generator = torch.Generator().manual_seed(4)
    every = dict(
        zip(("W_q", "W_k", "W_v", "W_o"), (by_torch(name, 4, 4, generator) for _ in range(4)), strict=True)
    )
    np.testing.assert_allclose(output_shown(at), two_heads(x, every), atol=1e-9)


def two_heads(x: Numbers, given: dict[str, Numbers]) -> Numbers:
    """Self-attention with two heads, by NumPy, from weights as X W takes them."""
    q, k, v = (x @ given[f"W_{each}"] + given.get(f"b_{each}", 0) for each in "qkv")
    d_head = q.shape[1] // 2
    cuts = [slice(0, d_head), slice(d_head, None)]
    heads = [softmax(q[:, cut] @ k[:, cut].T / math.sqrt(d_head)) @ v[:, cut] for cut in cuts]
    return np.asarray(np.concatenate(heads, axis=1) @ given["W_o"] + given.get("b_o", 0))


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("link", "numbers"),
    [
        ({}, [0.535]),
        ({"dv": "8"}, [0.535, 0.426]),
        ({"init": "standard normal", "d": "4", "vectors": "random"}, [1, 2]),
        ({"init": "scaled normal"}, [0.577, 1]),
        ({"init": "nn.Linear", "d": "1", "vectors": "random", "bias": "true"}, [0.577, 0.577]),
    ],
)
def test_sidebar_has_the_scale_of_weights(link: dict[str, str], numbers: list[float]) -> None:
    told = sidebar(open_page("single-head", **{**WORDS, **link}))
    (line,) = [each for each in told.splitlines() if messages_in(each, "numbers")]
    assert numbers_in(line)[: len(numbers)] == numbers


def test_bias_is_left_out_of_a_vector_times_weights() -> None:
    draw = torch.Generator().manual_seed(1)
    x = torch.randn(200_000, 1, dtype=torch.float64, generator=draw)
    made = [torch.nn.Linear(1, 1, dtype=torch.float64) for _ in range(400)]
    with torch.no_grad():
        sizes = [
            float(torch.cat([layer(x[at::400]) - bias * layer.bias for at, layer in enumerate(made)]).std())
            for bias in (0, 1)
        ]
    assert sizes == [pytest.approx((2 / 3) ** 0.5, rel=0.1), pytest.approx((1 / 3) ** 0.5, rel=0.1)]


# ---- set by hand ----


@pytest.mark.parametrize("bias", [False, True])
def test_one_head_of_typed_tables_equals_numpy(bias: bool) -> None:
    given = {f"W_{each}": normal(at, (3, 4)) for at, each in enumerate("qkv")}
    given |= {f"b_{each}": normal(at + 5, (4,)) for at, each in enumerate("qkv")} if bias else {}
    at = open_page("single-head", hand="true", tab="Data", bias=str(bias).lower(), **WORDS, **link_of(given))
    Q, K, V = (given[f"W_{each}"] + given.get(f"b_{each}", 0) for each in "qkv")  # X is the identity
    np.testing.assert_allclose(output_shown(at), softmax(Q @ K.T / 2) @ V, atol=1e-12)
    assert not messages_in(sidebar(at), "numbers")


@pytest.mark.parametrize("bias", [False, True])
def test_two_heads_of_typed_tables_equal_numpy(bias: bool) -> None:
    given = {f"W_{each}": normal(at, (4, 4)) for at, each in enumerate("qkvo")}
    given |= {f"b_{each}": normal(at + 5, (4,)) for at, each in enumerate("qkvo")} if bias else {}
    link = {"hand": "true", "heads": "2", "dm": "4", "text": "a b c", "bias": str(bias).lower()}
    at = open_page("multi-head", tab="Data", **link, **link_of(given))
    np.testing.assert_allclose(output_shown(at), two_heads(run_programs.table(at, 0), given), atol=1e-12)
    names = "W_q, W_k, W_v, W_o, b_q, b_k, b_v and b_o" if bias else "W_q, W_k, W_v and W_o"
    assert messages_in(text_of(at), names=names)


def test_untyped_weights_are_drawn_as_before() -> None:
    W_k = normal(1, (3, 4))
    at = open_page("single-head", hand="true", tab="Data", seed="7", **WORDS, **link_of({"W_k": W_k}))
    generator = torch.Generator().manual_seed(7)
    W_q, _, W_v = (by_torch("Glorot uniform", 3, 4, generator) for _ in "qkv")
    np.testing.assert_allclose(output_shown(at), softmax(W_q @ W_k.T / 2) @ W_v, atol=1e-9)
    assert messages_in(sidebar(at), names="W_k", others="W_q and W_v")


@pytest.mark.parametrize("page", ["single-head", "multi-head"])
def test_typed_weights_switched_on_change_no_number(page: str) -> None:
    init = {"init": "standard normal", "tab": "Data"}
    np.testing.assert_array_equal(
        output_shown(open_page(page, **init)), output_shown(open_page(page, hand="true", **init))
    )


def test_typed_table_stays_in_the_link_while_weights_are_drawn() -> None:
    link = link_of({"W_q": normal(0, (3, 4))})
    plain = output_shown(open_page("single-head", tab="Data", **WORDS))
    at = open_page("single-head", tab="Data", **WORDS, **link)
    np.testing.assert_array_equal(output_shown(at), plain)
    at.toggle(key="hand").set_value(True).run()
    assert parameter(at, "W_q") == link["W_q"]
    assert np.abs(output_shown(at) - plain).max() > 0.01


def test_typed_table_that_does_not_fit_is_named_and_stays() -> None:
    at = open_page("single-head", hand="true", tab="Data", **WORDS, **link_of({"W_q": normal(0, (4, 3))}))
    assert messages_in(sidebar(at), name="W_q", wanted="3 × 4", came="4 × 3")
    np.testing.assert_array_equal(
        output_shown(at), output_shown(open_page("single-head", tab="Data", **WORDS))
    )
    assert len(parameter(at, "W_q").split(";")) == 4
    # Where the sizes become its own, it is texts_in_file.
    at.text_input(key="text").set_value("a b c d").run()
    at.slider(key="dk").set_value(3).run()
    assert messages_in(sidebar(at), "others", names="W_q")


def test_free_width_heads_take_a_table_of_their_number() -> None:
    link = {"hand": "true", "free": "true", "dh": "2", "dm": "4", "text": "a b c", "tab": "Data"}
    link |= link_of({"W_q": normal(0, (4, 6))})
    with_three = open_page("multi-head", **link, heads="3")
    assert messages_in(sidebar(with_three), "names")[0]["names"].startswith("W_q")
    with_two = open_page("multi-head", **link, heads="2")
    del link["hand"]
    np.testing.assert_array_equal(
        output_shown(with_two), output_shown(open_page("multi-head", **link, heads="2"))
    )


def test_typed_weights_can_all_be_drawn_again() -> None:
    at = open_page("multi-head", hand="true", dm="2", heads="1", W_q="1,2;3,4", W_o="1,0;0,1")
    next(each for each in at.button if each.label == "Take all from the seed again").click().run()
    assert "W_q" not in at.query_params
    assert "W_o" not in at.query_params
    assert messages_in(sidebar(at), names="W_q, W_k, W_v and W_o")


@pytest.mark.parametrize("name", INITS)
def test_one_or_many_study_uses_the_initialisation(name: str) -> None:
    setting = replace(OWN, init=name, bias=False, weights=(("W_q", ((1.0,),)),))
    x = np.asarray(sequences(setting).query)
    generator = torch.Generator().manual_seed(setting.seed)
    W_q, W_k = (by_torch(name, x.shape[1], x.shape[1], generator) for _ in "qk")
    weights = softmax(x @ W_q @ (x @ W_k).T / math.sqrt(x.shape[1]))
    entropy = -(weights * np.log(weights)).sum(axis=-1).mean()
    assert float(study_head_counts(plain_setting(setting)).entropy[0, 0]) == pytest.approx(entropy, abs=1e-9)


# ---- links and tables ----


@pytest.mark.parametrize("page", ["single-head", "multi-head"])
def test_typed_weights_survive_a_round_trip_through_the_link(page: str) -> None:
    d_out = 4 if page == "single-head" else 6
    W_q = np.random.default_rng(3).normal(size=(6, d_out))  # with all their digits
    link = {"hand": "true", "dm": "6", "heads": "2"} if page == "multi-head" else {"hand": "true"}
    at = open_page(page, tab="Data", **link, **link_of({"W_q": W_q}))
    found = TABLES["W_q"].rows(parameter(at, "W_q"))
    np.testing.assert_array_equal(np.array(found), W_q)
    again = open_page(page, tab="Data", **link, W_q=parameter(at, "W_q"))
    np.testing.assert_array_equal(output_shown(again), output_shown(at))
    np.testing.assert_array_equal(again.session_state["_edit_W_q_1_start"][0].to_numpy(), W_q)


def test_pasted_weight_of_another_shape_stays_in_its_field() -> None:
    at = open_page("single-head", hand="true", tab="Data", dk="2", **WORDS)
    at.selectbox(key="_weight_pasted").set_value("W_k").run()
    at.text_area(key="_weight_text").set_value("1 2\n3 4").run()
    assert messages_in(text_of(at), name="W_k", wanted="3 × 2", came="2 × 2")
    assert "W_k" not in at.query_params
    at.text_area(key="_weight_text").set_value("1 2\n3 4\n5 0.125").run()
    assert not at.exception
    assert parameter(at, "W_k") == "1,2;3,4;5,0.125"
    assert not messages_in(text_of(at), "wanted", "came", name="W_k")


def test_typed_weights_start_from_the_screen_and_follow_the_seed() -> None:
    at = open_page("single-head", hand="true", tab="Data", seed="7", **WORDS)
    W_q = by_torch("Glorot uniform", 3, 4, torch.Generator().manual_seed(7))
    np.testing.assert_allclose(started(at, "W_q"), W_q, rtol=1e-5)
    at.number_input(key="seed").set_value(8).run()
    W_q = by_torch("Glorot uniform", 3, 4, torch.Generator().manual_seed(8))
    np.testing.assert_allclose(started(at, "W_q"), W_q, rtol=1e-5)


def started(at: AppTest, name: str) -> Numbers:
    """The numbers that the editor of a table that is drawn started from."""
    return np.asarray(at.session_state[f"_edit_{name}_0_start"][0].to_numpy())


def test_vectors_and_weights_are_typed_on_one_page() -> None:
    given = {"X": normal(8, (3, 2)), "W_q": normal(9, (2, 4))}
    link = {name: TABLES["W_q"].text(each.tolist()) for name, each in given.items()}
    at = open_page("single-head", hand="true", tab="Data", text="a b c", vectors="typed", **link)
    generator = torch.Generator().manual_seed(4)
    _, W_k, W_v = (by_torch("Glorot uniform", 2, 4, generator) for _ in "qkv")
    Q, K, V = (given["X"] @ each for each in (given["W_q"], W_k, W_v))
    np.testing.assert_allclose(output_shown(at), softmax(Q @ K.T / 2) @ V, atol=1e-9)


# ---- files ----

WANTED = [
    Weight("W_q", (2, 3), "d_model × d_k"),
    Weight("W_k", (2, 3), "d_model × d_k"),
    Weight("b_q", (1, 3), "1 × d_k"),
]
GIVEN = {"W_q": np.array([[1.0, 0.1, -2.5], [1 / 3, 0.0, 1e-7]]), "b_q": np.array([[0.5, 1.0, 2.0]])}


def as_json(matrices: dict[str, Any]) -> bytes:
    return json.dumps({name: np.asarray(each).tolist() for name, each in matrices.items()}).encode()


def as_npz(**arrays: Any) -> bytes:
    held = io.BytesIO()
    np.savez(held, **arrays)
    return held.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("w.csv", csv_of(GIVEN)),
        ("w.NPZ", npz_of(GIVEN)),
        ("w.json", as_json(GIVEN)),
        ("w.npz", as_npz(W_q=GIVEN["W_q"], b_q=GIVEN["b_q"][0], step=np.arange(3), more=np.array(["x"]))),
        ("w.json", as_json({"W_q": GIVEN["W_q"], "b_q": GIVEN["b_q"][0], "epoch": 3})),
        ("w.json", as_json({"W_q": GIVEN["W_q"], "b_q": GIVEN["b_q"].T})),
        ("w.csv", csv_of(GIVEN).replace(b",", b"\t").replace(b"\n", b"\r\n")),
        ("w.csv", b"\xef\xbb\xbf" + csv_of(GIVEN).replace(b",", b";").replace(b".", b",")),
    ],
)
def test_weights_file_is_read_with_all_digits(name: str, content: bytes) -> None:
    texts = texts_in_file(name, content, WANTED)
    assert set(texts) == set(GIVEN)
    for each, text in texts.items():
        np.testing.assert_array_equal(np.array(TABLES[each].rows(text)), GIVEN[each])


def test_weights_file_of_one_matrix_has_its_name() -> None:
    assert texts_in_file("W_k (1).csv", b"1,2,3\n4,5,6\n", WANTED) == {"W_k": "1,2,3;4,5,6"}
    assert texts_in_file("W_k.csv", b"row,h1.1,h1.2,h1.3\n1,1,2,3\n2,4,5,6\n", WANTED) == {
        "W_k": "1,2,3;4,5,6"
    }


NO_MATRIX = "Wanted rows and columns of numbers under W_q."


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("w.txt", b"1", "Wanted a file of CSV, JSON, NPZ; got `w.txt`."),
        ("w.csv", b"1,2\n", "in front of each row, or as the file's name; got `w.csv`"),
        ("w.csv", b"", "Wanted W_q, W_k or b_q in front of each row"),
        ("w.csv", b"W_q,1,2,3\nW_q,4,5\n", "The rows of W_q hold 2, 3 numbers: all need as many"),
        ("w.csv", b"W_q,1,2,3\nW_q,4,5,x\n", "Row 2 of W_q holds something that is not a number"),
        ("w.csv", b"W_q,1,2,3\nW_q,4,5,1_0\n", "Row 2 of W_q holds something that is not a number"),
        ("w.csv", b"W_q,1,2\nW_q,4,5\n", "W_q must be 2 × 3 (d_model × d_k); it is 2 × 2."),
        ("w.csv", b"W_q,1,2\nW_q,4,5\nW_q,0,0\n", "it is 3 × 2, the transpose, as nn.Linear's weight is."),
        ("w.csv", b"W_q,1,2,3\nW_q,4,5,nan\n", "Row 2, column 3 of W_q must be a number"),
        ("w.csv", b"\xff\xfe\x00", "Wanted CSV, UTF-8;"),
        ("W_q.csv", b"", "The rows of W_q hold  numbers"),
        ("w.json", b"[1, 2]", "Wanted JSON, {"),
        ("w.json", b"{", "Wanted JSON; this is none, or was cut off"),
        ("w.json", b"[" * 100_000, "Wanted JSON; this is none, or was cut off"),
        ("w.json", b'{"W_q": [[1, 2, true]]}', NO_MATRIX),
        ("w.json", b'{"W_q": [[[1]]]}', NO_MATRIX),
        ("w.json", b'{"W_q": [[1, 2, 1' + b"0" * 400 + b"], [1, 2, 3]]}", "a number from −1000 to 1000"),
        ("w.json", b'{"W_q": [[1, 2, NaN], [1, 2, 3]]}', "Row 1, column 3 of W_q must be a number"),
        ("w.json", b'{"W_x": [[1]]}', "Wanted W_q, W_k or b_q in the file; it holds none of these"),
        ("w.npz", b"PK", "Wanted NPZ;"),
        ("w.npz", npz_of(GIVEN)[:-40], "Wanted NPZ;"),
        ("w.npz", as_npz(W_q=np.ones((2, 3, 1))), NO_MATRIX),
        ("w.npz", as_npz(W_q=np.array([["a"]])), NO_MATRIX),
        ("w.npz", as_npz(W_q=np.array([[{}]], dtype=object)), NO_MATRIX),
        ("w.npz", as_npz(W_q=np.ones((2, 3), dtype=complex)), NO_MATRIX),
        ("w.csv", b"W_q,1\n" * 200_000, "at most 1,000,000 bytes; there are 1,200,000"),
    ],
)  # fmt: skip
def test_weights_file_that_cannot_be_used_names_the_requirement(
    name: str, content: bytes, sentence: str
) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011  (the sentence is what is tested)
        texts_in_file(name, content, WANTED)
    assert sentence in str(refused.value)


def test_weights_file_that_expands_too_much_is_not_unpacked() -> None:
    held = io.BytesIO()
    np.savez_compressed(held, W_q=np.zeros((2000, 3000)))
    assert len(held.getvalue()) < 100_000
    with pytest.raises(ValueError, match=r"at most 1,000,000 bytes; there are 48,000,128"):
        texts_in_file("w.npz", held.getvalue(), WANTED)


def test_weights_file_is_applied_or_refused_as_a_whole() -> None:
    at = open_page("single-head", hand="true", tab="Data", dk="2", dv="2", **WORDS)
    W = normal(0, (3, 2))
    upload(at, 0, as_json({"W_q": W, "W_k": normal(1, (2, 2))}))
    assert messages_in(text_of(at), name="W_k", wanted="3 × 2", came="2 × 2")
    assert "W_q" not in at.query_params
    upload(at, 1, as_json({"W_q": W, "W_k": W, "W_v": W}))
    assert messages_in(text_of(at), names="W_q, W_k and W_v")
    np.testing.assert_allclose(output_shown(at), softmax(W @ W.T / math.sqrt(2)) @ W, atol=1e-12)


def upload(at: AppTest, turn: int, content: bytes) -> None:
    at.file_uploader(key=f"_weights_file_{turn}").upload("w.json", content, "application/json").run()
    assert not at.exception


# ---- programs ----

HEAD_W = link_of({"W_q": normal(0, (6, 4)), "W_v": normal(1, (6, 4))})
HEADS_W = link_of({f"W_{each}": normal(at, (8, 8)) for at, each in enumerate("qko")})
TURNED = {"pos": "rotary", "hmask": "causal", "free": "true", "dh": "2"}
BIASES = link_of({"b_q": normal(5, (1, 8)), "b_o": normal(6, (1, 8))})


@pytest.mark.parametrize(
    ("page", "link"),
    [
        *(("single-head", {"init": name, "bias": "true"}) for name in INITS),
        *(("multi-head", {"init": name, "bias": bias}) for name in INITS for bias in ("true", "false")),
        ("single-head", {"hand": "true", **HEAD_W}),
        ("single-head", {"hand": "true", "bias": "true", "init": "nn.Linear", **HEAD_W, "b_k": "1,2,3,4"}),
        ("multi-head", {"hand": "true", **HEADS_W}),
        ("multi-head", {"hand": "true", "bias": "true", "init": "standard normal", **HEADS_W, **BIASES}),
        ("multi-head", {"hand": "true", "cross": "true", "dmem": "5", "wo": "false", "W_q": HEADS_W["W_q"]}),
        ("multi-head", {"hand": "true", **TURNED, **HEADS_W}),
    ],
)  # fmt: skip
def test_weights_programs_print_what_the_page_shows(page: str, link: dict[str, str]) -> None:
    assert run_programs.faults(page, link) == []
