"""The figures of the bare page, `bare.html`: the app's own, as JSON with numbers as bytes."""

import base64
import copy
import json
from typing import Any

import numpy as np

from attn_figures.arrange import settle
from attn_live.arrays import CrossedLabels
from benchmarks.apps.maps import figures

ROOM = (1200, 496)  # pixels that a figure has in a window of 1280 x 800


def settled_figures(n_token: int, n_head: int) -> str:
    """Return the figures of all steps, laid out as on the product's own page: same pixels, same labels."""
    settled = [settle(copy.deepcopy(figure), *ROOM) for figure in figures(n_token, n_head)]
    return json.dumps(settled, default=_encode)


def _encode(value: np.ndarray | CrossedLabels) -> dict[str, Any] | list[Any]:
    """Return numbers as the bytes of float32 and words as lists: what Plotly gets on the product's page."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"f4": base64.b64encode(value.astype("<f4").tobytes()).decode(), "shape": value.shape}
    words: list[Any] = value.tolist()
    return words
