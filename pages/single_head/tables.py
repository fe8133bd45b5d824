"""The numbers on screen as tables: one row for each pair of words, and the outputs."""

from collections.abc import Mapping

import numpy as np

from attn_figures.single_head import HeadMatrices
from attn_ui.base.page import Columns
from attn_words import N_, _
from pages.single_head.compute import Result
from pages.single_head.removed_weights import removal_table


def tables(result: Result) -> Mapping[str, Columns]:
    """Return the tables by name."""
    matrices = result.matrices
    n_query, n_key = matrices.mask.shape
    outputs: dict[str, list[float]] = (
        {} if matrices.sink is None else {N_("to the sink"): (1 - matrices.weights.sum(axis=1)).tolist()}
    )
    outputs |= {str(place): column.tolist() for place, column in enumerate(matrices.output.T, start=1)}
    more: dict[str, list[bool] | list[float]] = {}
    if matrices.threshold is not None:
        more = {N_("kept"): matrices.threshold.cells.ravel().tolist()}
        if matrices.threshold.renormalised is not None:
            more[N_("renormalised weight")] = matrices.threshold.renormalised.ravel().tolist()
    if matrices.ablation is not None:
        more = {N_("weight without it"): matrices.ablation.weights.ravel().tolist()}
    if matrices.points is not None:
        plane = matrices.points().plane
        more = {
            "q·k": plane.products.ravel().tolist(),
            N_("q·k in the plane"): plane.plane_products.ravel().tolist(),
        }
    return {
        "pairs": {
            N_("query"): [query for query in matrices.queries for _ in range(n_key)],
            N_("key"): [*matrices.keys] * n_query,
            N_("score"): matrices.scores.ravel().tolist(),
            N_("may attend"): matrices.mask.ravel().tolist(),
            N_("scaled score"): np.where(matrices.mask, matrices.scaled_scores, np.nan).ravel().tolist(),
            N_("weight"): matrices.weights.ravel().tolist(),
            **more,
        },
        "output": {N_("output of"): [*matrices.queries], **outputs},
        **{name: _numbered(name, np.asarray(each)) for name, each in result.own.items()},
        **_removals(result),
        **_points(matrices),
    }


def _points(matrices: HeadMatrices) -> Mapping[str, Columns]:
    """Return the coordinates of each vector in its plane; values and outputs have a plane of their own."""
    if matrices.points is None:
        return {}
    planes = matrices.points()
    outputs = matrices.output @ planes.to_values.T
    kinds = (
        (N_("query"), matrices.queries, planes.plane.queries),
        (N_("key"), matrices.keys, planes.plane.keys),
        (N_("value"), matrices.keys, planes.values),
        (N_("output of"), matrices.queries, outputs),
    )
    return {
        "points": {
            N_("vector"): [_(kind) for kind, words, _places in kinds for _word in words],
            N_("word"): [word for _kind, words, _places in kinds for word in words],
            **{
                name: [place for _kind, _words, places in kinds for place in places[:, axis].tolist()]
                for axis, name in enumerate((N_("first coordinate"), N_("second coordinate")))
            },
        }
    }


def _numbered(name: str, weight: np.ndarray) -> Columns:
    """Return a weight of the score function with its rows numbered; a vector is one column."""
    columns = weight.reshape(len(weight), -1).T.tolist()
    return {name: [*range(1, len(weight) + 1)]} | {str(at): column for at, column in enumerate(columns, 1)}


_TOGETHER = N_("mean of the rows"), N_("sum of the rows")


def _removals(result: Result) -> Mapping[str, Columns]:
    """Return the table of combined rows, of removed weights, or of ablated keys; {} if there is none."""
    matrices = result.matrices
    if matrices.group.also:
        mean = matrices.group.mean(matrices.weights)
        rows = matrices.group.totals(mean)[result.cell[0]]
        return {"together": {N_("key"): [*matrices.keys], _TOGETHER[matrices.group.summed]: rows.tolist()}}
    name, columns = removal_table(matrices)
    if name == "without":
        return {name: {N_("without"): [*matrices.keys], **columns}}
    return {name: {N_("query"): [*matrices.queries], **columns}} if name else {}
