"""Several sentences in one batch: padded to one length, with a mask for each."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attn_core import MultiHead, causal_mask, label_tokens, padding_mask, sentence_vectors, tokenize
from attn_words import _
from pages.multi_head.compute import Now, biases_of

MOST_SENTENCES, MOST_WORDS = 4, 12
PAD = "[pad]"


@dataclass(frozen=True, eq=False)
class Batch:
    """A batch of sentences, and what attention makes of it.

    Attributes:
        tokens: the labels of each sentence, filled up with `PAD`.
        lengths: how many of them are words.
        x: (n_sentence, n, d_model); a vector of padding is zero, before positions.
        mask: (n_sentence, 1, n_query, n_key), True = may attend; the axis of 1 stands for all heads.
        result: every stage, with the mask; unmasked: without the padding's part of it.
    """

    tokens: list[list[str]]
    lengths: list[int]
    x: Tensor
    mask: Tensor
    bias: Tensor | None
    result: MultiHead
    unmasked: MultiHead

    @property
    def is_padded(self) -> bool:
        """Whether any sentence is shorter than another."""
        return min(self.lengths) < max(self.lengths)

    @property
    def wasted(self) -> Tensor:
        """How much weight words would give to padding without its mask, (n_sentence, n_head): the mean."""
        n = len(self.tokens[0])
        weights = self.unmasked.weights
        return torch.stack(
            [
                weights[at, :, :length, length:].sum(dim=-1).mean(dim=-1)
                if length < n
                else weights.new_zeros(weights.shape[1])
                for at, length in enumerate(self.lengths)
            ]
        )


def split_sentences(text: str) -> list[list[str]]:
    """Part a line at its slashes into the words of several sentences; empty ones are left out.

    >>> split_sentences("the cat sat / rain /")
    [['the', 'cat', 'sat'], ['rain']]
    """
    sentences = [tokenize(part)[:MOST_WORDS] for part in text.split("/")]
    return [words for words in sentences if words][:MOST_SENTENCES]


def batch_of(now: Now, text: str) -> Batch:
    """Attend within each sentence at once, with the page's module and positions; causally where it is set.

    Raises:
        ValueError: no sentence has a word.
    """
    sentences = split_sentences(text)
    if not sentences:
        raise ValueError(_("wanted sentences with a slash between them, got no word"))
    lengths = [len(words) for words in sentences]
    n, setting, module = max(lengths), now.setting, now.module
    x = torch.zeros(len(sentences), n, module.d_model, dtype=torch.float64)
    for at, words in enumerate(sentences):
        x[at, : len(words)] = sentence_vectors(words, module.d_model, seed=setting.seed)
    if now.scheme.adds == "vector":
        x = x + now.scheme.vectors(n, module.d_model, start=now.scheme.first)
    causal = setting.mask == "causal"
    seen = causal_mask(n) if causal else torch.ones(n, n, dtype=torch.bool)
    mask = padding_mask(lengths, n)[:, None] & seen
    bias = biases_of(now.scheme, n, n)
    result, unmasked = (module(x, attn_mask=_given(each, bias)) for each in (mask, seen.expand(1, 1, n, n)))
    labels = [label_tokens(words) + [PAD] * (n - len(words)) for words in sentences]
    return Batch(labels, lengths, x, mask, bias, result, unmasked)


def _given(may: Tensor, bias: Tensor | None) -> Tensor:
    return may if bias is None else bias.masked_fill(~may, -torch.inf)
