"""What positions alone say of each pair, and whether only the offset counts."""

from attn_core import by_offset
from attn_figures import position_maps as pictures
from attn_ui.live_figure import Cursor, pack, pack_says
from attn_ui.shared_cache import shared
from pages.positional_encoding import words
from pages.positional_encoding.numbers import Numbers, typical
from pages.positional_encoding.settings import Inputs
from pages.positional_encoding.views.sliders import driver, show_moved, swept

_QUANTITIES = {"bias": "bias", "rotation": "score of one vector with itself"}


def show(numbers: Numbers) -> None:
    """Draw similarity as a map, and over the offset."""
    # A ramp's products grow with the square of its step: no axis would serve all steps.
    moved = driver(numbers, has_step=False)
    packed = _packed(numbers.inputs.still(moved.steps))
    alt = "What positions say of each pair, as a map and over the offset"
    show_moved(numbers, moved, packed, key="similarity", alt=alt)


@shared
def _packed(inputs: Inputs) -> tuple[bytes, bytes]:
    numbers = Numbers(inputs)
    moved = driver(numbers, has_step=False)
    cosine = inputs.measure == "cosine"
    scheme = swept(numbers, moved.steps)
    values = scheme.similarity(moved.longest, numbers.width, cosine=cosine)
    values = values.expand(len(moved.lengths), -1, -1)
    low, mean, high = (band.numpy() for band in by_offset(values))
    lowest, highest = min(0.0, float(values.min())), float(values.max())
    limits = (lowest, min(highest, 1.3 * typical(values)) if highest > 0 else 0.0)
    quantity = _QUANTITIES.get(scheme.adds, "cosine" if cosine else "dot product")
    changes, copies = pictures.similarity_cursor(moved.longest)
    figures, says = [], []
    for step, shown in enumerate(moved.lengths):
        figures.append(
            pictures.similarity.spec(
                values[step].numpy(),
                (low[step], mean[step], high[step]),
                limits=limits,
                quantity=quantity,
                shown=shown,
            )
        )
        own_low, own_mean, own_high = by_offset(values[step, :shown, :shown])
        bands = (own_low.numpy(), own_mean.numpy(), own_high.numpy())
        says.append(words.similarity(bands, scheme, numbers.width, quantity))
    return pack(figures, Cursor(moved.longest, changes, rows_of=copies)), pack_says(says)
