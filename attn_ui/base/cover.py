"""Covers a panel or curve of a figure: its numbers are removed from the message, a hatch replaces them.

Its numbers are removed at every step, together with all panels computed from them (`Page.panel_sources`), all
panels of unknown sources, and all traces that show the same numbers again. A browser cannot give away what it
never had.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.scene import Scene
from attn_live import paths
from attn_live.arrays import CrossedLabels
from attn_live.packing import Cursor
from attn_ui.base.scenes import Packed, SharedScene, pack_scene, trace_title
from attn_ui.base.shared_cache import shared
from attn_words import N_, _

PanelSources = Mapping[str, Sequence[str]]
GIVEN = ("given",)
"""The sources, in `Page.panel_sources`, of a given panel: shown even where it equals the covered one."""
Trace = dict[str, Any]
# Endings of the names of traces that are drawn around a panel.
_AROUND = (" hatch", " masked", " leak", " leaking", " faded", " ink", " ground")
_KEPT = ("type", "name", "xaxis", "yaxis", "xgap", "ygap", "hoverongaps", "orientation", "visible", "mode")
_CLEAR = [[end, theme.rgba(theme.LIGHT.masked, 0)] for end in (0, 1)]
_SHARED = 0.1  # of a panel's numbers: if this share is in the covered panel too, both show the same
_NUMBER = re.compile(r"\d+\.\d{2,}")
_MARK_SIZE = 30  # pixels
# Names of traces whose panels have no title, or a different one at each step.
_UNTITLED = (N_("distance"), N_("estimate map"), N_("one"), N_("other"))


def names(scene: Scene) -> tuple[str, ...]:
    """Return the names of the panels and curves that can be covered: those with numbers of their own.

    A block diagram has none.
    """
    figures = [still.figure for still in scene.stills]
    traces = () if _is_diagram(figures[0]) else chain.from_iterable(figure["data"] for figure in figures)
    return tuple(dict.fromkeys(trace["name"] for trace in traces if _shows_numbers(trace)))


def check(scene: Scene, name: str, panel_sources: Iterable[str] = ()) -> None:
    """Raise an error unless a panel or curve of this figure, or of another of the page's, has this name.

    Args:
        scene: the figure's; name: of the panel or curve to cover.
        panel_sources: the page's, see `Page.panel_sources`.

    Raises:
        ValueError: there is no such name; the message lists those of this figure.
    """
    available = names(scene)
    if name not in available and name not in panel_sources:
        if not available:
            raise ValueError(_("a panel or curve that is shown here: this figure has none"))
        raise ValueError(_("a panel or curve that is shown here: {names}", names=", ".join(available)))


def panel_title(name: str, scene: Scene | None = None) -> str:
    """Return what sentences call a panel or curve: its title, if the first and the last step have the same.

    Args:
        name: of its trace; scene: the figure's.
    """
    for trace in scene.stills[0].figure["data"] if scene else ():
        if trace.get("name") == name and (label := (trace.get("meta") or {}).get("said")):
            return html.unescape(str(label))
    panels = [scene.stills[end].parts().get(name) for end in (0, -1)] if scene else [None]
    titles = {panel.title for panel in panels if panel and panel.title != name}
    if len(titles) == 1 and not _NUMBER.search(title := titles.pop()):
        return title
    return trace_title(name)


Table = tuple[tuple[str, tuple[str, ...]], ...]


@shared
def pack_covered(message: bytes, name: str, panel_sources: Table, _shared: SharedScene) -> Packed:
    """Return a covered scene, packed; `message`, the scene's own, is part of the cache key."""
    return pack_scene(cover_panel(_shared.scene, name, panel_sources))


