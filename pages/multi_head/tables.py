"""The numbers on screen as tables: the input vectors, the chosen head, and the output."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attn_ui.base.page import Columns
from attn_words import _
from pages.multi_head.compute import Result, array, planes_of
from pages.multi_head.matrices import matrices_of
from pages.single_head.removed_weights import removal_table


def tables(result: Result) -> Mapping[str, Columns]:
    """Return the tables by name; the first column, whose title is a space, has the words."""
    attention, head, tokens = result.attention, result.look.head, result.tokens
    queries, keys = tokens.queries, tokens.keys
    inputs = {"goes in": _table(tokens.query, queries, "x")}
    if not result.is_self_attention:
        inputs["attended to"] = _table(tokens.key, keys, "x")
    return inputs | {
        "weights": _table(attention.weights[head], queries, "", keys),
        "q": _table(attention.query[head], queries, "q"),
        "k": _table(attention.key[head], keys, "k"),
        "v": _table(attention.value[head], keys, "v"),
        "comes out": _table(attention.output, queries, "o"),
        **_together(result),
        **_removals(result),
        **_points(result),
    }


def _together(result: Result) -> Mapping[str, Columns]:
    """Return the combined rows of the queries, one table row a key."""
    group = result.group
    if result.look.view != "arcs" or not group.also:
        return {}
    heads = result.shown_heads if result.look.all_heads else [result.head]
    rows = group.totals(group.mean(array(result.attention.weights[heads])))[:, result.cell[0]]
    names = [_("head {head}", head=head + 1) for head in heads]
    return {"together": {" ": result.tokens.keys} | dict(zip(names, rows.tolist(), strict=True))}


def _removals(result: Result) -> Mapping[str, Columns]:
    """Return the weight kept for each query, or the change of the output without each key."""
    name, columns = removal_table(matrices_of(result)) if result.removal.kind else ("", {})
    words = result.tokens.keys if name == "without" else result.tokens.queries
    return {name: {" ": words} | {_(title): numbers for title, numbers in columns.items()}} if name else {}


def _points(result: Result) -> Mapping[str, Columns]:
    """Return the coordinates of each head's queries and keys in its plane."""
    if result.look.view != "points":
        return {}
    rows = [
        (head, kind, word, *place)
        for head, plane in enumerate(planes_of(result), start=1)
        for kind, words, places in (
            (_("query"), result.tokens.queries, plane.queries),
            (_("key"), result.tokens.keys, plane.keys),
        )
        for word, place in zip(words, places.tolist(), strict=True)
    ]
    names = _("head"), _("vector"), _("word"), _("first coordinate"), _("second coordinate")
    return {"points": dict(zip(names, zip(*rows, strict=True), strict=True))}


def _table(tensor: Tensor, rows: Sequence[str], letter: str, columns: Sequence[str] = ()) -> Columns:
    numbers = array(tensor)
    names = columns or [f"{letter}{index + 1}" for index in range(numbers.shape[1])]
    # No token is a space, so no other column has this title.
    table: dict[str, Sequence[object]] = {" ": list(rows)}
    for index, name in enumerate(names):
        table[name] = numbers[:, index].tolist()
    return table
