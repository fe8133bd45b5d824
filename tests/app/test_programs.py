"""Every program that a page hands over runs and gives the page's own numbers: PyTorch, NumPy, attn_core."""

import contextlib
import io
import math
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from attn_core import KERNELS, SCHEMES, make_scheme, sentence_vectors
from attn_ui.numpy_code import in_numpy
from attn_ui.programs import in_latex
from pages.kernel_regression.snippet import formula, own_data, short, snippet, toy_data
from pages.multi_head.numbers import Now as Heads
from pages.multi_head.tabs import code as heads_code
from pages.positional_encoding.settings import EXAMPLES as SENTENCES
from pages.positional_encoding.snippet import attention_code, short_code
from pages.single_head.settings import EXAMPLE
from tests.app.test_heads_with_positions import SETTINGS as PLACED
from tests.app.test_kernel_regression import TOYS
from tests.app.test_multi_head import LOOK
from tests.app.test_multi_head import SETTINGS as PLAIN
from tests.pages import open_page

HEADS = PLAIN | {name: setting for name, setting in PLACED.items() if "learned" not in name}


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[go.Figure]:
    """What a program would have opened in a browser."""
    figures: list[go.Figure] = []

    def keep(figure: go.Figure) -> None:
        figures.append(figure)

    monkeypatch.setattr(go.Figure, "show", keep)
    return figures


