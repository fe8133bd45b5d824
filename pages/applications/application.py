"""One use of attention: what is drawn and said of it, and how its numbers are handed over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from torch import Tensor

from attn_core import Attention, Check, scaled_dot_product_attention
from attn_figures.scene import Scene
from attn_live.captions import StepCaption
from attn_ui.base.parameters import Steps
from attn_ui.base.places import Place
from pages.applications.state import State
from programs.writing import Program


@dataclass(frozen=True)
class Moved:
    """A slider under the picture: its label, its setting, and what it says at each value."""

    label: str
    steps: Steps
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Head:
    """One map that is on screen, and what it was computed from.

    ``query`` (n_query, d_k), ``key`` (n_key, d_k), ``mask`` (n_query, n_key), True = may attend.
    """

    name: str
    query: Tensor
    key: Tensor
    queries: Sequence[str]
    keys: Sequence[str]
    scale: float
    mask: Tensor | None = None

    @cached_property
    def attention(self) -> Attention:
        """The weights; the keys serve as values too."""
        return scaled_dot_product_attention(self.query, self.key, self.key, self.mask, scale=self.scale)

    def at(self, temperature: Tensor) -> Tensor:
        """Return the weights at every temperature (n_steps, 1, 1) at once, (n_steps, n_query, n_key)."""
        attention = scaled_dot_product_attention(
            self.query, self.key, self.key, self.mask, scale=self.scale, temperature=temperature
        )
        return attention.weights


@dataclass(frozen=True)
class Application:
    """One use of attention; what is said in constants is marked, and said where it is shown.

    Attributes:
        introduction: who asks and who answers.
        trained: what of it is trained, and what is not.
        alt: what the picture shows, for those who cannot see it.
        slider: what moves it; rows: a second slider, over its queries.
        draw: the picture at all values of the slider.
        says: a sentence for each value, or for each value one a row.
        heads: the maps on screen.
        formula, in_words: what is computed, in LaTeX and in words.
        program: prints the weights on screen; prints: what that is, in words.
        checks: what else must hold, besides what holds of any attention.
        leads: where its mechanism is shown in full.
    """

    introduction: str
    trained: str
    alt: str
    slider: Callable[[State], Moved]
    draw: Callable[[State, Steps], Scene]
    says: Callable[[State, Steps], Sequence[StepCaption]]
    heads: Callable[[State], list[Head]]
    formula: Callable[[State], str]
    in_words: str
    program: Callable[[State], Program]
    prints: str
    checks: Callable[[State], list[Check]]
    leads: Callable[[State], Sequence[Place]]
    rows: Callable[[], Moved] | None = None
