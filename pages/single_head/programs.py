"""Programs that print the numbers on screen, and their formula."""

import re
from dataclasses import replace
from typing import Any

from torch import Tensor

from attn_core import GLOROT, SCORES, mask_code
from attn_core.scores import DOT
from attn_ui.base import removed_weights
from attn_ui.base.planes import plane_lines
from attn_ui.base.programs import More, Programs, attends_where, attention_programs
from pages.single_head import formulas
from pages.single_head.arcs import together_lines
from pages.single_head.compute import Result
from pages.single_head.state import tokens_of
from programs.writing import PYTORCH, Program

# The expression of each score, by functions of `programs`.
_SCORES = {
    DOT: "Q @ K.mT",
    "additive": "additive_scores(Q, K, W_a, U_a, v_a)",
    "general": "Q @ W_a @ K.mT",
    "cosine": "cosine_scores(Q, K)",
    "kernel": "kernel_scores(Q, K)",
    "linear": "linear_scores(Q, K)",
}


def programs(result: Result) -> Programs:
    """Return the programs and the formula of the stage on screen."""
    mask = "mask" if result.scoring.masking.kind != "none" else ""
    samples, tokens = _samples(result), tokens_of(result.inputs.text)
    return attention_programs(
        (tokens, tokens) if samples else (result.head.queries, result.head.keys),
        _starts(result),
        [
            f"scores = {_scores(result)}",
            f"output, weights = {beside_sink(attends_where(mask), result.scoring.sink)}",
        ],
        _call(result, mask),
        lambda: formulas.with_numbers(result),
        samples=samples,
        more=_more(result, mask),
    )


def beside_sink(line: str, sink: float | None) -> str:
    """Return a program's line that attends, with the sink in its softmax if there is one."""
    call = rf"attend_with_sink(\2, {sink or 0:g}"
    return line if sink is None else re.sub(r"attend(_masked)?\((\S+, [^,)]+)", call, line)


def output_program(call: str, query: Tensor, key: Tensor, value: Tensor) -> Program:
    """Return a program that prints a function's output for Q, K and V."""
    return Program(PYTORCH, f"output = {call}", {"Q": query, "K": key, "V": value}, ["output"])


def _starts(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Return a program's numbers, and its lines up to queries, keys, values and the mask."""
    head, masking = result.head, result.scoring.masking
    numbers: dict[str, Any] = {"Q": head.query, "K": head.key, "V": head.value}
    lines = []
    if head.x is not None:
        memory = "X" if head.x is head.memory else "Y"
        numbers, sides = {"X": head.x, memory: head.memory}, ["X", memory, memory]
        if head.projections is not None:
            sides = [f"{side} @ W_{letter}" for side, letter in zip(sides, "qkv", strict=True)]
            numbers |= dict(zip(("W_q", "W_k", "W_v"), head.projections, strict=True))
        if head.biases:
            sides = [f"{side} + b_{letter}" for side, letter in zip(sides, "qkv", strict=True)]
            numbers |= {f"b_{letter}": b[0] for letter, b in zip("qkv", head.biases, strict=True)}
        lines = [f"Q, K, V = {', '.join(sides)}"]
    numbers |= result.own
    code = mask_code(masking, result.width) if masking.kind != "none" else ""
    if code or result.removal.kind == "without":
        lines.append("i, j = places(len(Q), len(K))")
    if masking.kind != "none":
        numbers |= {} if code else {"allowed": result.matrices.mask.astype(int)}
        lines.append(f"mask = {code or 'allowed == 1'}  # True = may attend")
    return numbers, lines


def _samples(result: Result) -> list[str]:
    """Write how attn_core draws words and weights; [] if anything is set that it does not draw."""
    inputs, head = result.inputs, result.head
    plain = replace(inputs, ramp=False, unit_rows=False, bias=False, weights=(), second_text=None)
    if inputs != plain or not inputs.is_own or inputs.vectors != "random" or head.projections is None:
        return []
    widths = f"{inputs.width}, {inputs.d_k}, {inputs.d_v}"
    init = "" if inputs.init == GLOROT else f', init="{inputs.init}"'
    return [
        f"X = sentence_vectors(words, {inputs.width}, seed={inputs.seed})",
        f"head = SelfAttention({widths}, seed={inputs.seed}{init}, dtype=X.dtype)",
        "W_q, W_k, W_v = weights_of(head.requires_grad_(False)).values()",
    ]


def _scores(result: Result) -> str:
    """Write the expression of the scaled scores, divided by the temperature unless that is 1."""
    scaled = _SCORES[result.scoring.score]
    if result.scoring.score == DOT and result.scoring.scale == "1/√dₖ":
        scaled += " / Q.shape[-1] ** 0.5"
    elif result.scale != 1.0:
        scaled += f" * {result.scale!r}"
    if result.temperature == 1.0:
        return f"{scaled}  # (n_query, n_key)"
    hot = f"{result.temperature:.10g}"
    return f"{scaled} / {hot}  # (n_query, n_key), temperature {hot}"


def _call(result: Result, mask: str) -> str:
    """Write the call of attn_core that gives weights and output."""
    score = result.scoring.score
    is_dot = score == DOT
    arguments = ["Q", "K", "V"] if is_dot else [f'"{score}"', "Q", "K", "V"]
    arguments += [mask] * bool(mask)
    if not is_dot or result.scoring.scale != "1/√dₖ":
        arguments.append(f"scale={result.scale!r}")
    if result.temperature != 1.0:
        arguments.append(f"temperature={result.temperature:.10g}")
    arguments += [] if result.scoring.sink is None else [f"sink={result.scoring.sink:g}"]
    inside = ", ".join(arguments)
    if own := SCORES[score].shapes:
        learned = ", ".join(f'"{name}": {name}' for name, _axes in own)
        inside = f"\n    {inside},\n    parameters={{{learned}}},\n"
    return f"{'scaled_dot_product_attention' if is_dot else 'score_attention'}({inside})"


def _more(result: Result, mask: str) -> More:
    """Write a stage's further lines: rows combined, weights removed, or points in a plane."""
    removal, group = result.removal, result.matrices.group
    if group.also:
        return together_lines(group.rows(result.cell[0]), "weights[rows]", summed=group.summed)
    if result.along is not None:
        return plane_lines(result.along.dimensions)
    lines, prints = (
        removed_weights.removal_lines(removal, result.matrices.keys, mask) if removal.kind else ((), ())
    )
    return [beside_sink(line, result.scoring.sink) for line in lines], prints
