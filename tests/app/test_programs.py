"""Every program that a page hands over runs and gives the page's own numbers: PyTorch, NumPy, attn_core."""

import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import KERNELS, SCHEMES, make_scheme, sentence_vectors
from attn_core.toys import TASKS
from attn_ui.base.numpy_code import in_numpy
from attn_ui.base.programs import in_latex
from pages.kernel_regression.snippet import formula, own_data, short, snippet, toy_data
from pages.learned_heads.model_shelf import SHELF, standing
from pages.multi_head import programs as heads_code
from pages.multi_head import spellings as written
from pages.multi_head.compute import Now as Heads
from pages.multi_head.settings import HEADS_MASK, SPELLING
from pages.multi_head.spellings import spellings
from pages.positional_encoding.settings import EXAMPLES as SENTENCES
from pages.positional_encoding.snippet import attention_code, short_code
from pages.single_head.settings import EXAMPLE, MASK
from tests import handed
from tests.app.test_heads_with_positions import SETTINGS as PLACED
from tests.app.test_kernel_regression import TOYS
from tests.app.test_multi_head import LOOK
from tests.app.test_multi_head import SETTINGS as PLAIN
from tests.handed import Link, leaves
from tests.pages import open_page

HEADS = PLAIN | PLACED


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
    one, other = leaves(program), leaves(in_numpy(program))
    for name in "abc":
        close(other[name], one[name], 1e-14)


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match=r"said in NumPy, got 'y = torch\.Generator\(x\)'"):
        in_numpy("import torch\n\ny = torch.Generator(x)")


@pytest.mark.parametrize("kernel", list(KERNELS))
@pytest.mark.parametrize("name", [*TOYS, "own", "vectors", "far"])
def test_kernel_regression(name: str, kernel: str) -> None:
    query: float | list[float] = 1.3
    data = (
        toy_data(name, 21, 0.4, 11) if name in TOYS else own_data([0.5, 1.25, 2.0, 4.0], [1.0, 2.0, 0.5, 3.0])
    )
    if name == "vectors":
        data, query = own_data([[0.5, 1.0], [1.25, 0.0], [2.0, 2.0]], [1.0, 2.0, 0.5]), [1.0, 0.5]
    if name == "far":
        query = 40.0
    given: dict[str, Any] = {"data": data, "kernel": kernel, "bandwidth": 0.9, "query": query}
    wanted = leaves(snippet(**given))
    close(leaves(in_numpy(snippet(**given)))["weights"], wanted["weights"])
    found = leaves(short(**given, n_key=len(wanted["x"])))
    close(found["weights"], wanted["weights"].nan_to_num())
    close(found["estimate"], wanted["estimate"])
    close(found["figures"][-1].data[0].z, found["weights"])
    estimate = wanted["estimate"].item()
    said = formula(query, 0.9, KERNELS[kernel].formula, n_key=4, estimate=estimate)
    assert balanced(said)
    assert ("undefined" if math.isnan(estimate) else f"= {estimate:.6g}") in said


@pytest.mark.parametrize("kernel", ["gaussian", "boxcar"])
def test_of_more_points_than_a_figure_holds_the_heaviest_are_drawn(kernel: str) -> None:
    given: dict[str, Any] = {
        "data": toy_data("sine", 300, 0.4, 1),
        "kernel": kernel,
        "bandwidth": 0.5,
        "query": 2.0,
    }
    found = leaves(short(**given, n_key=300))
    drawn, weights = np.asarray(found["figures"][-1].data[0].z)[0], found["weights"][0].numpy()
    assert len(drawn) == 256
    np.testing.assert_allclose(np.sort(drawn), np.sort(weights)[-256:])


@pytest.mark.parametrize("name", HEADS)
def test_many_heads(name: str) -> None:
    setting, n_head = HEADS[name]
    now = Heads(setting, LOOK, n_head)
    for program in (in_numpy(heads_code.snippet(now)), heads_code.short(now)):
        found = leaves(program)
        close(found["weights"], now.result.weights)
        close(found["output"], now.result.output)
    assert len(found["figures"][-1].layout.sliders) == (n_head > 1)
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
    close(leaves(in_numpy(attention_code(tokens, words, 6, 9, scheme)))["weights"], wanted)
    close(leaves(short_code(tokens, words, 6, 9, scheme=name, settings=settings))["weights"], wanted)


def opened(page: str, **link: str) -> AppTest:
    return open_page(page, **{"tab": "Code", **link})


@pytest.mark.parametrize("example", EXAMPLE.options)
def test_single_head_on_every_example(example: str) -> None:
    programs = {
        kind: opened("single-head", example=example, code=kind, mask="causal").code[0].value
        for kind in ("PyTorch", "NumPy", "attn_core", "LaTeX")
    }
    wanted = leaves(programs["PyTorch"])
    for kind in ("NumPy", "attn_core"):
        found = leaves(programs[kind])
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
    weights = {kind: leaves(program)["weights"] for kind, program in programs.items() if kind != "LaTeX"}
    close(weights["NumPy"], weights["PyTorch"])
    close(weights["attn_core"], weights["PyTorch"])
    assert balanced(programs["LaTeX"])
    assert re.search(r"\d", programs["LaTeX"])


