"""The numbers on screen as tables: the words' vectors, the scheme's part, and those of a rotary scaling."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attn_ui.base.page import Columns
from attn_words import N_, _
from pages.positional_encoding.compute import Result
from pages.positional_encoding.scaled import head_of


def tables(result: Result) -> Mapping[str, Columns]:
    """Return the tables by name, at strength 1, one row per word; with a rotary scaling also its own."""
    n, width = result.x.shape
    scheme, keys = result.bare(), list[str]()
    if scheme.adds == "bias":
        keys, added = [f"key {each}" for each in result.state.labels], scheme.bias(n, n)
    elif scheme.adds == "rotation":
        added = scheme.turn(result.x, torch.arange(n) + scheme.first)
    else:
        added = scheme.vectors(n, width, start=scheme.first)
    added = added + 0.0  # a bias of −0 is 0
    columns = {"words": _columns(result, result.x), "positions": _columns(result, added, keys)}
    return columns | (scaled(result) if result.state.is_scaled else {})


def scaled(result: Result) -> dict[str, Columns]:
    """Return a rotary scaling's two tables: the turns of each pair, and the score at each offset."""
    head = head_of(result)
    n_pair, offsets = head.d_head // 2, head.offsets
    plain, new = (each.frequencies(head.d_head).tolist() for each in (head.plain, head.scaling))
    pairs: Columns = {
        N_("pair"): list(range(n_pair)),
        N_("rad a position, in training"): plain,
        N_("rad a position, scaled"): new,
        N_("times slower"): head.slower(head.name).tolist(),
        N_("times round, in training"): head.trained_turns.tolist(),
        N_("times round, longer, unscaled"): head.plain.turns(head.d_head).tolist(),
        N_("times round, longer, scaled"): head.scaling.turns(head.d_head).tolist(),
    }
    scores: Columns = {
        N_("offset"): offsets.tolist(),
        N_("score, unscaled"): head.plain.scores(offsets, head.d_head).tolist(),
        N_("score, scaled"): head.scaling.scores(offsets, head.d_head).tolist(),
    }
    return {"pairs": pairs, "scores": scores}


def translated_tables(result: Result) -> tuple[Columns, Columns]:
    """Return the tables of words and of positions, with titles in the page's language."""
    columns = tables(result)
    words, positions = columns["words"], columns["positions"]
    dimensions = [_("dimension {number}", number=place) for place in range(result.width)]
    keys = [_("key {word}", word=each) for each in result.state.labels]
    of_positions = keys if result.scheme().adds == "bias" else dimensions
    return _with_titles(words, dimensions), _with_titles(positions, of_positions)


def _with_titles(columns: Columns, titles: Sequence[str]) -> Columns:
    return dict(zip([_("word"), *titles], columns.values(), strict=True))


def _columns(result: Result, rows: Tensor, titles: Sequence[str] = ()) -> Columns:
    titles = titles or [f"dimension {place}" for place in range(rows.shape[1])]
    return {"word": result.state.labels, **dict(zip(titles, rows.T.tolist(), strict=True))}
