"""Pictures of what position does: to attention, to the output, and among positions themselves."""

from collections.abc import Sequence
from typing import Any

from attn_figures.matrix import KEY_TITLE, QUERY_TITLE, Matrix, Numbers
from attn_figures.panels import compose
from attn_figures.picture import Picture, Spec


@Picture
def before_and_after(
    tokens: Sequence[str],
    before: Numbers,
    after: Numbers,
    *,
    names: tuple[str, str],
    limit: float,
    marked: tuple[int, int] | None = None,
) -> Spec:
    """Draw weights (query, key) without and with positions, and the second less the first.

    Args:
        tokens: labels of queries and keys.
        before, after: weights (n, n).
        names: what stands under the first two maps.
        limit: the difference at the ends of its ramp, the same at all steps.
        marked: the (query, key) to frame in all three.
    """
    common: dict[str, Any] = {
        "rows": tokens,
        "columns": tokens,
        "row_title": QUERY_TITLE,
        "column_title": KEY_TITLE,
        "cells": "query-key",
        "marked": marked,
    }
    return compose.spec(
        [
            Matrix("before", before, names[0], **common),
            Matrix("after", after, names[1], **common),
            Matrix(
                "difference",
                after - before,
                "what changes",
                scale="scores",
                limit=limit,
                quantity="difference",
                **common,
            ),
        ]
    )