def cover_panel(scene: Scene, name: str, panel_sources: Table) -> Scene:
    """Return a scene without one panel's or curve's numbers and without whatever would reveal them.

    Args:
        scene: with all its numbers.
        name: of the trace to cover, which another figure of the page may have.
        panel_sources: the panels that each is computed from, by patterns of names; a panel without an entry
            is withheld too.

    Raises:
        ValueError: there is no such panel or curve.
    """
    check(scene, name, dict(panel_sources))
    figures = [scene.at(step, None).figure for step in range(scene.n_steps)]
    cursor = scene.cursor or Cursor(1)
    every = [str(trace.get("name")) for trace in figures[0]["data"]]
    if _is_diagram(figures[0]):
        return scene
    indices = _covered_indices(figures, cursor, name, dict(panel_sources))
    numbers = [np.concatenate([*_numbers(_of(figure, name))] or [np.empty(0)]) for figure in figures]
    ranges = _ranges(figures, indices)
    for figure, secrets in zip(figures, numbers, strict=True):
        traces = figure["data"]
        maps = {each["name"]: each for each in traces if each.get("type") == "heatmap"}
        figure["data"] = [
            _strip(trace, maps, name) if index in indices else trace for index, trace in enumerate(traces)
        ]
        _scrub(figure["layout"], traces, indices, secrets, ranges)
    return Scene(figures, _visible_part(cursor, indices, every) if scene.cursor else None)


# ---- what is taken away ----


def _covered_indices(
    figures: list[dict[str, Any]], cursor: Cursor, name: str, panel_sources: PanelSources
) -> set[int]:
    """Return the indices of the traces that are covered or withheld."""
    every = [str(trace.get("name")) for trace in figures[0]["data"]]
    mains = [
        each
        for each, trace in zip(every, figures[0]["data"], strict=True)
        if not each.endswith(_AROUND) and (trace.get("type") == "heatmap" or "fillpattern" not in trace)
    ]
    covered = {each for each in mains if each == name or _follows(each, name, panel_sources)}
    for index, each in enumerate(every):
        sources = [_trace(of, every) for path, of in cursor.rows_of.items() if _trace(path, every) == index]
        if each in mains and any(every[of] in covered for of in sources if of is not None):
            covered.add(each)
    for index, each in enumerate(every):
        is_given = _sources(each, panel_sources) == GIVEN
        if each in mains and each not in covered and not is_given and _repeats(figures, cursor, index, name):
            covered.add(each)
    owners = [max((main for main in mains if _is_part(each, main)), key=len, default=each) for each in every]
    return {
        index
        for index, (each, main) in enumerate(zip(every, owners, strict=True))
        if main in covered or (main == name and _is_part(each, name))
    }


def _is_part(each: str, name: str) -> bool:
    """Whether a trace belongs to a panel or curve: its hatch, its band, its dot."""
    return each == name or each.startswith((f"{name} ", f"{name}:"))


def _follows(each: str, name: str, panel_sources: PanelSources) -> bool:
    """Whether a panel is computed from the covered one, or has no entry in `panel_sources`."""
    sources_of = _sources(each, panel_sources)
    if sources_of is None:
        return True
    sources, visited = [*sources_of], set[str]()
    while sources:
        source = sources.pop()
        if fnmatchcase(name, source):
            return True
        if source not in visited:
            visited.add(source)
            sources += chain.from_iterable(
                more for pattern, more in panel_sources.items() if fnmatchcase(pattern, source)
            )
    return False


def _sources(each: str, panel_sources: PanelSources) -> tuple[str, ...] | None:
    """Return the panels that a panel is computed from; None if it has no entry."""
    return next(
        (tuple(sources) for pattern, sources in panel_sources.items() if fnmatchcase(each, pattern)), None
    )


def _trace(path: str, every: Sequence[str]) -> int | None:
    """Return the index of the trace that a path of a cursor points into; None for one into the layout."""
    kind, trace, *_rest = paths.parse(path)
    if kind != "data":
        return None
    return trace if isinstance(trace, int) else every.index(trace)


def _repeats(figures: list[dict[str, Any]], cursor: Cursor, index: int, name: str) -> bool:
    """Whether a trace shows, at any step, the numbers that are covered at this step."""
    for step, figure in enumerate(figures):
        hidden_numbers = _telling(_numbers(_of(figure, name)))
        every = [str(trace.get("name")) for trace in figure["data"]]
        numbers = _telling([*_numbers([figure["data"][index]]), *_changes(cursor, index, every, step)])
        common = len(np.intersect1d(hidden_numbers, numbers))
        if common and common >= _SHARED * min(len(hidden_numbers), len(numbers)):
            return True
    return False


def _changes(cursor: Cursor, index: int, every: Sequence[str], step: int) -> Iterator[NDArray[np.float64]]:
    """Yield the numbers that the cursor writes into a trace at a step."""
    for path, values in (*cursor.changes.items(), *cursor.by_step.items()):
        if _trace(path, every) == index:
            array = np.asarray(values)
            if array.dtype.kind == "f":
                yield np.ravel(array[step] if path in cursor.by_step else array).astype(np.float64)


