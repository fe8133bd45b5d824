"""Programs that reproduce the single-head page's numbers."""

from collections.abc import Sequence

from attn_ui.programs import printing

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
    return f"""import math

import torch
import torch.nn.functional as F

{_tables(query, key, value)}

i, j = torch.arange(len(Q))[:, None], torch.arange(len(K))[None, :]
mask = {mask}  # True = may attend
scale = {scale} / {temperature:.10g}

scores = Q @ K.T
scaled = (scores * scale).masked_fill(~mask, -math.inf)
weights = torch.softmax(scaled, dim=-1).nan_to_num(0.0)  # a row with every key masked stays zero
output = weights @ V

{printing("weights", "output")}\
torch.testing.assert_close(output, F.scaled_dot_product_attention(Q, K, V, attn_mask=mask, scale=scale))
"""


def short(
    query: Rows,
    key: Rows,
    value: Rows,
    *,
    mask: str,
    scale: str,
    temperature: float,
    queries: Sequence[str],
    keys: Sequence[str],
) -> str:
    """Return the same with attn_core, and draw it; see `snippet`.

    Args:
        query, key, value, mask, scale, temperature: as `snippet` takes them.
        queries, keys: their names.
    """
    imports = "import math\n\n" if "math." in scale else ""
    return f"""{imports}import torch

from attn_core import scaled_dot_product_attention
from attn_figures import show

{_tables(query, key, value)}

i, j = torch.arange(len(Q))[:, None], torch.arange(len(K))[None, :]
mask = {mask}  # True = may attend
attention = scaled_dot_product_attention(Q, K, V, mask, scale={scale}, temperature={temperature:.10g})
weights, output = attention.weights, attention.output

{printing("weights", "output")}\
queries = {[str(name) for name in queries]!r}
keys = {[str(name) for name in keys]!r}
show(weights, queries, keys=keys, output=output).show()
"""


def _tables(query: Rows, key: Rows, value: Rows) -> str:
    return "\n".join(
        f"{name} = torch.tensor({_table(rows)}, dtype=torch.float64)"
        for name, rows in (("Q", query), ("K", key), ("V", value))
    )


def _table(rows: Rows) -> str:
    lines = ",\n    ".join(f"[{', '.join(f'{number:.10g}' for number in row)}]" for row in rows)
    return f"[\n    {lines},\n]"
