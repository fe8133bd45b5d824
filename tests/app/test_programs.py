"""What the tab Code hands over: functions against torch and attn_core, programs against what pages show."""

import ast
import math
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import attn_core
from attn_core import (
    KERNELS,
    SCHEMES,
    SCORES,
    local_linear,
    nadaraya_watson,
    sentence_vectors,
    weights_of,
)  # fmt: skip
from attn_core.attention_flow import attention_rollout, drop_keys, find_sinks, weighted_value_norms
from attn_core.eviction import evict
from attn_core.plane import main_directions
from attn_core.threshold import threshold_weights
from attn_core.toys import TASKS, packaged_run
from attn_ui.base.latex import matrix_latex
from attn_ui.base.programs import OneProgram, Programs
from pages import PAGES
from pages.learned_heads.model_shelf import SHELF, model_status
from pages.multi_head.settings import HEADS_MASK
from pages.single_head.settings import EXAMPLE, MASK
from programs import writing
from programs.writing import NUMPY, PYTORCH, SHORT, Program
from tests import run_programs
from tests.pages import open_page
from tests.run_programs import Link, leaves

FILES = (
    "arrays",
    *(f"pytorch.{topic}" for topic in ("attention", "heads", "kernel", "learned", "spellings")),
)
FUNCTIONS: dict[str, dict[str, Any]] = {
    PYTORCH: {name: each for file in FILES for name, each in vars(import_module(f"programs.{file}")).items()},
    NUMPY: writing.numpy_functions(),
}
Q, K, V = torch.randn(3, 2, 5, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
LOWER = torch.ones(5, 5, dtype=torch.bool).tril()
TYPED = {"qkv": "typed", "Q": "1000,2;3,4", "K": "1,0;0,1;5,5", "V": "-1;2;0.001"}


def close(got: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=0, atol=tolerance)


# ---- the functions, each against torch or attn_core ----


class Functions:
    """The functions of both languages: one of them is called in PyTorch, and held against NumPy's."""

    def __getattr__(self, name: str) -> Any:
        return partial(self._call, name)

    def _call(self, name: str, *arguments: Any) -> Any:
        result = FUNCTIONS[PYTORCH][name](*arguments)
        if name in FUNCTIONS[NUMPY]:
            other = FUNCTIONS[NUMPY][name](*map(in_numpy, arguments))
            ours, theirs = (each if isinstance(each, tuple) else (each,) for each in (result, other))
            for one, two in zip(ours, theirs, strict=True):
                close(two, one, 1e-9)
        return result


def in_numpy(value: Any) -> Any:
    """Return what NumPy's functions take in place of torch's numbers."""
    if isinstance(value, dict):
        return {name: in_numpy(each) for name, each in value.items()}
    if isinstance(value, list):
        return [in_numpy(each) for each in value]
    return value.numpy() if isinstance(value, torch.Tensor) else value


@pytest.fixture
def own() -> Functions:
    """The functions, where numbers are float64 as in programs, to the end of the test."""
    torch.set_default_dtype(torch.float64)
    return Functions()


def test_program_attention_equals_torch(own: Functions) -> None:
    scores = Q @ K.mT / 2
    for mask, (output, weights) in (
        (None, own.attend(scores, V)),
        (LOWER, own.attend_masked(scores, V, LOWER)),
    ):
        close(output, F.scaled_dot_product_attention(Q, K, V, attn_mask=mask))
        close(weights.sum(-1), torch.ones(2, 5))
    output, weights = own.attend_masked(scores, V, LOWER & (torch.arange(5) > 1))
    assert not output[:, :2].any()
    assert not weights[:, :2].any()
    output, weights = own.attend_with_sink(scores[0], V[0], 0.5, LOWER)
    rows = scores[0].exp().masked_fill(~LOWER, 0.0)
    close(weights, rows / (rows.sum(dim=-1, keepdim=True) + math.exp(0.5)))
    close(output, weights @ V[0])
    close(own.places(3, 2)[0] * 10 + own.places(3, 2)[1], [[0, 1], [10, 11], [20, 21]])


@pytest.mark.parametrize("score", ["additive", "cosine", "kernel", "linear"])
def test_program_scores_equal_attn_core(own: Functions, score: str) -> None:
    weights = attn_core.score_weights(score, 4, seed=3)
    wanted = attn_core.score_pairs(score, Q[0], K[0], weights)
    scores = {
        "additive": own.additive_scores, "cosine": own.cosine_scores, "kernel": own.kernel_scores,
        "linear": own.linear_scores,
    }  # fmt: skip
    close(scores[score](Q[0], K[0], *weights.values()), wanted, 1e-11)


def test_program_thresholds_and_planes_equal_attn_core(own: Functions) -> None:
    weights = (Q @ K.mT).softmax(dim=-1)
    tied = torch.tensor([[0.3, 0.3 - 1e-13, 0.4, 0.0], [0.0, 0.0, 1.0, 0.0]])
    for rows, top in ((weights, 2), (tied, 2), (tied, 4)):
        kept = rows * own.largest_in_row(rows, top)
        close(kept > 0, threshold_weights(rows, top=top).mask)
        close(own.renormalise(kept), kept / kept.sum(-1, keepdim=True))
    assert not own.renormalise(0 * tied).any()
    close(own.length(Q), Q.norm(dim=-1))
    for width in (4, 1):
        queries, keys = Q[0, :, :width], K[0, :, :width]
        directions = own.widest_directions(queries, keys)
        plane = main_directions(queries, keys)
        close(abs(queries @ directions.mT), abs(plane.queries), 1e-10)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("query", [1.3, 40.0])
def test_program_kernel_regression_equals_attn_core(own: Functions, kernel: str, query: float) -> None:
    x = torch.rand(9, generator=torch.Generator().manual_seed(1)) * 3
    at, y = torch.tensor([query]), x.sin()
    wanted = nadaraya_watson(at, x, y, kernel=kernel, bandwidth=0.4)
    line = local_linear(at, x, y, kernel=kernel, bandwidth=0.4)
    u = abs(at[:, None] - x) / 0.4
    weigh = {"boxcar": own.boxcar, "triangular": own.triangular, "epanechnikov": own.epanechnikov}
    weights = own.gaussian(u) if kernel == "gaussian" else own.renormalise(weigh[kernel](u))
    close(weights, wanted.weights)
    close(own.with_gaps(weights @ y, weights), wanted.estimate)
    if wanted.estimate.isfinite():
        height, slope, _ = own.local_line(at, x, y, weights)
        close([height, slope], [line.estimate, line.slope], 1e-6)


def test_program_local_line_through_equal_keys_is_level(own: Functions) -> None:
    x, y = torch.ones(3), torch.tensor([1.0, 2.0, 6.0])
    height, slope, weights = own.local_line(torch.ones(1), x, y, own.gaussian(torch.zeros(1, 3)))
    close([height, slope, weights.sum(-1)], [[3.0], [0.0], [1.0]])


@pytest.mark.parametrize("n_head", [1, 6, 8])
def test_program_positions_equal_attn_core(own: Functions, n_head: int) -> None:
    table, x = torch.randn(n_head, 32), torch.arange(5)
    close(own.alibi_bias(n_head, 5, 7), attn_core.alibi_bias(n_head, 5, 7))
    close(own.relative_bias(150, 150, table), table[:, attn_core.relative_position_buckets(150, 150)])
    close(own.ramp_encoding(5, 4, 0.25), attn_core.ramp_encoding(5, 4, step=0.25))
    for width in (7, 8):
        waves = partial(attn_core.sinusoidal_encoding, 9, width, base=50.0)
        close(own.sinusoidal_encoding(9, width, 50.0), waves())
        close(own.sinusoidal_halves(9, width, 50.0), waves(layout="concatenated"))
    turned, angles = partial(attn_core.rotary_embedding, Q, x, base=50.0), own.rotary_angles(5, 4, 50.0)
    close(own.rotate(Q, angles), turned())
    close(own.rotate_halves(Q, angles), turned(layout="half"))


@pytest.mark.parametrize("base", [10000.0, 1.0])
def test_program_rotary_scalings_equal_attn_core(own: Functions, base: float) -> None:
    plain = own.rotary_frequencies(16, base)
    for name, frequencies in (
        ("interpolation", plain / 5.0),
        ("NTK", own.ntk_aware(plain, 5.0)),
        ("YaRN", own.yarn(plain, base, 5.0, 512)),
    ):
        scaling = attn_core.make_scaling(name, base=base, factor=5.0, trained_length=512)
        close(frequencies, scaling.frequencies(16))
        scores = scaling.score_factor * own.scores_at([1, 8], frequencies)
        close(scores, scaling.scores(torch.tensor([1, 8]), 16))


def test_program_heads_are_split_merged_and_shared_as_in_torch(own: Functions) -> None:
    x = torch.arange(24.0).reshape(3, 8)
    close(own.split_heads(x, 2), x.unflatten(-1, (2, 4)).transpose(0, 1))
    close(own.merge_heads(own.split_heads(x, 2)), x)
    heads = torch.randn(4, 5, 3)
    close(own.share_heads(heads, 2), heads.unflatten(0, (2, 2)).mean(1).repeat_interleave(2, dim=0))
    masks = own.heads_take_turns([LOWER, torch.arange(5)[None] < 2], 3)
    close(masks, torch.stack([LOWER, (torch.arange(5) < 2).expand(5, 5), LOWER]))


def test_program_of_causal_map_and_bandwidth_equals_attn_core(own: Functions) -> None:
    wanted = F.scaled_dot_product_attention(Q, K, V, attn_mask=LOWER)
    close(own.token_by_token(Q, K, V), wanted)
    close(own.tiled_attention(Q[0], K[0], V[0], 2), F.scaled_dot_product_attention(Q, K, V)[0])
    linear = attn_core.score_attention("linear", Q[0], K[0], V[0], LOWER).output
    close(own.linear_attention(Q[0], K[0], V[0]), linear)
    x = torch.linspace(0, 5, 12)
    learned = own.learn_bandwidth(x, x.sin(), 0.5, 40, 0.05)
    *_, last = attn_core.learn_bandwidth(x, x.sin(), start=0.5, steps=40, learning_rate=0.05)
    assert learned == pytest.approx(last.bandwidth, rel=1e-9)
    x, w_qkv, w_o, mask = torch.randn(5, 6), torch.randn(12, 6), torch.randn(3, 4), torch.zeros(5, 5)
    mask = mask.masked_fill(~LOWER, -torch.inf)
    q, k, v = (x @ w_qkv.T).unflatten(-1, (3, 2, 2)).permute(1, 2, 0, 3)
    right = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(0, 1).flatten(1) @ w_o.T
    for spelling in (own.loops, own.matmul, own.einsums, own.einops, own.fused):
        close(spelling(x, w_qkv, w_o, mask, 2), right)


def test_program_of_toys_equals_attn_core(own: Functions) -> None:
    model = packaged_run("induction").model(30).double()
    tokens = TASKS["induction"].tokens("dgcahdgca")
    run, n = model(tokens), len(tokens)
    modules: Any = zip(model.attention, model.norms, strict=True)
    layers = [
        [each.detach() for each in (norm.weight, norm.bias, *weights_of(attention).values())]
        for attention, norm in modules
    ]
    x = model.embedding.detach()[tokens] + attn_core.sinusoidal_encoding(n, 32, base=100.0)
    close(own.layer_norm(x, 2 * torch.ones(32), torch.ones(32)), 2 * F.layer_norm(x, (32,)) + 1, 1e-6)
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    y, q, k, v, weights = own.toy_transformer(x, layers, 2, mask)
    close((y - x) @ model.readout.detach().T, run.logits.detach(), 1e-6)
    close(weights, run.weights.detach(), 1e-6)
    lengths = own.written_lengths(weights, v, torch.stack([layer[-1] for layer in layers]))
    close(lengths, torch.cat([weighted_value_norms(each).detach() for each in run.layers]), 1e-6)
    maps = weights.reshape(2, 2, n, n).mean(1)
    close(own.mean_of_heads(weights[:2], [0, 1]), maps[0])
    assert not own.mean_of_heads(weights[:2], []).any()
    close(own.rollout(list(maps)), attention_rollout(maps)[1])
    close(own.drop_sinks(maps[1]), drop_keys(maps[1], find_sinks(maps[1])))
    for policy, name in (("window", "oldest"), ("StreamingLLM", "oldest_after_sinks"), ("H2O", "least_used")):
        wanted = evict((q @ k.mT / 4).clone(), v, policy)
        for budget in (1, 3, 6):
            heads, weights = own.attend_with_cache(q, k, v, budget, FUNCTIONS[PYTORCH][name])
            close(weights, wanted.weights[budget - 1], 1e-9)
            close(heads, wanted.heads[budget - 1], 1e-9)
            close(own.relative_errors(heads, wanted.heads[-1]), wanted.errors[budget - 1], 1e-9)


def test_program_functions_are_short_and_each_is_tested() -> None:
    """Those of NumPy are those of torch, but for what is handed over in PyTorch alone."""
    here = Path(__file__).read_text(encoding="utf-8")
    missing = writing.functions(PYTORCH).keys() ^ writing.functions(NUMPY).keys()
    alone = {"learn_bandwidth", "softmax", "tiled_attention", "linear_attention", "token_by_token"}
    assert missing - {"loops", "matmul", "einsums", "einops", "fused"} == alone
    every = [*writing.functions(PYTORCH).items(), *writing.functions(NUMPY).items()]
    called = {called for name, text in every for called in re.findall(r"\w+(?=\()", text) if called != name}
    for name, text in every:
        lines = text.splitlines()
        assert 3 <= len(lines) <= 25
        assert max(map(len, lines)) <= 100
        assert re.match(r'    """.+\."""$', lines[1])
        assert name in called or re.search(rf'own\.{name}\b|"{name}"', here), name


def test_program_text_is_defined_in_programs_only() -> None:
    root = Path(writing.__file__).parents[1]
    for file in [*root.glob("pages/**/*.py"), *root.glob("attn_ui/**/*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"(?m)^ *(?:def \w+\(|import \w+|from [\w.]+ import )", node.value), file


# ---- how a program is written ----


def test_program_numbers_have_the_fewest_digits_that_keep_the_output() -> None:
    program = Program(NUMPY, "y = 2 * x", {"x": [1 / 3, 2.0]}, ["y"])
    assert "x = np.array([0.333333, 2.0])" in program.text() or "[0.33333" in program.text()
    assert leaves(program)["y"].tolist() == [2 / 3, 4.0]
    close(run_programs.arrays(run_programs.run(program))[0], [0.6667, 4.0])


def test_program_numbers_are_loaded_if_many_and_written_without_a_file() -> None:
    x = np.arange(65.0)
    numbers = {"x": x, "w": x[:18].reshape(2, 3, 3) / 7, "z": x[:3]}
    program = Program(PYTORCH, "y = x.sum()", numbers, ["y"])
    assert 'np.load("numbers.npz")' in program.text()
    assert "z = torch.tensor([0.0, 1.0, 2.0])" in program.text()  # short, and to be changed by hand
    whole = program.text(whole=True)
    assert "numbers.npz" not in whole
    for text in (program, whole):
        assert leaves(text)["y"] == x.sum()
        close(leaves(text)["w"], numbers["w"], 0)
    assert run_programs.run(whole).startswith("y:\ntensor(2080")


def test_program_infinities_and_gaps_are_written() -> None:
    program = Program(NUMPY, "y = x", {"x": [-math.inf, math.nan, 1.0]}, ["y"])
    np.testing.assert_array_equal(leaves(program)["y"], [-math.inf, math.nan, 1.0])


OPENS = ("kernel-regression", "single-head", "positional-encoding", "multi-head", "learned-heads")


@pytest.mark.parametrize("kind", [PYTORCH, NUMPY, SHORT])
@pytest.mark.parametrize("page", OPENS)
def test_program_of_a_page_that_opens_is_short_and_narrow(page: str, kind: str) -> None:
    """Functions and calls have at most 40 lines; imports, and numbers written or read, count besides."""
    programs = PAGES[page].at("").programs
    assert isinstance(programs, Programs)
    text = programs.text(kind)
    numbers = re.sub(r"\(\[\n.*?\n\]\)", "()", text, flags=re.DOTALL)
    numbers = re.sub(r"^with np\.load.*:\n(?: .*\n)+", "", numbers, flags=re.MULTILINE)
    code = re.sub(r"^(?:from|import) (?:.* \((?:\n .*)+\n\)|.*)$", "", numbers, flags=re.MULTILINE)
    assert len([line for line in code.splitlines() if line.strip()]) <= 40
    assert max(map(len, text.splitlines())) <= 100
    others = {PYTORCH: {"torch"}, NUMPY: {"numpy"}, SHORT: {"torch", "attn_core", "attn_figures"}}[kind]
    assert imported(text) <= others | ({"numpy"} if "numbers.npz" in text else set())
    assert ("numbers.npz" in programs.describe(kind)) == ("numbers.npz" in text)


def imported(program: str) -> set[str]:
    """The first names of what a program imports, Python's own library left out."""
    names = re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE)
    return {name for name in names if name not in sys.stdlib_module_names}


@pytest.mark.parametrize("link", ["", "kernel=boxcar", "picture=Two inputs", "picture=Local lines"])
def test_program_description_names_a_learned_bandwidth_where_it_is(link: str) -> None:
    programs = PAGES["kernel-regression"].at(link).programs
    assert isinstance(programs, Programs)
    learns = {kind: "h learned" in programs.text(kind) for kind in (PYTORCH, NUMPY, SHORT)}
    assert learns == {kind: "h learned" in programs.describe(kind) for kind in learns}
    assert learns == {PYTORCH: link == "", NUMPY: False, SHORT: False}


def test_program_treats_typed_text_as_data() -> None:
    link = {"text": "\"]; import os # '''", "mask": "causal"}
    assert run_programs.faults("single-head", link) == []
    assert run_programs.faults("multi-head", link) == []


# ---- what is printed, against what is on the page; the wide version is `python -m tests.run_programs` ----

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
def test_program_prints_what_the_page_shows(page: str, link: Link) -> None:
    assert run_programs.faults(page, link) == []


def test_program_data_file_comes_with_it() -> None:
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
def test_program_formulas_are_complete_and_have_numbers(page: str, link: str) -> None:
    said = PAGES[page].at(link).programs.text("LaTeX")
    assert balanced(said)
    assert re.search(r"\d", said)


def test_program_matrix_too_large_is_written_with_dots() -> None:
    said = matrix_latex(np.full((9, 10), 0.5).tolist())
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
def test_program_in_its_own_process_needs_only_its_named_packages(
    page: str, kind: str, tmp_path: Path
) -> None:
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
    assert list(run_programs.compared(done.stdout, run_programs.SHOWN[page]({}))) == []


def test_program_of_a_real_model_prints_the_first_head_of_its_table() -> None:
    model_status()
    SHELF.wait(300)
    link = {"source": "a real model", "text": "a dog lay on the rug"}
    heads = open_page("learned-heads", tab="Heads", **link).dataframe[0].value
    best = heads.loc[heads["Previous token"].idxmax()]
    handed_over = PAGES["learned-heads"].at("source=a real model&text=a dog lay on the rug").programs
    assert isinstance(handed_over, OneProgram)
    assert run_programs.run(handed_over) == f"head {best['Head']}: {best['Previous token']:.4f}\n"


def test_program_short_form_draws_the_vectors_of_the_page() -> None:
    programs = PAGES["single-head"].at("text=a b c&seed=5").programs
    close(leaves(programs, SHORT)["X"], sentence_vectors(["a", "b", "c"], 6, seed=5))
    assert "sentence_vectors(" in programs.text(SHORT)
    assert "sentence_vectors(" not in PAGES["single-head"].at("ramp=true").programs.text(SHORT)
