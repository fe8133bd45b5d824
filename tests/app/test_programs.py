"""What the tab Code hands over: functions against torch and attn_core, programs against what pages show."""

import math
import re
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from torch.nn.attention.bias import causal_lower_right

import attn_core
from attn_core import KERNELS, SCHEMES, SCORES, local_linear, nadaraya_watson, sentence_vectors
from attn_core.toys import TASKS
from attn_ui.base.programs import OneProgram, Programs, in_latex
from pages import PAGES
from pages.learned_heads.model_shelf import SHELF, standing
from pages.multi_head.settings import HEADS_MASK
from pages.single_head.settings import EXAMPLE, MASK
from programs import writing
from programs.writing import NUMPY, PYTORCH, SHORT, Program
from tests import handed
from tests.handed import Link, leaves
from tests.pages import open_page

in_torch, heads_in_torch, kernel_in_torch, positions_in_torch = (
    import_module(f"programs.pytorch.{topic}") for topic in ("attention", "heads", "kernel", "positions")
)
in_numpy, heads_in_numpy, kernel_in_numpy, positions_in_numpy = (
    import_module(f"programs.numpy.{topic}") for topic in ("attention", "heads", "kernel", "positions")
)
Q, K, V = torch.randn(3, 2, 5, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
LOWER = torch.ones(5, 5, dtype=torch.bool).tril()
TYPED = {"qkv": "typed", "Q": "1000,2;3,4", "K": "1,0;0,1;5,5", "V": "-1;2;0.001"}


def close(got: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=0, atol=tolerance)


# ---- the functions, each against torch or attn_core ----


@pytest.mark.parametrize("mask", [None, LOWER], ids=["all", "causal"])
def test_attention_is_torchs(mask: torch.Tensor | None) -> None:
    wanted = F.scaled_dot_product_attention(Q / 0.5, K, V, attn_mask=mask)
    output, weights = in_torch.attention(Q, K, V, mask, temperature=0.5)
    close(output, wanted)
    close(weights.sum(-1), torch.ones(2, 5))
    allowed = None if mask is None else mask.numpy()
    output, _ = in_numpy.attention(*(each.numpy() for each in (Q, K, V)), allowed, temperature=0.5)
    close(output, wanted)


def test_attention_of_nothing_that_may_be_seen_is_zero() -> None:
    none = torch.zeros(5, 5, dtype=torch.bool)
    for attend, numbers in ((in_torch.attend, (Q[0] @ K[0].mT, V[0], none)), (in_numpy.attend, None)):
        given = numbers or tuple(each.numpy() for each in (Q[0] @ K[0].mT, V[0], none))
        output, weights = attend(*given)
        close(output, np.zeros((5, 4)))
        close(weights, np.zeros((5, 5)))


@pytest.mark.parametrize("score", ["additive", "general", "cosine", "kernel", "linear"])
def test_scores_are_those_of_attn_core(score: str) -> None:
    own = attn_core.score_weights(score, 4, seed=3)
    wanted = attn_core.score_pairs(score, Q[0], K[0], own)
    close(getattr(in_torch, f"{score}_scores")(Q[0], K[0], *own.values()), wanted)
    numbers = [each.numpy() for each in (Q[0], K[0], *own.values())]
    close(getattr(in_numpy, f"{score}_scores")(*numbers), wanted)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("query", [1.3, 40.0])
def test_kernel_regression_is_that_of_attn_core(kernel: str, query: float) -> None:
    at, x = torch.tensor([query], dtype=torch.float64), torch.rand(9, dtype=torch.float64) * 3
    y = x.sin()
    wanted = nadaraya_watson(at, x, y, kernel=kernel, bandwidth=0.4)
    line = local_linear(at, x, y, kernel=kernel, bandwidth=0.4)
    near = "gaussian_nearest" if kernel == "gaussian" else kernel
    for module, numbers in (
        (kernel_in_torch, (at, x, y)),
        (kernel_in_numpy, (at.numpy(), x.numpy(), y.numpy())),
    ):
        estimate, weights = module.nadaraya_watson(*numbers, 0.4, getattr(module, kernel))
        close(estimate, wanted.estimate)
        close(weights, wanted.weights)
        if not math.isnan(wanted.estimate.item()):
            height, slope, _ = module.local_line(*numbers, 0.4, getattr(module, near))
            close([height, slope], [line.estimate.item(), line.slope.item()], 1e-6)


def test_bandwidth_learned_is_that_of_attn_core() -> None:
    x = torch.linspace(0, 5, 12, dtype=torch.float64)
    y = x.sin()
    torch.set_default_dtype(torch.float64)
    try:
        learned = kernel_in_torch.learn_bandwidth(x, y, 0.5, steps=40, rate=0.05)
    finally:
        torch.set_default_dtype(torch.float32)
    *_, last = attn_core.learn_bandwidth(x, y, start=0.5, steps=40, learning_rate=0.05)
    assert learned == pytest.approx(last.bandwidth, rel=1e-9)


@pytest.mark.parametrize("n_head", [1, 6, 8])
def test_positions_are_those_of_attn_core(n_head: int) -> None:
    table = torch.randn(n_head, 32, dtype=torch.float64)
    buckets = attn_core.relative_position_buckets(150, 150)
    wanted: dict[str, tuple[tuple[Any, ...], torch.Tensor]] = {
        "alibi": ((5, 7, n_head), -attn_core.alibi_slopes(n_head)[:, None, None] * _distances(5, 7)),
        "relative_bias": ((150, 150, table), table[:, buckets]),
        "ramp": ((5, 4, 0.25), attn_core.ramp_encoding(5, 4, step=0.25)),
        "sinusoidal": ((9, 7, 50.0), attn_core.sinusoidal_encoding(9, 7, base=50.0)),
        "rotate": ((Q, 50.0), attn_core.rotary_embedding(Q, torch.arange(5), base=50.0)),
        "rotate_halves": (
            (Q, 50.0),
            attn_core.rotary_embedding(Q, torch.arange(5), base=50.0, layout="half"),
        ),
    }
    for name, (given, right) in wanted.items():
        numbers = [each.numpy() if isinstance(each, torch.Tensor) else each for each in given]
        close(getattr(positions_in_torch, name)(*given), right, 1e-5)  # of torch's own type here
        close(getattr(positions_in_numpy, name)(*numbers), right)


def _distances(n_query: int, n_key: int) -> torch.Tensor:
    return (torch.arange(n_key)[None, :] - torch.arange(n_query)[:, None]).abs()


def test_heads_are_cut_and_joined_as_torch_does() -> None:
    x = torch.arange(24.0).reshape(3, 8)
    wanted = x.unflatten(-1, (2, 4)).transpose(0, 1)
    for module, numbers in ((heads_in_torch, x), (heads_in_numpy, x.numpy())):
        close(module.split_heads(numbers, 2), wanted)
        close(module.merge_heads(module.split_heads(numbers, 2)), x)


def test_one_token_after_the_other_is_the_causal_map() -> None:
    wanted = F.scaled_dot_product_attention(Q, K, V, attn_mask=causal_lower_right(5, 5))
    close(heads_in_torch.token_by_token(Q, K, V), wanted)
    close(heads_in_numpy.token_by_token(*(each.numpy() for each in (Q, K, V))), wanted)


@pytest.mark.parametrize("topic", writing._TOPICS)
def test_numpy_has_the_functions_of_torch(topic: str) -> None:
    """But for what follows a gradient, and for softmax, which torch has; each is short, with a docstring."""
    one, other = (import_module(f"programs.{folder}.{topic}") for folder in ("pytorch", "numpy"))
    names = [
        {name for name, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__}
        for module in (one, other)
    ]
    assert names[0] ^ names[1] <= {"learn_bandwidth", "softmax"}
    for name in names[0]:
        text = writing.functions(PYTORCH)[name]
        assert len(text.splitlines()) <= 25
        assert max(map(len, text.splitlines())) <= 100
        assert '\n    """' in text


# ---- how a program is written ----


def test_numbers_have_as_few_digits_as_leave_what_is_printed() -> None:
    program = Program(NUMPY, "y = 2 * x", {"x": [1 / 3, 2.0]}, ["y"])
    assert "x = np.array([0.333333, 2.0])" in program.text() or "[0.33333" in program.text()
    assert leaves(program)["y"].tolist() == [2 / 3, 4.0]
    close(handed.arrays(handed.run(program))[0], [0.6667, 4.0])


def test_many_numbers_are_read_from_a_file_or_all_written_where_none_is_wanted() -> None:
    x = np.arange(65.0)
    program = Program(PYTORCH, "y = x.sum()", {"x": x, "w": {"a b": x[:2]}}, ["y"])
    assert 'np.load("numbers.npz")' in program.text()
    assert leaves(program)["y"] == x.sum()
    assert leaves(program)["w"]["a b"].tolist() == [0, 1]
    whole = Program(PYTORCH, "y = x.sum()", {"x": x}, ["y"]).text(whole=True)
    assert "numbers.npz" not in whole
    assert handed.run(whole).startswith("y:\ntensor(2080")


def test_infinities_and_gaps_are_written() -> None:
    program = Program(NUMPY, "y = x", {"x": [-math.inf, math.nan, 1.0]}, ["y"])
    np.testing.assert_array_equal(leaves(program)["y"], [-math.inf, math.nan, 1.0])


OPENS = ("kernel-regression", "single-head", "positional-encoding", "multi-head")


@pytest.mark.parametrize("kind", [PYTORCH, NUMPY, SHORT])
@pytest.mark.parametrize("page", OPENS)
def test_the_program_of_a_page_as_it_opens_is_short_and_narrow(page: str, kind: str) -> None:
    programs = PAGES[page].at("").programs
    assert isinstance(programs, Programs)
    text = programs.text(kind)
    literals = re.sub(r"\(\[\n.*?\n\]\)", "()", text, flags=re.DOTALL)
    code = [line for line in literals.splitlines() if line.strip()]
    calls = [line for line in code if not line.startswith((" ", "def ", "import ", "from "))]
    assert len(code) <= 60
    assert len(calls) <= 30
    assert max(map(len, literals.splitlines())) <= 100
    others = {PYTORCH: {"torch"}, NUMPY: {"numpy"}, SHORT: {"torch", "attn_core", "attn_figures"}}[kind]
    assert imported(text) <= others | ({"numpy"} if "numbers.npz" in text else set())
    assert ("numbers.npz" in programs.says(kind)) == ("numbers.npz" in text)


def imported(program: str) -> set[str]:
    """The first names of what a program imports, Python's own library left out."""
    names = re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE)
    return {name for name in names if name not in sys.stdlib_module_names}


