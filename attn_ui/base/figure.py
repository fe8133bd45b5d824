"""A live figure as a value: a scene, the sliders under it, and what a click does."""

import html
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from attn_ui.base.controls import Controls
from attn_ui.base.cover import panel_title
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import SharedScene
from attn_ui.base.shared_settings import QUERY
from attn_words import _


@dataclass(frozen=True)
class Slider:
    """A slider under a figure: a label, and the setting whose values are the figure's steps, or its rows."""

    label: str
    steps: Steps
    names: Sequence[str] = ()

    def texts(self) -> list[str]:
        """Return the read-out at each position: the steps' names if they have any, else their values."""
        return list(self.names) or self.steps.texts()


def query_rows(names: Sequence[str]) -> Slider:
    """Return the slider over the queries; its setting, `q`, is the same on every page."""
    steps = replace(QUERY, values=QUERY.values[: len(names)])
    return Slider(_("Query"), steps, list(names))


@dataclass(frozen=True)
class Cell:
    """A clicked cell: the heatmap's name, its row (query) and its column (key); or a box or a point.

    A box, whose trace has `opens` in its `meta`, is the only cell of its name. A point, whose trace has
    `picks` there, is a row.
    """

    trace: str
    row: int
    column: int


def alternative_text(figure: Mapping[str, Any]) -> str:
    """Describe a figure in words, from the texts at its panels, for those who cannot see it.

    These texts are titles, legends and names of axes that no step changes; in a diagram, its boxes.
    """
    layout, texts = figure["layout"], list[str]()
    titles = defaultdict[str, list[str]](list)
    for note in sorted(layout.get("annotations", ()), key=lambda note: note.get("yanchor") != "top"):
        if note.get("yanchor") in ("top", "bottom"):
            titles[str(note.get("xref")).removesuffix(" domain")].append(_plain(note.get("text")))
    for trace in figure["data"]:
        x, is_map = trace.get("xaxis", "x"), trace.get("type") == "heatmap"
        if isinstance(trace.get("text"), str):
            texts.append(_plain(trace["text"].partition("<br>")[0]))
        name = re.match(r"head [\d.]+|\S+$" if is_map else r"head [\d.]+", str(trace.get("name")))
        texts += [title for title in titles[x] if title] or ([panel_title(name[0])] if name else [])
        down, across = (_plain(layout.get(f"{y}axis{x[1:]}", {}).get("title", {}).get("text")) for y in "yx")
        if down and across:
            texts.append(_("{vertical} by {horizontal}", vertical=down, horizontal=across))
    return "; ".join(dict.fromkeys(texts))


def _plain(text: object) -> str:
    """Return a text without its tags; commas separate the entries of a legend."""
    bare = html.unescape(re.sub("<[^>]*>", "", str(text or "").replace("<br>", " "))).strip()
    return " ".join(_(", ").join(re.split(r"\s{3,}", bare)).split())


@dataclass(frozen=True, eq=False)
class Figure:
    """A live figure: see `attn_ui.screen.live_figure.live_figure` for each of its fields.

    Attributes:
        scene: what it shows at every position of its slider, and its captions.
        clicked: called with a cell or box that was clicked; changes settings.
    """

    scene: SharedScene
    key: str
    name: str
    slider: Slider | None = None
    rows: Slider | None = None
    selection: Mapping[str, Steps] = field(default_factory=dict)
    clicked: Callable[[Controls, Cell], None] | None = None
    captions_follow_choice: bool = False
    caption: str = ""
    invites: str = ""

    @property
    def steps(self) -> bytes:
        """The scene, packed for the browser."""
        return self.scene.steps

    @property
    def alt(self) -> str:
        """The alternative text: what the figure shows, for those who cannot see it."""
        return alternative_text(self.scene.texts)

    @property
    def captions(self) -> bytes | None:
        """Its captions, packed for the browser."""
        return self.scene.captions
