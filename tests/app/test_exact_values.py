"""A value between a slider's steps is shown as the link has it: in picture, read-out, words and program.

What the picture shows is computed again in NumPy, from the value that was typed.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from attn_core import sentence_vectors, tokenize
from attn_ui.base.programs import Programs
from attn_ui.screen import settings_file
from pages import PAGES as WHOLE
from pages.overview.compute import D_MODEL, SEED, SENTENCE
from pages.single_head.state import Inputs
from tests import run_programs
from tests.messages import figure_at
from tests.pages import PAGES, open_sound
from tests.sentences import messages_in
from tests.walk import fields, said_now

Numbers = NDArray[np.float64]
Link = Mapping[str, Any]


def softmax(scores: Numbers) -> Numbers:
    """Each row's exponentials over their sum."""
    shifted: Numbers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights: Numbers = shifted / shifted.sum(axis=-1, keepdims=True)
    return weights


def read_outs(at: AppTest) -> dict[str, str]:
    """What the sliders of the first figure say, by the names of their settings."""
    head = next(head for head, _, _ in fields(at) if "slider" in head and head["key"] != "opening")
    controls = filter(None, (head["slider"], head["cursor"]))
    return {each["name"]: each["texts"][each["index"]] for each in controls}


def address(at: AppTest) -> dict[str, str]:
    """What the address of the page says, one text a name."""
    return {name: text if isinstance(text, str) else text[-1] for name, text in at.query_params.items()}


def text_of(at: AppTest) -> str:
    """All that stands on the page in words."""
    kinds = (at.markdown, at.caption, at.latex, at.warning)
    return "\n".join([*said_now(at), *(str(each.value) for kind in kinds for each in kind)])


def cells(at: AppTest, name: str) -> Numbers:
    """The numbers of a map of the first figure, where its sliders stand."""
    return np.asarray(run_programs.picture(at)[name]["z"], dtype=float)


