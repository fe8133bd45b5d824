"""BERT, GPT and T5: the same sentence and head under the mask of each model."""

from dataclasses import replace

import torch
from torch import Tensor

from attn_core import (
    Check,
    SelfAttention,
    causal_mask,
    compare,
    label_tokens,
    prefix_mask,
    scaled_dot_product_attention,
    sentence_vectors,
    sinusoidal_encoding,
)
from attn_figures.scene import Scene
from attn_figures.three_masks import MaskedWeights, three_masks
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.search_entries import Place
from attn_words import N_, _, _n, cached
from pages.applications.application import UseMap, no_rows
from pages.applications.settings import PREFIX
from pages.applications.state import State
from programs.writing import SHORT, Program, word_list

D_MODEL = 16
BERT, GPT, PREFIX_LM = "BERT", "GPT", N_("prefix (T5)")


@cached(16)
def project_words(words: tuple[str, ...], seed: int) -> tuple[Tensor, Tensor]:
    """Return the words' queries and keys, (n, d_model): vector plus position, projected by drawn matrices."""
    x = sentence_vectors(words, D_MODEL, seed=seed) + sinusoidal_encoding(len(words), D_MODEL)
    with torch.no_grad():
        query, key, _value = SelfAttention(D_MODEL, seed=seed, dtype=x.dtype).project(x)
    return query, key


def heads(state: State) -> list[UseMap]:
    """Return the maps of the three models, of the same queries and keys."""
    query, key = project_words(state.words, state.seed)
    n, names = len(state.words), label_tokens(state.words)
    masks = {
        BERT: torch.ones(n, n, dtype=torch.bool),
        GPT: causal_mask(n),
        PREFIX_LM: prefix_mask(n, state.read_at_once),
    }
    return [UseMap(name, query, key, names, names, D_MODEL**-0.5, mask) for name, mask in masks.items()]


def slider(state: State) -> Slider:
    """Return the slider over the prefix, from no word to the whole sentence."""
    values = tuple(range(len(state.words) + 1))
    names = tuple(_n("{count} word", "{count} words", value) for value in values)
    return Slider(_("Prefix, read at once"), replace(PREFIX, values=values), names)


def draw(state: State, steps: Steps) -> Scene:
    """Draw the three maps at every prefix, computed in one batch."""
    bert, gpt, _third = heads(state)
    n = len(state.words)
    masks = torch.stack([prefix_mask(n, int(prefix)) for prefix in steps.values])
    attention = scaled_dot_product_attention(bert.query, bert.key, bert.key, masks, scale=bert.scale)
    still = [
        MaskedWeights(each.name, each.attention.weights.numpy(), _allowed(each).numpy())
        for each in (bert, gpt)
    ]
    return Scene(
        [
            three_masks(
                [*still, MaskedWeights(PREFIX_LM, weights.numpy(), mask.numpy(), _(PREFIX_LM))],
                label_tokens(state.words),
            )
            for weights, mask in zip(attention.weights, masks, strict=True)
        ]
    )


def captions(state: State, steps: Steps) -> list[str]:
    """Return a sentence for every prefix: how many pairs each mask allows."""
    return [_caption(replace(state, prefix=int(prefix))) for prefix in steps.values]


def _caption(state: State) -> str:
    bert, gpt, third = (int(_allowed(each).sum()) for each in heads(state))
    return _(
        "Pairs allowed, of {pairs}: BERT **{bert}**, GPT **{gpt}**, prefix {length} **{prefix}**. The last "
        "word may attend to every word: its row (framed) is the same in all three.",
        pairs=len(state.words) ** 2,
        bert=bert,
        gpt=gpt,
        length=state.read_at_once,
        prefix=third,
    )


def _allowed(head: UseMap) -> Tensor:
    assert head.mask is not None
    return head.mask


