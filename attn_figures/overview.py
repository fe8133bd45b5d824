"""The story in one picture: the same weights, each time with one idea more."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures.matrix import KEY_TITLE, QUERY_TITLE, Matrix
from attn_figures.panels import IN_SIGHT, compose
from attn_figures.picture import Picture, Spec

Weights = NDArray[np.float64]
SIDE = 6.0  # units of every small map, whatever its number of cells


@Picture
def story(
    kernel: Weights, head: Weights, placed: Weights, heads: Sequence[Weights], labels: Sequence[str]
) -> Spec:
    """Draw four stages of one idea side by side.

    Args:
        kernel: kernel weights between the places of the words (n, n).
        head: one head's weights between words (n, n).
        placed: the same with positions added to the words (n, n).
        heads: several heads' weights, each (n, n).
        labels: the words.
    """
    words: Any = {
        "rows": labels,
        "columns": labels,
        "row_title": QUERY_TITLE,
        "column_title": KEY_TITLE,
        "cells": "words",
    }
    panels = [
        Matrix("kernel", kernel, "1 nearness", **words),
        Matrix("head", head, "2 likeness", operator="compare<br>meanings", **words),
        Matrix("placed", placed, "3 both", operator="add<br>places", **words),
        *(
            Matrix(
                f"head {i + 1}", weights, f"4 head {i + 1}", operator="" if i else "look<br>twice", **words
            )
            for i, weights in enumerate(heads)
        ),
    ]
    return compose.spec(panels, phone_height=IN_SIGHT)


@Picture
def uses(uses: Sequence[tuple[str, Weights, Sequence[str], Sequence[str]]]) -> Spec:
    """Draw one small map a use: its name, its weights (n_query, n_key), what asks and what is asked.

    A softmax gives no weight of exactly 0, so such a cell was masked, and is hatched.
    """
    return compose.spec(
        [
            Matrix(
                name,
                weights,
                name,
                queries,
                keys,
                row_title=QUERY_TITLE,
                column_title=KEY_TITLE,
                mask=weights > 0,
                cells=name,
                size=(SIDE, SIDE),
                numbered=False,
                names_rows=True,
            )
            for name, weights, queries, keys in uses
        ],
        phone_height=IN_SIGHT,
    )
