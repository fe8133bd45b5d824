"""One attention head: every stage from the scores to the output."""

import math
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attn_core import _require
from attn_core._linear import seeded_linear
from attn_core._memory import allocate
from attn_core._softmax import softmax_rows
from attn_core.masks import causal_mask
from attn_core.weight_init import GLOROT


@dataclass(frozen=True, eq=False)
class Attention:
    """Every stage of scaled dot-product attention, weights (query, key).

    ``scores`` are the raw products; ``scaled_scores`` are scaled, biased and -inf where masked; ``mask`` is
    True where a query may attend, or None when nothing is masked. Each row of ``weights`` sums to one, or
    is zero where its whole row is masked.
    """

    scores: Float[Tensor, "*batch n_query n_key"]
    scaled_scores: Float[Tensor, "*steps n_query n_key"]
    mask: Bool[Tensor, "*steps n_query n_key"] | None
    weights: Float[Tensor, "*steps n_query n_key"]
    output: Float[Tensor, "*all n_query d_v"]


def scaled_dot_product_attention(
    query: Float[Tensor, "*#batch n_query d_k"],
    key: Float[Tensor, "*#batch_key n_key d_k"],
    value: Float[Tensor, "*#batch_key n_key d_v"],
    attn_mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
    *,
    is_causal: bool = False,
    scale: float | int | Float[Tensor, "..."] | None = None,
    temperature: float | int | Float[Tensor, "..."] = 1.0,
    softcap: float | int | None = None,
    sink: float | int | Float[Tensor, "..."] | None = None,
    enable_gqa: bool = False,
) -> Attention:
    r"""Mix the values by how well each key matches each query, and return every stage.

    $$S = QK^\top, \qquad \tilde S = \frac{s}{T}\,S + B, \qquad
      A = \mathrm{softmax}_{keys}(\tilde S), \qquad O = AV$$

    ``query`` (*batch, n_query, d_k), ``key`` (*batch, n_key, d_k) and ``value`` (*batch, n_key, d_v) may
    broadcast along ``*batch``. ``scale`` s defaults to 1/sqrt(d_k). ``scale``, ``temperature`` T and
    ``attn_mask`` broadcast against the scores (*batch, n_query, n_key): a temperature of shape (steps, 1,
    1), or a batch of masks, computes all its steps at once and puts ``steps`` in front of every stage but
    ``scores``. A boolean ``attn_mask`` is True where a query may attend; a floating-point one is the bias
    B, added to the scaled scores, and -inf in it masks. ``is_causal`` masks the keys whose index is larger
    than the query's, and applies together with ``attn_mask``.

    A ``softcap`` c keeps the scaled scores between -c and c before B is added:
    $c\tanh(sS / (Tc))$.

    A ``sink`` b is one more logit of each row, a number or, with one per head, a tensor (n_head, 1, 1). Its
    own weight is dropped after the softmax: a row sums to $1 - e^b / (e^b + \sum_j e^{\tilde S_{ij}})$.

    With ``enable_gqa`` the third axis from the end counts heads, and key and value may have fewer heads:
    each serves n_head / n_kv_head adjacent heads of the query (grouped-query attention).

    Invariant: rows of weights sum to one, so each output lies within the hull of the values that its query
    may attend to; with a sink rows sum to less, and the hull includes zero.

    Edge cases: a row that is masked throughout has weights zero and output zero, and its gradient is zero.

    Raises ValueError for shapes that do not fit, unequal dtypes, a scale, temperature or softcap that is not
    finite and positive, a sink that is not finite, a mask that is neither boolean nor floating-point, holds
    NaN or +inf, or does not broadcast, and key heads that do not divide the heads.

    Source: Vaswani et al. (2017), Attention Is All You Need, section 3.2.1; Ainslie et al. (2023), GQA, for
    shared key heads; Gemma Team (2024), Gemma 2, for the softcap; OpenAI (2025), gpt-oss, for the sink.

    >>> query = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64)
    >>> key = torch.tensor([[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], dtype=torch.float64)
    >>> stages = scaled_dot_product_attention(query, key, key)
    >>> stages.scores, stages.scaled_scores
    (tensor([[32., 50.]], dtype=torch.float64), tensor([[18.4752, 28.8675]], dtype=torch.float64))
    >>> stages.output
    tensor([[6.9999, 7.9999, 8.9999]], dtype=torch.float64)
    """
    if enable_gqa:
        key, value = share_heads(query, key), share_heads(query, value)
    shape = scores_shape(query, key, value)
    factor = _factor(scale, temperature, shape=shape, like=query)
    mask, bias = resolve_mask(attn_mask, is_causal, shape=shape, like=query)
    steps = [each for each in (factor, bias, mask) if isinstance(each, Tensor)]
    whole = _require.broadcast_shape(shape, *(each.shape for each in steps))
    if whole is None:
        came = ", ".join(str(tuple(each.shape)) for each in steps)
        raise ValueError(f"scale, temperature and attn_mask must broadcast together; got shapes {came}")
    inputs = (query, key, value, *steps)

    scores = torch.matmul(query, key.mT, out=allocate(shape, inputs))
    if shape == whole:
        scaled_scores = torch.mul(scores, factor, out=allocate(shape, inputs))
    else:
        scaled_scores = (scores * factor).expand(whole).clone()
    if softcap is not None:
        cap = _require.positive("softcap", softcap)
        scaled_scores = (scaled_scores / cap).tanh() * cap
    if bias is not None:
        scaled_scores.add_(bias)
    empty = None
    if mask is not None:
        scaled_scores.masked_fill_(~mask, -torch.inf)
        empty = ~mask.any(dim=-1, keepdim=True)
        mask = mask.expand(whole)
    if sink is None:
        weights = softmax_rows(scaled_scores, empty, out=allocate(whole, inputs))
    else:  # a finite sink leaves no row empty
        column = torch.as_tensor(sink, dtype=scaled_scores.dtype).to(scaled_scores).expand(*whole[:-1], 1)
        if not bool(column.isfinite().all()):
            raise ValueError(f"sink must be finite; got {sink}")
        weights = torch.softmax(torch.cat([scaled_scores, column], dim=-1), dim=-1)[..., :-1]
    return Attention(scores, scaled_scores, mask, weights, weights @ value)