@pytest.mark.parametrize("link", ["", "kernel=boxcar", "picture=Two inputs", "picture=Local lines"])
def test_a_caption_says_that_a_program_learns_where_it_prints_what_it_learned(link: str) -> None:
    programs = PAGES["kernel-regression"].at(link).programs
    assert isinstance(programs, Programs)
    learns = {kind: "h learned" in programs.text(kind) for kind in (PYTORCH, NUMPY, SHORT)}
    assert learns == {kind: "learns h" in programs.says(kind) for kind in learns}
    assert learns == {PYTORCH: link == "", NUMPY: False, SHORT: False}


def test_what_is_typed_is_never_code() -> None:
    link = {"text": "\"]; import os # '''", "mask": "causal"}
    assert handed.faults("single-head", link) == []
    assert handed.faults("multi-head", link) == []


# ---- what is printed, against what is on the page; the wide version is `python -m tests.handed` ----

SENTENCE_64 = " ".join(f"w{place % 40}" for place in range(64))
LINKS: list[tuple[str, Link]] = [
    *(
        ("kernel-regression", {"kernel": kernel, "data": name, "h": h, "x0": "1.3"})
        for kernel, name, h in zip(
            KERNELS, ("sine", "step", "bump", "gap"), ("0.02", "0.01", "1", "25"), strict=True
        )
    ),
    ("kernel-regression", {"points": "500", "data": "gap", "h": "0.01", "kernel": "boxcar", "x0": "2"}),
    ("kernel-regression", {"picture": "Bridge to attention", "keys": "on a circle", "all": "true"}),
    ("kernel-regression", {"picture": "Two inputs", "kernel": "triangular", "points": "120", "x02": "0.1"}),
    ("positional-encoding", {"text": SENTENCE_64, "width": "128", "layout": "concatenated"}),
    ("positional-encoding", {"scheme": "rotary", "layout": "concatenated", "show": "turning"}),
    *(
        ("positional-encoding", {"show": "length extrapolation", "scaling": scaling, **head})
        for scaling in ("interpolation", "NTK", "YaRN")
        for head in ({}, {"width": "128", "trained": "4096", "factor": "5.3"}, {"width": "2", "base": "1"})
    ),
    *(
        ("multi-head", {"pos": scheme, "hmask": mask, "bias": bias, "t": "0.5", "reach": "2"})
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
    *(("single-head", {"example": example, "mask": "causal"}) for example in EXAMPLE.options),
    ("single-head", {"cross": "true", "ramp": "true", "unit": "true", "vectors": "one-hot", "d": "16"}),
    ("single-head", TYPED),
    *(
        ("single-head", {"score": score, "dk": width, **more})
        for score in SCORES
        for width, more in (
            ("1", {"mask": "causal", "t": "0.5"}),
            ("3", {"cross": "true", "scale": "none"}),
            ("4", TYPED),
        )
    ),
    *(
        ("single-head", {"mask": mask, "w": "2", "cross": "true", "text2": "h i j k l", "blocked": "0.1,5.4"})
        for mask in MASK.options
    ),
    *(("learned-heads", {"task": task, "training": "200", "ablate": ["2"]}) for task in TASKS),
    ("learned-heads", {"places": "false", "abab": "abcabcabc"}),
]


@pytest.mark.sample(14)
@pytest.mark.parametrize(("page", "link"), LINKS)
def test_what_a_program_prints_is_what_the_page_shows(page: str, link: Link) -> None:
    assert handed.faults(page, link) == []


def test_the_file_that_a_program_reads_is_handed_over_with_it() -> None:
    at = open_page("multi-head", tab="Code", dm="16")
    (button,) = (each for each in at.get("download_button") if "numbers.npz" in each.proto.label)
    assert button.proto.deferred_file_id
    assert 'np.load("numbers.npz")' in at.code[0].value
    assert "numbers.npz" in "\n".join(each.value for each in at.markdown)


# ---- formulas, and programs where they run ----


def balanced(latex: str) -> bool:
    """Whether braces, environments and delimiters come in pairs."""
    bare = latex.replace(r"\{", "").replace(r"\}", "")
    return (
        bare.count("{") == bare.count("}")
        and latex.count(r"\left") == latex.count(r"\right")
        and latex.count(r"\begin{") == latex.count(r"\end{")
    )


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("kernel-regression", ""),
        ("kernel-regression", "picture=Local lines"),
        ("single-head", "mask=causal"),
        ("positional-encoding", "scheme=rotary"),
        ("positional-encoding", "show=length+extrapolation&scaling=YaRN"),
        ("multi-head", "case=I love dogs, two heads"),
        ("learned-heads", ""),
        ("learned-heads", "look=eviction"),
    ],
)
def test_formulas_are_whole_and_have_numbers(page: str, link: str) -> None:
    said = PAGES[page].at(link).programs.text("LaTeX")
    assert balanced(said)
    assert re.search(r"\d", said)


