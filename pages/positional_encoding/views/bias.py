"""ALiBi and relative buckets: one number a pair, a head."""

from dataclasses import replace

from attn_core import BiasScheme, RelativeBuckets, by_offset
from attn_figures import position_maps as pictures
from attn_figures.scene import Scene
from attn_ui.base.ask import Ask
from attn_ui.base.page import Figure, Seen, Slider
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import HEAD
from attn_words import _
from pages.positional_encoding import words
from pages.positional_encoding.compute import Now
from pages.positional_encoding.state import State


def see(_ask: Ask, now: Now) -> Seen[Now]:
    """Draw what is added to the scores of one head, and of all heads over the offset."""
    figure = Figure(
        _packed(now.state.still(HEAD)),
        key="biases",
        alt=_("What the scheme adds to the scores of one head, as a map and over the offset for all heads"),
        name=f"bias {now.scheme_name}",
        slider=Slider(_("Head"), replace(HEAD, values=HEAD.values[: now.state.num_heads])),
    )
    return Seen(now, figure)


@shared_scene
def _packed(state: State) -> Scene:
    scheme = Now(state).bare()
    if not isinstance(scheme, BiasScheme):
        raise TypeError(f"a picture of biases needs a scheme that adds one, got {state.scheme.name}")
    length = state.length
    maps = scheme.biases(length, length)
    curves = by_offset(maps)[1].numpy()
    buckets = scheme.buckets(length, length).numpy() if isinstance(scheme, RelativeBuckets) else None
    heads = range(state.num_heads)
    figures = [pictures.bias.spec(maps[head].numpy(), curves, head, buckets=buckets) for head in heads]
    says = [words.bias(maps[:, 0].numpy(), state.scheme.name, head) for head in heads]
    return Scene(figures, says=says)
