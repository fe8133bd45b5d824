"""Figures of your own as the steps of a live figure's slider, in a notebook."""

import json
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs, get_plotlyjs_version

from attn_figures import theme
from attn_live.browser_words import browser_words
from attn_live.captions import StepCaption, check_captions, pack_captions
from attn_live.packing import MOST_MESSAGE_BYTES, Cursor, message, pack
from attn_words import _

if TYPE_CHECKING:
    from attn_live.widget import LiveWidget

_NUMBERS = count(1)


def live(
    figures: go.Figure | Sequence[Mapping[str, Any]] | Sequence[go.Figure],
    steps: Sequence[object] = (),
    *,
    label: str = "",
    cursor: Cursor | None = None,
    rows: Sequence[object] = (),
    row_label: str = "",
    captions: Sequence[StepCaption] | None = None,
    name: str = "figure",
    caption: str = "",
) -> "LiveWidget":
    """Show figures as the steps of one slider, in JupyterLab or marimo, without a server.

    All steps go to the browser at once; nothing is computed while the slider is dragged. It is the figure of
    the app, by the same JavaScript, with hover, sweep and saving a picture.

    Args:
        figures: one, or one a step, with the same traces: pictures of this package, their `spec`, or any
            figure of Plotly.
        steps: the slider's read-out at each step; numbers from 1 when empty.
        label: of the slider; "Step" when empty.
        cursor: what a second slider, over rows, changes; rows: its read-outs; row_label: its label, "Row"
            when empty.
        captions: the sentence under the figure at each step, or for each step one a row.
        name: of the figure, and of the file of a saved picture.
        caption: text in a saved picture.

    Raises:
        ValueError: if there is no step, shapes differ, read-outs or sentences are missing, or too many bytes.
        ImportError: if the package anywidget is not installed.
    """
    try:
        from attn_live.widget import LiveWidget  # noqa: PLC0415  (anywidget is optional, and slow to import)
    except ModuleNotFoundError as error:
        raise ImportError(
            "a live figure in a notebook needs the package anywidget: pip install anywidget"
        ) from error
    if isinstance(figures, go.Figure):
        figures = [figures]
    payload = pack(figures, cursor)
    n_rows = cursor.n_rows if cursor else None
    packed_captions = b"" if captions is None else pack_captions(captions)
    if captions is not None:
        check_captions(packed_captions, len(figures), n_rows)
    head = {
        "key": f"live-{next(_NUMBERS)}",
        "alt": name,
        "name": name,
        "caption": caption,
        "revision": 0,
        "slider": _control(label or _("Step"), steps, len(figures), "figures") if len(figures) > 1 else None,
        "cursor": _control(row_label or _("Row"), rows, n_rows, "rows") if n_rows else None,
        "chosen": {},
        "plotly": "",
        "colours": theme.by_theme(),
    }
    if words := browser_words():
        head["words"] = words
    data = message(json.dumps(head, separators=(",", ":")).encode(), packed_captions, payload)
    if len(data) > MOST_MESSAGE_BYTES:
        raise ValueError(f"a figure may take {MOST_MESSAGE_BYTES:,} bytes, this one takes {len(data):,}")
    themes = {"light": theme.variables(theme.LIGHT), "dark": theme.variables(theme.DARK)}
    return LiveWidget(data, library=_library(), version=get_plotlyjs_version(), themes=themes)


def _control(label: str, texts: Sequence[object], n: int, what: str) -> dict[str, Any]:
    names = [str(text) for text in texts] or [str(number) for number in range(1, n + 1)]
    if len(names) != n:
        raise ValueError(f"{n} {what} need as many texts for the slider, got {len(names)}")
    return {"label": label, "texts": names, "name": "", "values": names, "index": 0, "default": 0}


@cache
def _library() -> bytes:
    return zlib.compress(get_plotlyjs().encode(), 6)
