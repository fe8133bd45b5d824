"""A trained model, with every stage of every layer's attention."""

import math
from collections.abc import Iterator

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attn_core.attention_maps import AttentionMaps
from attn_core.models.checkpoint import Checkpoint
from attn_core.models.config import Config
from attn_core.models.layer import Norm, read_layer, read_norm
from attn_core.models.reading import MAX_CHARACTERS, Encoded, Reader, missing
from attn_core.multi_head import MultiHead
from attn_words import _

MAX_TOKENS = 4096
"""How many tokens of a text ``RealModel.attend`` runs at most, special tokens among them."""
MAPS_BYTES = 48_000_000
"""What the maps of all heads may take, which is 408 tokens for 72 heads; ``LEAST_TOKENS`` always run."""
LEAST_TOKENS = 128


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
        """How many tokens of a text are run.

        What the model has places for, at most ``MAX_TOKENS``, and as many as ``MAPS_BYTES`` have room for.
        """
        room = math.isqrt(MAPS_BYTES // (4 * self.n_layer * self.n_head))
        return min(self.limit, MAX_TOKENS, max(LEAST_TOKENS, room))

    @property
    def most_words(self) -> int:
        """How many tokens of a text fit beside the special ones."""
        return self.most_tokens - (0 if self.reader is None else self.reader.n_special)

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
        if int(ids.min()) < 0 or int(ids.max()) >= self.n_vocabulary:
            raise ValueError(
                f"ids must be from 0 to {self.n_vocabulary - 1}; got {int(ids.min())} to {int(ids.max())}"
            )
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
        read = self._read(text)
        if len(read.special) == len(read.ids):
            raise ValueError(_("text must hold at least one token; got {text}", text=repr(text[:40])))
        notes: tuple[str, ...] = ()
        if read.beyond or len(text) > MAX_CHARACTERS:
            more = "more than " if len(text) > MAX_CHARACTERS else ""
            length = len(read.ids) + read.beyond
            notes = (f"The text has {more}{length} tokens; the model sees the first {len(read.ids)}.",)
        layers = [each.weights[0] for each in self._run(torch.tensor([read.ids]))]
        if not all(bool(each.isfinite().all()) for each in layers):
            raise ValueError(f"a model's numbers must stay finite in float32; those of {self.name} do not")
        return AttentionMaps(
            {f"layer {index}": each.numpy() for index, each in enumerate(layers)},
            tokens=read.labels,
            special=read.special,
            notes=notes,
        )

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text without special ones, as many as there are, those left out as ""."""
        read = self._read(text)
        shown = [label for place, label in enumerate(read.labels) if place not in read.special]
        return shown + [""] * read.beyond

    def stages(self, text: str) -> tuple[MultiHead, ...]:
        """Return every stage of every layer's attention on a text, as ``forward`` does."""
        return self.forward(torch.tensor([self._read(text).ids]))

    def _read(self, text: str) -> Encoded:
        if self.reader is None:
            raise ValueError(missing(self.name))
        return self.reader.encode(text)

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
