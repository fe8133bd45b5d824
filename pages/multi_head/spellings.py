"""The five spellings of `programs.pytorch.spellings` on the numbers of the page, statement by statement."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from attn_core import MultiHeadAttention
from attn_ui.base.schemes import turned
from pages.multi_head.compute import Now
from programs.writing import PYTORCH, Program, functions

FUNCTIONS = {
    "loops": "loops",
    "matmul": "matmul",
    "einsum": "einsums",
    "einops": "einops",
    "torch": "fused",
}
"""The function of each spelling, by the spelling's name."""
_IMPORTS = {
    "einops": "import torch\nfrom einops import einsum, rearrange",
    "torch": "import torch\nfrom torch.nn import functional as F",
}


@dataclass(frozen=True)
class Spelling:
    """One way to write the same attention."""

    name: str

    @property
    def source(self) -> str:
        """Its function, as it stands in a file."""
        return functions(PYTORCH)[FUNCTIONS[self.name]]

    @property
    def imports(self) -> str:
        """The lines before it."""
        return _IMPORTS.get(self.name, "import torch")

    @property
    def runs_here(self) -> bool:
        """Whether what it imports is installed."""
        return self.name != "einops" or find_spec("einops") is not None

    @cached_property
    def steps(self) -> list[tuple[str, str]]:
        """Its statements, each with the name of what it makes."""
        function = ast.parse(self.source).body[0]
        assert isinstance(function, ast.FunctionDef)
        lines, found = self.source.splitlines(), list[tuple[str, str]]()
        for node, after in zip(function.body[1:-1], function.body[2:], strict=True):
            text = "\n".join(line[4:] for line in lines[node.lineno - 1 : after.lineno - 1])
            if isinstance(node, ast.Assign):
                target = node.targets[0]
                first = target.elts[0] if isinstance(target, ast.Tuple) else target
                found.append((ast.unparse(first), text))
            else:  # a loop fills what was made before it
                name, before = found.pop()
                found.append((name, f"{before}\n{text}"))
        return found


def spellings() -> tuple[Spelling, ...]:
    """Return the five spellings."""
    return tuple(map(Spelling, FUNCTIONS))


def inputs(module: MultiHeadAttention, x: Tensor, mask: Tensor | None) -> dict[str, Any]:
    """Return what every spelling starts from, but for how queries and keys are turned."""
    linears, n, width = (module.W_q, module.W_k, module.W_v), len(x), module.W_v.weight.shape[0]
    added = x.new_zeros(n, n) if mask is None else mask
    if added.dtype == torch.bool:
        added = x.new_zeros(added.shape).masked_fill(~added, -torch.inf)
    given: dict[str, Any] = {
        "x": x,
        "w_qkv": torch.cat([each.weight.data for each in linears]),
        "w_o": torch.eye(width, dtype=x.dtype) if module.W_o is None else module.W_o.weight.data,
        "mask": added.expand(module.num_heads, n, n),
    }
    if module.W_q.bias is not None:
        given["b_qkv"] = torch.cat([each.bias.data for each in linears])
        given |= {} if module.W_o is None else {"b_o": module.W_o.bias.data}
    return given


def run(spelling: Spelling, now: Now) -> tuple[list[tuple[int, ...]], Tensor]:
    """Run a spelling step by step; return the shape of what each step makes, and the output."""
    module = now.module
    scope: dict[str, Any] = {
        "b_qkv": 0.0,
        "b_o": 0.0,
        "n_head": module.num_heads,
        "temperature": module.temperature,
        "turn": (lambda x: x) if module.rotation is None else module.turned,
        **inputs(module, now.tokens.query, now.mask),
    }
    exec(spelling.imports, scope)
    shapes = []
    for makes, lines in spelling.steps:
        exec(lines, scope)
        shapes.append(tuple(getattr(scope[makes], "shape", ())))
    output: Tensor = scope["output"]
    return shapes, output


def program(spelling: Spelling, now: Now) -> Program:
    """Return a spelling as a program that prints the output."""
    given = inputs(now.module, now.tokens.query, now.mask)
    more: Sequence[str] = [f"{name}={name}" for name in ("b_qkv", "b_o") if name in given]
    if now.module.temperature != 1.0:
        more = [*more, f"temperature={now.module.temperature!r}"]
    if now.module.rotation is not None:
        more = [*more, f"turn=lambda x: {turned(now.setting.positions, 'x')}"]
    called = ", ".join(["x", "w_qkv", "w_o", "mask", f"n_head={now.n_head}", *more])
    return Program(PYTORCH, f"output = {FUNCTIONS[spelling.name]}({called})", given, ["output"])
