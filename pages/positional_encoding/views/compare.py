"""All schemes side by side, or any two and their difference."""

from attn_figures import positional as pictures
from attn_live.packing import pack
from attn_live.says import pack_says
from attn_ui.live_figure import live_figure
from attn_ui.page import Slider
from attn_ui.parameters import Steps
from attn_ui.shared_cache import shared
from attn_ui.shared_settings import KEY, QUERY, STRENGTH
from attn_ui.state import exact
from pages.positional_encoding import words
from pages.positional_encoding.numbers import MOST_NUMBERS, Numbers, usable_schemes, values
from pages.positional_encoding.settings import Inputs


def show(numbers: Numbers) -> None:
    """Draw the maps of all schemes, or of two."""
    beside, chosen = numbers.inputs.beside, numbers.scheme_name
    every = beside == "all"
    strengths = _strengths(numbers)
    figures, says = (_packed_all if every else _packed_two)(numbers.inputs.still(STRENGTH), strengths)
    pair = f"Attention weights under {beside}, under {chosen}, and their difference"
    live_figure(
        figures,
        key="compare" if every else "compare-two",
        alt="Attention weights under each scheme" if every else pair,
        name="schemes" if every else f"{beside} {chosen}",
        slider=Slider("Strength of positions", strengths),
        chosen={"query": QUERY, "key": KEY},
        says=says,
    )


def _strengths(numbers: Numbers) -> Steps:
    n_maps = len(usable_schemes()) if numbers.inputs.beside == "all" else 3
    return exact(STRENGTH.fitting(n_maps * len(numbers.inputs.tokens) ** 2, MOST_NUMBERS))


@shared
def _packed_all(inputs: Inputs, steps: Steps) -> tuple[bytes, bytes]:
    numbers = Numbers(inputs)
    weights = {name: numbers.under(name).weights(values(steps)).numpy() for name in usable_schemes()}
    each = [{name: w[step] for name, w in weights.items()} for step in range(len(steps.values))]
    figures = [pictures.attention_maps.spec(inputs.labels, maps) for maps in each]
    return pack(figures), pack_says([words.compare(maps) for maps in each])


@shared
def _packed_two(inputs: Inputs, steps: Steps) -> tuple[bytes, bytes]:
    numbers = Numbers(inputs)
    names = (inputs.beside, numbers.scheme_name)
    beside = numbers.beside(inputs.beside)
    one, other = (each.weights(values(steps)).numpy() for each in (beside, numbers))
    limit = max(float(abs(other - one).max()), 1e-3)
    titles = tuple("without positions" if name == "none" else f"with positions: {name}" for name in names)
    labels, maps = inputs.labels, list(zip(one, other, strict=True))
    figures = [
        pictures.before_and_after.spec(labels, a, b, names=(titles[0], titles[1]), limit=limit)
        for a, b in maps
    ]
    return pack(figures), pack_says([words.two_schemes(labels, a, b, names) for a, b in maps])
