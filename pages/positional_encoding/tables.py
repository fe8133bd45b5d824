"""The numbers on screen: the vectors of the words, and what the scheme adds to each."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attn_ui.base.page import Columns
from attn_words import _
from pages.positional_encoding.compute import Now


def tables(now: Now) -> Mapping[str, Columns]:
    """Return the numbers by what they are, at strength 1; a row a word."""
    n, width = now.x.shape
    scheme, keys = now.bare(), list[str]()
    if scheme.adds == "bias":
        keys, added = [f"key {each}" for each in now.state.labels], scheme.bias(n, n)
    elif scheme.adds == "rotation":
        added = scheme.turn(now.x, torch.arange(n) + scheme.first)
    else:
        added = scheme.vectors(n, width, start=scheme.first)
    added = added + 0.0  # a bias of −0 is 0
    return {"words": _columns(now, now.x), "positions": _columns(now, added, keys)}


def shown(now: Now) -> tuple[Columns, Columns]:
    """Return the same tables with titles in the language that is spoken: of words, and of positions."""
    words, positions = tables(now).values()
    dimensions = [_("dimension {number}", number=place) for place in range(now.width)]
    keys = [_("key {word}", word=each) for each in now.state.labels]
    of_positions = keys if now.scheme().adds == "bias" else dimensions
    return _titled(words, dimensions), _titled(positions, of_positions)


def _titled(columns: Columns, titles: Sequence[str]) -> Columns:
    return dict(zip([_("word"), *titles], columns.values(), strict=True))


def _columns(now: Now, rows: Tensor, titles: Sequence[str] = ()) -> Columns:
    titles = titles or [f"dimension {place}" for place in range(rows.shape[1])]
    return {"word": now.state.labels, **dict(zip(titles, rows.T.tolist(), strict=True))}
