"""The state of the page: what attends, and how it is scored."""

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
    second_text: str | None = None  # the keys' and values' sentence, in cross-attention
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
        """Whether the sentence is the visitor's own, and no worked example."""
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
        """Whether every token has its vector typed; the others' are drawn."""
        sentences = [(self.text, self.x)] + ([] if self.second_text is None else [(self.second_text, self.y)])
        return self.vectors == "typed" and all(len(rows) >= len(tokens_of(text)) for text, rows in sentences)


@dataclass(frozen=True)
class Scoring:
    """The mask and the scale, and the slider's setting with its values."""

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
        """Return the scale as an operator."""
        return {"none": "× 1", "free": f"× {self.free_scale:g}"}.get(self.scale, f"÷ √{d_k}")


@dataclass(frozen=True)
class Along:
    """The plane in which queries and keys are drawn: two dimensions, from 0, or the main directions."""

    dimensions: tuple[int, int] | None = None


@dataclass(frozen=True)
class StageOptions:
    """How the picture shows the weights, beside the state of the page.

    Attributes:
        temperature, width: of the scores and of the mask, where the slider does not move them.
        removals: what is removed at each step; several only where the slider moves neither of these.
        group: the queries whose rows are taken together where arcs are drawn.
        along: the plane that points are seen in; None where the stage draws none.
        moves: what the slider moves at the picture's steps, "temperature", "mask width" or None.
    """

    temperature: float = 1.0
    width: int = 1
    removals: tuple[Removal, ...] = (NO_REMOVAL,)
    group: Group = NO_GROUP
    along: Along | None = None
    moves: str | None = None

    def over_the_slider(self) -> "StageOptions":
        """Return it without the slider's position, as the key of the picture of all steps."""
        temperature = 1.0 if self.moves == "temperature" else self.temperature
        width = 0 if self.moves == "mask width" else self.width
        return replace(self, temperature=temperature, width=width)


@dataclass(frozen=True)
class State:
    """The state of the page; the picture adds its stage, its slider and the chosen cell."""

    inputs: Inputs
    scoring: Scoring


def tokens_of(text: str) -> list[str]:
    """Cut a sentence into at most as many tokens as the page draws."""
    return attn_core.tokenize(text)[:MAX_TOKENS]
