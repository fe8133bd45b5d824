"""A link's figure with everything that a web page needs to show it without a server."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl

import orjson

from attn_live import compact_figure
from attn_live.captions import Run, caption_at, captions_at, longest_caption
from attn_live.packing import message
from attn_ui.base.link_options import DECIMALS, LANG, PALETTE
from attn_ui.base.message_head import message_head
from attn_ui.base.page import At, Columns, Figure, Slider
from attn_ui.base.programs import OneProgram
from attn_ui.base.scenes import Later, SharedScene
from attn_ui.lessons.figures import open_link, page_of
from attn_words import _, language, writing
from programs.writing import PYTORCH

WIDTHS = (320, 350, 560, 680, 930)
"""Pixels of the room that a figure is arranged for: phones, tablets, the column of a book, a wide page."""
MOST_BYTES = 450_000  # of a figure's message; a slider with too many steps for it goes in larger ones


@dataclass(frozen=True)
class Bar:
    """A slider at its first position: its label, its read-out, its place, and the number of places."""

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
        message: what the live figure takes.
        sentence: what is seen, in runs of text with their roles; longest: the longest that its sliders say.
        bars: its sliders.
        heights: pixels of height of the picture as it opens, by the width of its room.
        rooms: those of its highest step, likewise.
        tables: its numbers; program: prints them, "" where its page hands over none.
    """

    link: str
    language: str
    title: str
    name: str
    alt: str
    caption: str
    message: bytes
    sentence: Sequence[Run]
    longest: Sequence[Run]
    bars: Sequence[Bar]
    heights: Mapping[int, int]
    rooms: Mapping[int, int]
    tables: Mapping[str, Columns]
    program: str

    @property
    def id(self) -> str:
        """Its name among all figures: the same figure has the same, whoever publishes it."""
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
    """Return the figure of a link, in the language that is spoken; without sentences where it is quiet.

    Args:
        link: to this app, from the page's name on: "single-head?mask=causal"; "" is the overview. A whole
            address is taken too, whatever its host.

    Raises:
        ValueError: it leads to no page, or a setting of it cannot be used; with what was wanted.
        LookupError: the page has no figure there; with what it says instead.
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
    figure = _small_enough(at.view.figure, at)
    places = {steps.name: steps.nearest(at.controls.value(steps)) for steps in _settings(figure)}
    head = message_head(
        figure.key,
        figure.slider,
        figure.rows,
        figure.chosen,
        lambda steps: places[steps.name],
        palette=at.controls.peek(PALETTE),
        alt=figure.alt,
        name=figure.name,
        caption=figure.caption,
        revision=0,
        fixed=figure.captions_follow_choice,
        plotly="",
        saver="",
        link=link,
    )
    step, row = (places[each.steps.name] if each else 0 for each in (figure.slider, figure.rows))
    captions = b"" if quiet else compact_figure.deflate_again(figure.captions or b"")
    heights = {width: compact_figure.heights_at(figure.steps, width) for width in WIDTHS}
    return Published(
        link=link,
        language=language(),
        title=_(at.page.title),
        name=figure.name,
        alt=figure.alt,
        caption=figure.caption,
        message=message(orjson.dumps(head), captions, figure.steps),
        sentence=caption_at(captions, step, row) if captions else (),
        longest=longest_caption(captions) if captions else (),
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
    """Return a link from its page's name on, whatever stands before.

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
    return [*(each.steps for each in (figure.slider, figure.rows) if each), *figure.chosen.values()]


def _program(at: At[Any]) -> str:
    try:
        handed = at.programs
    except LookupError:
        return ""
    program = handed.program if isinstance(handed, OneProgram) else handed.program(PYTORCH)
    return program.text(whole=True)


def _small_enough(figure: Figure, at: At[Any]) -> Figure:
    """Return a figure made lighter; with every second step, every third, ... until it is small enough."""
    stride = 1
    smaller = _with_steps(figure, compact_figure.keep_widths(figure.steps, WIDTHS))
    while len(smaller.steps) + len(smaller.captions or b"") > MOST_BYTES:
        stride += 1
        if figure.slider is None or stride >= len(figure.slider.steps.values):
            raise ValueError(
                _("{link} takes more than {most} bytes.", link=figure.name, most=f"{MOST_BYTES:,}")
            )
        fewer = _with_every(figure, figure.slider, stride, at)
        smaller = _with_steps(fewer, compact_figure.keep_widths(fewer.steps, WIDTHS))
    return smaller


def _with_every(figure: Figure, slider: Slider, stride: int, at: At[Any]) -> Figure:
    """Return a figure with every so many-th step, where it stands among them, both ends, and what is named.

    The default stays too, for the link of a figure that stands there does not say it.
    """
    count = len(slider.steps.values)
    here = slider.steps.nearest(at.controls.value(slider.steps))
    stay = [slider.steps.nearest(value) for value in (slider.steps.default, *slider.steps.landmarks)]
    steps = sorted({0, count - 1, *range(here % stride, count, stride), *stay})
    values = tuple(slider.steps.values[step] for step in steps)
    captions = figure.captions and captions_at(figure.captions, steps)
    names = tuple(slider.names[step] for step in steps) if slider.names else ()
    fewer = _with_steps(figure, compact_figure.keep_steps(figure.steps, steps), captions)
    return replace(fewer, slider=replace(slider, steps=replace(slider.steps, values=values), names=names))


def _with_steps(figure: Figure, steps: bytes, captions: bytes | None = None) -> Figure:
    """Return a figure with other steps, and with other sentences where there are some."""
    captions = captions or figure.captions
    payload = steps, Later(lambda: captions) if captions else None
    return replace(figure, scene=SharedScene(lambda: figure.scene.scene, lambda: payload))
