"""The error of a toy's heads if a cache keeps fewer keys, by every policy at every budget."""

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

SINKS = 4  # first keys that StreamingLLM keeps, as many as its authors keep


@dataclass(frozen=True, eq=False)
class HeadEviction:
    """All heads of a toy under one policy, at one budget."""

    result: Result
    policy: str
    budget: int = 1

    @property
    def runs(self) -> Mapping[str, Eviction]:
        """The results of all policies, by name."""
        return evict_by_all(self.result.setting, self.result.at)

    @property
    def run(self) -> Eviction:
        """The results of this policy."""
        return self.runs[self.policy]

    @property
    def n(self) -> int:
        """How many keys a full cache has after the last token."""
        return len(self.result.symbols)

    @property
    def slider(self) -> Steps:
        """The slider over budgets, from one key to all."""
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
        """True where the key is still in the cache for the query, (n_head, n, n)."""
        return self.run.mask[self.budget - 1]

    @property
    def weights(self) -> Tensor:
        """The weights over the keys in `mask`, (n_head, n, n)."""
        return self.run.weights[self.budget - 1]


@shared
def evict_by_all(setting: ToySetting, at: int) -> dict[str, Eviction]:
    """Return the evictions by every policy, each for all heads of all layers in one batch."""
    layers = Result(setting, at).toy_run.layers
    scores = torch.cat([each.scaled_scores for each in layers]).double()
    value = torch.cat([each.value for each in layers]).double()
    return {policy: evict(scores, value, policy, sinks=SINKS) for policy in POLICIES}
