"""What a program prints, as a file that a student runs, against attn_core called here by hand.

Each test has every scheme, mask, bias and language there is; a sample of them runs unless `--wide` is given.
"""

import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch

from attn_core import (
    KERNELS,
    MASK_PATTERNS,
    SCHEMES,
    Masking,
    MultiHeadAttention,
    SelfAttention,
    kernel_estimate,
    learn_bandwidth,
    make_mask,
    make_scheme,
    nadaraya_watson,
    regression_sample,
    scaled_dot_product_attention,
    sentence_vectors,
)
from attn_core.schemes import BiasScheme, RotationScheme
from attn_core.toys import SHIPPED, SYMBOLS, TASKS, Recipe, path_of, read_run
from attn_ui.base.numpy_code import in_numpy
from attn_ui.base.program_lines import program
from attn_ui.base.schemes import SchemeSettings
from attn_ui.base.shared_settings import TEMPERATURE
from pages.kernel_regression.snippet import Learning, own_data, toy_data
from pages.kernel_regression.snippet import snippet as of_kernel
from pages.learned_heads.compute import Now as Toy
from pages.learned_heads.snippet import by_hand as of_toy
from pages.learned_heads.state import Setting as ToySetting
from pages.multi_head import programs as heads_code
from pages.multi_head.compute import Now as Heads
from pages.multi_head.settings import A_PATTERN_A_HEAD, HEADS_MASK, USUAL_PATTERNS
from pages.multi_head.state import Look, Setting
from pages.positional_encoding.snippet import attention_code
from pages.single_head.compute import at_every_step
from pages.single_head.programs import asked
from pages.single_head.settings import MASK_WIDTH
from pages.single_head.snippet import snippet as of_one_head
from pages.single_head.state import Inputs, Scoring, State
from pages.single_head.state import Look as SingleLook
from tests import handed
from tests.pages import open_page

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("PyTorch", "NumPy")
WORDS, OTHERS = ["the", "cat", "saw", "the", "other", "cat"], ["one", "two", "three", "four"]
FLOAT64: dict[str, Any] = {"dtype": torch.float64}
MASKING: dict[str, Any] = {
    "dilation": 2,
    "global_tokens": 1,
    "random_blocks": 1,
    "blocked": ((0, 1), (3, 3), (2, 0)),
    "seed": 7,
}
LOOK = Look("every head", "number", 0, 0, ())


def said(text: str, language: str) -> str:
    """A program in a language."""
    return in_numpy(text) if language == "NumPy" else text


def holds(text: str, *wanted: torch.Tensor) -> None:
    """Run a program; what it prints are these arrays, to its last digit."""
    arrays = [each.detach().numpy() for each in wanted]
    assert list(handed.compared(handed.run(text), arrays)) == []


# ---- one head ----

WAYS: dict[str, dict[str, Any]] = {
    "random": {},
    "one-hot": {"vectors": "one-hot"},
    "typed": {"vectors": "typed", "x": ((1.0, 0.5), (0.1, -2.0))},
    "ramp": {"ramp": True, "unit_rows": True},
    "as they are": {"qkv": "as they are"},
}


def vectors(way: str, words: list[str], every: list[str]) -> torch.Tensor:
    """The vectors of one sentence, by hand."""
    if way == "one-hot":
        both = sentence_vectors(every, len(set(every)), kind="one-hot")
        return both[: len(words)] if words is not OTHERS else both[-len(words) :]
    x = sentence_vectors(words, 2 if way == "typed" else 6, seed=7)
    if way == "typed" and words is not OTHERS:
        x[:2] = torch.tensor([[1.0, 0.5], [0.1, -2.0]])
    if way == "ramp":
        x = x + 0.5 * torch.arange(len(x))[:, None]
        x = x / x.norm(dim=1, keepdim=True)
    return x


