"""Attention flow through layers: rollout, lengths of weighted values, attention sinks."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attn_core.multi_head import MultiHead

SINK_SHARE = 0.3
"""A sink has at least this much weight from the others, on average: the epsilon of Gu et al. (2024)."""
_TIMES_EVEN = 2.0  # in a short text an even share is large: a sink has at least twice that


def attention_rollout(
    weights: Float[Tensor, "n_layer n n"], *, residual: float = 0.5
) -> Float[Tensor, "n_layer n n"]:
    r"""Return the attention rollout: the share of each token in each position, after each layer.

    $$\tilde A_l = \mathrm{rows}\bigl((1 - r) A_l + r I\bigr), \qquad
      R_l = \tilde A_l R_{l-1}, \quad R_0 = I$$

    ``weights`` are the maps of the layers, the first one first, each the mean over its heads; ``rows``
    divides each row by its sum, and r is the share that the residual connection carries past a layer. Entry l
    of the result is the rollout over layers 0 to l.

    Invariant: each row sums to one, and is never negative; a causal map has a causal rollout.

    Edge cases: a row of zeros becomes the identity's; with r = 0 it stays zero. A row that sums to less than
    one, beside a sink without a value, keeps a share larger than r for its own position.

    Raises ValueError for maps that are not square, for no layer, and for an r outside 0 to 1.

    Source: Abnar and Zuidema (2020), Quantifying Attention Flow in Transformers, section 3.

    >>> attention_rollout(torch.tensor([[[1.0, 0.0], [1.0, 0.0]]] * 2))[:, 1]
    tensor([[0.5000, 0.5000],
            [0.7500, 0.2500]])
    """
    layers = _mix_residual(weights, residual)
    rollouts = [layers[0]]
    for layer in layers[1:]:
        rollouts.append(layer @ rollouts[-1])
    return torch.stack(rollouts)


def _mix_residual(
    weights: Float[Tensor, "n_layer n n"], residual: float | int
) -> Float[Tensor, "n_layer n n"]:
    """Return the weights of each layer mixed with the residual connection, rows summing to one.

    With residual = 0 a row of zeros stays zero.

    >>> _mix_residual(torch.tensor([[[0.0, 0.0], [1.0, 0.0]]]), 0.5)
    tensor([[[1.0000, 0.0000],
             [0.5000, 0.5000]]])
    """
    if weights.ndim != 3 or weights.shape[1] != weights.shape[2] or 0 in weights.shape:
        raise ValueError(f"weights must have shape (n_layer, n, n), n_layer >= 1; got {tuple(weights.shape)}")
    if not 0 <= residual <= 1:
        raise ValueError(f"residual must be from 0 to 1; got {residual}")
    own = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    mixture = (1 - residual) * weights + residual * own
    total = mixture.sum(dim=-1, keepdim=True)
    return mixture / total.masked_fill(total == 0, 1.0)


def weighted_value_norms(stages: MultiHead) -> Float[Tensor, "*batch n_head n_query n_key"]:
    r"""Return the length of each weighted value: what each key adds to each query, in each head.

    $$\lVert \alpha_{ij} f(x_j) \rVert_2, \qquad f(x) = (x W_v + b_v)\,W_o^{(h)}$$

    ``stages`` are those of ``MultiHeadAttention``. A large weight on a value that is nearly zero moves
    nothing: the length is small there, as it is for many sinks. The bias of W_o belongs to no key and is left
    out, and layer norms before and after attention are not part of f.

    Invariant: the length is the weight times a factor that depends on key and head, not on the query.

    Edge cases: without an output projection f(x) is the value; heads that share keys and values each have
    their own block of W_o.

    Source: Kobayashi et al. (2020), Attention is Not Only a Weight, equation 4.

    >>> from attn_core import MultiHeadAttention
    >>> stages = MultiHeadAttention(4, 2, seed=0)(torch.eye(4))
    >>> tuple(weighted_value_norms(stages).shape)
    (2, 4, 4)
    """
    shared_by = stages.heads.shape[-3] // stages.value.shape[-3]
    value = stages.value.repeat_interleave(shared_by, dim=-3)
    norms: Tensor = (value @ stages.output_blocks).norm(dim=-1)
    return stages.weights * norms[..., None, :]


def sink_shares(weights: Float[Tensor, "*batch n n"]) -> Float[Tensor, "*batch n"]:
    r"""Return the mean weight that each key has from the other tokens.

    $$s_j = \frac{1}{n - 1} \sum_{i \ne j} w_{ij}$$

    Invariant: from 0 to 1. A causal map gives late keys little, as few tokens come after them.

    Edge cases: the share of a single token is 0.

    Raises ValueError for maps that are not square.

    Source: Gu et al. (2024), When Attention Sink Emerges in Language Models, section 3.1, where the mean also
    has a key's weight on itself.

    >>> sink_shares(torch.tensor([[1.0, 0.0], [0.75, 0.25]]))
    tensor([0.7500, 0.0000])
    """
    n = weights.shape[-1]
    if weights.ndim < 2 or weights.shape[-2] != n:
        raise ValueError(f"weights must have shape (*batch, n, n); got {tuple(weights.shape)}")
    others: Tensor = weights.sum(dim=-2) - weights.diagonal(dim1=-2, dim2=-1)
    return (others / max(1, n - 1)).clamp(0, 1)


def find_sinks(weights: Float[Tensor, "*batch n n"]) -> Bool[Tensor, "*batch n"]:
    r"""Return which keys are attention sinks: keys with much weight from all other tokens.

    $$s_j \ge \max(0.3,\ 2 / n)$$

    s is ``sink_shares``; 0.3 is ``SINK_SHARE``, and in a text of few tokens a sink has at least twice an even
    share.

    Invariant: at most 3 keys of a map are sinks; one of two tokens is a sink only if it has all weight.

    Raises ValueError for maps that are not square.

    Source: Gu et al. (2024), When Attention Sink Emerges in Language Models, section 3.1, for 0.3.

    >>> find_sinks(torch.tensor([[1.0, 0, 0], [0.9, 0.1, 0], [0.8, 0.1, 0.1]]))
    tensor([ True, False, False])
    """
    return sink_shares(weights) >= max(SINK_SHARE, _TIMES_EVEN / weights.shape[-1])


def drop_keys(
    weights: Float[Tensor, "*batch n_query n_key"], sinks: Bool[Tensor, "*batch n_key"]
) -> Float[Tensor, "*batch n_query n_key"]:
    r"""Return the weights without some keys, each row divided by its remaining weight.

    $$w'_{ij} = w_{ij} \Big/ \sum_{j' \notin S} w_{ij'} \ \text{ for } j \notin S, \qquad w'_{ij} = 0
      \ \text{ for } j \in S$$

    Invariant: a row sums to one, or is zero where it had nothing but sinks.

    Source: Xiao et al. (2024), Efficient Streaming Language Models with Attention Sinks, for the term.

    >>> drop_keys(torch.tensor([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]), torch.tensor([True, False, False]))
    tensor([[0.0000, 0.5000, 0.5000],
            [0.0000, 0.0000, 0.0000]])
    """
    rest = weights.masked_fill(sinks[..., None, :], 0.0)
    total = rest.sum(dim=-1, keepdim=True)
    return rest / total.masked_fill(total == 0, 1.0)
