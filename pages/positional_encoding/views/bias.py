"""ALiBi and relative buckets: one number a pair, a head."""

from dataclasses import replace

from attn_core import BiasScheme, RelativeBuckets, by_offset
from attn_figures import position_maps as pictures
from attn_live.packing import pack
from attn_live.says import pack_says
from attn_ui.live_figure import live_figure
from attn_ui.page import Slider
from attn_ui.shared_cache import shared
from attn_ui.shared_settings import HEAD
from pages.positional_encoding import words
from pages.positional_encoding.numbers import Numbers
from pages.positional_encoding.settings import Inputs


def show(numbers: Numbers) -> None:
    """Draw what is added to the scores of one head, and of all heads over the offset."""
    figures, says = _packed(numbers.inputs.still(HEAD))
    live_figure(
        figures,
        key="biases",
        alt="What the scheme adds to the scores of one head, as a map and over the offset for all heads",
        name=f"bias {numbers.scheme_name}",
        slider=Slider("Head", replace(HEAD, values=HEAD.values[: numbers.inputs.num_heads])),
        says=says,
    )


@shared
def _packed(inputs: Inputs) -> tuple[bytes, bytes]:
    scheme = Numbers(inputs).bare()
    if not isinstance(scheme, BiasScheme):
        raise TypeError(f"a picture of biases needs a scheme that adds one, got {inputs.scheme.name}")
    length = inputs.length
    maps = scheme.biases(length, length)
    curves = by_offset(maps)[1].numpy()
    buckets = scheme.buckets(length, length).numpy() if isinstance(scheme, RelativeBuckets) else None
    heads = range(inputs.num_heads)
    figures = [pictures.bias.spec(maps[head].numpy(), curves, head, buckets=buckets) for head in heads]
    says = [words.bias(maps[:, 0].numpy(), inputs.scheme.name, head) for head in heads]
    return pack(figures), pack_says(says)
