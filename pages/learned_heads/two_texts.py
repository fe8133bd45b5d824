"""One real model on two texts: its heads, those that change most between the texts first."""

from dataclasses import dataclass
from functools import cached_property

from torch import Tensor

from attn_core import RealModel, label_tokens
from attn_core.two_texts import TextPair, compare_texts
from attn_figures.ties import largest_first
from attn_ui.base.shared_cache import shared
from attn_words import _
from pages.learned_heads.settings import BIG_OR_SMALL, TIRED_OR_WIDE, TOO_MANY_TOKENS

MOST_TOKENS = 128
MOST_NUMBERS = 250_000  # at most, in all maps on the slider
MOST_HEADS = 256
PAIRS = {
    TIRED_OR_WIDE: (
        "The animal did not cross the street because it was too tired",
        "The animal did not cross the street because it was too wide",
    ),
    BIG_OR_SMALL: (
        "The trophy does not fit in the suitcase because it is too big",
        "The trophy does not fit in the suitcase because it is too small",
    ),
}


@dataclass(frozen=True, eq=False)
class TwoTexts:
    """A model on two texts, with both sets of maps; heads are zero-based indices over all layers.

    Attributes:
        pieces: whether tokens are shown as the model reads them, not joined into words.
    """

    model: RealModel
    texts: tuple[str, str]
    pieces: bool = False
    head: int = 0
    row: int = 0

    @cached_property
    def pair(self) -> TextPair:
        """The maps of all heads on both texts, aligned token by token."""
        return _compare(*self.texts, self.pieces, self.model)

    @cached_property
    def labels(self) -> list[str]:
        """The tokens of both texts, aligned, numbered where one occurs again."""
        return list(label_tokens(self.pair.alignment.tokens))

    @cached_property
    def means(self) -> Tensor:
        """How much of a row moves in each head, averaged over tokens common to both, (n_head,)."""
        return self.pair.changes.mean(dim=-1)

    @cached_property
    def order(self) -> list[int]:
        """The heads, those that change most first."""
        order: list[int] = largest_first(self.means.numpy()).tolist()
        return order

    def on_slider(self, head: int) -> list[int]:
        """Return the heads of the slider: the first in `order`, as many as a message holds, and `head`."""
        room = max(2, min(MOST_HEADS, MOST_NUMBERS // (3 * len(self.labels) ** 2)))
        return [*self.order[:room], *([] if head in self.order[:room] else [head])]

    def number(self, head: int) -> str:
        """Return a head's layer and its number there, as "4.2"."""
        layer, within = divmod(head, self.model.n_head)
        return f"{layer + 1}.{within + 1}"


@shared
def _compare(first: str, second: str, pieces: bool, _model: RealModel) -> TextPair:
    """Compare two texts; the cache's key leaves out the model, as a process has only one.

    Raises ValueError for texts of too many tokens, or without a common one.
    """
    pair = compare_texts(_model, first, second, pieces=pieces)
    if (n := len(pair.alignment.tokens)) > MOST_TOKENS:
        raise ValueError(_(TOO_MANY_TOKENS, most=MOST_TOKENS, count=n))
    return pair
