"""Multi-head self-attention spelled in five ways, each a few steps that name what they make."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from attn_core import MultiHeadAttention


@dataclass(frozen=True)
class Step:
    """A few lines of a program, and the name of what they make."""

    makes: str
    lines: str


@dataclass(frozen=True)
class Spelling:
    """One way to write the same attention; its last step makes `output`.

    All start from x (n, d_model), w_qkv (3 h d, d_model) and b_qkv, packed as (k h d) with k for query, key
    and value, w_o (d_out, h d) and b_o, a mask (n_head, n, n) that is added to the scores, -inf where a
    query may not attend, and the numbers n, n_head and d_head.
    """

    name: str
    imports: str
    steps: tuple[Step, ...]

    @property
    def program(self) -> str:
        """The whole text."""
        return self.imports + "\n" + "".join(f"{step.lines}\n" for step in self.steps)

    @property
    def runs_here(self) -> bool:
        """Whether what it imports is installed."""
        return "einops" not in self.imports or find_spec("einops") is not None


QKV = Step("qkv", "qkv = x @ w_qkv.T + b_qkv")
OUTPUT = Step("output", "output = joined @ w_o.T + b_o")
MASKED = "(scores + mask).softmax(dim=-1).nan_to_num()  # mask: −inf where a query may not attend"
CUT = (
    Step("parts", "parts = qkv.reshape(n, 3, n_head, d_head)  # (k h d) taken apart"),
    Step("q", "q, k, v = parts.permute(1, 2, 0, 3)  # k h n d: three of h n d"),
)
JOIN = Step("joined", "joined = heads.transpose(0, 1).reshape(n, n_head * d_head)  # h n d -> n (h d)")

SPELLINGS = (
    Spelling(
        "loops",
        "import torch",
        (
            QKV,
            Step(
                "q",
                """q, k, v = (
    torch.stack([qkv[:, (part * n_head + h) * d_head:][:, :d_head] for h in range(n_head)])
    for part in range(3)
)""",
            ),
            Step(
                "heads",
                """heads = torch.zeros_like(q)
for h in range(n_head):
    for i in range(n):
        seen = [j for j in range(n) if mask[h, i, j] > -torch.inf]
        scores = [q[h, i] @ k[h, j] / d_head**0.5 + mask[h, i, j] for j in seen]
        powers = [torch.exp(score - max(scores)) for score in scores]
        for power, j in zip(powers, seen):
            heads[h, i] += power / sum(powers) * v[h, j]""",
            ),
            Step(
                "joined",
                "joined = torch.stack([torch.cat([heads[h, i] for h in range(n_head)]) for i in range(n)])",
            ),
            OUTPUT,
        ),
    ),
    Spelling(
        "matmul",
        "import torch",
        (
            QKV,
            *CUT,
            Step("scores", "scores = q @ k.transpose(-2, -1) / d_head**0.5"),
            Step("weights", f"weights = {MASKED}"),
            Step("heads", "heads = weights @ v"),
            JOIN,
            OUTPUT,
        ),
    ),
    Spelling(
        "einsum",
        "import torch",
        (
            Step("qkv", 'qkv = torch.einsum("nm,fm->nf", x, w_qkv) + b_qkv'),
            *CUT,
            Step("scores", 'scores = torch.einsum("hid,hjd->hij", q, k) / d_head**0.5'),
            Step("weights", f"weights = {MASKED}"),
            Step("heads", 'heads = torch.einsum("hij,hjd->ihd", weights, v)  # letters transpose'),
            Step("blocks", "blocks = w_o.reshape(-1, n_head, d_head)  # one block a head"),
            Step("output", 'output = torch.einsum("nhd,ohd->no", heads, blocks) + b_o'),
        ),
    ),
    Spelling(
        "einops",
        "import torch\nfrom einops import einsum, rearrange",
        (
            Step("qkv", 'qkv = einsum(x, w_qkv, "n m, f m -> n f") + b_qkv'),
            Step("q", 'q, k, v = rearrange(qkv, "n (k h d) -> k h n d", k=3, h=n_head)'),
            Step("scores", 'scores = einsum(q, k, "h i d, h j d -> h i j") / d_head**0.5'),
            Step("weights", f"weights = {MASKED}"),
            Step("heads", 'heads = einsum(weights, v, "h i j, h j d -> h i d")'),
            Step("joined", 'joined = rearrange(heads, "h n d -> n (h d)")'),
            Step("output", 'output = einsum(joined, w_o, "n f, o f -> n o") + b_o'),
        ),
    ),
    Spelling(
        "torch",
        "import torch\nfrom torch.nn import functional as F",
        (
            Step("qkv", "qkv = F.linear(x, w_qkv, b_qkv)"),
            Step("q", "q, k, v = qkv.unflatten(-1, (3, n_head, d_head)).permute(1, 2, 0, 3)"),
            Step("heads", "heads = F.scaled_dot_product_attention(q, k, v, mask).nan_to_num()"),
            Step("joined", "joined = heads.transpose(0, 1).flatten(-2)"),
            Step("output", "output = F.linear(joined, w_o, b_o)"),
        ),
    ),
)


def spellings(module: MultiHeadAttention) -> tuple[Spelling, ...]:
    """Return the five spellings of this attention, with its rotation and its temperature."""
    return tuple(replace(each, steps=tuple(_steps(each.steps, module))) for each in SPELLINGS)


def _steps(steps: tuple[Step, ...], module: MultiHeadAttention) -> Iterator[Step]:
    for step in steps:
        lines = step.lines
        if module.temperature != 1.0:
            lines = lines.replace("/ d_head**0.5", f"/ (d_head**0.5 * {module.temperature!r})")
            scale = f"scale=1 / (d_head**0.5 * {module.temperature!r})"
            lines = lines.replace("(q, k, v, mask)", f"(q, k, v, mask, {scale})")
        yield replace(step, lines=lines)
        if step.makes == "q" and module.rotation is not None:
            yield Step("q", "q, k = turn(q), turn(k)  # by their places")


def inputs(module: MultiHeadAttention, x: Tensor, mask: Tensor | None) -> dict[str, Any]:
    """Return what every spelling starts from: zero biases and an identity stand for what is not there."""
    linears = (module.W_q, module.W_k, module.W_v)
    d_heads, n = module.num_heads * module.d_head, len(x)
    w_o = torch.eye(d_heads, dtype=x.dtype) if module.W_o is None else module.W_o.weight
    b_o = None if module.W_o is None else module.W_o.bias
    added = x.new_zeros(n, n) if mask is None else mask
    if added.dtype == torch.bool:
        added = x.new_zeros(added.shape).masked_fill(~added, -torch.inf)
    return {
        "x": x,
        "w_qkv": torch.cat([each.weight for each in linears]),
        "b_qkv": torch.cat([x.new_zeros(d_heads) if each.bias is None else each.bias for each in linears]),
        "w_o": w_o,
        "b_o": x.new_zeros(len(w_o)) if b_o is None else b_o,
        "mask": added.expand(module.num_heads, n, n),
        "turn": module.turned,
        "n": n,
        "n_head": module.num_heads,
        "d_head": module.d_head,
    }


def run(spelling: Spelling, given: dict[str, Any]) -> tuple[list[tuple[int, ...]], Tensor]:
    """Run a spelling step by step; return the shape of what each step makes, and the output."""
    scope = dict(given)
    exec(spelling.imports, scope)
    shapes = []
    for step in spelling.steps:
        exec(step.lines, scope)
        shapes.append(tuple(scope[step.makes].shape))
    output: Tensor = scope["output"]
    return shapes, output
