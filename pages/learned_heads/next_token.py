"""What a toy or a real model says next, at one temperature and of what top-k and top-p leave."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from torch import Tensor

from attn_core import RealModel, label_tokens
from attn_core.next_token import NextToken, keep_likeliest, next_of_model, next_of_toy
from attn_core.toys import SYMBOLS
from attn_ui.base.shared_cache import shared
from pages.learned_heads.compute import Result
from pages.learned_heads.state import Heads, NextState

NAMED = 10  # tokens with a bar


@dataclass(frozen=True, eq=False)
class NextResult:
    """What the page shows of the next token.

    Attributes:
        state: what the controls select; source: a toy at one step of its training, or a whole model.
        temperature: what logits are divided by.
    """

    state: NextState
    source: Result | Heads
    temperature: float = 1.0

    @cached_property
    def next_token(self) -> NextToken:
        """What is said at temperature 1, and why."""
        if isinstance(self.source, Result):
            return next_of_toy(self.source.model, self.source.toy_run, off=self.source.setting.off)
        assert self.source.model is not None
        return _next_of(self.source.text, self.source.model)

    @property
    def tokens(self) -> Sequence[str]:
        """The text, its tokens numbered where one occurs again."""
        if isinstance(self.source, Result):
            return label_tokens(self.source.symbols)
        return label_tokens(self.source.ranked.maps.tokens or ())

    def name(self, token: int) -> str:
        """Return a token of the vocabulary as it reads."""
        if isinstance(self.source, Result):
            return SYMBOLS[token]
        assert self.source.model is not None
        return self.source.model.token_name(token)

    @cached_property
    def order(self) -> list[int]:
        """The likeliest tokens, which are the same at every temperature."""
        logits = self.next_token.logits
        order: list[int] = logits.topk(min(NAMED, len(logits))).indices.tolist()
        return order

    def at(self, temperature: float) -> tuple[Tensor, Tensor]:
        """Return the probabilities at a temperature, and which tokens top-k and top-p leave."""
        top_k, top_p = self.state.top_k, self.state.top_p
        return keep_likeliest(self.next_token.logits, temperature=temperature, top_k=top_k, top_p=top_p)


@shared
def _next_of(text: str, _model: RealModel) -> NextToken:
    """Run a model; a process has one, so it is no part of the key."""
    return next_of_model(_model.trace(text))
