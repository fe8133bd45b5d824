"""Scenes that are packed once for all sessions, and drawn again only when their numbers are read."""

import html
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, wraps
from typing import Any, Generic, ParamSpec

from attn_figures.scene import Scene
from attn_live.captions import StepCaption, pack_captions
from attn_live.packing import pack_with_texts
from attn_ui.base.shared_cache import shared
from attn_words import _

P = ParamSpec("P")

_NUMBERED = re.compile(r"head (\d+(?:\.\d+)?)")

Packed = tuple[bytes, bytes | None, str]
"""What the browser takes: the steps of a figure, its captions, and its alternative text."""


@dataclass(frozen=True, eq=False)
class Sentences:
    """The captions of a figure, plain and packed."""

    captions: Callable[[], Sequence[StepCaption]]
    pack: Callable[[], bytes]


@dataclass(frozen=True, eq=False)
class SharedScene:
    """A figure's scene and its packed message, both made when they are first needed.

    Attributes:
        draw: makes the scene; pack: returns it packed, mostly from the cache.
        own: captions that replace the scene's, and are packed separately.
    """

    draw: Callable[[], Scene]
    pack: Callable[[], Packed]
    own: Sentences | None = None

    @cached_property
    def scene(self) -> Scene:
        """The scene itself, with all its numbers."""
        return self.draw() if self.own is None else replace(self.draw(), captions=self.own.captions())

    @cached_property
    def steps(self) -> bytes:
        """The figure at every position of its slider, packed."""
        return self.pack()[0]

    @cached_property
    def captions(self) -> bytes | None:
        """Its sentences, packed."""
        return self.pack()[1] if self.own is None else self.own.pack()

    @property
    def alt(self) -> str:
        """Its alternative text."""
        return self.pack()[2]

    def with_captions(self, own: Sentences) -> "SharedScene":
        """Return the same scene with other captions."""
        return replace(self, own=own)


def pack_scene(scene: Scene) -> Packed:
    """Pack a scene for the browser."""
    steps, texts = pack_with_texts(scene.drawings, scene.cursor, scene.moves)
    return steps, None if scene.captions is None else pack_captions(scene.captions), alternative_text(texts)


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
        texts += [title for title in titles[x] if title] or ([trace_title(name[0])] if name else [])
        down, across = (_plain(layout.get(f"{y}axis{x[1:]}", {}).get("title", {}).get("text")) for y in "yx")
        if down and across:
            texts.append(_("{vertical} by {horizontal}", vertical=down, horizontal=across))
    return _("; ").join(dict.fromkeys(texts))


def _plain(text: object) -> str:
    """Return a text without its tags; commas separate the entries of a legend."""
    bare = html.unescape(re.sub("<[^>]*>", "", str(text or "").replace("<br>", " "))).strip()
    return " ".join(_(", ").join(re.split(r"\s{3,}", bare)).split())


def trace_title(name: str) -> str:
    """Return the title of a panel or curve in the visitor's language, from the name of its trace.

    >>> trace_title("head 2"), trace_title("with the residual, one head")
    ('head 2', 'with the residual, one head')
    """
    match = _NUMBERED.fullmatch(name)
    return _("head {number}", number=match[1]) if match else _(", ").join(map(_, name.split(", ")))


class shared_scene(Generic[P]):  # noqa: N801  (a decorator, as `shared` is)
    """Cache the scene that a function draws, packed, for all sessions."""

    def __init__(self, draw: Callable[P, Scene]) -> None:
        """Take a function that draws a scene."""

        @wraps(draw)
        def pack(*args: P.args, **kwargs: P.kwargs) -> Packed:
            return pack_scene(draw(*args, **kwargs))

        self.draw, self.pack = draw, shared(pack)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> SharedScene:
        """Return the scene; nothing is drawn yet."""
        return SharedScene(partial(self.draw, *args, **kwargs), partial(self.pack, *args, **kwargs))


def shared_captions(say: Callable[P, Sequence[StepCaption]]) -> Callable[P, Sentences]:
    """Cache the captions that a function returns, packed, for all sessions; nothing is computed yet."""

    @shared
    @wraps(say)
    def pack(*args: P.args, **kwargs: P.kwargs) -> bytes:
        return pack_captions(say(*args, **kwargs))

    return lambda *args, **kwargs: Sentences(partial(say, *args, **kwargs), partial(pack, *args, **kwargs))
