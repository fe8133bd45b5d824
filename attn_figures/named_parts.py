"""One part of a head by its name: the head's block diagram with one box marked."""

from attn_figures import block_diagrams, theme
from attn_figures.picture import Spec
from attn_figures.single_head import HeadMatrices

STRENGTH, EDGE = 0.3, 4.0  # of the marked box: opacity of its fill, pixels of its outline


def named_part(head: HeadMatrices, part: str) -> Spec:
    """Draw the head as boxes, the one of this name filled and framed.

    Raises ValueError where the diagram has no such box.
    """
    spec = block_diagrams.single_head(head)
    names = [trace["name"] for trace in spec["data"] if (trace.get("meta") or {}).get("opens")]
    if part not in names:
        raise ValueError(f"part must be a box of the diagram, one of {', '.join(names)}; got {part!r}")
    for trace in spec["data"]:
        trace.pop("meta", None)  # here a click on a box opens nothing
        if trace["name"] == part:
            plain = trace["line"]["color"] == theme.LIGHT.muted
            colour = theme.LIGHT.ink if plain else trace["line"]["color"]
            trace["line"] = {"color": colour, "width": EDGE}
            trace["fillcolor"] = theme.rgba(colour, STRENGTH / 2 if plain else STRENGTH)
    return spec
