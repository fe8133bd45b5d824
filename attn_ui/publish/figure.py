"""A link's figure with everything that a web page needs to show it without a server."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl

import orjson

from attn_figures.arrange import fitting
from attn_figures.scene import Scene
from attn_live.captions import LazyMap, TextSpan, spans
from attn_live.compact_figure import at_steps, deflate_again
from attn_live.packing import PREFIX_BYTES, message
from attn_ui.base.figure import Figure, Slider
from attn_ui.base.link_options import DECIMALS, LANG, PALETTE
from attn_ui.base.message_head import message_head
from attn_ui.base.page import At, Columns
from attn_ui.base.programs import OneProgram
from attn_ui.base.scenes import Packed, pack_scene
from attn_ui.lessons.figures import open_link, page_of
from attn_words import _, language, writing
from programs.writing import PYTORCH

WIDTHS = (320, 350, 560, 680, 930)
"""The widths in pixels that a figure is arranged for: phones, tablets, the column of a book, a wide page."""
MOST_BYTES = 450_000  # of a figure's message; a slider with too many steps for it is thinned


@dataclass(frozen=True)
class Bar:
    """A slider as the page opens: label, read-out, length of the longest, index, number of positions."""

    name: str
    label: str
    text: str
    longest: int
    place: int
    count: int


@dataclass(frozen=True, eq=False)
class Published:
    """A figure at a link, in one language.

    Attributes:
        link: the page and its settings, from the page's name on.
        language: of its words.
        title: of its page; name: of the figure; alt: what it shows; caption: the settings it was made with.
        message: the message to the live figure.
        sentence: its caption as runs of text with their roles; longest: its longest caption at any position.
        bars: its sliders.
        heights: the height of the picture as the page opens, in pixels, by the width of its room.
        rooms: the height of the highest step, likewise.
        tables: its numbers; program: one that prints them, "" for none.
    """

    link: str
    language: str
    title: str
    name: str
    alt: str
    caption: str
    message: bytes
    sentence: Sequence[TextSpan]
    longest: Sequence[TextSpan]
    bars: Sequence[Bar]
    heights: Mapping[int, int]
    rooms: Mapping[int, int]
    tables: Mapping[str, Columns]
    program: str

    @property
    def id(self) -> str:
        """Its name among all figures, a hash of its message: equal figures have equal names."""
        return hashlib.sha256(self.message).hexdigest()[:16]

    @property
    def in_base64(self) -> str:
        """The message as text, as scripts and elements hold it."""
        return base64.b64encode(self.message).decode()

    @property
    def sentence_text(self) -> str:
        """The sentence as plain text."""
        return "".join(text for _role, text in self.sentence)


def figure_of_link(link: str, *, quiet: bool = False) -> Published:
    """Return the figure of a link, in the current language; without captions if `quiet`.

    Args:
        link: to this app, from the page's name on: "single-head?mask=causal"; "" is the overview. A whole
            address is taken too, whatever its host.

    Raises:
        ValueError: it leads to no page, or a setting of it cannot be used; the message says what was wanted.
        LookupError: the page has no figure there.
    """
    link = path_of(link)
    query = dict(parse_qsl(link.partition("?")[2]))
    if query.get(LANG.name, language()) != language():
        raise ValueError(f"wanted a link in the language of its site ({language()}), got {link!r}")
    with writing(3 if query.get(DECIMALS.name) == "3" else 2):
        return _figure_of_path(link, quiet=quiet)


def _figure_of_path(link: str, *, quiet: bool) -> Published:
    at = open_link(link)
    if at.view.figure is None:
        raise LookupError(_("{link} has no figure.", link=link))
    figure, scene, (steps, captions, alt) = _small_enough(at.view.figure, at)
    captions = None if quiet else captions
    places = {steps.name: steps.nearest(at.controls.value(steps)) for steps in _settings(figure)}
    head = message_head(
        figure.key,
        figure.slider,
        figure.rows,
        figure.selection,
        lambda steps: places[steps.name],
        palette=at.controls.peek(PALETTE),
        alt=alt,
        name=figure.name,
        caption=figure.caption,
        revision=0,
        fixed=figure.captions_follow_choice,
        plotly="",
        saver="",
        link=link,
    )
    step, row = (places[each.steps.name] if each else 0 for each in (figure.slider, figure.rows))
    heights = {width: [_height(still.figure, width) for still in scene.stills] for width in WIDTHS}
    return Published(
        link=link,
        language=language(),
        title=_(at.page.title),
        name=figure.name,
        alt=alt,
        caption=figure.caption,
        message=message(orjson.dumps(head), deflate_again(captions) if captions else b"", steps),
        sentence=() if captions is None else spans(scene.caption(step, row)),
        longest=() if captions is None else _longest(scene),
        bars=[
            Bar(each.steps.name, each.label, texts[place], max(map(len, texts)), place, len(texts))
            for each in (figure.slider, figure.rows)
            if each
            for texts, place in [(each.texts(), places[each.steps.name])]
        ],
        heights={width: each[step] for width, each in heights.items()},
        rooms={width: max(each) for width, each in heights.items()},
        tables=at.tables,
        program=_program(at),
    )


def path_of(link: str) -> str:
    """Return a link from its page's name on; ValueError if it leads to no page.

    >>> path_of("https://lab.example.org/single-head?t=0.5"), path_of("/multi-head"), path_of("?t=0.5")
    ('single-head?t=0.5', 'multi-head', '?t=0.5')
    """
    address, asks, query = link.strip().partition("?")
    _scheme, apart, after = address.partition("://")
    # Behind a proxy the app may live below a path of its own.
    page = after.partition("/")[2].strip("/").rpartition("/")[2] if apart else address.strip("/")
    path = f"{page}{asks}{query}"
    page_of(path)  # there is such a page
    return path


def _settings(figure: Figure) -> list[Any]:
    return [*(each.steps for each in (figure.slider, figure.rows) if each), *figure.selection.values()]


def _program(at: At[Any]) -> str:
    try:
        programs = at.programs
    except LookupError:
        return ""
    program = programs.program if isinstance(programs, OneProgram) else programs.program(PYTORCH)
    return program.text(whole=True)


def _small_enough(figure: Figure, at: At[Any]) -> tuple[Figure, Scene, Packed]:
    """Return a figure, its scene, and the packed scene, with every second, third, ... step until it is small.

    Arrangements for pages are left out if none of `WIDTHS` needs them.
    """
    scene, slider = figure.scene.scene, figure.slider
    drawings, cursor = LazyMap(_arrange_for_widths, scene.drawings), scene.cursor
    for stride in range(1, max(2, scene.n_steps)):
        places = _every(slider, stride, at) if slider else [0]
        moves, captions, by_step = (
            at_steps(each, places) for each in (scene.moves, scene.captions, cursor and cursor.by_step)
        )
        fewer = Scene(
            at_steps(drawings, places) if moves is None else drawings,
            cursor and replace(cursor, by_step=by_step),
            moves,
            captions,
        )
        payload, packed_captions, alt = pack_scene(fewer)
        steps = payload[:PREFIX_BYTES] + deflate_again(payload[PREFIX_BYTES:])
        if len(steps) + len(packed_captions or b"") <= MOST_BYTES:
            if slider:
                values = tuple(slider.steps.values[place] for place in places)
                names = at_steps(slider.texts(), places)
                slider = replace(slider, steps=replace(slider.steps, values=values), names=names)
            return replace(figure, slider=slider), fewer, (steps, packed_captions, alt)
    raise ValueError(_("{link} takes more than {most} bytes.", link=figure.name, most=f"{MOST_BYTES:,}"))


def _every(slider: Slider, stride: int, at: At[Any]) -> list[int]:
    """Return every ``stride``-th step, from the slider's own, and both ends, the landmarks and the default.

    The default is kept because a link leaves it out.
    """
    count = len(slider.steps.values)
    here = slider.steps.nearest(at.controls.value(slider.steps))
    stay = [slider.steps.nearest(value) for value in (slider.steps.default, *slider.steps.landmarks)]
    return sorted({0, count - 1, *range(here % stride, count, stride), *stay})


def _arrange_for_widths(drawing: dict[str, Any]) -> dict[str, Any]:
    """Return a figure with the arrangements that `WIDTHS` need, and those for slides and projectors."""
    layout = drawing["layout"]
    if not (screens := _screens(drawing)):
        return drawing
    own = {id(fitting(screens, width)) for width in WIDTHS}
    screens = [each for each in screens if each["slide"] or id(each) in own]
    return {**drawing, "layout": {**layout, "meta": {**layout["meta"], "screens": screens}}}


def _height(figure: dict[str, Any], width: int) -> int:
    """Return the height of a figure at a width, in pixels."""
    screens = _screens(figure)
    return int(fitting(screens, width)["height"] if screens else figure["layout"].get("height") or 450)


def _screens(figure: dict[str, Any]) -> list[dict[str, Any]]:
    screens: list[dict[str, Any]] = (figure["layout"].get("meta") or {}).get("screens", [])
    return screens


def _longest(scene: Scene) -> list[TextSpan]:
    """Return the spans of the caption with the most letters, of all positions."""
    n_rows = scene.cursor.n_rows if scene.cursor else 1
    captions = dict.fromkeys(
        scene.caption(step, row) for step in range(scene.n_steps) for row in range(n_rows)
    )
    return max(map(spans, captions), key=lambda texts: sum(len(text) for _role, text in texts))
