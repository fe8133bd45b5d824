"""A few lines of PyTorch that reproduce the single-head page's numbers."""

from collections.abc import Sequence

Rows = Sequence[Sequence[float]]


def snippet(
    query: Rows,
    key: Rows,
    value: Rows,
    *,
    mask: str,
    scale: str,
    temperature: float,
) -> str:
    """Return a script that computes scores, weights and output, and compares them with torch's own function.

    Args:
        query, key, value: the numbers, written out with ten digits.
        mask: an expression that makes the boolean mask, see `masks.mask_code`.
        scale: an expression for what the scores are multiplied by.
        temperature: what the scaled scores are divided by.
    """
    tables = "\n".join(
        f"{name} = torch.tensor({_table(rows)}, dtype=torch.float64)"
        for name, rows in (("Q", query), ("K", key), ("V", value))
    )
    return f"""import math

import torch
import torch.nn.functional as F

{tables}

i, j = torch.arange(len(Q))[:, None], torch.arange(len(K))[None, :]
mask = {mask}  # True = may attend
scale = {scale} / {temperature:.10g}

scores = Q @ K.T
scaled = (scores * scale).masked_fill(~mask, -math.inf)
weights = torch.softmax(scaled, dim=-1).nan_to_num(0.0)  # a row with every key masked stays zero
output = weights @ V

print(weights)
print(output)
torch.testing.assert_close(output, F.scaled_dot_product_attention(Q, K, V, attn_mask=mask, scale=scale))
"""


def _table(rows: Rows) -> str:
    lines = ",\n    ".join(f"[{', '.join(f'{number:.10g}' for number in row)}]" for row in rows)
    return f"[\n    {lines},\n]"
