"""One use of attention: its picture, captions, formula, program and checks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from torch import Tensor

from attn_core import Attention, Check, scaled_dot_product_attention
from attn_figures.scene import Scene
from attn_live.captions import StepCaption
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.search_entries import Place
from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import _
from pages.applications.state import State
from programs.writing import Program


@dataclass(frozen=True, eq=False)
class UseMap:
    """One attention map on screen, with the queries, keys, scale and mask that it is computed from.

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


class Application(Protocol):
    """The interface of a module in `views`, one use of attention; the constants are marked messages.

    Attributes:
        INTRODUCTION: which tokens attend to which.
        TRAINED: which of its parts are trained, and which are not.
        IN_WORDS: what the letters of the formula stand for in this use.
    """

    INTRODUCTION: str
    TRAINED: str
    IN_WORDS: str

    def slider(self, state: State) -> Slider:
        """Return the slider of the picture."""

    def rows(self) -> Slider | None:
        """Return a second slider, over the queries."""

    def draw(self, state: State, steps: Steps) -> Scene:
        """Draw the picture at all values of the slider."""

    def captions(self, state: State, steps: Steps) -> Sequence[StepCaption]:
        """Return for each value of the slider a sentence, or a list of sentences, one per query."""

    def heads(self, state: State) -> list[UseMap]:
        """Return the maps on screen."""

    def formula(self, state: State) -> str:
        """Return the formula as LaTeX."""

    def program(self, state: State) -> Program:
        """Return a program that prints the weights on screen."""

    def checks(self, state: State) -> list[Check]:
        """Compute the checks of this use alone; `tabs.checks` adds those of any attention."""

    def leads(self, state: State) -> list[Place]:
        """Return links to the pages that show the mechanism in full."""


def temperature_slider(state: State) -> Slider:
    """Return the slider over temperatures."""
    return Slider(_("Temperature"), TEMPERATURE)


def no_rows() -> None:
    """Return None: this use has no slider over queries."""