def test_a_large_matrix_is_written_with_dots() -> None:
    said = in_latex(np.full((9, 10), 0.5).tolist())
    assert said.count("0.50") == 64
    assert (said.count(r"\cdots"), said.count(r"\vdots")) == (8, 8)


# ---- what is printed, against what is on the page; the wide version is `python -m tests.handed` ----

SENTENCE_64 = " ".join(f"w{place % 40}" for place in range(64))
LINKS: list[tuple[str, Link]] = [
    *(
        ("kernel-regression", {"kernel": kernel, "data": name, "h": h, "x0": "1.3"})
        for kernel, name, h in zip(KERNELS, TOYS, ("0.02", "0.01", "1", "25"), strict=False)
    ),
    ("kernel-regression", {"points": "500", "data": "gap", "h": "0.01", "kernel": "boxcar", "x0": "2"}),
    ("kernel-regression", {"picture": "Bridge to attention", "keys": "on a circle", "all": "true"}),
    ("kernel-regression", {"picture": "Two inputs", "kernel": "triangular", "points": "120", "x02": "0.1"}),
    *(
        ("positional-encoding", {"scheme": scheme, "words": words, "strength": "1.3", "of": "4", "head": "3"})
        for scheme, words in zip(SCHEMES, ("one-hot", "random") * len(SCHEMES), strict=False)
    ),
    ("positional-encoding", {"text": SENTENCE_64, "width": "128", "layout": "concatenated"}),
    ("positional-encoding", {"scheme": "rotary", "layout": "concatenated", "show": "turning"}),
    *(
        ("positional-encoding", {"show": "past training", "scaling": scaling, **head})
        for scaling in ("interpolation", "NTK", "YaRN")
        for head in ({}, {"width": "128", "trained": "4096", "factor": "5.3"}, {"width": "2", "base": "1"})
    ),
    *(
        (
            "multi-head",
            {"pos": scheme, "hmask": mask, "bias": bias, "t": "0.5", "reach": "2"},
        )
        for scheme, mask, bias in zip(
            SCHEMES, HEADS_MASK.options, ("true", "false") * len(SCHEMES), strict=False
        )
    ),
    *(("multi-head", {"hmask": mask, "reach": "3", "wo": "false"}) for mask in HEADS_MASK.options[5:]),
    ("multi-head", {"cross": "true", "dmem": "5", "pos": "buckets", "free": "true", "dh": "3", "heads": "3"}),
    ("multi-head", {"text": SENTENCE_64, "dm": "64", "heads": "16", "view": "heads compared"}),
    ("multi-head", {"hmask": "padding", "reach": "64", "heads": "1"}),
    *(
        ("single-head", {"mask": mask, "w": "2", "bias": "true", "t": "0.32", "scale": scale})
        for mask, scale in zip(MASK.options, ("none", "free", "1/√dₖ") * len(MASK.options), strict=False)
    ),
    ("single-head", {"cross": "true", "ramp": "true", "unit": "true", "vectors": "one-hot", "d": "16"}),
    ("single-head", {"qkv": "typed", "Q": "1000,2;3,4", "K": "1,0;0,1;5,5", "V": "-1;2;0.001"}),
    *(("learned-heads", {"task": task, "training": "200", "ablate": ["2"]}) for task in TASKS),
    ("learned-heads", {"places": "false", "abab": "abcabcabc"}),
]


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_what_a_program_prints_is_what_the_page_shows(page: str, link: Link) -> None:
    assert handed.faults(page, link) == []


@pytest.mark.parametrize(
    ("link", "starts", "computes"),
    [
        ({}, "words = ['the', 'cat'", "Q, K, V = head.project(X)"),
        ({"cross": "true", "bias": "true"}, "words = ['the', 'cat'", "head.W_q(X), head.W_k(Y), head.W_v(Y)"),
        (
            {"init": "scaled normal", "mask": "causal"},
            "words = ['the', 'cat'",
            "head.project",
        ),
        ({"vectors": "one-hot", "qkv": "as they are"}, "words = ['the', 'cat'", "Q, K, V = X, X, X"),
        ({"vectors": "typed", "text": "one two", "X": "1,0;0.5,2"}, "X = torch.tensor([", "head.project(X)"),
        ({"qkv": "typed", "Q": "1,2", "K": "1,0", "V": "3"}, "Q = torch.tensor([", "attention(Q, K, V)"),
    ],
)
def test_the_short_program_of_one_head_starts_where_the_student_does(
    link: Link, starts: str, computes: str
) -> None:
    assert handed.faults("single-head", link) == []
    text = open_page("single-head", tab="Code", code="attn_core", **link).code[0].value
    begins = text.partition("torch.set_default_dtype(torch.float64)\n\n")[2]
    assert begins.startswith(starts)
    assert computes in text