def checks(state: State) -> list[Check]:
    """Compare the numbers of pairs with formulas, and GPT's weights with BERT's, cut off and rescaled."""
    bert, gpt, third = heads(state)
    n, p = len(state.words), state.read_at_once
    full = bert.attention.weights
    lower = torch.tril(full)
    causal = torch.nn.functional.scaled_dot_product_attention(
        gpt.query, gpt.key, gpt.key, is_causal=True, scale=gpt.scale
    )
    pairs = p * p + (n - p) * p + (n - p) * (n - p + 1) // 2
    return [
        _count(_("GPT's pairs are n (n + 1) / 2"), gpt, n * (n + 1) // 2),
        _count(_("the prefix's pairs are p² + (n − p) p + (n − p) (n − p + 1) / 2"), third, pairs),
        compare(_("GPT's last row is BERT's"), gpt.attention.weights[-1], full[-1], scale=1.0),
        compare(_("the prefix's last row is BERT's"), third.attention.weights[-1], full[-1], scale=1.0),
        compare(
            _("each row of GPT is BERT's, cut off after its own word and scaled to sum to one"),
            gpt.attention.weights,
            lower / lower.sum(dim=-1, keepdim=True),
            scale=1.0,
        ),
        compare(_("the output is that of torch"), gpt.attention.output, causal),
    ]


def _count(name: str, head: UseMap, count: int) -> Check:
    return compare(name, _allowed(head).sum().to(torch.float64), float(count))


def formula(state: State) -> str:
    """Return the formulas of the weights and of the three masks."""
    return (
        r"A = \operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}} + M\right), \qquad "
        r"\text{BERT: } M = 0, \quad \text{GPT: } M_{ij} = -\infty \iff j > i, \quad "
        rf"\text{{T5: }} M_{{ij}} = -\infty \iff j > i \land j \ge {state.read_at_once}"
    )


INTRODUCTION = N_("One sentence asks itself, with one head: **the mask makes the model**.")
TRAINED = N_(
    "Nothing: vectors and projections are drawn from the seed. Which pairs a mask allows needs no training."
)
IN_WORDS = N_(
    """
- **BERT** reads the whole sentence at once: every word may attend to every word. It is trained to fill gaps.
- **GPT** writes from left to right: a word may attend to itself and to what is before it.
- **T5** as a *prefix model* reads the first p words as BERT reads, and writes the rest as GPT writes
  (Raffel et al., 2020, section 3.2).
- For one layer the last row is the same. In a stack it is not: the words before it have looked elsewhere.
"""
)


def program(state: State) -> Program:
    """Return a program that prints the pairs and the weights of all three."""
    lines = f"""{word_list("words", state.words)}
n, d, prefix = len(words), {D_MODEL}, {state.read_at_once}
x = sentence_vectors(words, d, seed={state.seed}) + sinusoidal_encoding(n, d)
q, k, v = SelfAttention(d, seed={state.seed}, dtype=x.dtype).requires_grad_(False).project(x)
i, j = places(n, n)
masks = {{
    "{BERT}": (i >= 0) & (j >= 0),  # every pair
    "{GPT}": j <= i,
    "{PREFIX_LM}": (j <= i) | (j < prefix),
}}"""
    last = """torch.set_printoptions(sci_mode=False, linewidth=200)
for name, mask in masks.items():
    _, weights = attend_masked(q @ k.mT / d**0.5, v, mask)
    print(f"{name} allows {int(mask.sum())} pairs; weights:", weights, sep="\\n")"""
    return Program(SHORT, lines, last=last)


def leads(state: State) -> list[Place]:
    """Return links to the pages that show one mask in steps, and heads trained with a mask."""
    text = {"text": state.text} if state.text != State.text else {}
    seed = {"seed": str(state.seed)} if state.seed != State.seed else {}
    own = text | seed
    return [
        Place("single_head", own | {"stage": "weights", "mask": "causal"}),
        Place("multi_head", own | {"hmask": "causal"}),
        Place("learned_heads"),
    ]


rows = no_rows
