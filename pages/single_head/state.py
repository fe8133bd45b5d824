"""The state of the page: the inputs of a head, and the settings of its scores and mask."""

import math
from dataclasses import dataclass, replace

import attn_core
import attn_core.scores
from attn_core import Masking
from attn_figures.arcs import NO_GROUP, Group
from attn_ui.base.bounds import MAX_TOKENS
from attn_ui.base.hand_weight_settings import HandRows
from attn_ui.base.parameters import Steps
from attn_ui.base.removed_weights import NO_REMOVAL, Removal
from attn_ui.base.shared_settings import SEED, TEXT

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Inputs:
    """The settings that decide queries, keys and values."""

    example: str = "own sentence"
    text: str = TEXT.default
    second_text: str | None = None  # the sentence of keys and values in cross-attention
    vectors: str = "random"
    width: int = 6
    x: Rows = ()
    y: Rows = ()
    ramp: bool = False
    unit_rows: bool = False
    qkv: str = "projected"
    bias: bool = False
    d_k: int = 4
    d_v: int = 4
    seed: int = SEED.default
    init: str = attn_core.GLOROT
    weights: HandRows = ()  # those set by hand; the others are drawn
    q: Rows = ()
    k: Rows = ()
    v: Rows = ()

    @property
    def is_own(self) -> bool:
        """Whether the sentence is the visitor's own, not a worked example."""
        return self.example == "own sentence"

    @property
    def is_drawn(self) -> bool:
        """Whether any number depends on the seed."""
        if self.qkv == "projected" and len(self.weights) < (6 if self.bias else 3):
            return True
        return self.qkv != "typed" and self.has_drawn_vectors

    @property
    def has_drawn_vectors(self) -> bool:
        """Whether the vectors depend on the seed."""
        return self.is_own and self.vectors != "one-hot" and not self._all_typed

    @property
    def _all_typed(self) -> bool:
        """Whether every token's vector is typed; missing ones are drawn."""
        sentences = [(self.text, self.x)] + ([] if self.second_text is None else [(self.second_text, self.y)])
        return self.vectors == "typed" and all(len(rows) >= len(tokens_of(text)) for text, rows in sentences)


@dataclass(frozen=True)
class Scoring:
    """The mask, the score and its scale, and the two settings that the slider can move."""

    masking: Masking
    scale: str
    free_scale: float
    temperature: Steps
    width: Steps
    moves: str
    score: str = attn_core.scores.DOT
    sink: float | None = None  # the logit of an attention sink

    def scale_at(self, d_k: int) -> float:
        """Return the factor on the scores, before the temperature."""
        return {"none": 1.0, "free": self.free_scale}.get(self.scale, 1 / math.sqrt(d_k))

    def factor_at(self, d_k: int) -> str:
        """Return the scale as text, "÷ √4"."""
        return {"none": "× 1", "free": f"× {self.free_scale:g}"}.get(self.scale, f"÷ √{d_k}")


@dataclass(frozen=True)
class Along:
    """The plane in which queries and keys are drawn: two zero-based dimensions, or None: main directions."""

    dimensions: tuple[int, int] | None = None


@dataclass(frozen=True)
class StageOptions:
    """How the picture shows the weights, besides the state of the page.

    Attributes:
        temperature, width: of the scores and of the mask, for those that the slider does not move.
        removals: the weights removed at each step; one entry if the slider moves temperature or width.
        group: the queries whose rows are combined in arcs.
        along: the plane of the points; None if the stage draws none.
        moves: what the slider moves: "temperature", "mask width" or None.
    """

    temperature: float = 1.0
    width: int = 1
    removals: tuple[Removal, ...] = (NO_REMOVAL,)
    group: Group = NO_GROUP
    along: Along | None = None
    moves: str | None = None

    def over_the_slider(self) -> "StageOptions":
        """Return it without the slider's value, as the cache key of the picture of all steps."""
        temperature = 1.0 if self.moves == "temperature" else self.temperature
        width = 0 if self.moves == "mask width" else self.width
        return replace(self, temperature=temperature, width=width)


@dataclass(frozen=True)
class State:
    """The state of the page, without the stage, the slider's value and the chosen cell."""

    inputs: Inputs
    scoring: Scoring


def tokens_of(text: str) -> list[str]:
    """Cut a sentence into at most as many tokens as the page draws."""
    return attn_core.tokenize(text)[:MAX_TOKENS]
