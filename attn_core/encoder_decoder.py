"""The kinds of an encoder-decoder's maps: encoder, decoder or cross, and whose tokens label their axes."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import reduce

from attn_words import _

ENCODER, DECODER, CROSS, OTHER = KINDS = ("encoder", "decoder", "cross", "other")
# The axes (0 queries, 1 keys) that the encoder's tokens label, and those that the decoder's tokens label.
SOURCE: Mapping[str, tuple[int, ...]] = {ENCODER: (0, 1), DECODER: (), CROSS: (1,), OTHER: ()}
TARGET: Mapping[str, tuple[int, ...]] = {ENCODER: (), DECODER: (0, 1), CROSS: (0,), OTHER: ()}
_CROSS = re.compile("cross|enc_?dec", re.IGNORECASE)
_CROSS_BESIDE_SELF = re.compile("(multihead|encoder|src|memory|context)_att", re.IGNORECASE)
_DECODER, _ENCODER = (re.compile(rf"{each}oder|(^|[._]){each}([._]|$)") for each in ("dec", "enc"))
_LAYER, _TIMES = re.compile(r".*?\d+(?=\.)"), re.compile(r" \(\d+\)|, part ")


def kinds_of(names: Iterable[str], *, has_decoder_tokens: bool = False) -> dict[str, str]:
    """Return the kind of each map of an encoder-decoder by its name; empty for other models.

    "encoder", "decoder" and "cross" (queries of the decoder, keys of the encoder) follow from the names that
    PyTorch and transformers give their modules; a map whose name shows no kind is "other". Where no name
    shows a kind, ``has_decoder_tokens`` makes all maps cross.

    >>> kinds_of(["encoder.0.self_attn", "decoder.0.self_attn", "decoder.0.encoder_attn"])
    {'encoder.0.self_attn': 'encoder', 'decoder.0.self_attn': 'decoder', 'decoder.0.encoder_attn': 'cross'}
    >>> kinds_of(["encoder.layer.0.attention", "encoder.layer.1.attention"])
    {}
    """
    layers = {name: match[0] if (match := _LAYER.match(name)) else "" for name in names}
    beside_self = {_module(name) for name in layers if ".self_att" in name}
    kinds = {
        name: CROSS
        for name in layers
        if _CROSS.search(name) or (_CROSS_BESIDE_SELF.search(name) and _module(name) in beside_self)
    }
    of_decoder = {layers[name] for name in kinds} - {""}  # a layer with a cross attention is the decoder's
    once = {_TIMES.split(name)[0]: layers[name] for name in layers}
    several = Counter(layer for layer in once.values() if layer)
    for name in layers.keys() - kinds:
        layer = layers[name]
        if layer in of_decoder or (_DECODER.search(name) and several[layer] < 2):
            kinds[name] = DECODER
        else:
            kinds[name] = ENCODER if _ENCODER.search(name) and not _DECODER.search(name) else OTHER
    present = {*kinds.values()}
    if CROSS in present or (ENCODER in present and any(map(_DECODER.search, kinds))):
        return {name: kinds[name] for name in layers}
    return dict.fromkeys(layers, CROSS) if has_decoder_tokens and present == {OTHER} else {}


def check_tokens(
    counts: Mapping[str, int | None], sides: Mapping[str, tuple[int, ...]], kinds: Mapping[str, str]
) -> None:
    """Check the numbers of encoder and of decoder tokens against the ``sides`` of maps, (n_query, n_key).

    Raises ValueError where a number is the length of no axis that its tokens label.
    """
    for (name, count), axes in zip(counts.items(), (SOURCE, TARGET), strict=True):
        lengths = {
            side
            for each, both in sides.items()
            for axis, side in enumerate(both)
            if (axis in axes[kinds[each]] if kinds else axes is SOURCE)
        }
        if count is None or count in lengths:
            continue
        if not lengths:
            raise ValueError(_("{name} must name queries or keys; no map here has any of them", name=name))
        texts = map(str, sorted(lengths))
        text = reduce(lambda first, other: _("{first} or {other}", first=first, other=other), texts)
        raise ValueError(
            _(
                "{name} must be as many as the maps have places, {wanted}; got {count}",
                name=name,
                wanted=text,
                count=f"{count:,}",
            )
        )


def _module(name: str) -> str:
    """Return the name of the module that holds an attention."""
    return name.rpartition(".")[0]
