"""Formulas of single head and of positions, computed as they are written, against what the pages compute."""

import math
import re
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from attn_core import SCHEMES, Alibi, Masking, RelativeBuckets, sentence_vectors
from attn_ui.base.schemes import SchemeSettings
from attn_ui.base.shared_settings import TEMPERATURE
from pages.positional_encoding import formulas
from pages.positional_encoding.compute import Result as NowPlaced
from pages.positional_encoding.state import State as Placed
from pages.single_head.compute import Result, at_every_step
from pages.single_head.settings import MASK_WIDTH
from pages.single_head.stages import STAGES
from pages.single_head.state import Inputs, Scoring, StageOptions, State
from tests.latex import evaluate, sides

SINGLE = {
    "own": Inputs(text="one two three"),
    "cross": Inputs(text="one two three", second_text="four five"),
    "as they are": Inputs(text="one two three", qkv="as they are"),
    "typed": Inputs(qkv="typed", q=((1.0, 2.0),), k=((0.5, 1.0), (2.0, -1.0)), v=((3.0,), (4.0,))),
}
SCALES = ("1/√dₖ", "none", "free")
MASKS = ("none", "causal", "own")


def single(given: str, scale: str, mask: str, temperature: float, **more: bool) -> Result:
    inputs = SINGLE[given]
    if given != "typed":
        inputs = Inputs(**{**vars(inputs), **more})
    masking = Masking(mask, blocked_cells=((0, 0), (0, 1), (0, 2), (1, 1)) if mask == "own" else ())
    scoring = Scoring(masking, scale, 0.37, temperature=TEMPERATURE, width=MASK_WIDTH, moves="temperature")
    (result,) = at_every_step(State(inputs, scoring), look=StageOptions(temperature=temperature))
    return result


def symbols(result: Result) -> dict[str, Any]:
    """Every symbol of the page by its name, from the numbers on the screen."""
    head = result.matrices
    names: dict[str, Any] = {
        "Q": head.query, "K": head.key, "V": head.value, "K^T": head.key.T, "S": head.scores,
        r"\tilde S": head.scaled_scores, "M": np.where(head.mask, 0.0, -np.inf), "T": result.temperature,
        "d_k": float(head.query.shape[1]), "A": head.weights, "X": head.x, "Y": head.memory,
    }  # fmt: skip
    for letter, matrix in zip("qkv", head.projections or (), strict=False):
        names[f"W_{letter}"] = matrix
    for letter, bias in zip("qkv", head.biases or (), strict=False):
        names[f"b_{letter}"] = bias
    return {
        name.replace(" ", ""): torch.from_numpy(value) if isinstance(value, np.ndarray) else value
        for name, value in names.items()
    }


def split_equation(equation: str) -> tuple[str, str]:
    """Part an equation, without the sizes under its names."""
    sized = r"\\underset\{[^{}]*\}\{((?:[^{}]|\{[^{}]*\})*)\}"
    plain = re.sub(sized, r"\1", equation).replace(r"\;", " ").replace(r"\mathrm", r"\operatorname")
    left, _, right = plain.partition("=")
    return left.strip(), right.strip()


@pytest.mark.parametrize("given", SINGLE)
def test_head_formulas_compute_the_numbers_of_the_page(given: str) -> None:
    flags = ("ramp", "unit_rows", "bias")
    for scale, mask, temperature in product(SCALES, MASKS, (1.0, 2.5)):
        for on in product((False, True), repeat=3):
            switches: dict[str, bool] = dict(zip(flags, on, strict=True))
            result = single(given, scale, mask, temperature, **switches)
            head, names = result.matrices, symbols(result)
            made = {"O": head.output, "Q": head.query, "K": head.key, "V": head.value, "S": head.scores}
            made |= {
                r"\tilde S": head.scaled_scores,
                r"\hat S": np.where(head.mask, head.scaled_scores, -np.inf),
            }
            for stage in ("all at once", "Q, K, V", "scores", "scaled", "masked", "output"):
                for part in STAGES[stage].formula(result).split(r",\quad "):
                    left, right = split_equation(part)
                    if not right or "in" in right:  # a size, or what a number can be
                        continue
                    value = evaluate(right, names).nan_to_num()  # a row that sees nothing is zero
                    wanted = torch.from_numpy(made[left]).nan_to_num()
                    torch.testing.assert_close(value, wanted, atol=1e-9, rtol=0, msg=f"{stage}: {part}")
            assert ("M" in STAGES["all at once"].formula(result)) == (not head.mask.all())


