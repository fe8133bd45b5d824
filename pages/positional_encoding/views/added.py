"""X = E + P: the words' vectors, and how positions change them or their scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from attn_core import label_tokens
from attn_figures import position_sum as pictures
from attn_figures.frame import without_tags
from attn_figures.numbers import number
from attn_figures.picture import Spec
from attn_figures.position_sum import Summand
from attn_figures.scene import Scene
from attn_figures.widths import letters
from attn_live.captions import StepCaption
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import plain
from attn_ui.base.page import Figure, Slider, View
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import shared_captions, shared_scene
from attn_ui.base.shared_settings import KEY, QUERY, STRENGTH
from attn_ui.base.ties import drop_rounding
from attn_words import _, paragraph
from pages.positional_encoding.compute import MOST_NUMBERS, Result, values
from pages.positional_encoding.state import State
from pages.positional_encoding.words import PARTS

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sum:
    """The terms of the sum at one strength: the words' part, the positions' part, and the result.

    All are vectors (n, d_model), or scores (n, n) if positions add biases; ``added`` is None if positions
    turn the vectors.
    """

    words: Array
    added: Array | None
    result: Array


def sums(result: Result, strengths: Sequence[float]) -> list[Sum]:
    """Compute the sum at each strength."""
    scheme = result.scheme(strength=torch.tensor(strengths, dtype=torch.float64))
    x, steps = result.x, len(strengths)
    n, width = x.shape
    words, added = x, None
    if scheme.adds == "bias":
        words = x @ x.T / width**0.5
        added = scheme.bias(n, n) + 0.0  # a bias of −0 is 0
        sums_ = scheme.attend(x).scaled_scores
    elif scheme.adds == "rotation":
        sums_ = scheme.turn(x, torch.arange(n) + scheme.first)
    else:
        added = scheme.vectors(n, width, start=scheme.first)
        sums_ = x + added
    before, after = words.numpy(), sums_.expand(steps, *words.shape).numpy()
    more = [None] * steps if added is None else added.expand(steps, *words.shape).numpy()
    return [Sum(before, each, whole) for each, whole in zip(more, after, strict=True)]


def draw(result: Result, strengths: Sequence[float]) -> list[Spec]:
    """Draw the sum at each strength, all in one range of colours."""
    every_sum = sums(result, strengths)
    limit = max(
        max(float(np.abs(each).max()) for each in (one.words, one.added, one.result) if each is not None)
        for one in every_sum
    )
    adds = result.scheme().adds
    lines = [_PARTS[adds](one, strength, result) for one, strength in zip(every_sum, strengths, strict=True)]
    longest = max(letters(without_tags(part.title)) for line in lines for part in line)
    longest += len("  64 × 128")
    picture = pictures.scores if adds == "bias" else pictures.vectors
    return [picture(result.state.labels, line, limit=limit or 1.0, longest_title=longest) for line in lines]


def caption(one: Sum, result: Result, cell: tuple[int, int]) -> str:
    """Say how positions change the chosen word or pair, and how far apart two equal words' rows are."""
    adds = result.scheme().adds
    readout = _of_pair if adds == "bias" else _of_word
    return paragraph(_(PARTS[adds]), readout(one, result, cell), _twice(one, result))


# ---- the picture ----


def _times(name: str, strength: float) -> str:
    """Write a name with the strength before it, unless the strength is 1."""
    return name if strength == 1 else f"{number(strength, 3)} {name}"


def _of_vectors(one: Sum, strength: float, result: Result) -> list[Summand]:
    p = _times("P", strength)
    added = np.zeros_like(one.words) if one.added is None else one.added
    return [
        Summand("E", one.words, _("<b>E</b>: words"), _("of the word")),
        Summand("P", added, _("<b>{p}</b>: positions", p=p), _("of its position"), "+"),
        Summand("X", one.result, f"<b>X</b> = E + {p}", _("sum"), "="),
    ]


def _of_turned(one: Sum, strength: float, result: Result) -> list[Summand]:
    return [
        Summand("E", one.words, _("<b>X</b> = E: words"), _("of the word")),
        Summand("turned", one.result, _("<b>q</b> and <b>k</b>, turned"), _("turned"), _("turn")),
    ]


