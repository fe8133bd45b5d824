"""Settings turned into numbers, for pictures, captions, tabs, checks and programs."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from attn_core import SCHEMES, Scheme, make_scheme, sentence_vectors
from attn_core.attention import Attention
from attn_ui.base.parameters import Steps
from attn_ui.base.shared_cache import shared
from pages.positional_encoding.state import State, fitting_width

MOST_NUMBERS = 300_000  # at most, in all steps of one figure, to keep its message small


@dataclass(frozen=True)
class Result:
    """All that is computed from the page's settings."""

    state: State

    @property
    def scheme_name(self) -> str:
        """The scheme's name."""
        return self.state.scheme.name

    @property
    def width(self) -> int:
        """The width of the words' vectors, which the scheme can take."""
        return fitting_width(self.state)

    @cached_property
    def x(self) -> Tensor:
        """One vector a word, (n, width)."""
        return _vectors(self.state.tokens, self.width, self.state.words, self.state.seed)

    @cached_property
    def attended(self) -> Attention:
        """The attention of the words to one another with positions, at the strength set."""
        return _attended(self.state)

    def scheme(self, **changes: object) -> Scheme:
        """Return the scheme with some settings changed: a tensor of strengths or bases, another head."""
        return make_scheme(self.scheme_name, **self.scheme_settings() | changes)

    def scheme_settings(self) -> dict[str, object]:
        """Return the arguments that make the scheme."""
        state = self.state
        others = {"num_heads": state.num_heads, "head": state.head - 1, "seed": state.seed}
        return {**state.scheme.values(), **others}

    def bare(self, **changes: object) -> Scheme:
        """Return the scheme at strength 1, for pictures of positions alone."""
        return self.scheme(strength=1.0, **changes)

    def beside(self, scheme: str) -> "Result":
        """Return the result of the same vectors under another scheme, which must fit their width."""
        return (
            self
            if scheme == self.scheme_name
            else Result(replace(self.state.under(scheme), width=self.width))
        )

    def each_scheme(self) -> dict[str, "Result"]:
        """Return the results of the same vectors under every installed scheme that can take their width."""
        usable = [name for name, scheme in SCHEMES.items() if not scheme.missing_package()]
        return {
            name: self.beside(name)
            for name in usable
            if SCHEMES[name].fitting_width(self.width) == self.width
        }

    def terms(self, query: int, key: int) -> dict[str, float]:
        """Return the summands of one scaled score, by the name of their source."""
        return _terms(self.state, query, key)

    def weights(self, strengths: Tensor) -> Tensor:
        """Return the weights (steps, n, n) at each strength."""
        weights = self.scheme(strength=strengths).attend(self.x).weights
        return weights.expand(len(strengths), -1, -1)


@shared
def _vectors(tokens: tuple[str, ...], width: int, words: str, seed: int) -> Tensor:
    return sentence_vectors(tokens, width, kind=words, seed=seed)


@shared
def _attended(state: State) -> Attention:
    result = Result(state)
    return result.scheme().attend(result.x)


@shared
def _terms(state: State, query: int, key: int) -> dict[str, float]:
    result = Result(state)
    return result.scheme().terms(result.x, query, key)


def values(steps: Steps) -> Tensor:
    """Return the slider's values as a tensor (steps,)."""
    return torch.tensor(steps.values, dtype=torch.float64)


def typical(values: Tensor) -> float:
    """Return a limit for colours: a quantile, which one far longer row (of a learned table) hardly moves."""
    return float(np.quantile(values.abs().numpy(), 0.995)) or 1.0
