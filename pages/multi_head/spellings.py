"""The five spellings of `programs.pytorch.spellings`, run statement by statement on an example."""

import ast
from typing import Any

import torch
from torch import Tensor

from pages.multi_head.compute import Result
from programs.writing import PYTORCH, Program, functions, imports

FUNCTIONS = {"loops": "loops", "matmul": "matmul", "einsum": "einsums", "einops": "einops", "torch": "fused"}
"""The function of each spelling, by the spelling's name."""


def source(spelling: str) -> str:
    """Return the source of a spelling's function."""
    return functions(PYTORCH)[FUNCTIONS[spelling]]


def steps(spelling: str) -> list[tuple[str, str]]:
    """Return the statements of a spelling, each after the name that it assigns."""
    lines = source(spelling).splitlines()
    (function,) = ast.parse(source(spelling)).body
    assert isinstance(function, ast.FunctionDef)
    statements = list[tuple[str, str]]()
    for node, after in zip(function.body[1:-1], function.body[2:], strict=True):
        text = "\n".join(line[4:] for line in lines[node.lineno - 1 : after.lineno - 1])
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            statements.append(
                (ast.unparse(target.elts[0] if isinstance(target, ast.Tuple) else target), text)
            )
        else:  # a loop fills the tensor assigned before it
            name, before = statements.pop()
            statements.append((name, f"{before}\n{text}"))
    return statements


def inputs(result: Result) -> dict[str, Tensor]:
    """Return the inputs of every spelling."""
    module, mask = result.module, result.mask
    assert module.W_o is not None
    assert mask is not None
    return {
        "x": result.tokens.query,
        "w_qkv": torch.cat([each.weight.data for each in (module.W_q, module.W_k, module.W_v)]),
        "w_o": module.W_o.weight.data,
        "mask": torch.zeros(mask.shape, dtype=torch.float64).masked_fill(~mask, -torch.inf),
    }


def run(spelling: str, result: Result) -> tuple[list[tuple[int, ...]], Tensor]:
    """Run a spelling step by step; return the shape of each step's result, and the output."""
    scope: dict[str, Any] = {"n_head": result.n_head, **inputs(result)}
    exec(imports(PYTORCH, source(spelling)), scope)
    shapes = []
    for makes, lines in steps(spelling):
        exec(lines, scope)
        shapes.append(tuple(getattr(scope[makes], "shape", ())))
    output: Tensor = scope["output"]
    return shapes, output


def program(spelling: str, result: Result) -> Program:
    """Return a spelling as a program that prints the output."""
    call = f"{FUNCTIONS[spelling]}(x, w_qkv, w_o, mask, n_head={result.n_head})"
    return Program(PYTORCH, f"output = {call}", inputs(result), ["output"])
