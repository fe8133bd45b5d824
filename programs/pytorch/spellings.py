"""Multi-head self-attention spelled in five ways, all with one fused projection, packed as (k h d).

x (n, d_model), w_qkv (3 h d, d_model) with k for query, key and value, w_o (d_out, h d), and a
mask that is added to the scores, minus infinity where a query may not attend.
"""

import torch
from einops import einsum, rearrange
from torch.nn import functional as F


def loops(x, w_qkv, w_o, mask, n_head):
    """Spell it as the formula is written: for each head, query and key."""
    qkv = x @ w_qkv.T
    n, d_head = len(x), qkv.shape[1] // (3 * n_head)
    q, k, v = (
        torch.stack([qkv[:, (part * n_head + h) * d_head :][:, :d_head] for h in range(n_head)])
        for part in range(3)
    )
    heads = torch.zeros_like(q)
    for h in range(n_head):
        for i in range(n):
            keys = [j for j in range(n) if mask[i, j] > -torch.inf]
            scores = [q[h, i] @ k[h, j] / d_head**0.5 + mask[i, j] for j in keys]
            powers = [torch.exp(score - max(scores)) for score in scores]
            for power, j in zip(powers, keys):
                heads[h, i] += power / sum(powers) * v[h, j]
    joined = torch.stack([torch.cat([heads[h, i] for h in range(n_head)]) for i in range(n)])
    output = joined @ w_o.T
    return output


def matmul(x, w_qkv, w_o, mask, n_head):
    """Spell it in matrix products: the heads are a batch."""
    qkv = x @ w_qkv.T
    parts = qkv.reshape(len(x), 3, n_head, -1)  # (k h d) taken apart
    q, k, v = parts.permute(1, 2, 0, 3)  # k h n d: three of h n d
    scores = q @ k.mT / q.shape[-1] ** 0.5
    weights = (scores + mask).softmax(dim=-1)
    heads = weights @ v
    joined = heads.transpose(0, 1).reshape(len(x), -1)  # h n d -> n (h d)
    output = joined @ w_o.T
    return output


def einsums(x, w_qkv, w_o, mask, n_head):
    """Spell it in Einstein's sums: the letters say what is multiplied and what is summed."""
    qkv = torch.einsum("nm,fm->nf", x, w_qkv)
    parts = qkv.reshape(len(x), 3, n_head, -1)  # (k h d) taken apart
    q, k, v = parts.permute(1, 2, 0, 3)  # k h n d: three of h n d
    scores = torch.einsum("hid,hjd->hij", q, k) / q.shape[-1] ** 0.5
    weights = (scores + mask).softmax(dim=-1)
    heads = torch.einsum("hij,hjd->ihd", weights, v)  # letters transpose
    blocks = w_o.reshape(len(w_o), n_head, -1)  # one block a head
    output = torch.einsum("nhd,ohd->no", heads, blocks)
    return output


def einops(x, w_qkv, w_o, mask, n_head):
    """Spell it with named axes: what is packed is taken apart by its own letters."""
    qkv = einsum(x, w_qkv, "n m, f m -> n f")
    q, k, v = rearrange(qkv, "n (k h d) -> k h n d", k=3, h=n_head)
    scores = einsum(q, k, "h i d, h j d -> h i j") / q.shape[-1] ** 0.5
    weights = (scores + mask).softmax(dim=-1)
    heads = einsum(weights, v, "h i j, h j d -> h i d")
    joined = rearrange(heads, "h n d -> n (h d)")
    output = einsum(joined, w_o, "n f, o f -> n o")
    return output


def fused(x, w_qkv, w_o, mask, n_head):
    """Spell it with torch's own fused attention, which makes no map of weights."""
    qkv = x @ w_qkv.T
    q, k, v = qkv.unflatten(-1, (3, n_head, -1)).permute(1, 2, 0, 3)
    heads = F.scaled_dot_product_attention(q, k, v, mask)
    joined = heads.transpose(0, 1).flatten(-2)
    output = joined @ w_o.T
    return output
