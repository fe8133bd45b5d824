"""Formulas of the multi-head page, evaluated as they stand, against its numbers, under all that can be on."""

import re
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import torch

from attn_core import BiasScheme
from attn_ui.base.schemes import SchemeSettings
from pages.multi_head import formulas, programs
from pages.multi_head.compute import Result, allowed, sequences, without_positions
from pages.multi_head.settings import A_PATTERN_A_HEAD
from pages.multi_head.state import HeadsOptions
from tests.app.test_multi_head import OWN, open_page
from tests.latex import evaluate, sides

LOOK = HeadsOptions("every head", "number", 0, 1, ())
SCHEMES = {
    "none": SchemeSettings("none"),
    "ramp": SchemeSettings("ramp", strength=0.6, step=0.35),
    "sinusoidal": SchemeSettings("sinusoidal", strength=0.6, base=50.0, layout="concatenated"),
    "rotary": SchemeSettings("rotary", strength=0.6, base=50.0, layout="concatenated"),
    "ALiBi": SchemeSettings("ALiBi", strength=0.6),
    "buckets": SchemeSettings("buckets", strength=0.6),
}
FLAGS = list(product((False, True), (False, True), ("none", "causal", A_PATTERN_A_HEAD), (1.0, 3.16)))


def symbols(result: Result) -> dict[str, Any]:
    """What the letters of the formulas stand for, from the words and the drawn matrices."""
    module, setting = result.module, result.setting
    words, d_head = sequences(without_positions(setting)), module.d_head
    s = setting.positions.strength
    at_one = replace(setting, positions=replace(setting.positions, strength=1.0))
    scheme = Result(at_one, LOOK, result.n_head).scheme
    letters: dict[str, Any] = {"s": s}
    for side, x in (("_q", words.query), ("_k", words.key), ("", words.query)):
        letters[f"X{side}"] = x + s * scheme.vectors(*x.shape, start=scheme.first)
    may = allowed(setting, result.n_head)
    for h in range(result.n_head):
        own = slice(h * d_head, (h + 1) * d_head)
        for name, linear in (("q", module.W_q), ("k", module.W_k), ("v", module.W_v)):
            letters[f"W_{name}^{{({h + 1})}}"] = linear.weight[own].T
            if linear.bias is not None:
                letters[f"b_{name}^{{({h + 1})}}"] = linear.bias[own][None]
        if module.W_o is not None:
            letters[f"W_o^{{({h + 1})}}"] = module.W_o.weight[:, own].T
        if isinstance(scheme, BiasScheme):
            letters[f"B_{h + 1}"] = scheme.biases(*result.tokens.shape)[h]
        if may is not None:
            each = may[h] if may.ndim > 2 else may
            letters[f"M_{h + 1}"] = torch.zeros(each.shape, dtype=torch.float64).masked_fill(
                ~each, -torch.inf
            )
    if module.W_o is not None:
        letters["W_o"] = module.W_o.weight.T
        if module.W_o.bias is not None:
            letters["b_o"] = module.W_o.bias[None]
    return letters


def evaluated(result: Result) -> tuple[torch.Tensor, torch.Tensor]:
    """Return weights and output by the formulas as they are written."""
    letters = symbols(result)
    heads = formulas.names(result)
    maps = []
    for h in range(1, result.n_head + 1):
        made = formulas.projections(result, str(h))
        for name in "QKV":
            letters[f"{name}_{h}"] = evaluate(sides(made, f"{name}_{h}"), letters)
            if result.module.rotation is not None:
                turned = result.scheme.turn(letters[f"{name}_{h}"], torch.arange(len(letters[f"{name}_{h}"])))
                letters[rf"\tilde{name}_{h}"] = turned
        maps.append(evaluate(formulas.weights(result, str(h)), letters).nan_to_num())
        letters[heads[h - 1]] = maps[-1] @ letters[f"V_{h}"]
    text = formulas.output(result, heads).replace(r"\ldots", ", ".join(heads[1:-1]))
    return torch.stack(maps), evaluate(text, letters)


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_heads_formulas_give_the_numbers_of_the_page(scheme: str, cross: bool) -> None:
    for (bias, projection, mask, temperature), n_head in product(FLAGS, (1, 2, 4)):
        setting = replace(
            OWN,
            positions=SCHEMES[scheme],
            cross=cross,
            bias=bias,
            projection=projection,
            mask=mask,
            reach=2,
            temperature=temperature,
        )
        result = Result(setting, LOOK, n_head)
        weights, output = evaluated(result)
        torch.testing.assert_close(weights, result.attention.weights)
        torch.testing.assert_close(output, result.attention.output)
        if projection:
            letters = symbols(result) | dict(zip(formulas.names(result), result.attention.heads, strict=True))
            summand, _, added = formulas.output_as_sum(result).partition(" + ")
            term = re.sub(r"\\sum_\{h=1\}\^\{\d+\}", "", summand).strip()
            total = sum(
                evaluate(term.replace("_h", f"_{{{h}}}").replace("(h)", f"({h})"), letters)
                for h in range(1, n_head + 1)
            )
            assert (added == "b_o") == bias
            torch.testing.assert_close(total + letters["b_o"] if added else total, result.attention.output)


def test_heads_formula_without_its_bias_gives_other_numbers() -> None:
    """The evaluation can fail: letters that a formula leaves out are missed."""
    result = Result(replace(OWN, bias=True), LOOK, 2)
    letters = symbols(result) | dict(zip(formulas.names(result), result.attention.heads, strict=True))
    text = formulas.output(result, formulas.names(result))
    without = evaluate(text.replace(" + b_o", ""), letters)
    assert float((without - result.attention.output).abs().max()) > 0.05


@pytest.mark.parametrize("projection", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_heads_formulas_omit_absent_parts(scheme: str, bias: bool, projection: bool) -> None:
    """Formulas, programs and the worked cell have W_o where it is, only."""
    setting = replace(OWN, positions=SCHEMES[scheme], bias=bias, projection=projection, temperature=2.0)
    result = Result(setting, LOOK, 2)
    for text in (formulas.with_numbers(result), programs.programs(result).program("PyTorch").text()):
        assert ("W_o" in text) == projection
    at = open_page(tab="Arithmetic", bias=str(bias).lower(), wo=str(projection).lower())
    assert any("W_o^" in each.value for each in at.latex) == projection
