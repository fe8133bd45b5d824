"""Maps of any size as a widget of a notebook; needs the package anywidget, and Python to zoom in."""

import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import NDArray

from attn_live.bundle import bundle, long_style
from attn_live.pyramid import KEEPS, Keep, Pyramid

OPENING = 512
"""The level that the widget opens with has at most this many cells a side; a saved notebook holds it."""
MOST_PYRAMIDS = 4
"""How many maps' upper levels are cached, the latest ones: at most 4 x 22 MB."""


class LongWidget(anywidget.AnyWidget):
    """Maps of all layers and heads, one shown at a time, from the whole down to single cells."""

    _esm = bundle("long_notebook.js")
    _css = long_style()
    page = traitlets.Dict().tag(sync=True)
    opening = traitlets.Bytes().tag(sync=True)

    def __init__(
        self,
        weights: NDArray[np.floating[Any]],
        *,
        meta: Mapping[str, Any],
        themes: Mapping[str, Mapping[str, str]],
        words: Mapping[str, str],
        at: tuple[int, int] = (0, 0),
        keep: Keep = "max",
        name: str = "attention",
    ) -> None:
        """Make the widget.

        Args:
            weights: (layers, heads, n_query, n_key); not copied.
            meta: the script's description of the map, `LongMeta` in types.d.ts, without its sizes.
            themes: the style sheet's variables by name, for "light" and "dark"; words: translations of the
                script's words, by their English.
            at: the layer and head that it opens with; keep: what a cell holds of its block.
            name: of a saved picture.
        """
        self._weights = weights
        self._pyramid = lru_cache(maxsize=MOST_PYRAMIDS)(self._build)
        opening = self._pyramid(keep, *at)
        first = next(level for level, size in enumerate(opening.sizes) if max(size) <= OPENING)
        page = {
            "meta": {**meta, "sizes": opening.sizes},
            "themes": themes,
            "words": words,
            "counts": weights.shape[:2],
            "at": at,
            "keep": keep,
            "name": name,
            "kept": first,
        }
        super().__init__(page=page, opening=zlib.compress(opening.tiles(first), 1))
        self.on_msg(self._answer)

    def _build(self, keep: Keep, layer: int, head: int) -> Pyramid:
        return Pyramid(self._weights[layer, head], keep)

    def _answer(self, _widget: object, request: Any, _buffers: object) -> None:
        """Send the requested tile; ignore a malformed request."""
        try:
            keep, *places = request["tile"]
            layer, head, level, row, column = map(int, places)
            n_layer, n_head = self._weights.shape[:2]
            if keep not in KEEPS or not (0 <= layer < n_layer and 0 <= head < n_head):
                return
            tile = self._pyramid(keep, layer, head).tile(level, row, column)
        except (KeyError, TypeError, ValueError):
            return
        self.send({"number": request.get("number")}, [tile])