def share_heads(
    query: Float[Tensor, "..."], key: Float[Tensor, "..."]
) -> Float[Tensor, "*batch_key n_head n_key d"]:
    """Repeat each key head beside itself until there is one for each head of the query.

    ``query`` (*batch, n_head, n_query, d_k), ``key`` (*batch_key, n_kv_head, n_key, d); a value likewise.
    Key head 0 serves the first n_head / n_kv_head heads, key head 1 the next, as in torch.

    Raises ValueError for fewer than three axes, or key heads that do not divide the heads.

    >>> share_heads(torch.zeros(4, 1, 1), torch.tensor([[[1.0]], [[2.0]]])).flatten().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    if min(query.ndim, key.ndim) < 3:
        raise ValueError(
            "enable_gqa needs an axis of heads before the sequence, (*batch, n_head, n, d); got query "
            f"{tuple(query.shape)} and key {tuple(key.shape)}"
        )
    _require.kv_heads(query.shape[-3], key.shape[-3])
    # n_kv_head -> n_head, copies of a head side by side; tiling would give each group one of each head.
    return key.repeat_interleave(query.shape[-3] // key.shape[-3], dim=-3)


def scores_shape(query: Tensor, key: Tensor, value: Tensor) -> torch.Size:
    """Return the shape of the scores, or refuse a query, key and value that cannot attend to one another."""
    _require.same_dtype(query=query, key=key, value=value)
    tensors = (query, key, value)
    batch = _require.broadcast_shape(*(tensor.shape[:-2] for tensor in tensors))
    if min(query.ndim, key.ndim, value.ndim) < 2:
        requirement = "query, key and value must have at least 2 axes (n, d)"
    elif query.shape[-1] != key.shape[-1] or not query.shape[-1]:
        requirement = "query and key must have the same width d_k >= 1"
    elif key.shape[-2] != value.shape[-2]:
        requirement = "key and value must have the same length n_key"
    elif batch is None:
        requirement = "query, key and value must have batch axes that broadcast"
    else:
        batch = _require.broadcast_shape(query.shape[:-2], key.shape[:-2])
        assert batch is not None
        return torch.Size((*batch, query.shape[-2], key.shape[-2]))
    raise ValueError(
        f"{requirement}; got query {tuple(query.shape)}, key {tuple(key.shape)}, value {tuple(value.shape)}"
    )


class SelfAttention(nn.Module):
    r"""One head with learnable projections, attending from a sequence to itself.

    $$Q = XW_q, \qquad K = XW_k, \qquad V = XW_v$$

    ``W_q`` and ``W_k`` take d_model to d_k, ``W_v`` takes d_model to d_v; both default to d_model. They are
    ``nn.Linear`` maps, whose ``weight`` is stored transposed, (d_k, d_model). Their first values are drawn
    from ``seed`` as ``init`` says (one of ``INITS``; biases within 1/sqrt(d_model) always) and never from the
    global generator; the same seed gives the same numbers in every dtype.

    Raises ValueError for a width below one, an unknown init, and in ``forward`` for an x that
    is not (*batch, n, d_model).

    Source: Vaswani et al. (2017), section 3.2.

    >>> head = SelfAttention(5, 3, 2, seed=7, dtype=torch.float64)
    >>> x = torch.ones(4, 5, dtype=torch.float64)
    >>> stages = head(x, is_causal=True)
    >>> tuple(stages.weights.shape), tuple(stages.output.shape)
    ((4, 4), (4, 2))
    """

    def __init__(
        self,
        d_model: int,
        d_k: int | None = None,
        d_v: int | None = None,
        *,
        bias: bool = False,
        seed: int = 0,
        dtype: torch.dtype | None = None,
        init: str = GLOROT,
    ) -> None:
        """Draw the projections."""
        super().__init__()
        self.d_model = _require.integer("d_model", d_model, least=1)
        self.d_k = _require.integer("d_k", d_model if d_k is None else d_k, least=1)
        self.d_v = _require.integer("d_v", d_model if d_v is None else d_v, least=1)
        generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
        draw = partial(seeded_linear, bias=bias, generator=generator, dtype=dtype, init=init)
        self.W_q = draw(self.d_model, self.d_k)
        self.W_k = draw(self.d_model, self.d_k)
        self.W_v = draw(self.d_model, self.d_v)

    def project(
        self, x: Float[Tensor, "*batch n d_model"]
    ) -> tuple[Float[Tensor, "*batch n d_k"], Float[Tensor, "*batch n d_k"], Float[Tensor, "*batch n d_v"]]:
        """Return the query, key and value of a sequence."""
        if x.ndim < 2 or x.shape[-1] != self.d_model:
            raise ValueError(f"x must have shape (*batch, n, {self.d_model}); got {tuple(x.shape)}")
        _require.same_dtype(x=x, W_q=self.W_q.weight)
        return self.W_q(x), self.W_k(x), self.W_v(x)

    def forward(
        self,
        x: Float[Tensor, "*batch n d_model"],
        attn_mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
        *,
        is_causal: bool = False,
        scale: float | int | Float[Tensor, "..."] | None = None,
        temperature: float | int | Float[Tensor, "..."] = 1.0,
    ) -> Attention:
        """Attend from x (*batch, n, d_model) to itself, as ``scaled_dot_product_attention`` does."""
        return scaled_dot_product_attention(
            *self.project(x), attn_mask, is_causal=is_causal, scale=scale, temperature=temperature
        )


def _factor(scale: object, temperature: object, *, shape: torch.Size, like: Tensor) -> float | Tensor:
    """Return scale / temperature, a float where both are numbers."""
    default = 1 / math.sqrt(like.shape[-1])
    parts = []
    for name, value in (("scale", default if scale is None else scale), ("temperature", temperature)):
        part = _require.positive(name, value)
        if isinstance(part, Tensor):
            _require.broadcasts(name, part, shape)
            part = part.to(like)
        parts.append(part)
    return parts[0] / parts[1]


def resolve_mask(
    attn_mask: Tensor | None, is_causal: bool, *, shape: torch.Size, like: Tensor
) -> tuple[Tensor | None, Tensor | None]:
    """Return where each query may attend (None: everywhere), and the bias of the scores (or None).

    ``shape`` is that of the scores, ``like`` has their dtype and device.
    """
    mask, bias = None, None
    if attn_mask is not None:
        _require.broadcasts("attn_mask", attn_mask, shape)
        if attn_mask.dtype == torch.bool:
            mask = attn_mask
        elif attn_mask.is_floating_point():
            if not bool((attn_mask < torch.inf).all()):
                raise ValueError("attn_mask must hold finite numbers or -inf; got NaN or +inf")
            bias = attn_mask.to(like)
            mask = bias > -torch.inf
        else:
            raise ValueError(f"attn_mask must be boolean or floating-point; got dtype {attn_mask.dtype}")
    if is_causal:
        causal = causal_mask(*shape[-2:]).to(like.device)
        mask = causal if mask is None else mask & causal
    # A mask with more batch axes than the scores is kept for its shape, even where it is True throughout.
    if mask is not None and _require.broadcast_shape(mask.shape, shape) == shape and bool(mask.all()):
        mask = None
    return mask, bias
