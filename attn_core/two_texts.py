"""Two texts in one model: tokens aligned where they agree, pieces joined into words, what changes."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attn_core.models import RealModel
from attn_core.tokens import SPACE
from attn_words import _

_BYTES = re.compile("(?:<0x[0-9A-F]{2}>)+")


@dataclass(frozen=True)
class Alignment:
    """Two lists of tokens on one axis.

    Attributes:
        tokens: those of both lists; where they differ, the first list's tokens precede the second's.
        first, second: the index on the axis of each token of a list, ascending.
    """

    tokens: tuple[str, ...]
    first: tuple[int, ...]
    second: tuple[int, ...]

    @property
    def shared(self) -> list[int]:
        """The indices on the axis of tokens that both lists have."""
        return sorted({*self.first} & {*self.second})


def align_tokens(first: Sequence[str], second: Sequence[str]) -> Alignment:
    """Align two lists of tokens where they agree, by the longest runs that they share (difflib).

    Invariant: ``tokens`` at the indices ``first`` are the first list, at ``second`` the second.

    >>> align_tokens(["too", "tired", "."], ["too", "wide", "."])
    Alignment(tokens=('too', 'tired', 'wide', '.'), first=(0, 1, 3), second=(0, 2, 3))
    """
    tokens, places = list[str](), (list[int](), list[int]())

    def put(run: Sequence[str], *lists: list[int]) -> None:
        for each in lists:
            each.extend(range(len(tokens), len(tokens) + len(run)))
        tokens.extend(run)

    for kind, start, end, other, last in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind == "equal":
            put(first[start:end], *places)
        else:
            put(first[start:end], places[0])
            put(second[other:last], places[1])
    return Alignment(tuple(tokens), tuple(places[0]), tuple(places[1]))


def to_axis(
    weights: Float[Tensor, "*batch n n"], places: Sequence[int], n_axis: int
) -> Float[Tensor, "*batch n_axis n_axis"]:
    """Return a map on a longer axis: its tokens are put at these places, and all other cells are zero.

    >>> to_axis(torch.ones(1, 1), [1], 2).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    where = torch.tensor(places)
    result = weights.new_zeros(*weights.shape[:-2], n_axis, n_axis)
    result[..., where[:, None], where] = weights
    return result


def row_changes(
    first: Float[Tensor, "*batch n n"], second: Float[Tensor, "*batch n n"], shared: Sequence[int]
) -> Float[Tensor, "*batch n_shared"]:
    r"""Return how much of each shared query's weight moves from one map to the other.

    $$d_i = \tfrac12 \sum_j \lvert B_{ij} - A_{ij} \rvert$$

    Both maps are on one axis (see ``to_axis``): a key that one text lacks has zero weight in it, so that its
    weight in the other text counts as moved. This is the total variation distance of two rows.

    Invariant: from 0 (equal rows) to 1 (no key in common) where rows sum to one.

    >>> row_changes(torch.eye(2), torch.tensor([[0.25, 0.75], [0.0, 1.0]]), [0, 1]).tolist()
    [0.75, 0.0]
    """
    return (second - first)[..., list(shared), :].abs().sum(dim=-1) / 2


def word_spans(pieces: Sequence[str], mark: str, special: Collection[int] = ()) -> list[range]:
    """Return which pieces each word is made of.

    ``mark`` is how the tokenizer shows words (``RealModel.mark``). If it is "##", a piece with it continues
    the word before; if "·", a piece without it does; if "", each piece is a word. Punctuation and ``special``
    tokens, given by their positions, are words of their own.

    Invariant: the ranges follow one another, from 0 to the number of pieces.

    >>> [[*span] for span in word_spans(["·The", "·anim", "als", ".", "·Run"], "·")]
    [[0], [1, 2], [3], [4]]
    """
    begins, was_alone = list[bool](), True
    for place, piece in enumerate(pieces):
        is_alone = place in special or _is_punctuation(piece)
        if mark == SPACE:
            begins.append(piece.startswith(SPACE) or is_alone or was_alone)
        else:
            begins.append(not (place and mark and piece.startswith(mark)))
        was_alone = is_alone
    starts = [place for place, is_start in enumerate(begins) if is_start]
    return [range(start, end) for start, end in zip(starts, [*starts[1:], len(pieces)], strict=True)]


