"""Ablation of keys: attention when no query may attend to one of the tokens, for each token in turn."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from attn_core.attention import Attention, scaled_dot_product_attention
from attn_core.checks import Check, compare
from attn_words import N_


@dataclass(frozen=True, eq=False)
class KeyAblation:
    """Attention to all keys (``full``), and without each key: the first axis is the key that is left out.

    ``output_change`` is how far the output of each query moves; ``empty`` is True for queries that could
    attend to no other key.
    """

    full: Attention
    weights: Float[Tensor, "n_key n_query n_key"]
    output: Float[Tensor, "n_key n_query d_v"]
    output_change: Float[Tensor, "n_key n_query"]
    empty: Bool[Tensor, "n_key n_query"]


def ablate_keys(
    query: Float[Tensor, "n_query d_k"],
    key: Float[Tensor, "n_key d_k"],
    value: Float[Tensor, "n_key d_v"],
    attn_mask: Bool[Tensor, "n_query n_key"] | None = None,
    *,
    scale: float | None = None,
    temperature: float = 1.0,
) -> KeyAblation:
    r"""Attend without each key in turn, and compare with attention to all keys.

    $$A^{(l)}_{ij} = \frac{[\,j \ne l\,]\, A_{ij}}{1 - A_{il}}, \qquad O^{(l)} = A^{(l)} V, \qquad
      \text{output\_change}_{li} = \lVert O^{(l)}_i - O_i \rVert$$

    ``query`` (n_query, d_k), ``key`` (n_key, d_k) and ``value`` (n_key, d_v) are one head's; ``attn_mask`` is
    True where a query may attend. The token that is left out attends to the others as before. All keys are
    computed in one call by a softmax over the other keys, which stays exact where A_il is near one.

    Invariant: what a row gains on other keys adds up to the weight that is removed, unless it is ``empty``.

    Edge cases: a query that could attend to that key alone has weights and output of zero.

    Raises ValueError as ``scaled_dot_product_attention`` does.

    Source: Li, Monroe and Jurafsky (2016), Understanding Neural Networks through Representation Erasure.

    >>> x = torch.eye(2, dtype=torch.float64)
    >>> ablation = ablate_keys(x, x, x)
    >>> ablation.weights[0].tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    n_query, n_key = query.shape[-2], key.shape[-2]
    may = torch.ones(n_query, n_key, dtype=torch.bool) if attn_mask is None else attn_mask
    rest = may & ~torch.eye(n_key, dtype=torch.bool)[:, None, :]  # (key left out, query, key)
    full = scaled_dot_product_attention(query, key, value, may, scale=scale, temperature=temperature)
    without = scaled_dot_product_attention(query, key, value, rest, scale=scale, temperature=temperature)
    output_change = torch.linalg.vector_norm(without.output - full.output, dim=-1)
    empty = may.any(dim=-1) & ~rest.any(dim=-1)
    return KeyAblation(full, without.weights, without.output, output_change, empty)


def audit_ablation(
    query: Float[Tensor, "n_query d_k"],
    key: Float[Tensor, "n_key d_k"],
    value: Float[Tensor, "n_key d_v"],
    attn_mask: Bool[Tensor, "n_query n_key"],
    *,
    scale: float,
) -> Check:
    r"""Compare the outputs without each key with torch's attention to the remaining keys.

    $$\Bigl| O^{(l)} - \mathrm{SDPA}(Q, K_{\setminus l}, V_{\setminus l}) \Bigr|$$

    The reference's inputs lack the key and its value, so no mask hides them.

    Edge cases: the output of a query with no other key is compared with zero.

    Source: torch's ``scaled_dot_product_attention`` for the reference.

    >>> x = torch.eye(3, dtype=torch.float64)
    >>> audit_ablation(x, x, x, torch.ones(3, 3, dtype=torch.bool), scale=1.0).passed
    True
    """
    ablation = ablate_keys(query, key, value, attn_mask, scale=scale)
    references = []
    for left_out in range(key.shape[0]):
        rest = torch.arange(key.shape[0]) != left_out
        may = attn_mask[:, rest]
        output = F.scaled_dot_product_attention(query, key[rest], value[rest], attn_mask=may, scale=scale)
        references.append(torch.where(may.any(dim=-1, keepdim=True), output, 0.0))
    largest = float(value.detach().abs().max()) if value.numel() else 1.0
    return compare(
        N_("without a word: torch's attention to keys that lack it"),
        ablation.output,
        torch.stack(references),
        scale=largest,
    )
