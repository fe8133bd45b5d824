"""What the controls select: a training of a toy, or the heads of a whole model."""

from dataclasses import dataclass

from attn_core import RealModel
from attn_core.toys import Recipe
from attn_live.pyramid import Keep
from pages.learned_heads.long_text import LongText
from pages.learned_heads.ranked_heads import RankedHeads
from pages.learned_heads.two_texts import TwoTexts


@dataclass(frozen=True)
class ToySetting:
    """Which training is shown, on which letters, without which heads (counted from 0 over all layers)."""

    recipe: Recipe
    letters: str
    off: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Heads:
    """The heads of a whole model; of a real one with the text that it read, else of a file.

    Attributes:
        keep: what a point of a long map says of its block.
        head: which one is large, counted over all layers.
        zoom: the part of a long map in sight, as `Sight` has it.
    """

    ranked: RankedHeads
    model: RealModel | None = None
    text: str = ""
    keep: Keep = "max"
    head: int = 0
    zoom: str = ""


@dataclass(frozen=True, eq=False)
class FlowState:
    """What flows through all layers; with sinks set aside or not."""

    source: ToySetting | Heads
    aside: bool = False


@dataclass(frozen=True)
class EvictionState:
    """A toy that writes token by token with fewer keys than there are."""

    setting: ToySetting
    policy: str


@dataclass(frozen=True, eq=False)
class CloudState:
    """Queries and keys of one head of a real model as points; layer and head are counted from 0."""

    heads: Heads
    layer: int
    head: int
    by_place: bool = False


@dataclass(frozen=True, eq=False)
class NextState:
    """What a toy or a real model says next, of what top-k and top-p leave."""

    source: ToySetting | Heads
    top_k: int
    top_p: float


# None where nothing can be drawn yet
State = ToySetting | Heads | LongText | TwoTexts | FlowState | EvictionState | CloudState | NextState | None
