"""A text too long for the maps of all heads: one layer of a real model, its heads one at a time.

A cache of bounded size, shared by all sessions, holds each layer's queries, keys and values, the levels of a
map above single cells, and each layer's heads in blocks. A session holds the queries and keys of its chosen
head. Whatever has left the cache is computed again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from attn_core import RealModel, label_tokens
from attn_core.models import Call, Encoding, HeadMap
from attn_live.pyramid import Keep, Pyramid, level_sizes
from attn_ui.base.shared_cache import shared
from attn_words import _
from pages.learned_heads.ranked_heads import MOST_NUMBERS

ReadingProgress = Callable[[int, int | None], None]
"""Is called with the zero-based index of the layer being read, and of the head or None."""
_ALL_HEADS = 2  # summing up all heads of a layer takes as long as reading two layers
PREVIOUS, ITSELF, FIRST, SPECIAL = "previous token", "itself", "first token", "special tokens"


@dataclass(frozen=True, eq=False)
class LongText:
    """One layer of a real model on a long text; layer and head are zero-based indices.

    Attributes:
        keep: "max" or "mean", the weight of its block that a point of the map below the figure shows.
        zoom: the visible part of that map, as text of a `Sight`.
    """

    model: RealModel
    text: str
    encoding: Encoding
    layer: int
    keep: Keep
    head: int = 0
    zoom: str = ""

    @property
    def n(self) -> int:
        """How many tokens there are."""
        return len(self.encoding.ids)

    @cached_property
    def labels(self) -> list[str]:
        """The tokens as they are shown, numbered where one occurs again."""
        return list(label_tokens(self.encoding.labels))

    def number(self, head: int) -> str:
        """Return a head's layer and its number there, as "3.2"."""
        return f"{self.layer + 1}.{head + 1}"

    def name(self, head: int) -> str:
        """Return a head's name."""
        return _("head {number}", number=self.number(head))

    @property
    def map(self) -> HeadMap:
        """The map of the chosen head."""
        return map_of(self.text, self.layer, self.head, self.model)

    @property
    def summary(self) -> "LayerSummary":
        """All heads of the layer, in blocks."""
        return summarise_layer(self.text, self.layer, self.model)

    @property
    def special(self) -> list[str]:
        """The tokens that stand for no word, each once."""
        return list(dict.fromkeys(self.encoding.labels[place] for place in self.encoding.special))


@dataclass(frozen=True, eq=False)
class LayerSummary:
    """Where all heads of a layer put their weight.

    Attributes:
        blocks: the largest weight of each block, (n_head, n_block, n_block); NaN if all is masked.
        size: how many tokens a block has on each side.
        shares: each head's mean weight on a kind of token, by the kind's name.
    """

    blocks: NDArray[np.float32]
    size: int
    shares: Mapping[str, Sequence[float]]


@dataclass(frozen=True, eq=False)
class HeadTiles:
    """The tiles of one head: cells are computed for each tile, the levels above are in the shared cache."""

    text: str
    layer: int
    head: int
    keep: Keep
    map: HeadMap

    def tile(self, level: int, row: int, column: int) -> bytes:
        """Return one tile."""
        return self.pyramid(has_levels=level > 0).tile(level, row, column)

    def pyramid(self, has_levels: bool = True) -> Pyramid:
        """Return the map at every scale, or without `has_levels` its cells alone."""
        levels = _above(self.text, self.layer, self.head, self.keep, self.map) if has_levels else ()
        return Pyramid(self.map, self.keep, self.map.may, levels)


def tiles_of(result: LongText) -> HeadTiles:
    """Return the tiles of the chosen head; they hold no reference to the model."""
    return HeadTiles(result.text, result.layer, result.head, result.keep, result.map)


def pyramid_of(result: LongText) -> Pyramid:
    """Return the map of the chosen head at every scale."""
    return tiles_of(result).pyramid()


@shared
def _above(text: str, layer: int, head: int, keep: Keep, _map: HeadMap) -> Sequence[NDArray[np.float32]]:
    del text, layer, head
    return Pyramid(_map, keep, _map.may).above