def join_text(pieces: Sequence[str], mark: str) -> str:
    """Return the readable word that pieces make: without marks, and with bytes joined to characters.

    >>> join_text(["trans", "##former"], "##"), join_text(["·", "<0xC3>", "<0xA9>", "t"], "·")
    ('transformer', 'ét')
    """
    text = "".join(
        piece.removeprefix(mark) if mark and place else piece for place, piece in enumerate(pieces)
    )
    return _BYTES.sub(_characters, text.removeprefix(SPACE) if mark == SPACE else text) or text


def _characters(run: re.Match[str]) -> str:
    """Return the characters of a run of bytes; the run where they make none."""
    try:
        return bytes.fromhex(re.sub("<0x|>", "", run[0])).decode()
    except UnicodeDecodeError:
        return run[0]


def _is_punctuation(piece: str) -> bool:
    letters = piece.removeprefix(SPACE)
    return bool(letters) and all(unicodedata.category(each)[0] in "PS" for each in letters)


def join_pieces(
    weights: Float[Tensor, "*batch n n"], spans: Sequence[range]
) -> Float[Tensor, "*batch n_word n_word"]:
    """Return the map of words: summed over the pieces of each key, averaged over the pieces of each query.

    Invariant: rows that sum to one still do.

    Source: Clark et al. (2019), What Does BERT Look At?, section 4.1.

    >>> weights = torch.tensor([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    >>> join_pieces(weights, [range(1), range(1, 3)])
    tensor([[0.5000, 0.5000],
            [0.5000, 0.5000]])
    """
    columns = torch.stack([weights[..., span.start : span.stop].sum(dim=-1) for span in spans], dim=-1)
    rows = [columns[..., span.start : span.stop, :].mean(dim=-2) for span in spans]
    return torch.stack(rows, dim=-2)


@dataclass(frozen=True, eq=False)
class TextPair:
    """All heads of a model on two texts, on one axis of heads over all layers.

    Attributes:
        alignment: the tokens of both, words or pieces.
        weights: of the first text and of the second, on the axis of both.
        visible: where a text has both tokens, and a piece of the query may attend to a piece of the key.
        special: the indices on the axis of tokens that stand for no word.
    """

    alignment: Alignment
    weights: Float[Tensor, "2 n_head n n"]
    visible: Bool[Tensor, "2 n_head n n"]
    special: frozenset[int]

    @cached_property
    def changes(self) -> Float[Tensor, "n_head n_shared"]:
        """How much of each shared query's weight moves in each head; its mean over queries ranks heads."""
        return row_changes(self.weights[0], self.weights[1], self.alignment.shared)


def compare_texts(model: RealModel, first: str, second: str, *, pieces: bool = False) -> TextPair:
    """Run a model on two texts and return what changes in each head, between words or between pieces.

    Raises ValueError as ``RealModel.attend`` does, and for two texts without a common token.
    """
    maps = model.attend(first), model.attend(second)
    mark = "" if pieces else model.mark
    spans = [word_spans(each.tokens or (), mark, each.special) for each in maps]
    alignment = align_tokens(
        *(
            [join_text((each.tokens or ())[span.start : span.stop], mark) for span in words]
            for each, words in zip(maps, spans, strict=True)
        )
    )
    if not alignment.shared:
        raise ValueError(_("two texts must have a token in common; these have none"))
    weights, visible, special = list[Tensor](), list[Tensor](), set[int]()
    for each, words, places in zip(maps, spans, (alignment.first, alignment.second), strict=True):
        n, layers = words[-1].stop, torch.from_numpy(np.stack(list(each.maps.values())))
        masks = [torch.ones(n, n) if mask is None else mask.float() for mask in model.masks(n)]
        may_attend = torch.stack(masks)[:, None].expand_as(layers)
        for result, values in ((weights, layers), (visible, may_attend)):
            result.append(to_axis(join_pieces(values, words), places, len(alignment.tokens)).flatten(0, 1))
        special |= {place for place, word in zip(places, words, strict=True) if word.start in each.special}
    return TextPair(alignment, torch.stack(weights), torch.stack(visible) > 0, frozenset(special))
