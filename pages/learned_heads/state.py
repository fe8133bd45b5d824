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
    """The recipe of a toy, the sequence, and the heads that are off (zero-based indices over all layers)."""

    recipe: Recipe
    letters: str
    off: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Heads:
    """The heads of a whole model: a real model and its text, or the maps of a file.

    Attributes:
        keep: "max" or "mean", the weight of its block that a point of a long map shows.
        head: the zero-based index over all layers of the large head.
        zoom: the visible part of a long map, as text of a `Sight`.
    """

    ranked: RankedHeads
    model: RealModel | None = None
    text: str = ""
    keep: Keep = "max"
    head: int = 0
    zoom: str = ""


@dataclass(frozen=True, eq=False)
class FlowState:
    """The flow through all layers, with attention sinks dropped or not."""

    source: ToySetting | Heads
    drops_sinks: bool = False


@dataclass(frozen=True)
class EvictionState:
    """A toy whose cache keeps fewer keys than the sequence has."""

    setting: ToySetting
    policy: str


@dataclass(frozen=True, eq=False)
class CloudState:
    """Queries and keys of one head of a real model as points; layer and head are zero-based indices."""

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
