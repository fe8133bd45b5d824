"""ALiBi and relative buckets: each head adds one number to the score of each pair."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_core import BiasScheme, RelativeBuckets, by_offset
from attn_figures import position_maps as pictures
from attn_figures.numbers import number
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import HEAD
from attn_words import N_, _, paragraph
from pages.positional_encoding.compute import Result
from pages.positional_encoding.state import State


def view(_ask: Controls, result: Result) -> View[Result]:
    """Draw the biases of one head as a map, and those of all heads over the offset."""
    figure = Figure(
        _draw(result.state.still(HEAD)),
        key="biases",
        name=f"bias {result.scheme_name}",
        slider=Slider(_("Head"), replace(HEAD, values=HEAD.values[: result.state.num_heads])),
    )
    return View(result, figure)


@shared_scene
def _draw(state: State) -> Scene:
    scheme = Result(state).bare()
    if not isinstance(scheme, BiasScheme):
        raise TypeError(f"a picture of biases needs a scheme that adds one, got {state.scheme.name}")
    length = state.length
    maps = scheme.biases(length, length)
    curves = by_offset(maps)[1].numpy()
    buckets = scheme.buckets(length, length).numpy() if isinstance(scheme, RelativeBuckets) else None
    heads = range(state.num_heads)
    figures = LazyMap(lambda head: pictures.bias(maps[head].numpy(), curves, head, buckets=buckets), heads)
    captions = LazyMap(lambda head: _caption(maps[:, 0].numpy(), state.scheme.name, head), heads)
    return Scene(figures, captions=captions)


_BIASES: Mapping[str, str] = {
    "ALiBi": N_("ALiBi takes the head's slope off the score for each step of distance."),
    "buckets": N_(
        "Near offsets have a bias each, far ones share: steps widen with distance. These biases are drawn "
        "from the seed; a model would have learned them."
    ),
}


def _caption(from_first: NDArray[np.float64], scheme: str, head: int) -> str:
    """Say a head's bias at a near and at a far key.

    Args:
        from_first: every head's biases for the query at position 0, (n_head, n_key).
        scheme: "ALiBi" or "buckets".
        head: the zero-based index of the head.
    """
    n_head, n_key = from_first.shape
    near, far = min(1, n_key - 1), n_key - 1
    shows = _(_BIASES[scheme])
    readout = _(
        "Head {head} of {n_head}: the bias is {first} at offset {near} and {last} at offset {far}; before "
        "rows are normalised that multiplies a weight by {share} and by {last_share}.",
        head=head + 1,
        n_head=n_head,
        first=number(float(from_first[head, near])),
        near=near,
        last=number(float(from_first[head, far])),
        far=far,
        share=number(float(np.exp(from_first[head, near])), 3),
        last_share=number(float(np.exp(from_first[head, far])), 3),
    )
    return paragraph(shows, readout)
