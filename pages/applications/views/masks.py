"""BERT, GPT and T5: one sentence and one head, and the mask that makes each of them."""

from dataclasses import replace
from functools import lru_cache

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
from attn_ui.base.parameters import Steps
from attn_ui.base.places import Place
from attn_words import N_, _, _n
from pages.applications.application import Application, Head, Moved
from pages.applications.settings import PREFIX
from pages.applications.state import State
from programs.writing import SHORT, Program, word_list

D_MODEL = 16
BERT, GPT, PREFIX_LM = "BERT", "GPT", N_("prefix (T5)")


@lru_cache(maxsize=16)
def projected(words: tuple[str, ...], seed: int) -> tuple[Tensor, Tensor]:
    """Return query and key of each word, (n, d_model): its vector and place, projected as the seed says."""
    x = sentence_vectors(words, D_MODEL, seed=seed) + sinusoidal_encoding(len(words), D_MODEL)
    with torch.no_grad():
        query, key, _value = SelfAttention(D_MODEL, seed=seed, dtype=x.dtype).project(x)
    return query, key


def heads(result: State) -> list[Head]:
    """Return the maps of the three, of the same queries and keys."""
    query, key = projected(result.words, result.seed)
    n, names = len(result.words), label_tokens(result.words)
    masks = {
        BERT: torch.ones(n, n, dtype=torch.bool),
        GPT: causal_mask(n),
        PREFIX_LM: prefix_mask(n, result.read_at_once),
    }
    return [Head(name, query, key, names, names, D_MODEL**-0.5, mask) for name, mask in masks.items()]


def slider(result: State) -> Moved:
    """Return the slider over the prefix, as long as the sentence is."""
    values = tuple(range(len(result.words) + 1))
    names = tuple(_n("{count} word", "{count} words", value) for value in values)
    return Moved(_("Prefix, read at once"), replace(PREFIX, values=values), names)


def draw(asked: State, steps: Steps) -> Scene:
    """Draw the three maps at every prefix, computed in one batch."""
    bert, gpt, _third = heads(asked)
    n = len(asked.words)
    masks = torch.stack([prefix_mask(n, int(prefix)) for prefix in steps.values])
    found = scaled_dot_product_attention(bert.query, bert.key, bert.key, masks, scale=bert.scale)
    still = [
        MaskedWeights(each.name, each.attention.weights.numpy(), _may(each).numpy()) for each in (bert, gpt)
    ]
    return Scene(
        [
            three_masks.spec(
                [*still, MaskedWeights(PREFIX_LM, weights.numpy(), mask.numpy(), _(PREFIX_LM))],
                label_tokens(asked.words),
            )
            for weights, mask in zip(found.weights, masks, strict=True)
        ]
    )


def says(asked: State, steps: Steps) -> list[str]:
    """Count what each mask allows, and compare the last word's rows."""
    return [_say(replace(asked, prefix=int(prefix))) for prefix in steps.values]


def _say(result: State) -> str:
    bert, gpt, third = (int(_may(each).sum()) for each in heads(result))
    return _(
        "Pairs allowed, of {pairs}: BERT **{bert}**, GPT **{gpt}**, prefix {length} **{prefix}**. The last "
        "word may attend to every word: its row (framed) is the same in all three.",
        pairs=len(result.words) ** 2,
        bert=bert,
        gpt=gpt,
        length=result.read_at_once,
        prefix=third,
    )


def _may(head: Head) -> Tensor:
    assert head.mask is not None
    return head.mask


def checks(result: State) -> list[Check]:
    """Count pairs by formula, and make GPT's rows of BERT's."""
    bert, gpt, third = heads(result)
    n, p = len(result.words), result.read_at_once
    full = bert.attention.weights
    cut = torch.tril(full)
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
            cut / cut.sum(dim=-1, keepdim=True),
            scale=1.0,
        ),
        compare(_("GPT's output is torch's with `is_causal`"), gpt.attention.output, causal),
    ]


def _count(name: str, head: Head, wanted: int) -> Check:
    return compare(name, _may(head).sum().to(torch.float64), float(wanted))


def formula(result: State) -> str:
    """Return the weights, and the three masks."""
    return (
        r"W = \operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}} + M\right), \qquad "
        r"\text{BERT: } M = 0, \quad \text{GPT: } M_{ij} = -\infty \iff j > i, \quad "
        rf"\text{{T5: }} M_{{ij}} = -\infty \iff j > i \land j \ge {result.read_at_once}"
    )


IN_WORDS = N_(
    """
- **BERT** reads the whole sentence at once: every word may attend to every word. It is trained to fill gaps.
- **GPT** writes from left to right: a word may attend to itself and to what is before it. All words of a
  sentence can then be trained at once, each as if it were the last.
- **T5** was tried both ways (Raffel et al., 2020, section 3.2). In a *prefix model* the first p words are
  read as BERT reads, the rest is written as GPT writes. The *encoder and decoder* that T5 keeps allow the
  same pairs in three parts: p² where what is read attends to itself, (n − p) p where what is written attends
  to it (cross-attention), and the causal rest; there each part has a softmax of its own.
- For one layer the last row is the same. In a stack it is not: the words before it have looked elsewhere.
"""
)


def program(result: State) -> Program:
    """Return a program that prints the pairs and the weights of all three."""
    lines = f"""{word_list("words", result.words)}
n, d, prefix = len(words), {D_MODEL}, {result.read_at_once}
x = sentence_vectors(words, d, seed={result.seed}) + sinusoidal_encoding(n, d)
q, k, v = SelfAttention(d, seed={result.seed}, dtype=x.dtype).requires_grad_(False).project(x)
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


def leads(result: State) -> list[Place]:
    """Return where one mask is shown step by step, and heads that learned behind one."""
    text = {"text": result.text} if result.text != State.text else {}
    seed = {"seed": str(result.seed)} if result.seed != State.seed else {}
    own = text | seed
    return [
        Place("single_head", own | {"stage": "weights", "mask": "causal"}),
        Place("multi_head", own | {"hmask": "causal"}),
        Place("learned_heads"),
    ]


VIEW = Application(
    introduction=N_("One sentence asks itself, with one head: **the mask makes the model**."),
    trained=N_(
        "Nothing: vectors and projections are drawn from the seed, places are sines. So no weight tells "
        "of grammar. Which pairs a mask allows needs no training."
    ),
    alt=N_(
        "Three maps of weights of one sentence: under no mask, a causal mask and a prefix mask; the last "
        "row of each is framed"
    ),
    slider=slider,
    draw=draw,
    says=says,
    heads=heads,
    formula=formula,
    in_words=IN_WORDS,
    program=program,
    prints=N_("how many pairs each mask allows, and the weights under it"),
    checks=checks,
    leads=leads,
)
