"""Program lines and captions for queries and keys drawn as points in a plane, on every page that has them."""

from collections.abc import Sequence

from attn_figures.point_labels import PlaneStyle
from attn_ui.base.programs import More
from attn_words import _


def plane_lines(dimensions: tuple[int, int] | None = None) -> More:
    """Return the program lines that project Q and K on a plane: two dimensions, or the widest directions."""
    if dimensions is not None:
        columns = [*dimensions]
        lines = [f"query_points, key_points = Q[:, {columns}], K[:, {columns}]  # dimensions from 0"]
    else:
        lines = [
            "directions = widest_directions(Q, K)",
            "query_points, key_points = Q @ directions.mT, K @ directions.mT",
        ]
    lines.append("in_plane = query_points @ key_points.mT  # the part of each q·k that the plane shows")
    return lines, ["query_points", "key_points", "in_plane"]


def describe_names(look: PlaneStyle, keys: Sequence[str]) -> str:
    """Return a sentence on which keys have names in a picture; "" if all have."""
    if look.names_all(keys):
        return ""
    return _(
        "Of {count} keys those with the largest weights are named, up to {most}, as far as there is room.",
        count=len(keys),
        most=look.of_many,
    )