@pytest.mark.parametrize(
    ("language", "mask", "way", "bias", "cross"),
    list(product(LANGUAGES, MASK_PATTERNS, WAYS, (False, True), (False, True))),
)
def test_one_head(language: str, mask: str, way: str, bias: bool, cross: bool) -> None:
    inputs = Inputs(
        text=" ".join(WORDS), second_text=" ".join(OTHERS) if cross else None, bias=bias, d_v=3, seed=7,
        **WAYS[way],
    )  # fmt: skip
    scale = ("1/√dₖ", "none", "free")[len(mask) % 3]
    masking = Masking(mask, **MASKING)
    scoring = Scoring(masking, scale, 0.25, temperature=TEMPERATURE, width=MASK_WIDTH, moves="temperature")
    (now,) = at_every_step(State(inputs, scoring), look=SingleLook(width=2, temperature=0.5))
    text = said(of_one_head(asked(now)), language)

    every = WORDS + OTHERS if cross else WORDS
    x = vectors(way, WORDS, every)
    y = vectors(way, OTHERS, every) if cross else x
    query, key, value = x, y, y
    if way != "as they are":
        plain, biased = (
            SelfAttention(x.shape[1], 4, 3, bias=each, seed=7, **FLOAT64) for each in (False, True)
        )
        query, key, value = plain.W_q(x), plain.W_k(y), plain.W_v(y)
        if bias:
            query, key, value = query + biased.W_q.bias, key + biased.W_k.bias, value + biased.W_v.bias
    factor = {"1/√dₖ": None, "none": 1.0, "free": 0.25}[scale]
    allowed = make_mask(masking, len(x), len(y), 2)
    right = scaled_dot_product_attention(query, key, value, allowed, scale=factor, temperature=0.5)
    holds(text, right.weights, right.output)


def test_typed_queries_keys_and_values() -> None:
    q, k, v = ((1000.0, 2.0), (3.0, 4.0)), ((1.0, 0.0), (0.0, 1.0), (5.0, 5.0)), ((-1.0,), (2.0,), (0.001,))
    scoring = Scoring(Masking("causal"), "1/√dₖ", 1.0, TEMPERATURE, MASK_WIDTH, "temperature")
    (now,) = at_every_step(State(Inputs(qkv="typed", q=q, k=k, v=v), scoring))
    query, key, value = (torch.tensor(rows, **FLOAT64) for rows in (q, k, v))
    right = scaled_dot_product_attention(query, key, value, torch.ones(2, 3).tril().bool())
    for language in LANGUAGES:
        holds(said(of_one_head(asked(now)), language), right.weights, right.output)


# ---- many heads ----


@pytest.mark.parametrize(
    ("language", "scheme", "mask", "bias", "form"),
    list(
        product(
            LANGUAGES,
            [name for name in SCHEMES if name != "learned"],
            HEADS_MASK.options,
            (False, True),
            ("as it opens", "no W_o, d_head free", "cross"),
        )
    ),
)
def test_many_heads(language: str, scheme: str, mask: str, bias: bool, form: str) -> None:
    cross, free = form == "cross", form == "no W_o, d_head free"
    n_head, d_head, d_memory = 3, 4 if free else None, 8 if cross else 12
    others = [*OTHERS, "five", "six"] if cross else WORDS  # patterns need as many keys as queries
    placed: dict[str, Any] = {"strength": 0.7, "base": 50.0, "layout": "concatenated", "step": 0.25}
    takes = SCHEMES[scheme].settings()
    placed = {name: value for name, value in placed.items() if name in takes}
    setting = Setting(
        "own sentence", " ".join(WORDS), " ".join(others), cross, 12, d_memory, d_head, bias, not free, 7,
        mask, 2, Masking(**MASKING), positions=SchemeSettings(scheme, **placed), temperature=0.5,
    )  # fmt: skip
    text = said(heads_code.snippet(Heads(setting, LOOK, n_head)), language)

    positions = make_scheme(scheme, **placed, num_heads=n_head, seed=7)
    x, memory = sentence_vectors(WORDS, 12, seed=7), sentence_vectors(others, d_memory, seed=7)
    x, memory = x + positions.vectors(*x.shape), memory + positions.vectors(*memory.shape)
    allowed = torch.ones(6, 6, dtype=torch.bool)
    if mask != "none":
        kinds = USUAL_PATTERNS if mask == A_PATTERN_A_HEAD else (mask,)
        allowed = torch.stack(
            [make_mask(Masking(kinds[h % len(kinds)], **MASKING), 6, 6, 2) for h in range(n_head)]
        )
    biases = (
        positions.biases(6, 6) if isinstance(positions, BiasScheme) else torch.zeros(n_head, 6, 6, **FLOAT64)
    )
    attention = MultiHeadAttention(
        12, n_head, d_head=d_head, bias=bias, output_projection=not free, d_key=d_memory, d_value=d_memory,
        rotation=positions if isinstance(positions, RotationScheme) else None, temperature=0.5, seed=7,
        **FLOAT64,
    )  # fmt: skip
    right = attention(x, memory, memory, biases.masked_fill(~allowed, -torch.inf))
    holds(text, right.weights, right.output)


