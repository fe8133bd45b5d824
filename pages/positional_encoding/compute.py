"""Settings turned into numbers, which the pictures, captions, tabs, checks and programs all read."""

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

MOST_NUMBERS = 300_000  # that the steps of one figure may hold, so that its message stays light


@dataclass(frozen=True)
class Result:
    """What the page shows at its settings."""

    state: State

    @property
    def scheme_name(self) -> str:
        """The scheme's name."""
        return self.state.scheme.name

    @property
    def width(self) -> int:
        """The width that the words have under the scheme."""
        return fitting_width(self.state)

    @cached_property
    def x(self) -> Tensor:
        """One vector a word, (n, width)."""
        return _vectors(self.state.tokens, self.width, self.state.words, self.state.seed)

    @cached_property
    def attended(self) -> Attention:
        """The words attending to one another with their positions, at the strength set."""
        return _attended(self.state)

    def scheme(self, **changes: object) -> Scheme:
        """Return the scheme, some of its settings changed: a tensor of strengths or bases, another head."""
        return make_scheme(self.scheme_name, **self.scheme_settings() | changes)

    def scheme_settings(self) -> dict[str, object]:
        """Return what the scheme is made with."""
        state = self.state
        others = {"num_heads": state.num_heads, "head": state.head - 1, "seed": state.seed}
        return {**state.scheme.values(), **others}

    def bare(self, **changes: object) -> Scheme:
        """Return the scheme at strength 1, whatever strength is set: what is drawn of positions alone."""
        return self.scheme(strength=1.0, **changes)

    def beside(self, scheme: str) -> "Result":
        """Return the numbers of the very same vectors under another scheme, which can take their width."""
        return (
            self
            if scheme == self.scheme_name
            else Result(replace(self.state.under(scheme), width=self.width))
        )

    def each_scheme(self) -> dict[str, "Result"]:
        """Return the numbers of the very same vectors under every scheme that can take their width."""
        usable = [name for name, scheme in SCHEMES.items() if not scheme.missing_package()]
        return {
            name: self.beside(name)
            for name in usable
            if SCHEMES[name].fitting_width(self.width) == self.width
        }

    def terms(self, query: int, key: int) -> dict[str, float]:
        """Return the summands of one scaled score, by what they come from."""
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
    """Return a slider's values as a tensor (steps,)."""
    return torch.tensor(steps.values, dtype=torch.float64)


def typical(values: Tensor) -> float:
    """Return a limit of the colours that one far longer row, as in a learned table, does not set."""
    return float(np.quantile(values.abs().numpy(), 0.995)) or 1.0