def _of_biased(one: Sum, strength: float, result: Result) -> list[Summand]:
    added = np.zeros_like(one.words) if one.added is None else one.added
    bias = _times("B", strength)
    return [
        Summand("S", one.words, _("<b>S</b>: scores of X = E"), _("scaled score of the words")),
        Summand(
            "B",
            added,
            _("<b>{bias}</b>: bias of head {number}", bias=bias, number=result.state.head),
            _("bias"),
            "+",
        ),
        Summand("scores", one.result, _("S + {bias}, to the softmax", bias=bias), _("sum"), "="),
    ]


_PARTS: Mapping[str, Callable[[Sum, float, Result], list[Summand]]] = {
    "nothing": _of_vectors,
    "vector": _of_vectors,
    "rotation": _of_turned,
    "bias": _of_biased,
}


# ---- the caption ----


def _of_word(one: Sum, result: Result, cell: tuple[int, int]) -> str:
    row = cell[0]
    added = one.result[row] - one.words[row]
    return _(
        "Word **{word}** at position {place}: its row has length {before} before and {after} after; the two "
        "are {moved} apart.",
        word=plain(result.state.labels[row]),
        place=row + result.scheme().first,
        before=_length(one.words[row]),
        after=_length(one.result[row]),
        moved=_length(added),
    )


def _of_pair(one: Sum, result: Result, cell: tuple[int, int]) -> str:
    query, key = (plain(result.state.labels[place]) for place in cell)
    return _(
        "Query **{query}**, key **{key}**: {words} from the words and {positions} from their positions, "
        "{sum} in all.",
        query=query,
        key=key,
        words=number(float(one.words[cell]), 3),
        positions=number(float(one.result[cell] - one.words[cell]), 3),
        sum=number(float(one.result[cell]), 3),
    )


def _length(row: Array) -> str:
    return number(float(np.linalg.norm(row)), 3)


def _twice(one: Sum, result: Result) -> str:
    """Compare the two rows of the first repeated word; "" if no word is repeated."""
    tokens, labels = result.state.tokens, label_tokens(result.state.tokens)
    pair = next(((tokens.index(t), row) for row, t in enumerate(tokens) if tokens.index(t) < row), None)
    if pair is None:
        return ""
    first, second = (plain(labels[each]) for each in pair)
    return _(
        "The rows of **{first}** and **{second}** are equal before, and {apart} apart after.",
        first=first,
        second=second,
        apart=number(drop_rounding(float(np.linalg.norm(one.result[pair[0]] - one.result[pair[1]]))), 3),
    )


# ---- the view ----


def view(controls: Controls, result: Result) -> View[Result]:
    """Draw the sum; a click on a word chooses it."""
    scheme = result.scheme()
    moves = scheme.adds != "nothing"
    size = 3 * max(result.x.numel(), len(result.x) ** 2)
    strengths = controls.exact(STRENGTH.fitting(size, MOST_NUMBERS)) if moves else None
    cell = result.state.query, result.state.key
    still = result.state.still(STRENGTH)
    figure = Figure(
        _draw(still, strengths).with_captions(
            _captions(still, strengths, cell if scheme.adds == "bias" else (cell[0], 0))
        ),
        key="added",
        name=f"input {result.scheme_name}",
        slider=Slider(_("Strength of positions"), strengths) if strengths else None,
        selection={"query": QUERY} | ({"key": KEY} if scheme.adds == "bias" else {}),
        captions_follow_choice=True,
    )
    return View(result, figure)


def _values_of(strengths: Steps | None) -> tuple[float, ...]:
    return (1.0,) if strengths is None else tuple(values(strengths).tolist())


@shared_scene
def _draw(state: State, strengths: Steps | None) -> Scene:
    return Scene(draw(Result(state), _values_of(strengths)))


@shared_captions
def _captions(state: State, strengths: Steps | None, cell: tuple[int, int]) -> Sequence[StepCaption]:
    result = Result(state)
    return [caption(one, result, cell) for one in sums(result, _values_of(strengths))]
