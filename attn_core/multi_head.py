"""Multi-head attention: several heads beside one another, joined into one output."""

import math
from copy import copy
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from attn_core import _require
from attn_core._linear import seeded_linear
from attn_core.attention import resolve_mask, scaled_dot_product_attention, scores_shape, share_heads
from attn_core.schemes.rotary import RotationScheme
from attn_core.weight_init import GLOROT

Projections = tuple[
    Float[Tensor, "*batch n_head n_query d_head"],
    Float[Tensor, "*batch_key n_kv_head n_key d_head"],
    Float[Tensor, "*batch_key n_kv_head n_key d_head"],
]
"""Queries of all heads, keys and values of all key heads, of which there are fewer if heads share them."""


@dataclass(frozen=True, eq=False)
class MultiHead:
    """Every stage of multi-head attention; the head axis comes before the sequence, weights are (query, key).

    ``query``, ``key`` and ``value`` are projected and split; scores to weights are those of ``Attention``,
    one map per head; ``heads`` are the outputs of the heads, ``concatenated`` puts them side by side, and
    ``output`` is the output projection of ``concatenated``, or equal to it without a projection. Each row of
    each map of ``weights`` sums to one, or is zero where its whole row is masked.
    """

    query: Float[Tensor, "*batch n_head n_query d_head"]
    key: Float[Tensor, "*batch_key n_kv_head n_key d_head"]
    value: Float[Tensor, "*batch_key n_kv_head n_key d_head"]
    scores: Float[Tensor, "*batch n_head n_query n_key"]
    scaled_scores: Float[Tensor, "*steps n_head n_query n_key"]
    mask: Bool[Tensor, "*steps n_head n_query n_key"] | None
    weights: Float[Tensor, "*steps n_head n_query n_key"]
    heads: Float[Tensor, "*steps n_head n_query d_head"]
    concatenated: Float[Tensor, "*steps n_query d_heads"]
    output: Float[Tensor, "*steps n_query d_out"]
    output_weight: Float[Tensor, "d_out d_heads"] | None
    output_bias: Float[Tensor, " d_out"] | None

    @property
    def contributions(self) -> Float[Tensor, "*steps n_head n_query d_out"]:
        r"""What each head adds to the output: $\mathrm{head}_h W_o^{(h)}$, with its own block of W_o.

        Invariant: summed over the heads, plus ``output_bias`` where there is one, they are ``output``.
        Without an output projection a head fills its own columns, and the others hold zeros.
        """
        return self.heads @ self.output_blocks

    @property
    def output_blocks(self) -> Float[Tensor, "n_head d_head d_out"]:
        r"""Each head's own block $W_o^{(h)}$; a block of the identity if there is no output projection."""
        n_head, d_head = self.heads.shape[-3], self.heads.shape[-1]
        weight = self.output_weight
        if weight is None:
            weight = torch.eye(n_head * d_head, dtype=self.heads.dtype, device=self.heads.device)
        # From (d_out, n_head * d_head).
        return weight.reshape(-1, n_head, d_head).permute(1, 2, 0)


