"""Which part of a long map is in sight: as the link says, where the map has such a part."""

from attn_ui.base.controls import Controls
from attn_ui.base.links import Dropped
from attn_words import _
from pages.learned_heads.settings import ZOOM


def visible_part(controls: Controls, shape: tuple[int, ...]) -> str:
    """Return the part that the link names, "" for all; where the map has no such part, say so."""
    text = controls.text(ZOOM)
    part = ZOOM.part(text)
    n_query, n_key = shape
    if part is None or (part[0] <= n_query and max(part[1:]) <= n_key):
        return text
    expected = _(
        "a part of a map of {queries} queries and {keys} keys", queries=f"{n_query:,}", keys=f"{n_key:,}"
    )
    controls.report_dropped(Dropped(ZOOM.name, text, expected))
    return ""