def ran(program: str) -> dict[str, Any]:
    """What a program leaves behind; as a file of its own, which nothing was imported for."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(invalid="warn"):
        exec(compile(program, "program.py", "exec"), names)
    return names


def close(got: Any, wanted: Any, tolerance: float = 1e-10) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=0, atol=tolerance)


def balanced(latex: str) -> bool:
    """Whether braces, environments and delimiters come in pairs."""
    bare = latex.replace(r"\{", "").replace(r"\}", "")
    return (
        bare.count("{") == bare.count("}")
        and latex.count(r"\left") == latex.count(r"\right")
        and latex.count(r"\begin{") == latex.count(r"\end{")
    )


@pytest.mark.parametrize("shape", [(3,), (15,), (16,), (17,), (2, 24), (5, 7)])
def test_numpy_draws_what_torch_draws(shape: tuple[int, ...]) -> None:
    program = "import torch\n\ngenerator = torch.Generator().manual_seed(2**40 + 7)\n" + "".join(
        f"{name} = torch.{kind}({', '.join(map(str, shape))}, generator=generator, dtype=torch.float64)\n"
        for name, kind in (("a", "rand"), ("b", "randn"), ("c", "rand"))
    )
    one, other = ran(program), ran(in_numpy(program))
    for name in "abc":
        close(other[name], one[name], 1e-14)


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match=r"said in NumPy, got 'y = torch\.Generator\(x\)'"):
        in_numpy("import torch\n\ny = torch.Generator(x)")


@pytest.mark.parametrize("kernel", list(KERNELS))
@pytest.mark.parametrize("name", [*TOYS, "own", "vectors", "far"])
def test_kernel_regression(name: str, kernel: str, drawn: list[go.Figure]) -> None:
    query: float | list[float] = 1.3
    data = (
        toy_data(name, 21, 0.4, 11) if name in TOYS else own_data([0.5, 1.25, 2.0, 4.0], [1.0, 2.0, 0.5, 3.0])
    )
    if name == "vectors":
        data, query = own_data([[0.5, 1.0], [1.25, 0.0], [2.0, 2.0]], [1.0, 2.0, 0.5]), [1.0, 0.5]
    if name == "far":
        query = 40.0
    given: dict[str, Any] = {"data": data, "kernel": kernel, "bandwidth": 0.9, "query": query}
    wanted = ran(snippet(**given))
    close(ran(in_numpy(snippet(**given)))["weights"], wanted["weights"])
    found = ran(short(**given))
    close(found["weights"], wanted["weights"].nan_to_num())
    close(found["estimate"], wanted["estimate"])
    close(drawn[-1].data[0].z, found["weights"])
    estimate = wanted["estimate"].item()
    said = formula(query, 0.9, KERNELS[kernel].formula, n_key=4, estimate=estimate)
    assert balanced(said)
    assert ("undefined" if math.isnan(estimate) else f"= {estimate:.6g}") in said


@pytest.mark.parametrize("name", HEADS)
def test_many_heads(name: str, drawn: list[go.Figure]) -> None:
    setting, n_head = HEADS[name]
    now = Heads(setting, LOOK, n_head)
    for program in (in_numpy(heads_code.snippet(now)), heads_code.short(now)):
        found = ran(program)
        close(found["weights"], now.result.weights)
        close(found["output"], now.result.output)
    assert len(drawn[-1].layout.sliders) == (n_head > 1)
    said = heads_code.formula(now)
    assert balanced(said)
    assert f"{float(now.result.weights[0, 0, 0]):.2f}" in said


@pytest.mark.parametrize("words", ["one-hot", "random"])
@pytest.mark.parametrize("example", SENTENCES)
@pytest.mark.parametrize("name", [name for name in SCHEMES if name != "learned"])
def test_positions(name: str, example: str, words: str) -> None:
    tokens = SENTENCES[example].text.split()
    settings: dict[str, Any] = {"strength": 0.7, "base": 50.0, "layout": "interleaved", "step": 0.25}
    settings |= {"num_heads": 12, "head": 10, "seed": 9}
    scheme = make_scheme(name, **settings)
    wanted = scheme.attend(sentence_vectors(tokens, 6, kind=words, seed=9)).weights
    close(ran(in_numpy(attention_code(tokens, words, 6, 9, scheme)))["weights"], wanted)
    close(ran(short_code(tokens, words, 6, 9, scheme=name, settings=settings))["weights"], wanted)


def opened(page: str, **link: str) -> AppTest:
    return open_page(page, **{"tab": "Code", **link})


@pytest.mark.parametrize("example", EXAMPLE.options)
def test_single_head_on_every_example(example: str) -> None:
    programs = {
        kind: opened("single-head", example=example, code=kind, mask="causal").code[0].value
        for kind in ("PyTorch", "NumPy", "attn_core", "LaTeX")
    }
    wanted = ran(programs["PyTorch"])
    for kind in ("NumPy", "attn_core"):
        found = ran(programs[kind])
        close(found["weights"], wanted["weights"])
        close(found["output"], wanted["output"])
    assert "torch" not in programs["NumPy"].replace("torch.randn", "").replace("torch.rand", "")
    assert balanced(programs["LaTeX"])
    assert in_latex(wanted["weights"].tolist()) in programs["LaTeX"]


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("kernel-regression", {}),
        ("kernel-regression", {"kernel": "boxcar", "view": "bridge"}),
        ("positional-encoding", {"scheme": "rotary"}),
        ("multi-head", {"case": "I love dogs, two heads"}),
    ],
)
def test_the_pages_hand_over_four_kinds(page: str, link: dict[str, str]) -> None:
    programs = {
        kind: opened(page, code=kind, **link).code[0].value
        for kind in ("PyTorch", "NumPy", "attn_core", "LaTeX")
    }
    weights = {kind: ran(program)["weights"] for kind, program in programs.items() if kind != "LaTeX"}
    close(weights["NumPy"], weights["PyTorch"])
    close(weights["attn_core"], weights["PyTorch"])
    assert balanced(programs["LaTeX"])
    assert re.search(r"\d", programs["LaTeX"])


def test_a_large_matrix_is_written_with_dots() -> None:
    said = in_latex(np.full((9, 10), 0.5).tolist())
    assert said.count("0.50") == 64
    assert (said.count(r"\cdots"), said.count(r"\vdots")) == (8, 8)
