"""PyTorch that reproduces the study of one head or many: its measures over seeds, and its fits."""

from collections.abc import Sequence

from attn_figures.one_or_many import LEAST


def one_or_many(seeds: Sequence[int], n_layers: int, *, projection: bool) -> str:
    """Return lines that go on after `snippet.beginning`: what its number of heads is like over seeds.

    They print `mean` and `deviation`: entropy, rank of the scores, effective rank of the weights and, in
    self-attention, the logarithm of the distance of tokens after all layers without the residual and with
    it.
    """
    joined = "linear(joined, *draw(d_model, d_model))" if projection else "joined"
    return f"""

def attend(x, memory, seed):
    global generator
    generator = torch.Generator().manual_seed(seed)
    W_q, W_k, W_v = draw(d_model, d_model), draw(memory.shape[1], d_model), draw(memory.shape[1], d_model)
    # (n, d_model) -> (n_head, n, d_head)
    q = linear(x, *W_q).view(len(x), n_head, d_head).transpose(0, 1)
    k, v = (linear(memory, *W).view(len(memory), n_head, d_head).transpose(0, 1) for W in (W_k, W_v))
    scores = q @ k.mT / math.sqrt(d_head)
    weights = scores.softmax(dim=-1)
    joined = (weights @ v).transpose(0, 1).reshape(len(x), d_model)
    return scores, weights, {joined}


measured = []
for seed in {list(seeds)}:
    scores, weights, _ = attend(x, memory, seed)
    singular = torch.linalg.svdvals(weights)
    shares = singular / singular.sum(dim=-1, keepdim=True)
    row = [
        torch.special.entr(weights).sum(dim=-1).mean(),
        torch.linalg.matrix_rank(scores).double().mean(),
        torch.special.entr(shares).sum(dim=-1).exp().mean(),
    ]
    for residual in (0, 1) if memory is x else ():
        state = x
        for layer in range({n_layers}):
            state = residual * state + attend(state, state, seed + layer)[2]
        apart = (state - state.mean(dim=0)).norm() / state.norm()
        row.append(apart.clamp(min={LEAST:g}).log())  # it spans powers of ten
    measured.append(torch.stack(row))
mean, deviation = torch.stack(measured).mean(dim=0), torch.stack(measured).std(dim=0)

names = ("entropy", "rank of the scores", "effective rank", "apart without the residual", "apart with it")
for name, each, spread in zip(names, mean.tolist(), deviation.tolist()):
    if name.startswith("apart"):
        print(f"{{name}}: {{math.exp(each):.3g}} ×/÷ {{math.exp(spread):.2g}}")
    else:
        print(f"{{name}}: {{each:.3g}} ± {{spread:.2g}}")
"""


def fitted(n_head: int, seeds: Sequence[int], steps: int) -> str:
    """Return a program that fits torch's own module to the task of two patterns; it ends with `errors`."""
    return f"""\
import math

import torch

n_head, n, d = {n_head}, 8, 4
place = torch.eye(n, dtype=torch.float64)
# One unit vector of the contents a sequence: the mean error is the expected one for random contents.
content = torch.eye(n * d, dtype=torch.float64).view(n * d, n, d) * math.sqrt(n * d)
# The previous token and the first one, side by side, from the third position on.
target = torch.cat([content[:, 1:-1], content[:, :1].expand(-1, n - 2, -1)], dim=-1)
queries, keys = place[2:].expand(n * d, -1, -1), place.expand(n * d, -1, -1)

errors = []
for seed in {list(seeds)}:
    generator = torch.Generator().manual_seed(seed)
    module = torch.nn.MultiheadAttention(
        2 * d, n_head, bias=False, kdim=n, vdim=d, batch_first=True, dtype=torch.float64
    )
    projections = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight, module.out_proj.weight)
    with torch.no_grad():
        for weight in projections:
            drawn = torch.rand(weight.shape, generator=generator, dtype=torch.float64)
            weight.copy_((2 * drawn - 1) * math.sqrt(6 / sum(weight.shape)))
    adam = torch.optim.Adam(module.parameters(), lr=0.05)
    for step in range({steps}):
        adam.zero_grad()
        (module(queries, keys, content)[0] - target).square().mean().backward()
        adam.step()
    with torch.no_grad():
        errors.append((module(queries, keys, content)[0] - target).square().mean().item())
print(errors)
"""
