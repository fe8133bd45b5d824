"""The views, one per file: each reads its own controls, computes, draws and writes its caption."""

from collections.abc import Callable, Mapping

from attn_core import SCHEMES
from attn_ui.base.controls import Controls
from attn_ui.base.page import View
from pages.positional_encoding.compute import Result
from pages.positional_encoding.views import (
    added,
    attention,
    beyond_training,
    bias,
    compare,
    encoding,
    scaled,
    shift,
    shuffle,
    similarity,
    turning,
)

ShowView = Callable[[Controls, Result], View[Result]]
# The picture of an encoding alone, by what the scheme adds.
ENCODINGS: Mapping[str, ShowView] = {
    "nothing": encoding.view,
    "vector": encoding.view,
    "rotation": turning.view,
    "bias": bias.view,
}


def _encoding(controls: Controls, result: Result) -> View[Result]:
    return ENCODINGS[SCHEMES[result.scheme_name].adds](controls, result)


def _past(controls: Controls, result: Result) -> View[Result]:
    return scaled.view(controls, result) if result.state.is_scaled else beyond_training.view(controls, result)


VIEWS: Mapping[str, ShowView] = {
    "attention": attention.view,
    "shuffle test": shuffle.view,
    "shift test": shift.view,
    "E + P": added.view,
    "encoding": _encoding,
    "similarity": similarity.view,
    "compare": compare.view,
    "length extrapolation": _past,
}