# ---- positions ----


@pytest.mark.parametrize(
    ("language", "name", "words", "layout", "strength"),
    list(
        product(LANGUAGES, SCHEMES, ("one-hot", "random"), ("interleaved", "concatenated"), (0.0, 1.0, 1.3))
    ),
)
def test_positions(language: str, name: str, words: str, layout: str, strength: float) -> None:
    if SCHEMES[name].missing():
        pytest.skip(f"{SCHEMES[name].missing()} is not installed")
    width = 384 if name == "learned" else 10
    scheme = make_scheme(
        name, strength=strength, base=50.0, layout=layout, step=0.25, num_heads=6, head=4, seed=9
    )
    right = scheme.attend(sentence_vectors(WORDS, width, kind=words, seed=9))
    holds(said(attention_code(WORDS, words, width, 9, scheme), language), right.weights)


# ---- kernel regression ----


@pytest.mark.parametrize(
    ("language", "kernel", "data"),
    list(product(LANGUAGES, KERNELS, ("sine", "step", "bump", "heteroscedastic", "gap", "vectors"))),
)
def test_kernel_regression(language: str, kernel: str, data: str) -> None:
    query: float | list[float] = 2.25
    if data == "vectors":
        keys, values = torch.tensor([[0.5, 1.0], [1.25, 0.0], [2.0, 2.0]]), torch.tensor([1.0, 2.0, 0.5])
        keys, values, query = keys.double(), values.double(), [1.0, 0.5]
        lines = own_data(keys.tolist(), values.tolist())
    else:
        sample = regression_sample(data, n_points=30, noise=0.3, seed=5)
        keys, values, lines = sample.keys, sample.values, toy_data(data, 30, 0.3, 5)
    text = said(of_kernel(data=lines, kernel=kernel, bandwidth=0.7, query=query), language)
    right = nadaraya_watson(torch.tensor([query], **FLOAT64), keys, values, kernel=kernel, bandwidth=0.7)
    holds(text, right.weights)
    estimate = right.estimate.item()
    assert handed.run(text).splitlines()[-1] == f"estimate: {estimate:.6g}"


@pytest.mark.parametrize(("data", "start"), [("sine", 0.5), ("step", 3.0), ("gap", 0.05)])
def test_the_bandwidth_is_learned_as_attn_core_learns_it(data: str, start: float) -> None:
    sample = regression_sample(data, n_points=30, noise=0.3, seed=5)
    learning = Learning(120, 0.05)
    text = of_kernel(
        data=toy_data(data, 30, 0.3, 5), kernel="gaussian", bandwidth=start, query=2.25, learning=learning
    )
    *_, last = learn_bandwidth(sample.keys, sample.values, start=start, steps=120, learning_rate=0.05)
    names, printed = handed.executed(text)
    assert names["learned"] == pytest.approx(last.bandwidth, rel=1e-6)
    assert printed.endswith(f"h learned in 120 steps: {last.bandwidth:.4g}\n")
    # The estimate is that of the bandwidth that the page has, before it learns.
    right = kernel_estimate(torch.tensor([2.25], **FLOAT64), sample.keys, sample.values, bandwidth=start)
    assert names["estimate"].item() == pytest.approx(right.item(), rel=1e-9)


# ---- as a file of its own ----


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("page", "module"),
    [
        ("kernel-regression", "NadarayaWatson"),
        ("single-head", "SelfAttention"),
        ("positional-encoding", "PositionalEncoding"),
        ("multi-head", "MultiHeadAttention"),
    ],
)
def test_a_file_prints_what_the_page_shows(page: str, module: str, language: str, tmp_path: Path) -> None:
    at = open_page(page, tab="Code", code=language)
    text = at.code[0].value
    assert f"class {module}{'(nn.Module)' if language == 'PyTorch' else ''}:" in text
    file = tmp_path / "program.py"
    file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", str(file)], capture_output=True, text=True, check=False,
        cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert list(handed.compared(done.stdout, handed.SHOWN[page]({}))) == []


# ---- learned heads ----

