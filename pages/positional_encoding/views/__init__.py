"""The pictures, one a file: each asks for what only it takes, computes, draws and says."""

from collections.abc import Callable, Mapping

from attn_core import SCHEMES
from attn_ui.base.ask import Ask
from attn_ui.base.page import Seen
from pages.positional_encoding.compute import Now
from pages.positional_encoding.views import (
    added,
    attention,
    bias,
    compare,
    encoding,
    past,
    scaled,
    shift,
    shuffle,
    similarity,
    turning,
)

View = Callable[[Ask, Now], Seen[Now]]
# What a scheme adds decides how it is drawn by itself.
ENCODINGS: Mapping[str, View] = {
    "nothing": encoding.see,
    "vector": encoding.see,
    "rotation": turning.see,
    "bias": bias.see,
}


def _encoding(ask: Ask, now: Now) -> Seen[Now]:
    return ENCODINGS[SCHEMES[now.scheme_name].adds](ask, now)


def _past(ask: Ask, now: Now) -> Seen[Now]:
    return scaled.see(ask, now) if now.state.is_scaled else past.see(ask, now)


VIEWS: Mapping[str, View] = {
    "attention": attention.see,
    "shuffle test": shuffle.see,
    "shift test": shift.see,
    "E + P": added.see,
    "encoding": _encoding,
    "similarity": similarity.see,
    "compare": compare.see,
    "length extrapolation": _past,
}
