"""The live figure: one Plotly picture that moves in the browser while its slider is dragged."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import orjson
import plotly.graph_objects as go
import streamlit as st
from plotly.offline import get_plotlyjs_version

from attn_figures.scene import Scene
from attn_live.bundle import bundle, content_hash, markup, served_module
from attn_live.captions import StepCaption, check_captions, pack_captions
from attn_live.frames import with_frames
from attn_live.packing import MOST_MESSAGE_BYTES, PREFIX_BYTES, count_steps
from attn_live.packing import message as join
from attn_ui.base.link_options import PALETTE
from attn_ui.base.message_head import message_head
from attn_ui.base.page import Cell, Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import SharedScene, pack_scene
from attn_ui.export.standalone import saver_version
from attn_ui.screen import palette_and_decimals
from attn_ui.screen.address import show
from attn_ui.screen.state import command, commanded, describe, offer, position, readings, report, revision

PLOTLY_ROUTE = "/plotly"
_NO_STEPS = bytes(PREFIX_BYTES)
_MOST_CELLS = 1000  # rows or columns of any heatmap that this product draws
_LOG = logging.getLogger(__name__)


Clicked = tuple[Callable[[], Scene], Callable[[Cell], None]]
"""Draws the picture again, and takes a click on one of its cells."""


def live_figure(
    figures: Sequence[dict[str, Any]] | SharedScene,
    *,
    key: str,
    name: str,
    slider: Slider | None = None,
    rows: Slider | None = None,
    selection: Mapping[str, Steps] | None = None,
    clicked: Callable[[Cell], None] | None = None,
    captions: Sequence[StepCaption] | None = None,
    captions_follow_choice: bool = False,
    caption: str = "",
    invites: str = "",
) -> None:
    """Draw a figure that moves in the browser while its slider is dragged.

    Nothing is sent while a slider is dragged. On release the page reruns with the new position (see
    `attn_ui.screen.state`), which is also written into the address. The steps are sent again only when they
    change.

    Args:
        figures: one figure for each position of the slider (one in all when there is no slider), as plain
            dicts; or a scene with its sentences, which a page can cache.
        key: this figure's name on its page.
        name: the file name of a saved picture.
        slider: the slider whose steps the figures are.
        rows: a second slider, over rows of the figure.
        selection: the settings that a click on a cell sets, by the names that the maps give their rows,
            columns and themselves (`meta.chosen`, see `attn_figures.matrix.Matrix`). The browser frames the
            selected cells, so the frames are no part of the figures.
        clicked: called before the next run with a cell of a heatmap or a box of a diagram that was clicked.
        captions: one sentence for each step, or a list with one for each row; shown under the sliders. In the
            markdown of `captions.spans`; users' words must have gone through `markdown.plain`.
        captions_follow_choice: whether captions change with the selection: then they are sent separately, and
            a click does not send the steps again.
        invites: an invitation to drag, shown beside the slider until one was moved in this browser.
        caption: the settings of the figure, written in a saved picture before the values of the sliders.

    Raises:
        ValueError: no step, steps of unequal shape, too many bytes, not one figure or sentence a position.
    """
    selection = selection or {}
    for control in (slider, rows):
        if control is not None:
            show(control.steps)
    scene = figures if isinstance(figures, SharedScene) else _share(Scene(figures))
    payload = scene.steps
    packed_captions = pack_captions(captions) if captions is not None else scene.captions or b""
    n_steps = len(slider.steps.values) if slider else 1
    _check_count(payload, n_steps)
    is_known = offer(
        key, [*(control.steps for control in (slider, rows) if control is not None), *selection.values()]
    )
    for control in (slider, rows):
        if control is not None:
            describe(control.steps.name, control.label)
    if packed_captions:
        check_captions(packed_captions, n_steps, len(rows.steps.values) if rows else None)
    about = {"alt": scene.alt, "name": name, "caption": caption, "invites": invites, **_addresses()}
    head = orjson.dumps(
        message_head(
            key,
            slider,
            rows,
            selection,
            commanded,
            palette=palette_and_decimals.current_look(PALETTE),
            **about,
            settings=readings(),
            revision=revision(),
        )
    )
    captions_sent = b"" if captions_follow_choice else packed_captions
    message = join(head, captions_sent, payload)
    if len(message) > MOST_MESSAGE_BYTES:
        raise ValueError(f"a message may take {MOST_MESSAGE_BYTES:,} bytes, this one takes {len(message):,}")
    if captions_follow_choice:
        _sentences()(key=f"said-{key}", data=join(orjson.dumps({"key": key}), packed_captions, _NO_STEPS))
    listener = _Listener(
        key,
        slider.steps if slider else None,
        rows.steps if rows else None,
        selection,
        (scene.draw, clicked) if clicked else None,
    )
    result = _component()(key=key, data=message, on_view_change=listener, on_failed_change=lambda: None)
    if not is_known and result.get("view"):
        # The browser was there before this session: its server was replaced, and what it reports is newer
        # than the address.
        replace(listener, clicked=None)()
        command()
        st.rerun()
    if result.get("failed"):
        step, row = (position(control.steps) if control else 0 for control in (slider, rows))
        places = {name: position(steps) for name, steps in selection.items()}
        figure = with_frames(scene.draw().at(step, row).plotly(), places)
        st.plotly_chart(go.Figure(figure), theme=None, key=f"{key}-still", alt=scene.alt)


def module_address() -> str:
    """Return where the module of all live figures is served, relative to a page."""
    return f".{PLOTLY_ROUTE}/live.js?v={content_hash(bundle())}"


def _share(scene: Scene) -> SharedScene:
    return SharedScene(lambda: scene, cache(partial(pack_scene, scene)))


@cache
def _component() -> Any:
    return st.components.v2.component(
        "live_figure", html=markup(), js=served_module(module_address()), isolate_styles=False
    )


@cache
def _sentences() -> Any:
    # Equal text is one module to the browser: captions sent to it reach the figures there.
    return st.components.v2.component(
        "live_said",
        html="<span class='live-said'></span>",
        js=served_module(module_address()),
        isolate_styles=False,
    )


def _check_count(payload: bytes, n_steps: int) -> None:
    count = count_steps(payload)
    if count != n_steps:
        raise ValueError(f"the slider has {n_steps} positions, so it needs {n_steps} figures, got {count}")


def _addresses() -> dict[str, str]:
    """Return the addresses of plotly.js and of the save panel."""
    base = st.get_option("server.baseUrlPath").strip("/")
    route = f"{'/' + base if base else ''}{PLOTLY_ROUTE}"
    return {
        "plotly": f"{route}/plotly.min.js?v={get_plotlyjs_version()}",
        "saver": f"{route}/save_panel.js?v={saver_version()}",
    }


@dataclass(frozen=True)
class _Listener:
    """Applies what the browser reports of one figure.

    Streamlit keeps it for as long as the session lasts, also while other pages are shown: so it holds no
    picture, only a function that draws it if clicks have an effect, and only the steps of sliders.
    """

    key: str
    slider: Steps | None
    rows: Steps | None
    selection: Mapping[str, Steps]
    clicked: Clicked | None

    def __call__(self) -> None:
        """Read the newest report; whatever is not of the right form is logged and ignored."""
        view = st.session_state.get(self.key, {}).get("view")
        key_of_cell = f"_live_cell_{self.key}"
        try:
            step, row, cell = self._read(view)
            places = _read_places(view, self.selection)
            if cell is not None and st.session_state.get(key_of_cell) == view["cell"]:
                cell = None  # it was clicked before
            if cell is not None and self.clicked is not None:
                _check_cell(cell, self.clicked[0]().at(step, row).cells())
        except ValueError as error:
            _LOG.warning("live figure %s: ignored a report from the browser: %s", self.key, error)
            return
        if self.slider:
            report(self.slider, step)
        if self.rows:
            report(self.rows, row)
        for name, place in places.items():
            report(self.selection[name], place)
        if cell is not None and self.clicked is not None:
            self.clicked[1](cell)
        st.session_state[key_of_cell] = view["cell"]

    def _read(self, view: Any) -> tuple[int, int, Cell | None]:
        if not isinstance(view, dict):
            raise ValueError(f"wanted an object, got {type(view).__name__}")
        n_steps, n_rows = (len(each.values) if each else 1 for each in (self.slider, self.rows))
        # A server that replaced another may lack a step between two: the address has its value.
        if view.get("of", [n_steps, n_rows]) != [n_steps, n_rows]:
            raise ValueError(f"wanted a place of {n_steps} by {n_rows}, got one of {view['of']!r:.40}")
        step, row = _index(view, "step", n_steps), _index(view, "row", n_rows)
        cell = view.get("cell")
        if cell is None:
            return step, row, None
        if not isinstance(cell, dict) or not isinstance(cell.get("trace"), str):
            raise ValueError("wanted a cell with the name of its trace")
        places = (_index(cell, side, _MOST_CELLS) for side in ("row", "column"))
        return step, row, Cell(cell["trace"], *places)


def _read_places(view: dict[str, Any], selection: Mapping[str, Steps]) -> dict[str, int]:
    """Return the index of each setting that a click sets."""
    places = view.get("chosen") if selection else {}
    if not isinstance(places, dict):
        raise ValueError(f"wanted the places of {', '.join(selection)}, got {places!r:.40}")
    return {name: _index(places, name, len(steps.values)) for name, steps in selection.items()}


def _check_cell(cell: Cell, cells: Mapping[str, tuple[int, int]]) -> None:
    """Check that a cell is one of those that the figure shows."""
    n_rows, n_columns = cells.get(cell.trace, (0, 0))
    if cell.row >= n_rows or cell.column >= n_columns:
        raise ValueError(
            f"wanted a cell of one of the maps {cells}, got row {cell.row}, column {cell.column} "
            f"of {cell.trace!r:.40}"
        )


def _index(source: Mapping[str, Any], name: str, count: int) -> int:
    value = source.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < count:
        raise ValueError(f"{name} must be a whole number from 0 to {count - 1}, got {value!r:.40}")
    return value