def test_a_large_matrix_is_written_with_dots() -> None:
    said = in_latex(np.full((9, 10), 0.5).tolist())
    assert said.count("0.50") == 64
    assert (said.count(r"\cdots"), said.count(r"\vdots")) == (8, 8)


FRESH = (
    "import sys, plotly.graph_objects as go\ngo.Figure.show = lambda figure: None\nexec(sys.stdin.read())\n"
)
ABSENT: Mapping[str, tuple[str, ...]] = {
    PYTORCH: ("attn_core", "streamlit", "programs"),
    NUMPY: ("torch", "attn_core", "programs"),
    SHORT: ("streamlit", "pages", "programs"),
}


@pytest.mark.parametrize("kind", ABSENT)
@pytest.mark.parametrize("page", ["multi-head", "learned-heads"])
def test_in_a_process_of_its_own_a_program_needs_what_it_names(page: str, kind: str, tmp_path: Path) -> None:
    programs = PAGES[page].at("").programs
    assert isinstance(programs, Programs)
    program = programs.program(kind)
    (tmp_path / writing.ARCHIVE).write_bytes(program.archive())
    text = f"{program.text()}\nimport sys\nassert not {{*{ABSENT[kind]!r}}} & {{*sys.modules}}\n"
    path = {"PYTHONPATH": str(Path.cwd())} if kind == SHORT else {}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FRESH],
        input=text, capture_output=True, text=True, check=False, cwd=tmp_path, env=path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert list(handed.compared(done.stdout, handed.SHOWN[page]({}))) == []


def test_the_real_models_program_prints_the_head_that_its_table_has_first() -> None:
    standing()
    SHELF.wait(300)
    link = {"source": "a real model", "text": "a dog lay on the rug"}
    heads = open_page("learned-heads", tab="Heads", **link).dataframe[0].value
    best = heads.loc[heads["Previous token"].idxmax()]
    handed_over = PAGES["learned-heads"].at("source=a real model&text=a dog lay on the rug").programs
    assert isinstance(handed_over, OneProgram)
    assert handed.run(handed_over) == f"head {best['Head']}: {best['Previous token']:.4f}\n"


def test_vectors_of_the_short_program_are_drawn_as_the_page_draws_them() -> None:
    programs = PAGES["single-head"].at("text=a b c&seed=5").programs
    close(leaves(programs, SHORT)["X"], sentence_vectors(["a", "b", "c"], 6, seed=5))
    assert "sentence_vectors(" in programs.text(SHORT)
    assert "sentence_vectors(" not in PAGES["single-head"].at("ramp=true").programs.text(SHORT)
