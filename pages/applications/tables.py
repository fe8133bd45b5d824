"""The numbers on screen: every weight, with its query and its key."""

from collections.abc import Mapping

from attn_ui.base.page import Columns
from attn_words import N_, _
from pages.applications.photo import PhotoRows
from pages.applications.state import State
from pages.applications.views import VIEWS


def columns(state: State | PhotoRows) -> Columns:
    """Return the table's columns by title, with a row for each map, query and key."""
    if isinstance(state, PhotoRows):
        return state.columns()
    titles = (N_("map"), N_("query"), N_("key"), N_("may attend"), N_("weight"))
    rows = [
        (_(head.name), query, key, head.mask is None or bool(head.mask[i, j]), weight)
        for head in VIEWS[state.use].heads(state)
        for i, (query, row) in enumerate(zip(head.queries, head.attention.weights.tolist(), strict=True))
        for j, (key, weight) in enumerate(zip(head.keys, row, strict=True))
    ]
    return dict(zip(titles, zip(*rows, strict=True), strict=True))


def tables(state: State | PhotoRows) -> Mapping[str, Columns]:
    """Return the tables by name."""
    return {"weights": columns(state)}