@shared
def encode_text(text: str, most: int, _model: RealModel) -> Encoding:
    """Return the tokens of a text, at most ``most``."""
    return _model.read(text, most)


@shared
def call_of_layer(
    text: str, layer: int, _model: RealModel, _tell: Callable[[int], None] = lambda layer: None
) -> Call:
    """Return the inputs of a layer's attention, after running the layers before it."""
    return _model.reach(encode_text(text, _model.longest, _model).ids, layer, _tell)


def layer_inputs(result: LongText, tell: ReadingProgress) -> Call:
    """Return the attention inputs of the chosen layer; `tell` is called for each earlier one."""
    return call_of_layer(result.text, result.layer, result.model, lambda layer: tell(layer, None))


def summarise_with_progress(result: LongText, tell: ReadingProgress) -> LayerSummary:
    """Return the summary of all heads of the layer; ``tell`` is called for each layer and head read."""
    of_layer = result.text, result.layer, result.model
    if summarise_layer.is_kept(*of_layer):
        return result.summary
    return summarise_layer(*of_layer, layer_inputs(result, tell), lambda head: tell(result.layer, head))


@shared
def map_of(text: str, layer: int, head: int, _model: RealModel) -> HeadMap:
    """Return one head's map; the cache's key leaves out the model, as a process has only one."""
    return next(call_of_layer(text, layer, _model).maps([head]))


@shared
def summarise_layer(
    text: str,
    layer: int,
    _model: RealModel,
    _call: Call | None = None,
    _tell: Callable[[int], None] = lambda head: None,
) -> LayerSummary:
    """Return the summary of a layer, computed one head after another."""
    call = call_of_layer(text, layer, _model) if _call is None else _call
    encoding = encode_text(text, _model.longest, _model)
    n = len(encoding.ids)
    side = level_sizes(n, n)[-1][0]
    halvings = 0
    while _model.n_head * side**2 > MOST_NUMBERS and side > 1:
        side, halvings = (side + 1) // 2, halvings + 1
    blocks = np.empty((_model.n_head, side, side), dtype=np.float32)
    shares: dict[str, list[float]] = {PREVIOUS: [], ITSELF: [], SPECIAL if encoding.special else FIRST: []}
    words = [place for place in range(n) if place not in set(encoding.special)]
    for head, head_map in enumerate(call.maps(range(_model.n_head))):
        _tell(head)
        pyramid = Pyramid(head_map, "max", head_map.may)
        blocks[head] = _halve(pyramid.level(len(pyramid.sizes) - 1), halvings)
        shares[PREVIOUS].append(float(head_map.before(1).double().mean()))
        shares[ITSELF].append(float(head_map.before(0).double().mean()))
        if encoding.special:
            to_special = torch.cat([head_map[0:n, place : place + 1] for place in encoding.special], dim=1)
            shares[SPECIAL].append(float(to_special[words].double().sum(dim=1).mean()))
        else:
            shares[FIRST].append(float(head_map[1:n, 0:1].double().mean()))
    return LayerSummary(blocks, 2 ** (len(level_sizes(n, n)) - 1 + halvings), shares)


def _halve(blocks: NDArray[np.float32], times: int) -> NDArray[np.float32]:
    """Replace each 2 × 2 blocks by their largest, `times` times over."""
    for axis in (0, 1) * times:
        blocks = np.fmax.reduceat(blocks, np.arange(0, blocks.shape[axis], 2), axis=axis)
    return blocks


def reading(result: LongText, layer: int, head: int | None) -> tuple[float, str]:
    """Return the share of the layers and heads already read, and a sentence on the layer being read."""
    drawn_heads = 0.0 if head is None else _ALL_HEADS * head / result.model.n_head
    text = _(
        "Layer {layer} of {layers} is being read, with all {places} tokens.",
        layer=layer + 1,
        layers=result.layer + 1,
        places=f"{result.n:,}",
    )
    return (layer + drawn_heads) / (result.layer + _ALL_HEADS), text


def describe_blocks(n: int) -> str:
    """Return the text under a saved picture on the blocks of a long map."""
    return _("a text of {places} tokens, in blocks; the app zooms in to single cells", places=f"{n:,}")
