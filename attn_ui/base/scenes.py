"""Scenes that are packed once for all sessions, and drawn again for whoever asks for one of their numbers."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial, wraps
from typing import Generic, ParamSpec

from attn_figures.scene import Scene
from attn_live.says import pack_says
from attn_ui.base.shared_cache import shared

P = ParamSpec("P")
Packed = tuple[bytes, bytes | None]
"""What the browser takes: the steps of a figure, and its sentences."""


@dataclass(frozen=True, eq=False)
class SharedScene:
    """The scene of a figure. Neither is made before it is asked for.

    Attributes:
        draw: makes the scene; pack: returns it packed, mostly from the cache; own_says: sentences that are
            packed apart, since they change where the steps do not.
    """

    draw: Callable[[], Scene]
    pack: Callable[[], Packed]
    own_says: bytes | None = None

    @cached_property
    def scene(self) -> Scene:
        """The scene itself, with all its numbers."""
        return self.draw()

    @cached_property
    def steps(self) -> bytes:
        """The figure at every position of its slider, packed."""
        return self.pack()[0]

    @cached_property
    def says(self) -> bytes | None:
        """Its sentences, packed."""
        return self.own_says or self.pack()[1]

    def saying(self, says: bytes) -> "SharedScene":
        """Return the same with sentences that are packed apart."""
        return replace(self, own_says=says)


def packed(scene: Scene) -> Packed:
    """Pack a scene for the browser."""
    return scene.packed(), None if scene.says is None else pack_says(scene.says)


class shared_scene(Generic[P]):  # noqa: N801  (a decorator, as `shared` is)
    """Share what a function draws: packed it is kept as `shared` keeps results, by the same rules."""

    def __init__(self, draw: Callable[P, Scene]) -> None:
        """Take a function that draws a scene."""

        @wraps(draw)
        def pack(*args: P.args, **kwargs: P.kwargs) -> Packed:
            return packed(draw(*args, **kwargs))

        self.draw, self.packed = draw, shared(pack)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> SharedScene:
        """Return the scene; nothing is drawn yet."""
        return SharedScene(partial(self.draw, *args, **kwargs), partial(self.packed, *args, **kwargs))