EACH_OFF = [(), *((head,) for head in range(4)), (0, 3), (0, 1, 2, 3)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("recipe", "off"),
    [
        (recipe, off)
        for recipe in SHIPPED
        for off in EACH_OFF
        if all(head < recipe.layers * recipe.heads for head in off)
    ],
    ids=str,
)
def test_learned_heads(recipe: Recipe, off: tuple[int, ...], language: str, monkeypatch: Any) -> None:
    monkeypatch.chdir(ROOT)  # where the trainings are
    task, run = TASKS[recipe.task], read_run(path_of(recipe))
    model = run.model(len(run.checkpoints) // 2)
    tokens = task.tokens(task.example)
    now = Toy(ToySetting(recipe, task.example, off), len(run.checkpoints) // 2)
    text = said(of_toy(now), language)

    right = model(tokens, off=off)
    holds(text, right.weights)
    spoken = [SYMBOLS[each] for each in right.logits.argmax(dim=-1).tolist()]
    assert handed.run(text).splitlines()[-1] == " ".join(["says:", *spoken])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("link", [{}, {"task": "reverse", "ablate": ["1"]}, {"places": "false"}], ids=str)
def test_a_file_of_learned_heads_prints_what_the_page_shows(
    language: str, link: handed.Link, tmp_path: Path, monkeypatch: Any
) -> None:
    text = open_page("learned-heads", **{**link, "tab": "Code", "code": language}).code[0].value
    base = "(nn.Module)" if language == "PyTorch" else ""
    for module in ("MultiHeadAttention", "Transformer"):
        assert f"class {module}{base}:" in text
    assert ("class PositionalEncoding" in text) == ("places" not in link)
    if link:  # the page as it opens is run as a file, which takes a process
        monkeypatch.chdir(ROOT)
        assert list(handed.compared(handed.run(text), handed.SHOWN["learned-heads"](link))) == []
        return
    file = tmp_path / "program.py"
    file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", str(file)], capture_output=True, text=True, check=False,
        cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert list(handed.compared(done.stdout, handed.SHOWN["learned-heads"](link))) == []


@pytest.mark.parametrize("misfit", ["norms.1.bias", "embedding.weight"])
def test_learned_weights_that_do_not_fit_are_refused_in_both_languages(misfit: str) -> None:
    text = """import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.norms = nn.ModuleList([nn.LayerNorm(3) for _ in range(2)])

    def forward(self, tokens):
        x = self.embedding(tokens)
        for norm in self.norms:
            x = norm(x)
        return x


model = Model()
model.load_state_dict(state)
with torch.no_grad():
    found = model(tokens)
"""
    generator = torch.Generator().manual_seed(3)
    shapes = {"embedding.weight": (5, 3)}
    shapes |= {f"norms.{at}.{part}": (3,) for at in range(2) for part in ("weight", "bias")}
    state = {name: torch.randn(*shape, generator=generator) for name, shape in shapes.items()}
    arrays = {name: each.numpy() for name, each in state.items()}
    one = handed.leaves(text, state=state, tokens=torch.tensor([4, 0, 4]))["found"]
    other = handed.leaves(in_numpy(text), state=arrays, tokens=torch.tensor([4, 0, 4]).numpy())["found"]
    torch.testing.assert_close(torch.as_tensor(other), one, check_dtype=False)
    too_wide = {**state, misfit: torch.zeros(7, 3)}
    with pytest.raises(RuntimeError, match="size mismatch"):
        handed.leaves(text, state=too_wide, tokens=torch.tensor([0]))
    with pytest.raises(AssertionError, match=misfit):
        handed.leaves(
            in_numpy(text), state={name: each.numpy() for name, each in too_wide.items()}, tokens=[0]
        )


# ---- how they are written ----


def test_words_that_are_names_of_the_program_stay_words() -> None:
    words = ["torch", "nn", "x", "#", "linear(", '"""', "\\n"]
    text = attention_code(words, "random", 6, 9, make_scheme("sinusoidal"))
    right = make_scheme("sinusoidal").attend(sentence_vectors(words, 6, seed=9)).weights
    holds(text, right)
    holds(in_numpy(text), right)
    assert f"words = {words!r}" in in_numpy(text)


def test_imports_stand_once_at_the_top() -> None:
    text = program("import math\n\ny = math.pi", "import json\n\nnn.Linear(1, 1)", "from torch import nn")
    assert text.startswith(
        "import math\n\nimport json\nimport torch\nfrom torch import nn\n\ntorch.set_default"
    )
    assert text.count("import math") == text.count("import nn") == 1


def test_what_a_program_sets_does_not_outlast_it() -> None:
    before = torch.random.get_rng_state()
    handed.run("import torch\ntorch.set_default_dtype(torch.float64)\ntorch.manual_seed(1)\ntorch.rand(3)")
    assert torch.get_default_dtype() == torch.float32
    assert torch.equal(torch.random.get_rng_state(), before)
