"""Translation: the words that are written attend to the words that were read."""

import torch

from attn_core import Check, compare, scaled_dot_product_attention
from attn_core.applications import SOURCE, TARGET, alignment, source_word
from attn_figures.ribbons import outlines, ribbons
from attn_figures.scene import Scene
from attn_ui.base.parameters import Steps
from attn_ui.base.search_entries import Place
from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import N_, _, paragraph
from pages.applications.application import UseMap, no_rows, temperature_slider
from pages.applications.state import State
from programs.writing import SHORT, Program

SCALE = 4.0  # the score of a word with its translation, at temperature 1


def heads(state: State) -> list[UseMap]:
    """Return the one map, French queries to English keys."""
    query, key = alignment()
    return [UseMap(N_("cross-attention"), query, key, TARGET, SOURCE, SCALE / state.temperature)]


def weights_at(steps: Steps) -> torch.Tensor:
    """Return the weights at every temperature, (n_steps, n_query, n_key), in one batch."""
    query, key = alignment()
    temperature = torch.tensor(steps.values, dtype=torch.float64)[:, None, None]
    return scaled_dot_product_attention(query, key, key, scale=SCALE, temperature=temperature).weights


def draw(state: State, steps: Steps) -> Scene:
    """Draw both sentences, the ribbons between them, and the map."""
    weights = weights_at(steps).numpy()
    _, edges = outlines(weights)
    moves = {f"data[ribbons {query + 1}].y": edges[:, query] for query in range(len(TARGET))}
    return Scene([ribbons(weights[0], TARGET, SOURCE)], moves=moves | {"data[weights].z": weights})


def captions(state: State, steps: Steps) -> list[str]:
    """Return a sentence for each temperature: weights on translations, and those of *noir* and *du*."""
    return [
        _caption(temperature, weights)
        for temperature, weights in zip(steps.values, weights_at(steps), strict=True)
    ]


def _caption(temperature: float, weights: torch.Tensor) -> str:
    def weight_of(word: str, to: str) -> float:
        return float(weights[TARGET.index(word), SOURCE.index(to)])

    pairs = {word: source_word(word) for word in TARGET if source_word(word)}
    shares = [weight_of(word, to) for word, to in pairs.items()]
    low, high = f"{min(shares):.2f}", f"{max(shares):.2f}"
    shares_ = _(
        "Temperature {temperature}: the {count} French words that have a translation give it **{low}** to "
        "**{high}** of their weight.",
        temperature=TEMPERATURE.text(temperature),
        count=len(pairs),
        low=low,
        high=high,
    )
    crossing = _(
        ":violet[noir] follows its noun and :orange[black] comes before it, so ribbons cross: it gives "
        ":orange[black] {black} and :orange[cat], which decides its form, {cat}.",
        black=f"{weight_of('noir', 'black'):.2f}",
        cat=f"{weight_of('noir', 'cat'):.2f}",
    )
    without = _(
        ":violet[du] has no English word of its own, and gives :orange[milk] {milk}.",
        milk=f"{weight_of('du', 'milk'):.2f}",
    )
    return paragraph(shares_, crossing, without)


def checks(state: State) -> list[Check]:
    """Compare two weights with softmax written out by hand, and each row's largest with the translation."""
    weights = heads(state)[0].attention.weights
    sure = SCALE / state.temperature
    full, half, none = (torch.tensor(each, dtype=torch.float64).exp() for each in (sure, sure / 2, 0.0))
    others = len(SOURCE) - 1
    noir = full / (full + half + (others - 1) * none)
    du = half / (half + others * none)
    pairs = [(word, source_word(word)) for word in TARGET if source_word(word)]
    rows = [TARGET.index(word) for word, _to in pairs]
    keys = torch.tensor([SOURCE.index(to) for _word, to in pairs], dtype=torch.float64)
    return [
        compare(
            _("noir gives black e⁴ᐟᵀ / (e⁴ᐟᵀ + e²ᐟᵀ + 4)"),
            weights[TARGET.index("noir"), SOURCE.index("black")],
            float(noir),
            scale=1.0,
        ),
        compare(
            _("du gives milk e²ᐟᵀ / (e²ᐟᵀ + 5)"),
            weights[TARGET.index("du"), SOURCE.index("milk")],
            float(du),
            scale=1.0,
        ),
        compare(
            _("each word's largest weight is on its translation, where it has one"),
            weights[rows].argmax(dim=-1).to(torch.float64),
            keys,
        ),
    ]


def formula(state: State) -> str:
    """Return the formulas of queries, keys and weights."""
    return (
        r"k_j = e_j, \qquad q_i = e_{t(i)} + \tfrac12\, e_{f(i)}, \qquad "
        rf"A = \operatorname{{softmax}}\!\left(\frac{{{SCALE:g}}}{{T}}\, Q K^\top\right) "
        rf"\ ({len(TARGET)} \times {len(SOURCE)}), \quad T = {state.temperature:.6g}"
    )


INTRODUCTION = N_("**The words that are written ask** the words that were read.")
TRAINED = N_(
    "Nothing: the vectors are set by hand so that each word points to its translation. In a trained model "
    "learned matrices make the query of a place from the words written before it."
)
IN_WORDS = N_(
    """
- **Queries** are the words of the translation (the decoder), **keys and values** those of the source (the
  encoder): this is cross-attention.
- Each French word asks for the word t that it translates, and half as much for the word f that decides its
  form: *le* and *noir* agree with *chat*, *boit* with its subject, *froid* with *lait*.
- Bahdanau, Cho and Bengio (2015, figure 3) drew such maps for a trained model.
"""
)


def program(state: State) -> Program:
    """Return a program that prints the weights."""
    lines = f"""q, k = alignment()  # set by hand: (7, 6) and (6, 6)
queries, keys = TARGET, SOURCE
scale, temperature = {SCALE:g}, {state.temperature:.10g}
weights = torch.softmax(scale * q @ k.T / temperature, dim=-1)"""
    return Program(SHORT, lines, prints=["queries", "keys", "weights"])


def leads(state: State) -> list[Place]:
    """Return links to the same sentences on the page of one head, and to trained heads."""
    two = {"text": " ".join(TARGET), "cross": "true", "text2": " ".join(SOURCE), "stage": "all at once"}
    return [Place("single_head", two), Place("learned_heads", {"task": "reverse"})]


slider = temperature_slider


rows = no_rows
