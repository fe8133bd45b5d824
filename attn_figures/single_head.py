"""One head as a walk from the vectors to the output: stage by stage, or all at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures.matrix import KEY_TITLE, QUERY_TITLE, Matrix, Numbers, Role
from attn_figures.panels import compose
from attn_figures.picture import Picture, Spec

LARGE = 1024  # cells


@dataclass(frozen=True, eq=False)
class Walk:
    """Every matrix of one head, at one position of the slider.

    ``x`` and ``memory`` are what queries and keys are made from, ``projections`` W_q, W_k and W_v; all three
    are None where the head was given as Q, K and V. ``scaled`` is taken before the mask, ``mask`` is True
    where a query may attend. ``factor`` is the operator that scales the scores; ``cell`` is the (query, key)
    to frame.
    """

    queries: Sequence[str]
    keys: Sequence[str]
    x: Numbers | None
    memory: Numbers | None
    projections: Sequence[Numbers] | None
    query: Numbers
    key: Numbers
    value: Numbers
    scores: Numbers
    scaled: Numbers
    mask: NDArray[np.bool_]
    exponentials: Numbers
    row_sums: Numbers
    weights: Numbers
    output: Numbers
    factor: str
    cell: tuple[int, int]

    @property
    def is_large(self) -> bool:
        """Whether the maps are too large to tell every stage in the hover of each."""
        return self.scores.size > LARGE


def _map(walk: Walk, name: str, values: Numbers, title: str, **more: Any) -> Matrix:
    """A map of queries by keys; all of a figure's light up together."""
    settings: dict[str, Any] = {
        "rows": walk.queries,
        "columns": walk.keys,
        "row_title": QUERY_TITLE,
        "column_title": KEY_TITLE,
        "cells": "query-key",
        "marked": walk.cell,
    }
    return Matrix(name, values, title, **settings | more)


def _vectors(
    name: str,
    values: Numbers,
    title: str,
    rows: Sequence[str],
    roles: tuple[Role, Role],
    **more: Any,
) -> Matrix:
    """A matrix of one vector a row, its columns the dimensions."""
    settings: dict[str, Any] = {
        "rows": rows,
        "columns": [str(number) for number in range(1, values.shape[1] + 1)],
        "row_role": roles[0],
        "column_role": roles[1],
        "scale": "scores",
        "quantity": name,
        "bar": "vectors",
        "words": (roles[0] if roles[0] in ("query", "key") else "row", "dimension"),
    }
    return Matrix(name, values, title, **settings | more)


def _scores(walk: Walk, **more: Any) -> Matrix:
    return _map(
        walk, "scores", walk.scores, "scores QKᵀ", scale="scores", quantity="score", bar="score", **more
    )


def _scaled(walk: Walk, name: str = "scaled", title: str = "scaled", **more: Any) -> Matrix:
    settings: dict[str, Any] = {
        "scale": "scores",
        "quantity": "scaled score",
        "bar": "score",
        # The ramp of the raw scores, so that scaling is seen to pale the map.
        "limit": float(np.abs(walk.scores).max()) or 1.0,
        "extra": [] if walk.is_large else [("score", walk.scores)],
    }
    return _map(walk, name, walk.scaled, title, **settings | more)


def _masked(walk: Walk, **more: Any) -> Matrix:
    title = "scaled" if walk.mask.all() else "scaled, masked"
    return _scaled(walk, "masked", title, mask=walk.mask, **more)


def _weights(walk: Walk, **more: Any) -> Matrix:
    extra = [] if walk.is_large else [("scaled score", walk.scaled), ("score", walk.scores)]
    return _map(walk, "weights", walk.weights, "weights", mask=walk.mask, extra=extra, **more)


def _query(walk: Walk, **more: Any) -> Matrix:
    return _vectors("Q", walk.query, "Q", walk.queries, ("query", "query"), **_limit(walk) | more)


def _key(walk: Walk, **more: Any) -> Matrix:
    return _vectors("K", walk.key, "K", walk.keys, ("key", "key"), **_limit(walk) | more)


def _value(walk: Walk, **more: Any) -> Matrix:
    more = {"marked": (walk.cell[1], None)} | _limit(walk) | more
    return _vectors("V", walk.value, "V", walk.keys, ("key", "value"), **more)


def _output(walk: Walk, **more: Any) -> Matrix:
    settings = {"marked": (walk.cell[0], None), "row_title": QUERY_TITLE} | _limit(walk) | more
    return _vectors("output", walk.output, "output", walk.queries, ("query", "output"), **settings)


def _limit(walk: Walk) -> dict[str, Any]:
    """One ramp for all vectors, so that one colour is one number."""
    vectors = [walk.x, walk.memory, walk.query, walk.key, walk.value]
    return {"limit": max(float(np.abs(each).max()) for each in vectors if each is not None) or 1.0}


def _all_at_once(walk: Walk) -> list[Matrix]:
    masked = _masked(walk, operator=walk.factor if walk.mask.all() else f"{walk.factor}<br>mask")
    return [
        _scores(walk),
        masked,
        _weights(walk, operator="soft-<br>max"),
        _output(walk, operator="· V"),
    ]


