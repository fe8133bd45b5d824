"""A trained model, with every stage of every layer's attention."""

import math
from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attn_core.attention_maps import AttentionMaps
from attn_core.models.checkpoint import Checkpoint
from attn_core.models.config import Config
from attn_core.models.head_map import HeadMap
from attn_core.models.layer import Norm, read_layer, read_norm
from attn_core.models.reading import MAX_CHARACTERS, Encoded, Reader, missing
from attn_core.multi_head import MultiHead
from attn_words import _

MAX_TOKENS = 4096
"""How many tokens of a text are run at most, special tokens among them."""
MAPS_BYTES = 48_000_000
"""What the maps of all heads may take, which is 408 tokens for 72 heads; ``LEAST_TOKENS`` always run."""
LEAST_TOKENS = 128
VECTORS = 8
"""Vectors of each token that are there at once while a layer runs without maps: what enters it and leaves it,
queries, keys, values, what heads give, and what is between."""
VECTORS_BYTES = 134_217_728
"""What they may take: 4,096 tokens of 1,024 numbers."""


class RealModel:
    """A trained encoder or decoder whose attention is ``MultiHeadAttention`` with its weights.

    Made by ``load_model``. Around attention stand the model's own embeddings, norms and feed-forward parts;
    what comes after the last layer's attention changes no map and is left out. Nothing is drawn at random
    and nothing dropped: it runs as ``model.eval()`` does.
    """

    def __init__(self, name: str, config: Config, held: Checkpoint) -> None:
        """Put the model together from its settings and tensors; it has no tokenizer yet."""
        family = config.family
        self.name, self.config = name, config
        self.reader: Reader | None = None
        self.is_packaged = False
        held.below(f"{family.prefix}.0.{family.parts['out']}.weight")
        self._words = held.words(family.words, config.d_model, family.tied)
        if family.scaled_words:
            self._words = self._words * config.d_model**0.5
        self._places = held.table(family.places, config.d_model) if family.places else None
        self._kinds = held.table(family.kinds, config.d_model) if family.kinds else None
        self._norm: Norm | None = (
            read_norm(config, held, family.norm, config.d_model) if family.norm else None
        )
        self._layers = [read_layer(config, held, index) for index in range(config.n_layer)]

    @property
    def family(self) -> str:
        """What the family of models is called."""
        return self.config.family.name

    @property
    def n_layer(self) -> int:
        """How many layers there are."""
        return self.config.n_layer

    @property
    def n_head(self) -> int:
        """How many heads each layer has."""
        return self.config.n_head

    @property
    def n_vocabulary(self) -> int:
        """How many tokens it has vectors for."""
        return self._words.shape[0]

    @property
    def is_causal(self) -> bool:
        """Whether a token sees only itself and those before it."""
        return self.config.is_causal

    @property
    def scales(self) -> tuple[float, ...]:
        """What each layer multiplies its scores by."""
        return self.config.scales

    @property
    def softcap(self) -> float | None:
        """The softcap of ``scaled_dot_product_attention``, which scores are bent below, or None."""
        return self.config.softcap

    @property
    def windows(self) -> tuple[int | None, ...]:
        """How many tokens each layer sees at most, itself among them; None is all."""
        return self.config.windows

    def seen(self, n: int) -> tuple[Bool[Tensor, "n n"] | None, ...]:
        """Return for each layer which of n tokens each of them may attend to; None where it is all."""
        return tuple(layer.seen(n) for layer in self._layers)

    @property
    def n_key_head(self) -> int:
        """How many heads of keys and values each layer has; heads side by side share them."""
        return self.config.n_key_head

    @property
    def limit(self) -> int:
        """How many tokens the model has places for."""
        if self._places is None:
            assert self.config.limit is not None
            return self.config.limit
        return self._places.shape[0] - self._first_place

    @property
    def most_tokens(self) -> int:
        """How many tokens of a text are run with the maps of all heads.

        What the model has places for, at most ``MAX_TOKENS``, and as many as ``MAPS_BYTES`` have room for.
        """
        room = math.isqrt(MAPS_BYTES // (4 * self.n_layer * self.n_head))
        return min(self.limit, MAX_TOKENS, max(LEAST_TOKENS, room))

    @property
    def longest(self) -> int:
        """How many tokens of a text are run where the map of one head is looked at, ``most_tokens`` or more.

        What the model has places for, at most ``MAX_TOKENS``, and as many as ``VECTORS_BYTES`` have room for.
        """
        width = max(self.config.d_model, self.n_head * self.config.d_head)
        room = VECTORS_BYTES // (VECTORS * 4 * width)
        return max(self.most_tokens, min(self.limit, MAX_TOKENS, room))

    @property
    def most_words(self) -> int:
        """How many tokens of a text fit beside the special ones, with the maps of all heads."""
        return self.most_tokens - self._n_special

    @property
    def longest_words(self) -> int:
        """How many tokens of a text fit beside the special ones, one head at a time."""
        return self.longest - self._n_special

    @property
    def _n_special(self) -> int:
        return 0 if self.reader is None else self.reader.n_special

    @property
    def mark(self) -> str:
        """How tokens show where words begin: "##", "·" or "" (see ``Reader``)."""
        return "" if self.reader is None else self.reader.mark

    @property
    def _first_place(self) -> int:
        return self.config.padding + 1 if self.config.family.counts_from_padding else 0

    def forward(
        self, ids: Int[Tensor, "batch n"], allowed: Bool[Tensor, "batch n"] | None = None
    ) -> tuple[MultiHead, ...]:
        """Run sequences of token numbers, and return every stage of every layer's attention.

        ``allowed`` is True where there is a token and False at padding, which nothing attends to.

        Raises ValueError for numbers of tokens or tokens that the model has no row for.
        """
        return tuple(self._run(ids, allowed))

    def _run(self, ids: Tensor, allowed: Tensor | None = None) -> Iterator[MultiHead]:
        """Run layer after layer; what a layer computed on the way goes with it."""
        if ids.ndim != 2 or not 1 <= ids.shape[1] <= self.limit:
            raise ValueError(
                f"ids must have shape (batch, n) with n from 1 to {self.limit}; got {tuple(ids.shape)}"
            )
        self._require_rows(ids)
        with torch.no_grad():
            x = self._embed(ids)
        for number, layer in enumerate(self._layers, start=1):
            with torch.no_grad():
                attended = layer.attend(x, allowed)
                if number < self.n_layer:
                    x = layer.leave(x, attended.output)
            yield attended

    def attend(self, text: str) -> AttentionMaps:
        """Cut a text into the model's tokens and return the weights of every layer and head.

        The maps are (n_head, n_token, n_token) in float32, a layer each. A text longer than ``most_tokens``
        is cut, and the note of the result says so.

        Raises ValueError for a text without a token, where the folder held no tokenizer, and for weights so
        large that numbers on the way overflow.
        """
        read = self.read(text, self.most_tokens)
        notes: tuple[str, ...] = ()
        if read.beyond or len(text) > MAX_CHARACTERS:
            more = "more than " if len(text) > MAX_CHARACTERS else ""
            length = len(read.ids) + read.beyond
            notes = (f"The text has {more}{length} tokens; the model sees the first {len(read.ids)}.",)
        layers = [each.weights[0] for each in self._run(torch.tensor([read.ids]))]
        self._require_finite(*layers)
        return AttentionMaps(
            {f"layer {index}": each.numpy() for index, each in enumerate(layers)},
            tokens=read.labels,
            special=read.special,
            notes=notes,
        )

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text without special ones, as many as there are, those left out as ""."""
        read = self._read(text, self.longest)
        shown = [label for place, label in enumerate(read.labels) if place not in read.special]
        return shown + [""] * read.beyond

    def stages(self, text: str) -> tuple[MultiHead, ...]:
        """Return every stage of every layer's attention on a text, as ``forward`` does."""
        return self.forward(torch.tensor([self._read(text, self.most_tokens).ids]))

    def enter(self, ids: Sequence[int]) -> Float[Tensor, "1 n d_model"]:
        """Return what enters the first layer, of up to ``longest`` tokens.

        With ``pass_by`` and ``heads`` it is how a long text is looked at: no map is held, so what is there at
        once is bounded by ``VECTORS_BYTES``, the feed-forward parts going in blocks of rows.

        Raises ValueError for more tokens, and for numbers that the model has no row for.
        """
        given = torch.tensor([[*ids]])
        if not 1 <= given.shape[1] <= self.longest:
            raise ValueError(
                f"a long text must have from 1 to {self.longest:,} tokens; got {given.shape[1]:,}"
            )
        self._require_rows(given)
        with torch.no_grad():
            return self._embed(given)

    def pass_by(self, layer: int, x: Float[Tensor, "1 n d_model"]) -> Float[Tensor, "1 n d_model"]:
        """Return what leaves a layer, counted from 0, of what enters it, by torch's fused attention.

        Raises ValueError for weights so large that numbers overflow.
        """
        with torch.no_grad():
            left = self._layers[layer].run(x)
        self._require_finite(left)
        return left

    def heads(
        self, layer: int, x: Float[Tensor, "1 n d_model"], heads: Sequence[int] | None = None
    ) -> Iterator[HeadMap]:
        """Yield the maps of some heads of a layer, all unless told, of what enters it; counted from 0.

        Raises ValueError for weights so large that numbers overflow.
        """
        with torch.no_grad():
            for found in self._layers[layer].heads(x, range(self.n_head) if heads is None else heads):
                self._require_finite(found.highest, found.total)
                yield found

    def head_of(self, text: str, layer: int, head: int) -> HeadMap:
        """Return the map of one head, both counted from 0, on a text of up to ``longest`` tokens.

        A longer text is cut. Raises ValueError as ``attend`` does.
        """
        x = self.enter(self.read(text, self.longest).ids)
        for before in range(layer):
            x = self.pass_by(before, x)
        return next(self.heads(layer, x, [head]))

    def read(self, text: str, most: int) -> Encoded:
        """Cut a text into tokens, at most so many, special ones among them.

        Raises ValueError for a text without a token, and where the folder held no tokenizer.
        """
        read = self._read(text, most)
        if len(read.special) == len(read.ids):
            raise ValueError(_("text must hold at least one token; got {text}", text=repr(text[:40])))
        return read

    def _read(self, text: str, most: int) -> Encoded:
        if self.reader is None:
            raise ValueError(missing(self.name))
        return self.reader.encode(text, most)

    def _require_finite(self, *numbers: Tensor) -> None:
        if not all(bool(each.isfinite().all()) for each in numbers):
            raise ValueError(f"a model's numbers must stay finite in float32; those of {self.name} do not")

    def _require_rows(self, ids: Tensor) -> None:
        if int(ids.min()) < 0 or int(ids.max()) >= self.n_vocabulary:
            raise ValueError(
                f"ids must be from 0 to {self.n_vocabulary - 1}; got {int(ids.min())} to {int(ids.max())}"
            )

    def _embed(self, ids: Tensor) -> Tensor:
        x = self._words[ids]
        if self._places is not None and self.config.family.counts_from_padding:
            there = (ids != self.config.padding).long()
            x = x + self._places[there.cumsum(dim=1) * there + self.config.padding]
        elif self._places is not None:
            x = x + self._places[: ids.shape[1]]
        if self._kinds is not None:
            x = x + self._kinds[0]
        return x if self._norm is None else self._norm(x)
