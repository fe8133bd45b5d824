"""Scenes that are packed once for all sessions, and drawn again only when their numbers are read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, wraps
from typing import Generic, ParamSpec, TypeVar

from attn_figures.scene import Scene
from attn_live.captions import StepCaption, pack_captions
from attn_ui.base.shared_cache import shared

P = ParamSpec("P")
R = TypeVar("R")


class Later(Generic[R]):
    """A value that is computed when it is first needed, and then kept."""

    def __init__(self, make: Callable[[], R]) -> None:
        """Make nothing yet."""
        self._make: Callable[[], R] | None = make

    def __call__(self) -> R:
        """Return it."""
        if (make := self._make) is not None:
            self._value, self._make = make(), None
        return self._value


Packed = tuple[bytes, Later[bytes] | None]
"""What the browser takes: the steps of a figure, and its sentences."""


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
        own: sentences that are packed apart, in place of the scene's.
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
        if self.own is not None:
            return self.own.pack()
        later = self.pack()[1]
        return None if later is None else later()

    def with_captions(self, own: Sentences) -> "SharedScene":
        """Return the same scene with other captions."""
        return replace(self, own=own)


def pack_scene(scene: Scene) -> Packed:
    """Pack a scene for the browser."""
    captions = scene.captions
    return scene.pack(), None if captions is None else Later(lambda: pack_captions(captions))


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


class shared_captions(Generic[P]):  # noqa: N801  (a decorator, as `shared` is)
    """Cache the captions that a function returns, packed, for all sessions."""

    def __init__(self, say: Callable[P, Sequence[StepCaption]]) -> None:
        """Take a function that returns sentences."""

        @wraps(say)
        def pack(*args: P.args, **kwargs: P.kwargs) -> bytes:
            return pack_captions(say(*args, **kwargs))

        self.say, self.pack = say, shared(pack)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Sentences:
        """Return the sentences; none is said yet."""
        return Sentences(partial(self.say, *args, **kwargs), partial(self.pack, *args, **kwargs))
