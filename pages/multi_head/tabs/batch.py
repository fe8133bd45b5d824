"""The tab "Batch": several sentences at once, padded to one length, with a mask for each."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from attn_core import Check, MultiHead, compare, label_tokens, padding_mask, sentence_vectors, tokenize
from attn_figures.batch import batch as picture
from attn_ui.base.markdown import all_of
from attn_ui.screen import widgets
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.tables import checks_table, table
from attn_words import _
from pages.multi_head.compute import Result, array
from pages.multi_head.example import example, name_example
from pages.multi_head.settings import BATCH, MASK_PADDING

MOST_SENTENCES, MOST_WORDS = 4, 12
PAD = "[pad]"


@dataclass(frozen=True, eq=False)
class Batch:
    """A batch of sentences, and every stage of attention on it.

    Attributes:
        tokens: the labels of each sentence, filled up with `PAD`.
        lengths: how many words each sentence has.
        x: (n_sentence, n, d_model); a vector of padding is zero.
        mask: (n_sentence, 1, n_query, n_key), True = may attend; the axis of 1 stands for all heads.
        attention: every stage, with that mask.
    """

    tokens: list[list[str]]
    lengths: list[int]
    x: Tensor
    mask: Tensor
    attention: MultiHead

    @property
    def wasted(self) -> list[float]:
        """The mean weight that the words of each sentence give to padding in head 1."""
        return [
            float(self.attention.weights[at, 0, :length, length:].sum(dim=-1).mean())
            for at, length in enumerate(self.lengths)
        ]


def split_sentences(text: str) -> list[list[str]]:
    """Split a line at slashes into sentences, and these into words; empty sentences are left out.

    >>> split_sentences("the cat sat / rain /")
    [['the', 'cat', 'sat'], ['rain']]
    """
    sentences = [tokenize(part)[:MOST_WORDS] for part in text.split("/")]
    return [words for words in sentences if words][:MOST_SENTENCES]


def batch_of(text: str, *, masked: bool) -> Batch:
    """Attend within all sentences in one batch; unless `masked`, to the padding too."""
    sentences = split_sentences(text) or split_sentences(BATCH.default)
    lengths, module = [len(words) for words in sentences], example().module
    n = max(lengths)
    x = torch.zeros(len(sentences), n, module.d_model, dtype=torch.float64)
    for at, words in enumerate(sentences):
        x[at, : len(words)] = sentence_vectors(words, module.d_model, seed=example().setting.seed)
    mask = padding_mask(lengths, n)[:, None].expand(-1, -1, n, n) | (not masked)
    labels = [label_tokens(words) + [PAD] * (n - len(words)) for words in sentences]
    return Batch(labels, lengths, x, mask, module(x, attn_mask=mask))


def show(_result: Result) -> None:
    """Draw head 1's map in each sentence, with the padding masked or not."""
    st.markdown(
        _(
            "Models compute **many sentences at once**. Shorter ones are filled up with padding, so that all "
            "have one shape; a **mask for each sentence** keeps the padding from being attended to."
        )
    )
    text = widgets.line(
        BATCH,
        _("Sentences, with a slash between them"),
    )
    name_example(example())
    batch = batch_of(text, masked=widgets.flag(MASK_PADDING, _("Mask the padding")))
    live_figure(
        [picture(batch.tokens, array(batch.attention.weights[:, 0]), np.asarray(batch.mask[:, 0]))],
        key="sentences",
        name="batch",
        captions=[
            _(
                "Weight that a word gives to padding in head 1, on average, sentence by sentence: {weights}.",
                weights=all_of([f"{each:.3f}" for each in batch.wasted]),
            )
        ],
    )
    st.markdown(shapes(batch))
    st.markdown(checks_table({_("this page"): checks(batch)}))


def shapes(batch: Batch) -> str:
    """Return a table of every stage's axes and shape, read from the tensors."""
    attention = batch.attention
    rows = [
        ("X", "B, n, d_model", batch.x),
        (_("Q, K and V"), "B, n_head, n, d_head", attention.query),
        (_("mask of the padding"), "B, 1, n, n", batch.mask),
        (_("scores and weights"), "B, n_head, n, n", attention.weights),
        (_("output"), "B, n, d_model", attention.output),
    ]
    cells = [(name, f"`{axes}`", f"`{', '.join(map(str, tensor.shape))}`") for name, axes, tensor in rows]
    return table([_("Step"), _("Axes"), _("Shape")], cells)


def checks(batch: Batch) -> list[Check]:
    """Compare each sentence of the batch with the sentence alone; this fails if padding is not masked."""
    module = example().module
    alone = [module(batch.x[at, :length]).output for at, length in enumerate(batch.lengths)]
    together = [batch.attention.output[at, :length] for at, length in enumerate(batch.lengths)]
    return [
        compare(_("padding changes no sentence's output"), torch.cat(together), torch.cat(alone)),
        compare(
            _("the output is that of torch's fused attention"),
            batch.attention.output,
            module.fast(batch.x, attn_mask=batch.mask),
        ),
    ]
