"""How many parameters and operations multi-head attention takes: one head against many."""

from dataclasses import dataclass

from attn_core import _require
from attn_core.measures import attention_cost


@dataclass(frozen=True)
class MultiHeadSize:
    """Parameters of the four projections with their biases, and operations of one pass."""

    parameters: int
    projection_flops: int
    attention_flops: int

    @property
    def flops(self) -> int:
        """All operations of one pass."""
        return self.projection_flops + self.attention_flops


def multi_head_size(
    n_query: int,
    n_key: int,
    d_model: int,
    num_heads: int,
    d_head: int,
    *,
    bias: bool = True,
    output_projection: bool = True,
    d_key: int | None = None,
    num_kv_heads: int | None = None,
) -> MultiHeadSize:
    r"""Count the parameters of multi-head attention and the operations of one pass.

    $$\mathrm{parameters} = (d_{model} H + 2 d_{key} G)\,d_{head} + H d_{head}\,d_{model}
      + \text{biases}\ ((H + 2 G) d_{head} + d_{model})$$

    H is num_heads, G num_kv_heads, H unless given. With G = H and d_head = d_model / H the product H d_head
    is d_model, whatever H: the parameters and the operations of the projections are those of a single head
    of full width. The last product, and the last bias, belong to W_o. ``d_key`` is the width of keys and
    values, d_model unless given. A multiply and an add are two operations; those of attention are counted by
    ``attention_cost``, with five per pair and head for scale and softmax, the only part that grows with H.

    Raises ValueError for sizes below one, and for num_kv_heads that does not divide num_heads.

    Source: Vaswani et al. (2017), section 3.2.2.

    >>> one, eight = (multi_head_size(9, 9, 512, heads, 512 // heads, bias=False) for heads in (1, 8))
    >>> one.parameters == eight.parameters == 4 * 512 * 512, eight.flops - one.flops
    (True, 2835)
    """
    n_query = _require.integer("n_query", n_query, least=1)
    n_key = _require.integer("n_key", n_key, least=1)
    d_model = _require.integer("d_model", d_model, least=1)
    d_key = _require.integer("d_key", d_model if d_key is None else d_key, least=1)
    d_head = _require.integer("d_head", d_head, least=1)
    d_heads = _require.integer("num_heads", num_heads, least=1) * d_head
    d_kv_heads = _require.kv_heads(num_heads, num_kv_heads) * d_head
    # Each projection: width in, width out, rows that it is applied to.
    maps = [(d_model, d_heads, n_query), (d_key, d_kv_heads, n_key), (d_key, d_kv_heads, n_key)]
    if output_projection:
        maps.append((d_heads, d_model, n_query))
    return MultiHeadSize(
        parameters=sum(d_in * d_out + bias * d_out for d_in, d_out, _ in maps),
        projection_flops=sum((2 * d_in * d_out + bias * d_out) * n for d_in, d_out, n in maps),
        attention_flops=attention_cost(n_query, n_key, d_head, d_head, n_head=num_heads).flops,
    )
