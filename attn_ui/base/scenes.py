"""Scenes that are packed once for all sessions, and drawn again only when their numbers are read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, wraps
from typing import Any, Generic, ParamSpec

from attn_figures.scene import Scene
from attn_live.captions import StepCaption, pack_captions
from attn_live.packing import pack_with_texts
from attn_ui.base.shared_cache import shared

P = ParamSpec("P")


Packed = tuple[bytes, bytes | None, Mapping[str, Any]]
"""What the browser takes: the steps of a figure and its sentences; and its texts that no step changes."""


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
    def texts(self) -> Mapping[str, Any]:
        """The texts at its panels that no step changes."""
        return self.pack()[2]

    def with_captions(self, own: Sentences) -> "SharedScene":
        """Return the same scene with other captions."""
        return replace(self, own=own)


def pack_scene(scene: Scene) -> Packed:
    """Pack a scene for the browser."""
    steps, texts = pack_with_texts(scene.drawings, scene.cursor, scene.moves)
    return steps, None if scene.captions is None else pack_captions(scene.captions), texts


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