def _inputs(walk: Walk) -> list[Matrix]:
    if walk.x is None or walk.memory is None:
        return [
            _query(walk, marked=(walk.cell[0], None)),
            _key(walk, names_rows=True),
            _value(walk, names_rows=True),
        ]
    x = _vectors(
        "X", walk.x, "X", walk.queries, ("query", "ink"), marked=(walk.cell[0], None), **_limit(walk)
    )
    if walk.memory is walk.x:
        return [x]
    second = {"marked": (walk.cell[1], None), "names_rows": True} | _limit(walk)
    return [x, _vectors("Y", walk.memory, "Y", walk.keys, ("key", "ink"), **second)]


def _projected(walk: Walk) -> list[Matrix]:
    marked = {"query": (walk.cell[0], None), "key": (walk.cell[1], None)}
    made = [
        _query(walk, marked=marked["query"], names_rows=True),
        _key(walk, marked=marked["key"], names_rows=True),
        _value(walk, names_rows=True),
    ]
    if walk.projections is None:
        return made if walk.x is None else [*_inputs(walk), *made]
    dimensions = [str(number) for number in range(1, len(walk.projections[0]) + 1)]
    limit = max(float(np.abs(each).max()) for each in walk.projections)
    roles: tuple[Role, Role, Role] = ("query", "key", "value")
    maps = [
        _vectors(
            f"W{letter}",
            values,
            f"W<sub>{letter}</sub>",
            dimensions,
            ("ink", role),
            limit=limit,
            names_rows=True,
        )
        for letter, values, role in zip("qkv", walk.projections, roles, strict=True)
    ]
    return [*_inputs(walk), *maps, *made]


def _dot_products(walk: Walk) -> list[Matrix]:
    transposed = Matrix(
        "K transposed",
        np.ascontiguousarray(walk.key.T),
        "Kᵀ",
        rows=[str(number) for number in range(1, walk.key.shape[1] + 1)],
        columns=walk.keys,
        row_role="key",
        scale="scores",
        quantity="K",
        operator="·",
        marked=(None, walk.cell[1]),
        names_rows=True,
        words=("dimension", "key"),
        **_limit(walk),
    )
    query = _query(walk, marked=(walk.cell[0], None), row_title=QUERY_TITLE)
    return [query, transposed, _scores(walk, operator="=", names_rows=True, row_title="")]


def _scaling(walk: Walk) -> list[Matrix]:
    return [_scores(walk), _scaled(walk, operator=walk.factor)]


def _masking(walk: Walk) -> list[Matrix]:
    nothing = np.zeros_like(walk.scaled)
    mask = _map(
        walk,
        "mask",
        nothing,
        "mask",
        mask=walk.mask,
        scale="scores",
        quantity="added",
        operator="+",
        limit=1.0,
    )
    return [_scaled(walk), mask, _masked(walk, operator="=")]


def _softmax(walk: Walk) -> list[Matrix]:
    quantity = "exp(scaled − largest of its row)"
    exponentials = _map(
        walk,
        "exponentials",
        walk.exponentials,
        "exp",
        mask=walk.mask,
        quantity=quantity,
        bar="weight",
        operator="exp",
    )
    sums = Matrix(
        "row sums",
        walk.row_sums,
        "sum",
        rows=walk.queries,
        columns=["Σ"],
        column_role="ink",
        scale="scores",
        quantity="row sum",
        limit=float(len(walk.keys)),
        operator="Σ",
        marked=(walk.cell[0], None),
    )
    return [_masked(walk), exponentials, sums, _weights(walk, operator="divide")]


def _mixing(walk: Walk) -> list[Matrix]:
    weights = _weights(walk, marked=(walk.cell[0], None))
    value = _value(walk, operator="·", names_rows=True)
    return [weights, value, _output(walk, operator="=", names_rows=True, row_title="")]


STAGES: Mapping[str, Callable[[Walk], list[Matrix]]] = MappingProxyType(
    {
        "all at once": _all_at_once,
        "X": _inputs,
        "Q, K, V": _projected,
        "scores": _dot_products,
        "scaled": _scaling,
        "masked": _masking,
        "weights": _softmax,
        "output": _mixing,
    }
)


@Picture
def walk_picture(stage: str, walk: Walk) -> Spec:
    """Draw one stage of the walk with what it is made from, or the chain from scores to output.

    Raises:
        ValueError: for a stage that is not among `STAGES`.
    """
    if stage not in STAGES:
        raise ValueError(f"stage must be one of {', '.join(STAGES)}; got {stage!r}")
    return compose.spec(STAGES[stage](walk), largest_unit=56 if stage == "all at once" else 64)


@Picture
def mistake_picture(
    right: Numbers, broken: Numbers, mask: NDArray[np.bool_], *, queries: Sequence[str], keys: Sequence[str]
) -> Spec:
    """Draw the right weights, the broken ones and their difference; NaN is left as a gap.

    Masked cells are hatched in the right map only: the broken one may have put weight there.
    """
    common: dict[str, Any] = {
        "rows": queries,
        "columns": keys,
        "row_title": QUERY_TITLE,
        "column_title": KEY_TITLE,
        "cells": "query-key",
    }
    as_it_is = Matrix("right", right, "right", mask=mask, **common)
    as_made = Matrix("broken", broken, "broken", **common)
    return compose.spec([as_it_is, as_made, as_made.minus(as_it_is, "broken − right")], largest_unit=48)
