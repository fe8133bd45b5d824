"""The lines of a program that see queries and keys in a plane."""

from typing import Any

from attn_ui.base.planes import direction_lines
from pages.single_head.compute import Now


def along_lines(now: Now, *, named: bool = False) -> dict[str, Any]:
    """Return the lines that find the points of queries and keys, and the names that they leave.

    ``named`` says that the program has queries and keys as Q and K already.
    """
    head, along = now.head, now.along
    if along is None:
        return {}
    lines = []
    if not named and head.x is not None:
        memory = "X" if head.x is head.memory else "Y"
        made = "    Q, K = attention.W_q(X), attention.W_k({memory})"
        if head.projections is None:
            lines.append(f"Q, K = X, {memory}")
        else:
            lines.append(f"with torch.no_grad():\n{made.format(memory=memory)}")
    if along.dimensions is not None:
        first, second = along.dimensions
        lines.append(
            f"directions = torch.eye({head.d_k})[[{first}, {second}]]  # these two dimensions, from 0"
        )
    else:
        lines += direction_lines(head.d_k, "queries and keys", "torch.cat([Q, K])", ":2")
    lines += [
        "query_points, key_points = Q @ directions.T, K @ directions.T",
        "in_plane = query_points @ key_points.T  # the part of Q @ K.T that the plane shows",
    ]
    return {"aside": lines, "prints": ("query_points", "key_points", "in_plane")}
