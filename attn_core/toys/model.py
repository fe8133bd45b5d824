"""A transformer of attention layers alone, which maps symbols to symbols."""

from collections.abc import Callable, Collection
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attn_core import _require
from attn_core.masks import causal_mask
from attn_core.multi_head import MultiHead, MultiHeadAttention
from attn_core.positional import sinusoidal_encoding
from attn_core.toys.tasks import SYMBOLS

BASE = 100.0  # of the sinusoids
LOUDNESS = 0.3  # standard deviation of a symbol's first embedding; a position's is 0.7


Attend = Callable[..., MultiHead]
"""A function with which a layer attends, of its ``MultiHeadAttention``, the sequence and ``attn_mask``."""


class ToyRun(NamedTuple):
    """The results of a model on sequences: every stage of each layer's attention, and the logits."""

    layers: tuple[MultiHead, ...]
    logits: Float[Tensor, "*batch n n_symbol"]

    @property
    def weights(self) -> Float[Tensor, "*batch n_head n n"]:
        """The maps of all layers' heads, one after the other."""
        return torch.cat([layer.weights for layer in self.layers], dim=-3)


class ToyModel(nn.Module):
    r"""A transformer without feed-forward layers, whose logits depend only on what the heads add.

    $$x^{(0)} = E_{token} + P, \qquad x^{(l+1)} = x^{(l)} + \mathrm{heads}(\mathrm{norm}(x^{(l)})), \qquad
      logits = W_u\,(x^{(L)} - x^{(0)})$$

    E is learned, P are sinusoids of base 100, whose wavelengths fit sequences as short as these (zero without
    positions), norm is layer normalisation, and each layer is a ``MultiHeadAttention`` without biases. Since
    the embedding is subtracted before the logits, nothing bypasses the heads: with all of them off, every
    symbol is as likely as any other.

    Raises ValueError for a size below one, and for heads that do not divide d_model.

    >>> model = ToyModel(layers=2, heads=2, length=8, seed=0)
    >>> run = model(torch.zeros(3, 8, dtype=torch.long))
    >>> tuple(run.weights.shape), tuple(run.logits.shape)
    ((3, 4, 8, 8), (3, 8, 16))
    """

    positions: Tensor

    def __init__(
        self,
        *,
        layers: int,
        heads: int,
        length: int,
        seed: int,
        positions: bool = True,
        causal: bool = True,
        d_model: int = 32,
    ) -> None:
        """Draw the model from its seed."""
        super().__init__()
        _require.integer("layers", layers, least=1)
        _require.integer("length", length, least=1)
        generator = torch.Generator().manual_seed(_require.integer("seed", seed, least=0))
        self.causal = causal
        normal = torch.randn(2, len(SYMBOLS), d_model, generator=generator)
        self.embedding = nn.Parameter(LOUDNESS * normal[0])
        places = sinusoidal_encoding(length, d_model, base=BASE, dtype=torch.float32)
        self.register_buffer("positions", places if positions else torch.zeros_like(places), persistent=False)
        self.attention = nn.ModuleList(
            MultiHeadAttention(d_model, heads, bias=False, seed=seed + layer) for layer in range(layers)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(layers))
        self.readout = nn.Parameter(normal[1] / d_model**0.5)

    def forward(
        self,
        tokens: Int[Tensor, "*batch n"],
        *,
        off: Collection[int] = (),
        attend: Attend = MultiHeadAttention.__call__,
        start: int = 0,
    ) -> ToyRun:
        """Run sequences through the model.

        Args:
            tokens: indices of symbols.
            off: indices of heads, over all layers, that add nothing: their outputs are zero before W_o.
            attend: how each layer attends, such as a function of ``attn_core.mistakes.heads``.
            start: the position of the first symbol.

        Raises ValueError for sequences longer than the model has positions, and for a start below zero.
        """
        n = tokens.shape[-1]
        if n > len(self.positions):
            raise ValueError(f"tokens must have at most {len(self.positions)} places; got {n}")
        embedding = self.embedding[tokens] + self._places(n, _require.integer("start", start, least=0))
        mask = causal_mask(n) if self.causal else None
        x, stages = embedding, []
        for number, (attention, norm) in enumerate(zip(self.attention, self.norms, strict=True)):
            layer = attend(attention, norm(x), attn_mask=mask)
            n_head = layer.heads.shape[-3]
            x = x + _contribution(layer, [head for head in range(n_head) if head + number * n_head in off])
            stages.append(layer)
        return ToyRun(tuple(stages), (x - embedding) @ self.readout.T)

    def _places(self, n: int, start: int) -> Float[Tensor, "n d_model"]:
        if not start or not self.positions.any():
            return self.positions[:n]
        return sinusoidal_encoding(start + n, self.positions.shape[1], base=BASE, dtype=torch.float32)[start:]


def _contribution(layer: MultiHead, off: list[int]) -> Float[Tensor, "*batch n d_model"]:
    """Return what a layer adds, without the heads in ``off``: their outputs are zero before W_o."""
    if not off:
        return layer.output
    heads = layer.concatenated.unflatten(-1, (-1, layer.heads.shape[-1]))
    on = torch.ones(heads.shape[-2], 1, dtype=heads.dtype)
    on[off] = 0
    assert layer.output_weight is not None
    contribution: Tensor = (heads * on).flatten(-2) @ layer.output_weight.T
    return contribution
