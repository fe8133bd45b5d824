"""The parts of one head in the order of computation, each with its term, and an example head to draw."""

import math
from typing import Any

import numpy as np

import attn_core
from attn_figures.named_parts import named_part
from attn_figures.scene import Scene
from attn_figures.single_head import HeadMatrices
from attn_live.captions import LazyMap
from attn_ui.base.markdown import plain
from attn_ui.base.scenes import shared_scene
from attn_ui.base.term import Term
from attn_words import _
from pages.glossary.terms import TERMS
from pages.glossary.words import all_names

WORDS = ("the", "cat", "sat", "down")
WIDTH = 4
# Each box of the diagram, and its term.
PARTS = {
    "X": "Embedding",
    "W_q": "Query",
    "W_k": "Key",
    "W_v": "Value",
    "scores": "Score",
    "scale": "Scaled score",
    "mask": "Causal mask",
    "softmax": "Softmax",
    "mix": "Weight",
    "output": "Output",
}


def terms() -> list[Term]:
    """Return the terms of the parts, in their order."""
    by_name = {term.name: term for group in TERMS.values() for term in group}
    return [by_name[name] for name in PARTS.values()]


def example_matrices() -> HeadMatrices:
    """Compute one causal head over a few words, with every stage."""
    x = attn_core.sentence_vectors(WORDS, WIDTH, seed=4)
    module = attn_core.SelfAttention(WIDTH, seed=4, dtype=x.dtype).requires_grad_(False)
    projections = [module.W_q, module.W_k, module.W_v]
    query, key, value = (each(x) for each in projections)
    mask = attn_core.causal_mask(len(WORDS))
    result = attn_core.scaled_dot_product_attention(query, key, value, mask)
    scale = 1 / math.sqrt(WIDTH)
    stages = {
        "query": query,
        "key": key,
        "value": value,
        "scores": result.scores,
        "scaled_scores": result.scores * scale,
        "mask": mask,
        "weights": result.weights,
        "output": result.output,
    }
    arrays: dict[str, Any] = {name: np.asarray(values) for name, values in stages.items()}
    x_array = np.asarray(x)
    return HeadMatrices(
        queries=WORDS,
        keys=WORDS,
        x=x_array,
        memory=x_array,  # the same array, as keys come from the same sentence
        projections=[np.asarray(each.weight.T) for each in projections],
        factor=f"÷ √{WIDTH}",
        scale=scale,
        is_masked=True,
        **arrays,
    )


def part_caption(term: Term) -> str:
    """Return a part's name and meaning, as markdown.

    >>> part_caption(terms()[4]).partition(",")[0]
    '**Score** (attention score'
    """
    name, *also = all_names(term)
    fields = {"name": plain(name), "says": plain(_(term.definition))}
    if not also:
        return _("**{name}**. {says}", **fields)
    return _("**{name}** ({names}). {says}", names=plain(_(", ").join(also)), **fields)


@shared_scene
def draw_parts() -> Scene:
    """Draw the head with each part marked in turn, and its term as caption."""
    head = example_matrices()
    return Scene(
        LazyMap(lambda part: named_part(head, part), [*PARTS]), captions=LazyMap(part_caption, terms())
    )
