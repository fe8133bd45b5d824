"""The next token of a toy or a real model, under temperature, top-k and top-p."""

from collections.abc import Callable, Sequence
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
    """The prediction of the next token, with the settings that sampling would use.

    Attributes:
        state: the controls' values; source: a toy at one step of its training, or a whole model.
        tokens: of the text, numbered where one occurs again; name: returns a token's text.
        next_token: the prediction at temperature 1, with its parts.
    """

    state: NextState
    source: Result | Heads
    temperature: float
    tokens: Sequence[str]
    name: Callable[[int], str]
    next_token: NextToken

    @cached_property
    def order(self) -> list[int]:
        """The likeliest tokens, which are the same at every temperature; at most NAMED."""
        logits = self.next_token.logits
        order: list[int] = logits.topk(min(NAMED, len(logits))).indices.tolist()
        return order

    def at(self, temperature: float) -> tuple[Tensor, Tensor]:
        """Return the probabilities at a temperature, and which tokens top-k and top-p leave."""
        top_k, top_p = self.state.top_k, self.state.top_p
        return keep_likeliest(self.next_token.logits, temperature=temperature, top_k=top_k, top_p=top_p)


def result_of(state: NextState, source: Result | Heads, temperature: float) -> NextResult:
    """Return the prediction of the next token. Raises ValueError for a model that does not predict tokens."""
    if isinstance(source, Result):
        tokens = label_tokens(source.symbols)
        prediction = next_of_toy(source.model, source.toy_run, off=source.setting.off)
        return NextResult(state, source, temperature, tokens, SYMBOLS.__getitem__, prediction)
    assert source.model is not None
    tokens, prediction = label_tokens(source.ranked.maps.tokens or ()), _next_of(source.text, source.model)
    return NextResult(state, source, temperature, tokens, source.model.token_name, prediction)


@shared
def _next_of(text: str, _model: RealModel) -> NextToken:
    """Run a model; the cache's key leaves it out, as a process has only one."""
    return next_of_model(_model.trace(text))
