"""What the heads of a toy lose where a cache keeps fewer keys: every policy, every budget."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from attn_core.eviction import POLICIES, Eviction, evict
from attn_ui.base.parameters import Steps
from attn_ui.base.shared_cache import shared
from pages.learned_heads.compute import Result
from pages.learned_heads.settings import BUDGET
from pages.learned_heads.state import ToySetting

SINKS = 4  # that StreamingLLM keeps, as its authors do


@dataclass(frozen=True, eq=False)
class HeadEviction:
    """All heads of a toy under one policy, with a budget."""

    result: Result
    policy: str
    budget: int = 1

    @property
    def runs(self) -> Mapping[str, Eviction]:
        """Every policy's run."""
        return evict_by_all(self.result.setting, self.result.at)

    @property
    def run(self) -> Eviction:
        """The policy's own run."""
        return self.runs[self.policy]

    @property
    def n(self) -> int:
        """How many keys there are after the last token."""
        return len(self.result.symbols)

    @property
    def slider(self) -> Steps:
        """The budgets from one key to all."""
        return replace(BUDGET, values=tuple(range(1, self.n + 1)))

    @cached_property
    def means(self) -> Mapping[str, Tensor]:
        """The error of each policy at every budget, the mean over the heads, (n,)."""
        return {name: run.errors.mean(dim=-1) for name, run in self.runs.items()}

    @property
    def errors(self) -> Tensor:
        """The error of each head at this budget, (n_head,)."""
        return self.run.errors[self.budget - 1]

    @property
    def mask(self) -> Tensor:
        """Which keys each query has, (n_head, n, n)."""
        return self.run.mask[self.budget - 1]

    @property
    def weights(self) -> Tensor:
        """The weights over these keys, (n_head, n, n)."""
        return self.run.weights[self.budget - 1]


@shared
def evict_by_all(setting: ToySetting, at: int) -> dict[str, Eviction]:
    """Evict by every policy, from every head of every layer in one batch."""
    layers = Result(setting, at).toy_run.layers
    scores = torch.cat([each.scaled_scores for each in layers]).double()
    value = torch.cat([each.value for each in layers]).double()
    return {policy: evict(scores, value, policy, sinks=SINKS) for policy in POLICIES}