def close(got: Any, wanted: Any, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(np.asarray(got, float), np.asarray(wanted, float), rtol=0, atol=tolerance)


@pytest.mark.parametrize("t", ["0.3", "0.127", "3.33333"])
def test_exact_temperature_of_a_link_is_kept_on_the_overview(t: str) -> None:
    at = open_sound("", t=t)
    x = np.asarray(sentence_vectors(tokenize(SENTENCE), D_MODEL, seed=SEED))
    places = np.arange(len(x), dtype=float)
    wide = f"{float(t):.2f}" if t == "0.3" else t
    close(cells(at, "head"), softmax(x @ x.T / np.sqrt(D_MODEL) / float(t)))
    close(cells(at, "kernel"), softmax(-((places[:, None] - places) ** 2) / (2 * float(t))))
    assert read_outs(at) == address(at) == {"t": wide}
    assert messages_in(text_of(at), temperature=wide)


@pytest.mark.parametrize(
    ("h", "x0"), [("1", "2.5"), ("0.2", "2.53"), ("0.123456", "0.317"), ("24.5", "5.45")]
)
def test_exact_bandwidth_and_query_of_a_link_are_kept(h: str, x0: str) -> None:
    at = open_sound("kernel-regression", h=h, x0=x0, tab="Code")
    drawn = run_programs.picture(at)
    keys, values = (np.asarray(drawn["data"][axis], float) for axis in "xy")
    weights = softmax(-((float(x0) - keys) ** 2) / (2 * float(h) ** 2))
    close(np.asarray(drawn["weight of each point"]["marker"]["size"]), weights)
    close(drawn["estimate at the query"]["y"], [weights @ values])
    close(drawn["estimate at the query"]["x"], [float(x0)])
    assert read_outs(at) == {"h": h, "x0": f"x = {x0}"}
    assert {name: address(at).get(name) for name in ("h", "x0")} == {
        "h": h,
        "x0": x0 if x0 != "2.5" else None,
    }
    assert messages_in(text_of(at), "estimate", place=x0)
    program = WHOLE["kernel-regression"].at(f"h={h}&x0={x0}").programs
    assert isinstance(program, Programs)
    assert f"/ {float(h)!r}" in program.text("PyTorch")
    assert program.program("PyTorch").numbers["query"] == [float(x0)]
    printed = run_programs.arrays(run_programs.run(program, "PyTorch"))
    assert not run_programs.difference(printed[0], weights[None])


@pytest.mark.parametrize("picture", ["Four kernels", "Choose the bandwidth", "Bridge to attention", "Limits"])
def test_exact_bandwidth_of_a_link_is_kept_in_every_view(picture: str) -> None:
    at = open_sound("kernel-regression", picture=picture, h="0.237", tab="Arithmetic")
    assert read_outs(at)["h"].startswith("0.237")
    assert address(at)["h"] == "0.237"
    assert "0.237" in " ".join(said_now(at)) or picture == "Bridge to attention"


def test_exact_temperature_of_a_link_is_kept_with_one_head() -> None:
    at = open_sound("single-head", t="0.37", tab="Code")
    scores, d_k = cells(at, "scores"), Inputs.d_k
    close(cells(at, "weights"), softmax(scores / np.sqrt(d_k) / 0.37))
    assert read_outs(at) == {"t": "0.37"}
    assert "/ 0.37" in at.code[0].value
    assert (
        list(
            run_programs.compared(
                run_programs.run(at.code[0].value), [cells(at, "weights"), cells(at, "output")]
            )
        )
        == []
    )
    assert "÷ 0.37 |" in text_of(open_sound("single-head", t="0.37", tab="Arithmetic"))


def test_exact_width_of_a_link_is_kept_in_the_scale_study() -> None:
    at = open_sound("single-head", tab="Scale", dsweep="100")
    assert messages_in(text_of(at), "scaled_variance", width=100)
    assert address(at)["dsweep"] == "100"


@pytest.mark.parametrize("sentence", ["the cat sat on the mat", " ".join(f"w{i}" for i in range(40))])
def test_exact_temperature_of_a_link_is_kept_with_many_heads(sentence: str) -> None:
    link = {"text": sentence, "hmoves": "temperature", "t": "0.37", "tab": "Code", "code": "NumPy"}
    at = open_sound("multi-head", **link)
    maps: Numbers = np.array([cells(at, f"head {head}") for head in range(1, 5)])
    assert read_outs(at) == {"t": "0.37"}
    assert address(at)["t"] == "0.37"
    assert np.ptp(maps) > 0
    program = at.code[0].value
    assert "0.37" in program
    handed_over = WHOLE["multi-head"].at(urlencode(link)).programs
    assert not run_programs.difference(run_programs.arrays(run_programs.run(handed_over, "NumPy"))[0], maps)


def test_exact_temperature_of_a_link_is_kept_beside_the_slider() -> None:
    at = open_sound("multi-head", t="0.37")
    assert at.select_slider(key="step-t").value == "0.37"


def test_exact_base_of_a_link_is_kept() -> None:
    at = open_sound("positional-encoding", show="encoding", base="12345.6", tab="Code", code="NumPy")
    drawn = cells(at, "encoding")
    n, d = drawn.shape
    angles = np.arange(n)[:, None] / 12345.6 ** (np.arange(0, d, 2) / d)
    wanted = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)
    close(drawn, wanted, 1e-5)
    assert read_outs(at)["base"] == address(at)["base"] == "12345.6"
    assert "12345.6" in at.code[0].value
    maths = open_sound("positional-encoding", show="encoding", base="12345.6", tab="Maths")
    assert "12345.6" in text_of(maths)


def test_exact_length_of_a_link_is_kept() -> None:
    at = open_sound("positional-encoding", show="encoding", drive="length", length="50")
    head, _, packed = fields(at)[0]
    layout = figure_at(packed, head["slider"]["index"])["layout"]
    assert any(axis.get("range") == [-0.5, 49.5] for axis in layout.values() if isinstance(axis, dict))
    assert read_outs(at)["length"] == "50 positions"


def test_exact_ramp_step_of_a_link_is_kept() -> None:
    at = open_sound("positional-encoding", show="encoding", scheme="ramp", step="0.33")
    drawn = cells(at, "encoding")
    close(drawn, np.broadcast_to(0.33 * np.arange(len(drawn))[:, None], drawn.shape), 1e-5)
    assert read_outs(at)["step"] == "0.33"


@pytest.mark.parametrize("show", ["attention", "shuffle test", "compare"])
def test_exact_strength_of_a_link_is_kept(show: str) -> None:
    at = open_sound("positional-encoding", show=show, strength="0.37", tab="Code", code="NumPy")
    assert read_outs(at) == {"strength": "0.37"}
    assert address(at)["strength"] == "0.37"
    assert "0.37" in at.code[0].value
    if show == "attention":
        drawn = cells(at, "after")
        program = WHOLE["positional-encoding"].at("strength=0.37").programs
        assert not run_programs.difference(run_programs.arrays(run_programs.run(program, "NumPy"))[0], drawn)


