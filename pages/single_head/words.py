"""Parts of captions of one head: read-outs of the chosen cell, and the warning."""

import numpy as np

from attn_figures.numbers import as_share, as_weight, number
from attn_figures.ties import largest_indices
from attn_ui.base.markdown import coloured, first_of
from attn_ui.base.shared_settings import TEMPERATURE
from attn_ui.base.ties import drop_rounding, tie_sentence
from attn_words import _, _n
from pages.single_head.arcs import describe_arcs
from pages.single_head.compute import Result


def _query(result: Result) -> str:
    return f"“{coloured('query', result.matrices.queries[result.cell[0]])}”"


def _keys(result: Result, *at: int) -> str:
    return first_of([f"“{coloured('key', result.matrices.keys[each])}”" for each in at])


def _pair(result: Result) -> dict[str, str]:
    """Return the fields of messages on the chosen query and key."""
    query, key = result.cell
    digits = {
        "q": np.linalg.norm(result.matrices.query[query]),
        "k": np.linalg.norm(result.matrices.key[key]),
        "score": result.matrices.scores[result.cell],
        "scaled": result.matrices.scaled_scores[result.cell],
    }
    return {
        "query": _query(result),
        "key": _keys(result, key),
        "weight": as_weight(float(result.matrices.weights[result.cell])),
        "factor": result.factor,
        "temperature": TEMPERATURE.text(result.temperature),
        **{name: number(float(value), 6) for name, value in digits.items()},
    }


# ---- read-outs of the chosen cell ----


def describe_row(result: Result) -> str:
    """Say the chosen query's largest weight and effective number of keys."""
    matrices, row = result.matrices, result.cell[0]
    if not matrices.weights[row].any():  # masked, or all weight at the sink
        return ""
    return _(
        "Query {query}: largest weight {weight} on {key}; effective number of keys {spread} of {count} "
        "(average {mean}).",
        query=_query(result),
        weight=f"{matrices.weights[row].max():.3f}",
        key=_keys(result, *largest_indices(matrices.weights[row])),
        spread=f"{result.effective[row]:.1f}",
        count=int(matrices.mask[row].sum()),
        mean=f"{result.effective[matrices.weights.any(axis=1)].mean():.1f}",
    )


def describe_vector(result: Result) -> str:
    """Say how many numbers the chosen query's vector has, and how long it is."""
    vector = (result.matrices.query if result.matrices.x is None else result.matrices.x)[result.cell[0]]
    return _n(
        "Query {query}: {count} number, length {length}.",
        "Query {query}: {count} numbers, length {length}.",
        vector.size,
        query=_query(result),
        length=number(float(np.linalg.norm(vector)), 6),
    )


def describe_score(result: Result) -> str:
    """Say the chosen score, and the lengths of its two vectors."""
    return _("Query {query}, key {key}: |q| = {q}, |k| = {k}, score {score}.", **_pair(result))


def describe_weight(result: Result) -> str:
    """Say the chosen score, scaled, and its weight."""
    return _(
        "Query {query}, key {key}: score {score} {factor} ÷ {temperature} = {scaled}; weight {weight}.",
        **_pair(result),
    )


def describe_mask(result: Result) -> str:
    """Say the masked score of the chosen pair, and how many pairs the mask leaves."""
    mask = result.matrices.mask
    masked = float(result.matrices.scaled_scores[result.cell]) if mask[result.cell] else -np.inf
    fields = _pair(result) | {
        "masked": number(masked, 6),
        "left": f"{mask.sum():,}",
        "count": f"{mask.size:,}",
    }
    return _("Query {query}, key {key}: masked score {masked}. Pairs left: {left} of {count}.", **fields)


def describe_sink(result: Result) -> str:
    """Say how much weight the chosen query gives to the sink; "" without a sink."""
    if result.scoring.sink is None:
        return ""
    rest = 1 - result.matrices.weights.sum(axis=1)
    return _(
        "Query {query}: **{share}** to the sink (average {mean}).",
        query=_query(result),
        share=f"{rest[result.cell[0]]:.3f}",
        mean=f"{rest.mean():.3f}",
    )


def describe_thickest_arcs(result: Result) -> str:
    """Say the weights of the thickest arcs of the chosen query, or of several combined."""
    matrices, rows = result.matrices, result.matrices.group.rows(result.cell[0])
    mean, may = matrices.weights[rows].mean(axis=0), np.any(matrices.mask[rows], axis=0)
    keys = [_keys(result, key) for key in range(len(matrices.keys))]
    queries = [matrices.queries[row] for row in rows]
    return describe_arcs(queries, keys, mean, may, summed=matrices.group.summed)


def describe_points(result: Result) -> str:
    """Say how much of the chosen query's product with its best key the plane shows."""
    if result.matrices.points is None:
        return ""
    planes, row = result.matrices.points(), result.cell[0]
    best = largest_indices(result.matrices.weights[row])[0]
    return _(
        "Query {query}, key {key}: q · k = {whole}, of which the plane shows {shown}. Keys that have another "
        "rank there: {moved}. Squared length kept: {share} of queries and keys, {values} of the values.",
        query=_query(result),
        key=_keys(result, best),
        whole=number(float(planes.plane.products[row, best]), 6),
        shown=number(float(planes.plane.plane_products[row, best]), 6),
        moved=int(planes.rank_changes[row]),
        share=_share(float(planes.plane.explained.sum())),
        values=_share(float(planes.explained_values.sum())),
    )


def _share(share: float) -> str:
    """Write a share of squared length, with a dash for vectors that are all zero."""
    return "–" if np.isnan(share) else as_share(share, 1)


def describe_lookup(result: Result) -> str:
    """Say which key the chosen query looks up, its softmax weight, and how far the outputs differ."""
    matrices, row = result.matrices, result.cell[0]
    if matrices.lookup is None or not matrices.mask[row].any():
        return ""
    lookup = matrices.lookup()
    best: list[int] = np.flatnonzero(lookup.weights[row]).tolist()
    return _(
        "Query {query}: best scaled score {score}, with {key}; softmax at T = {temperature} gives it "
        "{weight}; the two outputs are {apart} apart (over all queries at most {most}).",
        query=_query(result),
        score=number(float(matrices.scaled_scores[row, best[0]]), 6),
        key=_keys(result, *best),
        temperature=TEMPERATURE.text(result.temperature),
        weight=as_weight(float(matrices.weights[row, best[0]])),
        apart=number(drop_rounding(float(lookup.output_change[row])), 3),
        most=number(drop_rounding(float(lookup.output_change.max())), 3),
    )


# ---- warnings ----


def warning(result: Result, *, of_largest: bool) -> str:
    """Say which queries have every key masked; else how many others tie with the largest weight."""
    if empty := np.flatnonzero(~result.matrices.mask.any(axis=1)).tolist():
        return _n(
            "{count} query has every key masked, {queries}: its weights and output are zero.",
            "{count} queries have every key masked, {queries}: their weights and outputs are zero.",
            len(empty),
            queries=first_of([f"“{coloured('query', result.matrices.queries[row])}”" for row in empty]),
        )
    row = result.matrices.weights[result.cell[0]]
    return tie_sentence(len(largest_indices(row)) - 1) if of_largest else ""