def _of(figure: dict[str, Any], name: str) -> list[Trace]:
    return [trace for trace in figure["data"] if trace.get("name") == name]


def _numbers(traces: Sequence[Trace]) -> Iterator[NDArray[np.float64]]:
    """Yield the numbers that traces show: of a map its cells, of a curve its heights."""
    for trace in traces:
        for key in ("z", "y", "customdata") if trace.get("type") != "bar" else ("x", "y", "customdata"):
            if key == "customdata" and trace.get("type") == "heatmap":
                continue  # these are further numbers of its hover, from other panels
            value = trace.get(key)
            if value is not None and np.asarray(value).dtype.kind == "f":
                yield np.ravel(np.asarray(value)).astype(np.float64)


def _telling(arrays: Any) -> NDArray[np.float32]:
    """Return the numbers that are not equal by chance: those with more than three decimals, in float32."""
    numbers = np.concatenate([*arrays] or [np.empty(0)])
    finite = numbers[np.isfinite(numbers)].astype(np.float32)
    is_rounded = np.round(finite, 3) == finite
    return np.unique(finite[~is_rounded])


def _is_diagram(figure: Mapping[str, Any]) -> bool:
    """Whether a figure is a block diagram: its boxes show shapes and no numbers."""
    return any((trace.get("meta") or {}).get("opens") for trace in figure["data"])


def _shows_numbers(trace: Trace) -> bool:
    if trace.get("visible", True) is False or str(trace.get("name")).endswith(_AROUND):
        return False
    if trace.get("type") == "heatmap":
        return "z" in trace
    is_drawn = trace.get("type") == "bar" or trace.get("mode") in ("lines", "lines+markers")
    fills = "fillpattern" in trace or trace.get("fill") in ("toself", "tonexty")
    return is_drawn and not fills and np.size(trace.get("y", ())) > 1 and ":" not in str(trace.get("name"))


# ---- what takes its place ----


def _strip(trace: Trace, maps: Mapping[str, Trace], name: str) -> Trace:
    """Return a trace without its numbers; the hatch of a map then covers all of it."""
    base = {key: trace[key] for key in _KEPT if key in trace}
    own = str(trace["name"])
    if trace.get("visible", True) is False and own in maps and not own.endswith(" masked"):
        return base
    over = maps.get(own.removesuffix(" masked").removesuffix(" hatch"))
    if over is None or "z" not in over or over.get("visible", True) is False:
        return base | {"visible": False} | ({"x": [], "y": []} if trace.get("type") != "heatmap" else {})
    size = np.shape(over["z"])
    if own.endswith(" hatch"):
        return base | {"visible": True} | _hatch(over, size, "?" if own == f"{name} hatch" else "")
    meta = (over.get("meta") or {}) | {"covered": True}
    texts = over.get("hovertext")
    crossed = {"hovertext": texts} if isinstance(texts, CrossedLabels) else {}
    if own.endswith(" masked"):
        place = str(over.get("hovertemplate", "")).partition("<br>")[0]
        place = "" if "%{z" in place or "%{customdata" in place else place
        is_covered = _("covered")
        hover = {"hovertemplate": f"{place}<br><b>{is_covered}</b><extra></extra>"}
        cells = {"z": np.zeros(size), "colorscale": _CLEAR, "showscale": False}
        return base | {"visible": True, "meta": meta} | cells | hover | crossed
    spots = {side: over[side] for side in ("x", "y") if side in over}
    blank = {"showscale": False, "colorscale": _CLEAR}
    return base | {"z": np.full(size, np.nan), "meta": meta} | blank | spots | crossed


def _hatch(over: Trace, size: tuple[int, ...], mark: str) -> Trace:
    """Return the outline of a whole map, hatched, with a mark in its middle."""
    (left, right), (top, bottom) = (
        _ends(over.get(side), count) for side, count in (("x", size[1]), ("y", size[0]))
    )
    xs = [left, right, right, left, left, None, (left + right) / 2]
    ys = [top, top, bottom, bottom, top, None, (top + bottom) / 2]
    text = {
        "mode": "lines+text",
        "text": ["", "", "", "", "", "", f"<b>{mark}</b>"],
        "textfont": {"size": _MARK_SIZE, "color": theme.LIGHT.ink},
        "textposition": "middle center",
    }
    fill = {"fill": "toself", "fillcolor": theme.LIGHT.masked, "fillpattern": theme.COVERED}
    outline = {"x": xs, "y": ys, "hoverinfo": "skip", "line": {"width": 2, "color": theme.LIGHT.muted}}
    return outline | fill | (text if mark else {"mode": "lines"})


