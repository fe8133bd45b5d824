"""How much of each token can flow to each place through all layers: maximum flow, all pairs in one batch."""

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core.text_flow import passed_on

QUICK_LAYERS, QUICK_TOKENS = 2, 24
"""Up to how many layers and tokens the flow of all pairs takes a fraction of a second."""
_LEAST = 1e-12  # what is not carried any more
_FAR = 1_000_000.0  # edges: no way leads there


def attention_flow(
    weights: Float[Tensor, "n_layer n n"], *, residual: float = 0.5
) -> Float[Tensor, "n_layer n n"]:
    r"""Return the maximum flow from each place after each layer down to each token.

    $$F_l[i, j] = \mathrm{maxflow}\bigl((l, i) \to (0, j)\bigr), \qquad
      \mathrm{capacity}\bigl((k, u) \to (k - 1, v)\bigr) = \tilde A_k[u, v]$$

    The layers are those of ``attention_rollout``, mixed with the residual connection in the same way; but a
    path carries what its narrowest edge lets through, and not a product. Entry l of the result is the flow
    through layers 0 to l. Real maps in deep stacks take minutes: see ``QUICK_LAYERS``.

    Invariant: from 0 to 1; for one layer it is the mixed map itself, and for two
    $\sum_v \min(\tilde A_2[i, v], \tilde A_1[v, j])$. It is never below the rollout.

    Edge cases: rows do not sum to one, for each pair has all edges to itself.

    Raises ValueError for maps that are not square, for no layer, and for a residual outside 0 to 1.

    Source: Abnar and Zuidema (2020), Quantifying Attention Flow in Transformers, section 3; Goldberg and
    Tarjan (1988), A New Approach to the Maximum-Flow Problem, for how it is computed.

    >>> attention_flow(torch.tensor([[[1.0, 0.0], [1.0, 0.0]]] * 2))[:, 1]
    tensor([[0.5000, 0.5000],
            [1.0000, 0.5000]])
    """
    passed = passed_on(weights, residual)
    deeper = [_max_flows(passed[:layers]) for layers in range(2, len(passed) + 1)]
    return torch.stack([passed[0], *deeper])


def _max_flows(capacity: Tensor) -> Tensor:
    """Return the maximum flow of all pairs; capacity[k] is of the edges from level k + 1 down to level k.

    Push and relabel: what a node has too much of goes along shortest ways to the sink, in all pairs at once.
    """
    n_layer, n, _ = capacity.shape
    found = torch.zeros(n * n, dtype=capacity.dtype)
    pairs = torch.arange(n * n)
    down = capacity.repeat(n * n, 1, 1, 1)
    excess = torch.zeros(n * n, n_layer + 1, n, dtype=capacity.dtype)
    excess[:, n_layer - 1] = down[pairs, -1, pairs // n]
    down[pairs, -1, pairs // n] = 0
    up = torch.zeros_like(down)  # what can be sent back; the source takes nothing back
    while len(pairs):
        rows, sink = torch.arange(len(pairs)), pairs % n
        far = _distances(down, up, sink)
        active = excess.masked_fill(far >= _FAR, 0.0)
        active[rows, 0, sink] = 0
        going = (active > _LEAST).flatten(1).any(dim=1)
        if not going.all():
            found[pairs[~going]] = excess[~going, 0, sink[~going]]
            pairs, down, up, excess, far, sink = (
                each[going] for each in (pairs, down, up, excess, far, sink)
            )
            rows = torch.arange(len(pairs))
        for level in range(n_layer, 0, -1):
            _push(excess, far, down[:, level - 1], up[:, level - 1], (level, level - 1))
        kept = excess[rows, 0, sink]
        excess[rows, 0, sink] = 0
        for level in range(n_layer):
            _push(excess, far, up[:, level].mT, down[:, level].mT, (level, level + 1))
        excess[rows, 0, sink] += kept
    return found.reshape(n, n)


def _distances(down: Tensor, up: Tensor, sink: Tensor) -> Tensor:
    """Return how many edges each node is from the sink, _FAR where none leads there."""
    n_pair, n_layer, n, _ = down.shape
    far = torch.full((n_pair, n_layer + 1, n), _FAR, dtype=torch.float32)
    far[torch.arange(n_pair), 0, sink] = 0
    ways_down = torch.where(down > _LEAST, 1.0, _FAR)
    ways_up = torch.where(up > _LEAST, 1.0, _FAR)
    while True:
        before = far.clone()
        for level in range(n_layer):
            over = (far[:, level, None, :] + ways_down[:, level]).amin(dim=-1)
            far[:, level + 1] = torch.minimum(far[:, level + 1], over)
        for level in range(n_layer - 1, -1, -1):
            over = (far[:, level + 1, :, None] + ways_up[:, level]).amin(dim=-2)
            far[:, level] = torch.minimum(far[:, level], over)
        if torch.equal(before, far):
            return far


def _push(excess: Tensor, far: Tensor, edges: Tensor, back: Tensor, way: tuple[int, int]) -> None:
    """Send what nodes of a level have too much of along edges (n_pair, n_from, n_to) that lead nearer."""
    start, end = way
    nearer = far[:, start, :, None] == far[:, end, None, :] + 1
    room = torch.where(nearer & (far[:, start, :, None] < _FAR), edges, 0.0)
    first = room.cumsum(dim=-1) - room
    sent = torch.minimum((excess[:, start, :, None] - first).clamp(min=0), room)
    edges -= sent
    back += sent
    excess[:, start] -= sent.sum(dim=-1)
    excess[:, end] += sent.sum(dim=-2)