def test_exact_training_length_of_a_link_is_kept() -> None:
    at = open_sound("positional-encoding", show="length extrapolation", drive="length", trained="10")
    assert read_outs(at) == {"trained": "10 positions"}
    assert "10" in " ".join(said_now(at))


# What is not to be had at all: the nearest, a notice, and an address that says what is shown.
WARNED = [
    ("learned-heads", {"training": "73"}, "training"),
    ("multi-head", {"tab": "Shared heads", "shared": "5"}, "shared"),
    ("multi-head", {"tab": "One or many", "fit": "7"}, "fit"),
    ("single-head", {"q": "50"}, "q"),
    ("multi-head", {"k": "500"}, "k"),
    ("positional-encoding", {"q": "60"}, "q"),
    ("learned-heads", {"head": "16"}, "head"),
    ("kernel-regression", {"h": "30"}, "h"),
    ("kernel-regression", {"points": "3"}, "points"),
    ("", {"t": "0.3333333333"}, "t"),
    ("positional-encoding", {"show": "encoding", "length": "9.6"}, "length"),
]


@pytest.mark.parametrize(("page", "link", "name"), WARNED, ids=[f"{page} {link}" for page, link, _ in WARNED])
def test_unavailable_value_is_named_and_the_nearest_shown(page: str, link: Link, name: str) -> None:
    at = open_sound(page, **link)
    (warning,) = (str(each.value) for each in at.warning)
    assert messages_in(warning, "wanted", name=f"`{name}`", text=f"`{link[name]}`")
    if "tab" not in link:  # without a session no tab is open
        assert [bad.sentence() for bad in WHOLE[page].at(urlencode(link)).dropped] == [warning]
    used = warning.removesuffix(" is used.").split(". ")[-1]
    assert address(at)[name] == used or at.session_state[name] == float(used)
    for head, _, _ in fields(at):
        for control in filter(
            None, (head.get("slider"), head.get("cursor"), *head.get("chosen", {}).values())
        ):
            if control["name"] == name:
                assert control["values"][control["index"]] == used
    again = open_sound(page, **(dict(link) | {name: address(at).get(name, used)}))
    assert not again.warning


def test_value_between_all_possible_ones_is_told_these() -> None:
    (warning,) = open_sound("what-courses-say", claim="runs in parallel", longer="30").warning
    assert messages_in(str(warning.value), options="1, 2, 4, 8, 16, 32, 64")


@pytest.mark.parametrize(
    ("page", "link", "name"),
    [
        ("multi-head", {"heads": "2", "off": ["7", "1"]}, "off"),
        ("learned-heads", {"ablate": ["1", "16"]}, "ablate"),
        ("single-head", {"stage": "arcs", "also": ["1", "40"]}, "also"),
        ("single-head", {"stage": "arcs", "text": "one", "also": ["1"]}, "also"),
    ],
)
def test_unavailable_options_are_named(page: str, link: Link, name: str) -> None:
    at = open_sound(page, **link)
    (warning,) = (str(each.value) for each in at.warning)
    assert messages_in(warning, "wanted", name=f"`{name}`", text="`" + ", ".join(link[name]) + "`")
    (dropped,) = WHOLE[page].at(urlencode(link, doseq=True)).dropped
    assert dropped.sentence() == warning


def test_options_removed_by_a_control_are_not_named_as_faults() -> None:
    at = open_sound("single-head", stage="arcs", also=["5"])
    assert not at.warning
    at.text_input(key="text").set_value("one two").run()
    assert not at.warning
    assert not at.exception


def test_unavailable_value_returns_where_it_is_available() -> None:
    at = open_sound("single-head", q="7", k="1")
    assert address(at)["q"] == "5"
    at.text_input(key="text").set_value("one two three four five six seven eight nine").run()
    assert address(at)["q"] == "7"


def test_settings_file_keeps_the_exact_value() -> None:
    _, settings = PAGES["kernel-regression"]
    file = settings_file.to_json("kernel-regression", {"h": "0.237", "x0": "2.53"})
    values = settings_file.read(file, "kernel-regression", settings)
    assert (values["h"], values["x0"]) == (0.237, 2.53)
    assert json.loads(file)["settings"]["h"] == "0.237"
