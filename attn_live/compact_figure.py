"""Takes some steps of a figure, and compresses data more: for pages that are built once and read often."""

import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from attn_live.arrays import IndexedItems
from attn_live.captions import CaptionTemplates


def at_steps(values: Any, steps: Sequence[int]) -> Any:
    """Return the values at some steps, from one value per step or from such values by path; None stays.

    >>> at_steps({"layout.title.text": ["a", "b", "c"]}, [0, 2])
    {'layout.title.text': ['a', 'c']}
    """
    match values:
        case None:
            return None
        case dict():
            return {path: at_steps(each, steps) for path, each in values.items()}
        case IndexedItems():
            return IndexedItems(values.items, values.at[list(steps)])
        case CaptionTemplates():
            n_rows = values.which.shape[1]
            places = [step * n_rows + row for step in steps for row in range(n_rows)]
            fields = {name: [texts[place] for place in places] for name, texts in values.fields.items()}
            return replace(values, which=values.which[list(steps)], fields=fields)
    return [values[step] for step in steps]


def deflate_again(payload: bytes) -> bytes:
    """Recompress data as small as zlib can.

    >>> hasty = zlib.compress(b"attention " * 50, 1)
    >>> zlib.decompress(deflate_again(hasty)) == zlib.decompress(hasty)
    True
    """
    return zlib.compress(zlib.decompress(payload), 9)
