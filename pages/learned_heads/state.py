"""What is asked for, as a value: a training of a toy, or the heads of a whole model."""

from dataclasses import dataclass

from attn_core import RealModel
from attn_core.toys import Recipe
from attn_live.pyramid import Keep
from pages.learned_heads.long_text import LongText
from pages.learned_heads.whole import Whole


@dataclass(frozen=True)
class Setting:
    """Which training is shown, on which letters, without which heads (counted from 0 over all layers)."""

    recipe: Recipe
    typed: str
    off: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Heads:
    """The heads of a whole model; of a real one with the text that it read, else of a file.

    Attributes:
        keep: what a point of a long map says of its block.
        head: which one is large, counted over all layers.
        zoom: the part of a long map in sight, as `Sight` has it.
    """

    whole: Whole
    model: RealModel | None = None
    text: str = ""
    keep: Keep = "max"
    head: int = 0
    zoom: str = ""


@dataclass(frozen=True, eq=False)
class Flowing:
    """What flows through all layers; with sinks set aside or not."""

    of: Setting | Heads
    aside: bool = False


@dataclass(frozen=True)
class Evicting:
    """A toy that writes token by token with fewer keys than there are."""

    setting: Setting
    policy: str


@dataclass(frozen=True, eq=False)
class Clouding:
    """Queries and keys of one head of a real model as points; layer and head are counted from 0."""

    of: Heads
    layer: int
    head: int
    by_place: bool = False


# None where nothing can be drawn yet
State = Setting | Heads | LongText | Flowing | Evicting | Clouding | None
