"""The state of the page: a training of a toy, or the heads of a whole model."""

from dataclasses import dataclass

from attn_core import RealModel
from attn_core.toys import Recipe
from attn_live.pyramid import Keep
from pages.learned_heads.long_text import LongText
from pages.learned_heads.ranked_heads import RankedHeads
from pages.learned_heads.two_texts import TwoTexts


@dataclass(frozen=True)
class ToySetting:
    """The training on screen, its letters, and the heads that are off (from 0 over all layers)."""

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
    """The flow through all layers, with sinks left out or not."""

    source: ToySetting | Heads
    drops_sinks: bool = False


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
    """The next token of a toy or a real model, with top-k and top-p."""

    source: ToySetting | Heads
    top_k: int
    top_p: float


# None where nothing can be drawn yet
State = ToySetting | Heads | LongText | TwoTexts | FlowState | EvictionState | CloudState | NextState | None