HARD: Link = {"pos": "alibi", "hmask": "causal", "t": "3", "bias": "true"}


@pytest.mark.parametrize("link", [{}, HARD, {"pos": "rotary", "wo": "false", "free": "true", "dh": "6"}])
@pytest.mark.parametrize("tab", ["Token by token", "Shared heads", "One or many"])
def test_what_other_tabs_hand_over_prints_what_they_show(tab: str, link: Link) -> None:
    heads_of_keys = {"kv": "2"} if tab == "Shared heads" else {}  # token by token: each has its own
    assert handed.of_a_tab(tab, {"head": "3", **heads_of_keys, **link}) == []


@pytest.mark.slow
@pytest.mark.parametrize("spelling", SPELLING.options)
def test_each_spelling_is_a_program_too(spelling: str) -> None:
    for link in ({}, HARD, {"pos": "learned", "wo": "false", "hmask": "own", "blocked": "1.0,1.1,2.2"}):
        assert handed.of_a_tab("Spellings", {**link, "spelling": spelling}) == []


def test_spellings_need_nothing_that_the_app_does_not_bring() -> None:
    every = spellings(Heads(*PLAIN["default"][:1], LOOK, PLAIN["default"][1]).module)
    brought = {re.split(r"[=<>;]", line)[0] for line in Path("requirements.txt").read_text().splitlines()}
    imported = {re.split(r"[ .]", line)[1] for each in every for line in each.imports.splitlines() if line}
    assert imported <= brought, imported


def test_the_tab_opens_where_einops_cannot_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "einops", None)
    monkeypatch.setattr(written, "find_spec", lambda name: None)
    at = open_page("multi-head", tab="Spellings")
    assert not at.exception
    assert at.button_group(key="spelling").value == "loops"  # the first that runs
    assert any("**output**" in each.value for each in at.markdown)  # it is run, with its shapes
    assert "`pip install einops`" in "\n".join(each.value for each in at.caption)
    checks = next(each.value for each in at.markdown if "gives this output" in each.value)
    for spelling in ("loops", "matmul", "einsum", "torch"):
        assert f"{spelling} gives this output" in checks
    assert handed.of_a_tab("Spellings", {"spelling": "torch"}) == []
    asked = open_page("multi-head", tab="Spellings", spelling="einops")
    assert not asked.exception
    assert asked.button_group(key="spelling").value == "einops"  # a link that names it keeps it
    assert "from einops import" in "\n".join(each.value for each in asked.code)


def test_the_tab_opens_on_einops_where_it_is_installed() -> None:
    at = open_page("multi-head", tab="Spellings")
    assert at.button_group(key="spelling").value == "einops"
    assert "pip install" not in "\n".join(each.value for each in at.caption)


FRESH = (
    "import sys, plotly.graph_objects as go\ngo.Figure.show = lambda figure: None\nexec(sys.stdin.read())\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "link", "absent"),
    [
        ("multi-head", {"pos": "learned", "code": "NumPy"}, ("torch", "attn_core")),
        ("multi-head", {"pos": "learned", "code": "PyTorch"}, ("attn_core", "numpy.testing")),
        ("positional-encoding", {"scheme": "learned", "code": "NumPy"}, ("torch", "attn_core")),
        ("learned-heads", {"code": "NumPy"}, ("torch", "attn_core")),
        ("single-head", {"code": "attn_core"}, ("streamlit", "pages")),
    ],
)
def test_in_a_process_of_its_own_a_program_needs_what_it_names(
    page: str, link: dict[str, str], absent: tuple[str, ...]
) -> None:
    program = opened(page, **link).code[0].value
    program += f"\nimport sys\nassert not {{*{absent!r}}} & {{*sys.modules}}\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FRESH],
        input=program,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert list(handed.compared(done.stdout, handed.SHOWN[page](link))) == []


def test_the_real_models_program_prints_the_head_that_its_table_has_first() -> None:
    standing()
    SHELF.wait(300)
    link = {"source": "a real model", "text": "a dog lay on the rug"}
    heads = open_page("learned-heads", tab="Heads", **link).dataframe[0].value
    best = heads.loc[heads["Previous token"].idxmax()]
    printed = handed.run(opened("learned-heads", **link).code[0].value)
    assert printed == f"head {best['Head']}: {best['Previous token']:.4f}\n"


def test_numpy_draws_what_torch_draws_however_few_at_a_time() -> None:
    code = "generator = torch.Generator().manual_seed(0)\nx = torch.randn(1, generator=generator)\n"
    names: dict[str, Any] = leaves(in_numpy(f"import torch\n\n{code}"))
    sizes = np.random.default_rng(0).integers(1, 20, size=(200, 6)).tolist()
    for seed, counts in enumerate(sizes):
        theirs, ours = torch.Generator().manual_seed(seed), np.random.RandomState(seed)
        for count in counts:
            drawn = torch.randn(count, generator=theirs, dtype=torch.float64).numpy()
            np.testing.assert_allclose(names["randn"](ours, count), drawn, atol=1e-12)
