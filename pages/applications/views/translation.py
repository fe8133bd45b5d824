"""Translation: the words that are written ask the words that were read."""

import torch

from attn_core import Check, compare
from attn_core.applications import SOURCE, TARGET, alignment, translated
from attn_figures.ribbons import outlines, ribbons
from attn_figures.scene import Scene
from attn_ui.base.parameters import Steps
from attn_ui.base.places import Place
from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import N_, _, paragraph
from pages.applications.application import Application, Head, Moved
from pages.applications.state import State
from programs.writing import SHORT, Program

SCALE = 4.0  # what the score of a word with its translation is, at temperature 1


def heads(result: State) -> list[Head]:
    """Return the one map."""
    query, key = alignment()
    return [Head(N_("cross-attention"), query, key, TARGET, SOURCE, SCALE / result.temperature)]


def weights_at(steps: Steps) -> torch.Tensor:
    """Return the weights at every temperature, (n_steps, n_query, n_key), in one batch."""
    query, key = alignment()
    temperature = torch.tensor(steps.values, dtype=torch.float64)[:, None, None]
    return Head("", query, key, TARGET, SOURCE, SCALE).at(temperature)


def draw(asked: State, steps: Steps) -> Scene:
    """Draw both sentences, the ribbons between them, and the map."""
    weights = weights_at(steps).numpy()
    _, edges = outlines(weights)
    moves = {f"data[ribbons {query + 1}].y": edges[:, query] for query in range(len(TARGET))}
    return Scene([ribbons.spec(weights[0], TARGET, SOURCE)], moves=moves | {"data[weights].z": weights})


def says(asked: State, steps: Steps) -> list[str]:
    """Say what the words give their translations, where ribbons cross, and what a word without one does."""
    return [
        _say(temperature, weights)
        for temperature, weights in zip(steps.values, weights_at(steps), strict=True)
    ]


def _say(temperature: float, weights: torch.Tensor) -> str:
    def given(word: str, to: str) -> float:
        return float(weights[TARGET.index(word), SOURCE.index(to)])

    pairs = {word: translated(word) for word in TARGET if translated(word)}
    shares = [given(word, to) for word, to in pairs.items()]
    low, high = f"{min(shares):.2f}", f"{max(shares):.2f}"
    found = _(
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
        black=f"{given('noir', 'black'):.2f}",
        cat=f"{given('noir', 'cat'):.2f}",
    )
    without = _(
        ":violet[du] has no English word of its own, and gives :orange[milk] {milk}.",
        milk=f"{given('du', 'milk'):.2f}",
    )
    return paragraph(found, crossing, without)


def checks(result: State) -> list[Check]:
    """Write two rows of the softmax out by hand, and find the order of the words."""
    weights = heads(result)[0].attention.weights
    sure = SCALE / result.temperature
    full, half, none = (torch.tensor(each, dtype=torch.float64).exp() for each in (sure, sure / 2, 0.0))
    others = len(SOURCE) - 1
    noir = full / (full + half + (others - 1) * none)
    du = half / (half + others * none)
    pairs = [(word, translated(word)) for word in TARGET if translated(word)]
    rows = [TARGET.index(word) for word, _to in pairs]
    wanted = torch.tensor([SOURCE.index(to) for _word, to in pairs], dtype=torch.float64)
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
            wanted,
        ),
    ]


def formula(result: State) -> str:
    """Return queries, keys and weights."""
    return (
        r"k_j = e_j, \qquad q_i = e_{t(i)} + \tfrac12\, e_{f(i)}, \qquad "
        rf"W = \operatorname{{softmax}}\!\left(\frac{{{SCALE:g}}}{{T}}\, Q K^\top\right) "
        rf"\ ({len(TARGET)} \times {len(SOURCE)}), \quad T = {result.temperature:.6g}"
    )


IN_WORDS = N_(
    """
- **Queries** are the words of the translation (the decoder), **keys and values** those of the source (the
  encoder): this is cross-attention, and the map has as many rows as words are written. A summary asks its
  text in the same way.
- Each French word asks for the word t that it translates, and half as much for the word f that decides its
  form: *le* and *noir* agree with *chat*, *boit* with its subject, *froid* with *lait*.
- A ribbon is as wide as its weight. The ribbons of a word are equally wide together: its row sums to one.
- Bahdanau, Cho and Bengio (2015) drew such maps for a trained model (figure 3); there too French adjectives
  cross their nouns.
"""
)


def program(result: State) -> Program:
    """Return a program that prints the weights."""
    lines = f"""q, k = alignment()  # set by hand: (7, 6) and (6, 6)
queries, keys = TARGET, SOURCE
scale, temperature = {SCALE:g}, {result.temperature:.10g}
weights = torch.softmax(scale * q @ k.T / temperature, dim=-1)"""
    return Program(SHORT, lines, prints=["queries", "keys", "weights"])


def leads(result: State) -> list[Place]:
    """Return the same two sentences on the page of one head, and heads that were trained."""
    two = {"text": " ".join(TARGET), "cross": "true", "text2": " ".join(SOURCE), "stage": "all at once"}
    return [
        Place("single_head", two),
        Place("learned_heads", {"task": "reverse"}),
    ]


VIEW = Application(
    introduction=N_("**The words that are written ask** the words that were read."),
    trained=N_(
        "Nothing: the vectors are set by hand so that each word points to its translation, as training "
        "would have it. In a trained model the query of a place is made of the words written before it, by "
        "learned matrices."
    ),
    alt=N_(
        "A French and an English sentence with ribbons between their words, as wide as the weights, and the "
        "map of these weights"
    ),
    slider=lambda result: Moved(_("Temperature"), TEMPERATURE),
    draw=draw,
    says=says,
    heads=heads,
    formula=formula,
    in_words=IN_WORDS,
    program=program,
    prints=N_("the weights"),
    checks=checks,
    leads=leads,
)