def _ends(places: Any, count: int) -> tuple[float, float]:
    """Return where a map's first cell begins and its last ends."""
    if places is None or len(places) < 2:
        return -0.5, count - 0.5
    half = (float(places[1]) - float(places[0])) / 2
    return float(places[0]) - half, float(places[-1]) + half


# ---- what stands around it ----


def _ranges(figures: list[dict[str, Any]], indices: set[int]) -> dict[str, float]:
    """Return the largest visible magnitude on each colour axis; an axis of hidden maps alone has no entry."""
    reach: dict[str, float] = {}
    for figure in figures:
        for index, trace in enumerate(figure["data"]):
            axis = trace.get("coloraxis")
            if axis and index not in indices and "z" in trace:
                cells = np.abs(np.asarray(trace["z"], dtype=np.float64))
                most = float(cells[np.isfinite(cells)].max(initial=0.0))
                reach[axis] = max(reach.get(axis, 0.0), most)
    return reach


def _scrub(
    layout: dict[str, Any],
    traces: Sequence[Trace],
    indices: set[int],
    numbers: NDArray[np.float64],
    ranges: Mapping[str, float],
) -> None:
    """Remove what reveals the numbers from a layout: ends of colour scales and axes, texts with numbers."""
    secret = set(_telling([numbers, -numbers]).tolist())
    axes = {str(axis) for index in indices if (axis := traces[index].get("coloraxis"))}
    for axis in axes:
        if axis not in ranges:
            layout.pop(axis, None)
        elif np.float32(layout.get(axis, {}).get("cmax", 0.0)).item() in secret:
            reach = ranges[axis] or 1.0
            least = -reach if layout[axis]["cmin"] < 0 else 0.0
            layout[axis] = layout[axis] | {"cmin": least, "cmax": reach, "colorbar": {"thickness": 10}}
    for name, axis in layout.items():
        if name.startswith(("xaxis", "yaxis")) and isinstance(axis, dict) and "range" in axis:
            axis["range"] = [
                float(f"{end:.1g}") if np.float32(end).item() in secret else end for end in axis["range"]
            ]
    names_at: dict[tuple[str, str], str] = {}
    for trace in traces:  # the first on a pair of axes is the map itself
        names_at.setdefault((f"{trace.get('xaxis')} domain", f"{trace.get('yaxis')} domain"), trace["name"])
    hidden_names = {traces[index]["name"] for index in indices}
    for shape in layout.get("shapes", ()):  # others' frames on a covered map may reveal the answer
        own = names_at.get((f"{shape.get('xref')} domain", f"{shape.get('yref')} domain"), "")
        if own in hidden_names and not _is_part(str(shape.get("name")), own):
            shape["visible"] = False
    for note in layout.get("annotations", ()):
        own = names_at.get((note.get("xref"), note.get("yref")), "")
        tokens = _NUMBER.findall(str(note.get("text", "")))
        if tokens and (own in hidden_names or any(_tells(token, numbers) for token in tokens)):
            note["text"] = html.escape(panel_title(own)) or " "  # its title had a number computed from it


def _tells(token: str, numbers: NDArray[np.float64]) -> bool:
    """Whether a written number equals one of these, rounded to as many decimals, whatever the sign."""
    digits = len(token.partition(".")[2])
    return bool(np.any(np.round(np.abs(numbers), digits) == float(token)))


def _visible_part(cursor: Cursor, indices: set[int], every: Sequence[str]) -> Cursor:
    """Return the cursor without its changes to covered or withheld traces."""

    def stays(path: str) -> bool:
        return _trace(path, every) not in indices

    changes, by_step = (
        {path: values for path, values in each.items() if stays(path)}
        for each in (cursor.changes, cursor.by_step)
    )
    copies = {path: of for path, of in cursor.rows_of.items() if stays(path) and stays(of)}
    return Cursor(cursor.n_rows, changes, by_step, copies)