def split_heads(
    x: Float[Tensor, "*batch n d_heads"], n_head: int
) -> Float[Tensor, "*batch {n_head} n {x.shape[-1]//n_head}"]:
    """Cut the last axis into heads and bring the head axis before the sequence.

    (*batch, n, n_head * d_head) -> (*batch, n_head, n, d_head). Head 0 holds the first d_head columns.

    Raises ValueError when the width does not divide by n_head.

    >>> split_heads(torch.arange(6.0).reshape(1, 6), 3)
    tensor([[[0., 1.]],
    <BLANKLINE>
            [[2., 3.]],
    <BLANKLINE>
            [[4., 5.]]])
    """
    n_head = _require.integer("n_head", n_head, least=1)
    if x.ndim < 2 or x.shape[-1] % n_head:
        raise ValueError(f"x must have shape (*batch, n, {n_head} * d_head); got {tuple(x.shape)}")
    # (*batch, n, n_head, d_head) -> (*batch, n_head, n, d_head). Without it, heads attend to one another.
    return x.reshape(*x.shape[:-1], n_head, x.shape[-1] // n_head).transpose(-3, -2)


def merge_heads(
    x: Float[Tensor, "*batch n_head n d_head"],
) -> Float[Tensor, "*batch n {x.shape[-3]*x.shape[-1]}"]:
    """Put the heads side by side again: the inverse of ``split_heads``.

    (*batch, n_head, n, d_head) -> (*batch, n, n_head * d_head).

    Raises ValueError for fewer than three axes.

    >>> x = torch.arange(12.0).reshape(2, 6)
    >>> bool((merge_heads(split_heads(x, 3)) == x).all())
    True
    """
    if x.ndim < 3:
        raise ValueError(f"x must have shape (*batch, n_head, n, d_head); got {tuple(x.shape)}")
    # (*batch, n_head, n, d_head) -> (*batch, n, n_head, d_head), and only then flatten.
    return x.transpose(-3, -2).flatten(-2)


class MultiHeadAttention(nn.Module):
    r"""Several attention heads with learnable projections.

    $$\mathrm{head}_h = \mathrm{attention}(QW_q^{(h)},\ KW_k^{(h)},\ VW_v^{(h)}), \qquad
      O = [\mathrm{head}_1, \ldots, \mathrm{head}_H]\,W_o$$

    ``W_q``, ``W_k``, ``W_v`` are ``nn.Linear`` maps to num_heads * d_head, ``W_o`` from there to d_model
    (None with ``output_projection=False``; the output is then num_heads * d_head wide). ``d_head`` defaults
    to d_model / num_heads and may be set to any width. ``d_key`` and ``d_value`` are the widths of the key
    and value sequences, d_model unless given. Drawn from ``seed`` as ``SelfAttention`` is.

    ``num_kv_heads``, num_heads unless given, is how many heads of keys and values there are: W_k and W_v map
    to num_kv_heads * d_head, and num_heads / num_kv_heads adjacent heads of queries share each of them
    (grouped-query attention; multi-query with one).

    A ``rotation`` rotates the queries and keys of every head by their positions, after their projections and
    before their product; values stay as they are. Scaled scores are divided by ``temperature`` unless a call
    sets another. A bias for each head, as ALiBi's, is a float mask (num_heads, n_query, n_key).

    Raises ValueError for widths or numbers of heads below one, for heads that do not divide d_model when
    d_head is not given, with the nearest numbers that do, for num_kv_heads that does not divide num_heads,
    for an unknown init, for a rotation with an odd d_head, and for a temperature that is not
    positive.

    Source: Vaswani et al. (2017), section 3.2.2; Shazeer (2019), Fast Transformer Decoding, for one head of
    keys and values; Ainslie et al. (2023), GQA, for several; Su et al. (2021), RoFormer, for the rotation.

    >>> attend = MultiHeadAttention(20, 4, seed=1, dtype=torch.float64)
    >>> query, memory = torch.ones(1, 20, dtype=torch.float64), torch.ones(10, 20, dtype=torch.float64)
    >>> stages = attend(query, memory)
    >>> tuple(stages.weights.shape), tuple(stages.output.shape)
    ((4, 1, 10), (1, 20))
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        d_head: int | None = None,
        num_kv_heads: int | None = None,
        bias: bool = True,
        output_projection: bool = True,
        d_key: int | None = None,
        d_value: int | None = None,
        rotation: RotationScheme | None = None,
        temperature: float = 1.0,
        seed: int = 0,
        dtype: torch.dtype | None = None,
        init: str = GLOROT,
    ) -> None:
        """Draw the projections."""
        super().__init__()
        self.d_model = _require.integer("d_model", d_model, least=1)
        self.num_heads = _require.integer("num_heads", num_heads, least=1)
        self.d_head = (
            _even_share(d_model, num_heads) if d_head is None else _require.integer("d_head", d_head, least=1)
        )
        self.d_key = _require.integer("d_key", d_model if d_key is None else d_key, least=1)
        self.d_value = _require.integer("d_value", d_model if d_value is None else d_value, least=1)
        self._attend_with(rotation, temperature)
        generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
        self.num_kv_heads = _require.kv_heads(self.num_heads, num_kv_heads)
        d_heads, d_kv_heads = self.num_heads * self.d_head, self.num_kv_heads * self.d_head
        draw = partial(seeded_linear, bias=bias, generator=generator, dtype=dtype, init=init)
        self.W_q = draw(self.d_model, d_heads)
        self.W_k = draw(self.d_key, d_kv_heads)
        self.W_v = draw(self.d_value, d_kv_heads)
        self.W_o = draw(d_heads, self.d_model) if output_projection else None

    def _attend_with(self, rotation: RotationScheme | None, temperature: float) -> None:
        if rotation is not None and rotation.fitting_width(self.d_head) != self.d_head:
            raise ValueError(
                f"{rotation.name} turns dimensions in pairs, so it needs an even d_head; got {self.d_head}"
            )
        self.rotation = rotation
        self.temperature = float(_require.positive("temperature", temperature))

    def with_settings(
        self,
        *,
        num_heads: int | None = None,
        rotation: RotationScheme | None = None,
        temperature: float = 1.0,
    ) -> "MultiHeadAttention":
        """Return attention with the same projections, not copied, and other heads, rotation and temperature.

        The ``num_heads`` heads, as many as now by default, split the total width of all heads; each has keys
        and values of its own.

        Raises ValueError for heads that do not divide that width, or whose keys and values are shared now;
        for a rotation with an odd d_head, and for a temperature that is not positive.

        >>> module = MultiHeadAttention(4, 2, seed=1)
        >>> sharper = module.with_settings(temperature=0.5)
        >>> sharper.temperature, sharper.W_q is module.W_q, module.temperature
        (0.5, True, 1.0)
        >>> module.with_settings(num_heads=4).d_head, module.d_head
        (1, 2)
        """
        other = copy(self)
        other._modules = dict(self._modules)
        if num_heads is not None and num_heads != self.num_heads:
            if self.num_kv_heads != self.num_heads:
                raise ValueError(
                    f"another number of heads needs keys and values for each; {self.num_heads} heads share "
                    f"those of {self.num_kv_heads} here"
                )
            width = self.num_heads * self.d_head
            if width % _require.integer("num_heads", num_heads, least=1):
                raise ValueError(f"num_heads must divide the width of all heads, {width}; got {num_heads}")
            other.num_heads = other.num_kv_heads = num_heads
            other.d_head = width // num_heads
        other._attend_with(rotation, temperature)
        return other

    def project(
        self, query: Tensor, key: Tensor | None = None, value: Tensor | None = None, *, start: int = 0
    ) -> Projections:
        """Return query, key and value, projected, split and rotated; key defaults to query, value to key.

        ``start`` is the position of the first query and of the first key, for the rotation.
        """
        key = query if key is None else key
        value = key if value is None else value
        inputs = {"query": query, "key": key, "value": value}
        _require.same_dtype(**inputs, W_q=self.W_q.weight)
        for (name, x), width in zip(inputs.items(), (self.d_model, self.d_key, self.d_value), strict=True):
            if x.ndim < 2 or x.shape[-1] != width:
                raise ValueError(f"{name} must have shape (*batch, n, {width}); got {tuple(x.shape)}")
        key, value = (
            split_heads(linear(x), self.num_kv_heads) for linear, x in ((self.W_k, key), (self.W_v, value))
        )
        return self.project_query(query, start=start), self.rotate(key, start=start), value

    def project_query(
        self, query: Float[Tensor, "*batch n_query d_model"], *, start: int = 0
    ) -> Float[Tensor, "*batch n_head n_query d_head"]:
        """Return the queries of all heads, rotated by their positions where there is a rotation."""
        return self.rotate(split_heads(self.W_q(query), self.num_heads), start=start)

    def rotate(
        self, x: Float[Tensor, "*batch n_head n d_head"], *, start: int = 0
    ) -> Float[Tensor, "*batch n_head n d_head"]:
        """Rotate queries or keys of all heads by positions from ``start`` on, where there is a rotation."""
        if self.rotation is None:
            return x
        return self.rotation.turn(x, torch.arange(start, start + x.shape[-2]))

    def pool_key_heads(self, num_kv_heads: int) -> "MultiHeadAttention":
        """Return the same attention with fewer heads of keys and values, each the mean of those it replaces.

        The mean is of the projections W_k and W_v, so it is of the keys and values too. W_q and W_o are those
        of this module, shared and not copied.

        Invariant: with this module's own num_kv_heads, nothing changes.

        Raises ValueError for a number that does not divide this module's num_kv_heads.

        Source: Ainslie et al. (2023), GQA, section 2.1, which converts trained models so.

        >>> module = MultiHeadAttention(4, 2, seed=1, dtype=torch.float64)
        >>> tuple(module.pool_key_heads(1).W_k.weight.shape)
        (2, 4)
        """
        groups = _require.kv_heads(self.num_kv_heads, num_kv_heads)
        fewer = MultiHeadAttention(
            self.d_model,
            self.num_heads,
            d_head=self.d_head,
            num_kv_heads=groups,
            bias=self.W_q.bias is not None,
            output_projection=self.W_o is not None,
            d_key=self.d_key,
            d_value=self.d_value,
            rotation=self.rotation,
            temperature=self.temperature,
            dtype=self.W_q.weight.dtype,
        ).to(self.W_q.weight.device)
        fewer.W_q, fewer.W_o = self.W_q, self.W_o
        with torch.no_grad():
            for mine, theirs in ((self.W_k, fewer.W_k), (self.W_v, fewer.W_v)):
                # (n_kv_head * d_head, ...) -> (groups, members, d_head, ...): the mean is over members.
                for old, new in ((mine.weight, theirs.weight), (mine.bias, theirs.bias)):
                    if old is not None:
                        members = old.reshape(groups, -1, self.d_head, *old.shape[1:])
                        new.copy_(members.mean(dim=1).reshape(new.shape))
        return fewer

    def forward(
        self,
        query: Float[Tensor, "*batch n_query d_model"],
        key: Float[Tensor, "*batch_key n_key d_key"] | None = None,
        value: Float[Tensor, "*batch_key n_key d_value"] | None = None,
        attn_mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
        *,
        is_causal: bool = False,
        scale: float | int | Float[Tensor, "..."] | None = None,
        temperature: float | int | Float[Tensor, "..."] | None = None,
        sink: float | int | Float[Tensor, "..."] | None = None,
    ) -> MultiHead:
        """Attend from the query to the key and value, and return every stage.

        ``query`` (*batch, n_query, d_model), ``key`` (*batch, n_key, d_key), ``value`` (*batch, n_key,
        d_value); key defaults to query and value to key. The mask, scale, temperature and sink are those of
        ``scaled_dot_product_attention`` and broadcast against (*batch, n_head, n_query, n_key): a mask for
        each sequence of a batch is (batch, 1, n_query, n_key).
        """
        return self.attend(
            *self.project(query, key, value),
            attn_mask,
            is_causal=is_causal,
            scale=scale,
            temperature=temperature,
            sink=sink,
        )

    def attend(
        self,
        query: Float[Tensor, "*batch n_head n_query d_head"],
        key: Float[Tensor, "*batch_key n_kv_head n_key d_head"],
        value: Float[Tensor, "*batch_key n_kv_head n_key d_head"],
        attn_mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
        *,
        is_causal: bool = False,
        scale: float | int | Float[Tensor, "..."] | None = None,
        temperature: float | int | Float[Tensor, "..."] | None = None,
        softcap: float | int | None = None,
        sink: float | int | Float[Tensor, "..."] | None = None,
    ) -> MultiHead:
        """Attend with heads that are projected already: the second half of ``forward``, after ``project``.

        Softcap and sink are those of ``scaled_dot_product_attention``.
        """
        stages = scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask,
            is_causal=is_causal,
            scale=scale,
            temperature=self.temperature if temperature is None else temperature,
            softcap=softcap,
            sink=sink,
            enable_gqa=key.shape[-3] < query.shape[-3],
        )
        concatenated = merge_heads(stages.output)
        return MultiHead(
            query=query,
            key=key,
            value=value,
            scores=stages.scores,
            scaled_scores=stages.scaled_scores,
            mask=stages.mask,
            weights=stages.weights,
            heads=stages.output,
            concatenated=concatenated,
            output=concatenated if self.W_o is None else self.W_o(concatenated),
            output_weight=None if self.W_o is None else self.W_o.weight,
            output_bias=None if self.W_o is None else self.W_o.bias,
        )

    def fast(
        self,
        query: Float[Tensor, "*batch n_query d_model"],
        key: Float[Tensor, "*batch_key n_key d_key"] | None = None,
        value: Float[Tensor, "*batch_key n_key d_value"] | None = None,
        attn_mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
        *,
        is_causal: bool = False,
    ) -> Float[Tensor, "*batch n_query d_out"]:
        """Return the output of ``forward`` alone, by torch's fused attention, with no map of weights."""
        q, k, v = self.project(query, key, value)
        is_shared = self.num_kv_heads < self.num_heads
        shape = scores_shape(q, share_heads(q, k), share_heads(q, v)) if is_shared else scores_shape(q, k, v)
        if attn_mask is not None:
            mask, bias = resolve_mask(attn_mask, is_causal, shape=shape, like=q)
            if bias is not None and mask is not None:
                bias = bias.masked_fill(~mask, -torch.inf)
            attn_mask, is_causal = bias if bias is not None else mask, False
        scale = 1 / (math.sqrt(self.d_head) * self.temperature)
        heads = F.scaled_dot_product_attention(
            q, k, v, attn_mask, is_causal=is_causal, scale=scale, enable_gqa=is_shared
        )
        concatenated = merge_heads(heads)
        return concatenated if self.W_o is None else self.W_o(concatenated)

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> "MultiHeadAttention":
        """Return the same attention as an ``nn.MultiheadAttention``, with copies of its weights.

        Sequences here are always (*batch, n, d), whatever the module's ``batch_first``; dropout is not
        carried over, so the outputs agree when the module is in eval mode.

        Raises ValueError for a module with ``add_bias_kv`` or ``add_zero_attn``, as keys that no token
        has are not supported here.
        """
        if module.bias_k is not None or module.bias_v is not None or module.add_zero_attn:
            raise ValueError(
                "the module must have add_bias_kv=False and add_zero_attn=False; got "
                f"add_bias_kv={module.bias_k is not None}, add_zero_attn={module.add_zero_attn}"
            )
        ours = cls(
            module.embed_dim,
            module.num_heads,
            bias=module.in_proj_bias is not None,
            d_key=module.kdim,
            d_value=module.vdim,
            dtype=module.out_proj.weight.dtype,
        ).to(module.out_proj.weight.device)
        with torch.no_grad():
            for mine, theirs in zip(_parameters(ours), _torch_parameters(module), strict=True):
                mine.copy_(theirs)
        return ours.train(module.training)

    def to_torch(self, *, batch_first: bool = True) -> nn.MultiheadAttention:
        """Return the same attention as an ``nn.MultiheadAttention``, with copies of the weights.

        Raises ValueError where torch has no such module: without an output projection, with num_heads *
        d_head different from d_model, with heads that share keys, a rotation or a temperature.
        """
        if self.rotation is not None or self.temperature != 1.0:
            turns = "none" if self.rotation is None else self.rotation.name
            raise ValueError(
                "torch's module needs no rotation and temperature 1; "
                f"got rotation {turns} and temperature {self.temperature:g}"
            )
        if self.W_o is None or self.num_heads * self.d_head != self.d_model:
            raise ValueError(
                "torch's module needs an output projection and num_heads * d_head = d_model; got "
                f"output_projection={self.W_o is not None}, num_heads={self.num_heads}, "
                f"d_head={self.d_head} and d_model={self.d_model}"
            )
        if self.num_kv_heads != self.num_heads:
            raise ValueError(
                f"torch's module needs num_kv_heads = num_heads; got {self.num_kv_heads} and {self.num_heads}"
            )
        # Made without its own first values, which torch would draw from the global generator; `skip_init` and
        # `to_empty` do so too, but import sympy: 0.6 s and 35 MB.
        theirs = nn.MultiheadAttention(
            self.d_model,
            self.num_heads,
            bias=self.W_q.bias is not None,
            kdim=self.d_key,
            vdim=self.d_value,
            batch_first=batch_first,
            dtype=self.W_q.weight.dtype,
            device="meta",
        )
        for part in theirs.modules():
            for name, unset in part.named_parameters(recurse=False):
                part.register_parameter(name, nn.Parameter(self.W_q.weight.new_empty(unset.shape)))
        with torch.no_grad():
            for mine, other in zip(_parameters(self), _torch_parameters(theirs), strict=True):
                other.copy_(mine)
        return theirs.train(self.training)


def _even_share(d_model: int, num_heads: int) -> int:
    """Return d_model / num_heads, or refuse with the nearest numbers of heads that divide."""
    if d_model % num_heads:
        divisors = [n for n in range(1, d_model + 1) if d_model % n == 0]
        below = max(n for n in divisors if n < num_heads)
        near = [below, *(n for n in divisors if n > num_heads)][:2]
        raise ValueError(
            "num_heads must divide d_model unless d_head is given; "
            f"got d_model = {d_model} and num_heads = {num_heads}; nearest that divide: "
            + " and ".join(map(str, near))
        )
    return d_model // num_heads


def _parameters(module: MultiHeadAttention) -> list[Tensor]:
    assert module.W_o is not None
    linears = (module.W_q, module.W_k, module.W_v, module.W_o)
    return [each.weight for each in linears] + [each.bias for each in linears if each.bias is not None]


def _torch_parameters(module: nn.MultiheadAttention) -> list[Tensor]:
    """Return torch's parameters in the order of ``_parameters``, with a joint input projection split."""
    parameters = dict(module.named_parameters())
    if "in_proj_weight" in parameters:
        weights = list(module.in_proj_weight.chunk(3))
    else:
        weights = [parameters[f"{each}_proj_weight"] for each in "qkv"]
    biases = []
    if module.in_proj_bias is not None:
        biases = [*module.in_proj_bias.chunk(3), module.out_proj.bias]
    return [*weights, module.out_proj.weight, *biases]
