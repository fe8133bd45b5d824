"""Multi-head self-attention spelled in five ways, each a few steps that name what they make."""

from dataclasses import dataclass
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

    All start from x (n, d_model), w_qkv (3 h d, d_model), packed as (k h d) with k for query, key and value,
    a mask (n_head, n, n) that is added to the scores, -inf where a query may not attend, and the numbers n,
    n_head and d_head; with biases from b_qkv and b_o too, with an output projection from w_o (d_out, h d),
    with a rotation from `turn`.
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


def spellings(module: MultiHeadAttention) -> tuple[Spelling, ...]:
    """Return the five spellings of this attention, each with what it has and nothing else."""
    bias, projected = module.W_q.bias is not None, module.W_o is not None
    b_qkv, b_o = (f" + {name}" if bias else "" for name in ("b_qkv", "b_o"))
    root = "d_head**0.5" if module.temperature == 1.0 else f"(d_head**0.5 * {module.temperature!r})"
    scale = "" if module.temperature == 1.0 else f", scale=1 / {root}"
    turned = () if module.rotation is None else (Step("q", "q, k = turn(q), turn(k)  # by their places"),)

    qkv = Step("qkv", f"qkv = x @ w_qkv.T{b_qkv}")
    cut = (
        Step("parts", "parts = qkv.reshape(n, 3, n_head, d_head)  # (k h d) taken apart"),
        Step("q", "q, k, v = parts.permute(1, 2, 0, 3)  # k h n d: three of h n d"),
        *turned,
    )
    weights = Step(
        "weights",
        "weights = (scores + mask).softmax(dim=-1).nan_to_num()  # mask: −inf where a query may not attend",
    )

    def output(spelt: str) -> Step:
        return Step("output", f"output = {spelt if projected else 'joined'}")

    loops = (
        qkv,
        Step(
            "q",
            """q, k, v = (
    torch.stack([qkv[:, (part * n_head + h) * d_head:][:, :d_head] for h in range(n_head)])
    for part in range(3)
)""",
        ),
        *turned,
        Step(
            "heads",
            f"""heads = torch.zeros_like(q)
for h in range(n_head):
    for i in range(n):
        seen = [j for j in range(n) if mask[h, i, j] > -torch.inf]
        scores = [q[h, i] @ k[h, j] / {root} + mask[h, i, j] for j in seen]
        powers = [torch.exp(score - max(scores)) for score in scores]
        for power, j in zip(powers, seen):
            heads[h, i] += power / sum(powers) * v[h, j]""",
        ),
        Step(
            "joined",
            "joined = torch.stack([torch.cat([heads[h, i] for h in range(n_head)]) for i in range(n)])",
        ),
        output(f"joined @ w_o.T{b_o}"),
    )
    matmul = (
        qkv,
        *cut,
        Step("scores", f"scores = q @ k.transpose(-2, -1) / {root}"),
        weights,
        Step("heads", "heads = weights @ v"),
        Step("joined", "joined = heads.transpose(0, 1).reshape(n, n_head * d_head)  # h n d -> n (h d)"),
        output(f"joined @ w_o.T{b_o}"),
    )
    einsum = (
        Step("qkv", f'qkv = torch.einsum("nm,fm->nf", x, w_qkv){b_qkv}'),
        *cut,
        Step("scores", f'scores = torch.einsum("hid,hjd->hij", q, k) / {root}'),
        weights,
        Step("heads", 'heads = torch.einsum("hij,hjd->ihd", weights, v)  # letters transpose'),
        *(
            (
                Step("blocks", "blocks = w_o.reshape(-1, n_head, d_head)  # one block a head"),
                Step("output", f'output = torch.einsum("nhd,ohd->no", heads, blocks){b_o}'),
            )
            if projected
            else (Step("output", "output = heads.reshape(n, n_head * d_head)  # n h d -> n (h d)"),)
        ),
    )
    einops = (
        Step("qkv", f'qkv = einsum(x, w_qkv, "n m, f m -> n f"){b_qkv}'),
        Step("q", 'q, k, v = rearrange(qkv, "n (k h d) -> k h n d", k=3, h=n_head)'),
        *turned,
        Step("scores", f'scores = einsum(q, k, "h i d, h j d -> h i j") / {root}'),
        weights,
        Step("heads", 'heads = einsum(weights, v, "h i j, h j d -> h i d")'),
        Step("joined", 'joined = rearrange(heads, "h n d -> n (h d)")'),
        output(f'einsum(joined, w_o, "n f, o f -> n o"){b_o}'),
    )
    fused = (
        Step("qkv", f"qkv = F.linear(x, w_qkv{', b_qkv' if bias else ''})"),
        Step("q", "q, k, v = qkv.unflatten(-1, (3, n_head, d_head)).permute(1, 2, 0, 3)"),
        *turned,
        Step("heads", f"heads = F.scaled_dot_product_attention(q, k, v, mask{scale}).nan_to_num()"),
        Step("joined", "joined = heads.transpose(0, 1).flatten(-2)"),
        output(f"F.linear(joined, w_o{', b_o' if bias else ''})"),
    )
    return (
        Spelling("loops", "import torch", loops),
        Spelling("matmul", "import torch", matmul),
        Spelling("einsum", "import torch", einsum),
        Spelling("einops", "import torch\nfrom einops import einsum, rearrange", einops),
        Spelling("torch", "import torch\nfrom torch.nn import functional as F", fused),
    )


def inputs(module: MultiHeadAttention, x: Tensor, mask: Tensor | None) -> dict[str, Any]:
    """Return what every spelling starts from: biases and w_o only where the module has them."""
    linears, n = (module.W_q, module.W_k, module.W_v), len(x)
    added = x.new_zeros(n, n) if mask is None else mask
    if added.dtype == torch.bool:
        added = x.new_zeros(added.shape).masked_fill(~added, -torch.inf)
    given: dict[str, Any] = {
        "x": x,
        "w_qkv": torch.cat([each.weight.data for each in linears]),
        "mask": added.expand(module.num_heads, n, n),
        "n": n,
        "n_head": module.num_heads,
        "d_head": module.d_head,
    }
    biases = [each.bias.data for each in linears if each.bias is not None]
    if biases:
        given["b_qkv"] = torch.cat(biases)
    if module.W_o is not None:
        given |= {"w_o": module.W_o.weight} | ({"b_o": module.W_o.bias} if biases else {})
    if module.rotation is not None:
        given["turn"] = module.turned
    return given


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
