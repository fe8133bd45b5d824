"""The visible part of a long map, read from the link."""

from attn_ui.base.controls import Controls
from attn_ui.base.links import Dropped
from attn_words import _
from pages.learned_heads.settings import ZOOM


def visible_part(controls: Controls, shape: tuple[int, ...]) -> str:
    """Return the part that the link names, "" for the whole map; report a part that the map lacks."""
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