@pytest.mark.parametrize(("ramp", "unit"), list(product((False, True), repeat=2)))
def test_formula_of_x_equals_its_rows(ramp: bool, unit: bool) -> None:
    inputs = Inputs(text="one two three", second_text="four five", ramp=ramp, unit_rows=unit)
    (result,) = at_every_step(
        State(inputs, Scoring(Masking(), "none", 1.0, TEMPERATURE, MASK_WIDTH, "temperature"))
    )
    made = [each for each in STAGES["X"].formula(result).split(r",\quad ") if "=" in each]
    assert len(made) == (2 if ramp or unit else 0)
    both = sentence_vectors(["one", "two", "three", "four", "five"], inputs.width, seed=inputs.seed).numpy()
    rows_of = ((both[:3], result.matrices.x, "E"), (both[3:], result.matrices.memory, "F"))
    for formula, (before, rows, name) in zip(made, rows_of, strict=False):
        for p, row in enumerate(before):
            inside = re.sub(r"^\\frac\{(.*)\}\{\|\1\|\}$", r"\1", split_equation(formula)[1])
            value = evaluate(inside, {f"{name}_p": torch.from_numpy(row), "p": p})
            assert (r"|" in formula) == unit
            made_of = value / (value.norm() if unit else 1.0)
            np.testing.assert_allclose(made_of, np.asarray(rows)[p])


# ---- positions ----

N, HEADS = 7, 12  # a number of heads that is no power of two


@pytest.mark.parametrize("num_heads", [1, 4, 8, 12, 16])
def test_alibi_formula_has_the_slope_of_every_head(num_heads: int) -> None:
    slopes = re.findall(
        r"m_h = (2\^\{.*?\})(?:\\ \(h (\\le|>) (\d+)\)|$)", Alibi(num_heads=num_heads).latex()
    )
    found = []
    for head in range(1, num_heads + 1):
        holds = [each for each, sign, n in slopes if not sign or (head <= int(n)) == (sign == r"\le")]
        found += [float(evaluate(each, {"h": head})) for each in holds]
    np.testing.assert_allclose(found, -Alibi(num_heads=num_heads).biases(2, 2)[:, 0, 1], rtol=1e-12)


def test_bucket_formula_has_the_bucket_of_every_offset() -> None:
    scheme = RelativeBuckets()
    cases = scheme.latex().partition("(o) = ")[2].replace("[o > 0]", "").replace(r"& |o| \ge 8", "")
    first, exact, most, start, times, over, end = map(int, re.findall(r"\d+", cases))
    assert (first, exact, most, start) == (16, 8, 15, 8)
    for o in (*range(-20, 21), 60, -60, 130, -199, 199):
        steps = math.floor(times * math.log(max(1, abs(o)) / over) / math.log(end))
        bucket = first * (o > 0) + (abs(o) if abs(o) < exact else min(most, start + steps))
        assert bucket == int(scheme.buckets(200, 200)[max(0, -o), max(0, o)])


@pytest.mark.parametrize("strength", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
@pytest.mark.parametrize("name", SCHEMES)
def test_attention_formula_equals_the_computed_attention(name: str, layout: str, strength: float) -> None:
    if SCHEMES[name].missing_package():
        pytest.skip(f"{name} needs {SCHEMES[name].missing_package()}, which is not installed")
    settings = SchemeSettings(name, strength=strength, base=50.0, step=0.35, layout=layout)
    tokens = ("one", "two", "three", "four")
    numbers = NowPlaced(Placed("attention", tokens, "random", 6, 4, settings, HEADS, head=10))
    scheme, x = numbers.scheme(), numbers.x
    n, d = x.shape
    formula = formulas.attention(numbers)
    names: dict[str, Any] = {"X": x, "s": strength}
    if scheme.adds == "vector":
        row, bare = sides(formula, "X_i"), numbers.bare().vectors(n + 1, d)
        placed = [{"E_i": x[i], "s": strength, "P_{i}": bare[i], "P_{i+1}": bare[i + 1]} for i in range(n)]
        names["X"] = torch.stack([evaluate(row, each) for each in placed])
        assert ("P_{i+1}" in row) == (scheme.first == 1)
    elif scheme.adds == "rotation":
        assert sides(formula, r"\tilde X_i") == r"R_{s\,i}\,X_i"
        names[r"\tildeX"] = numbers.bare().turn(x, strength * torch.arange(n).double())
    elif scheme.adds == "bias":
        names["B_{10}"] = numbers.bare().bias(n, n)
    weights = evaluate(sides(formula, "A"), names)
    torch.testing.assert_close(weights, numbers.attended.weights, atol=1e-12, rtol=0)
    output = evaluate(sides(formula, "O"), names | {"A": weights})
    torch.testing.assert_close(output, numbers.attended.output, atol=1e-12, rtol=0)
    # Of the tab, each scheme's own formula is that of these settings, and no symbol of a setting is left.
    assert formulas.scheme_formula(numbers, name) == scheme.latex()
    assert not re.search(r"\\mathrm\{(base|step)\}", scheme.latex())
