"""The tab "Checks": the numbers on screen compared with torch's modules and with the stored training."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st
import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core import Check, compare
from attn_core.toys import evaluate
from attn_ui.screen.tables import checks_table
from attn_words import _
from pages.learned_heads.attention_flow import AttentionFlow
from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.compute import Result
from pages.learned_heads.eviction import HeadEviction
from pages.learned_heads.long_text import LongText
from pages.learned_heads.next_token import NextResult
from pages.learned_heads.state import Heads
from pages.learned_heads.tabs import clouds, flow, ranked_heads
from pages.learned_heads.two_texts import TwoTexts


def checks(result: Result) -> list[Check]:
    """Compute every check on the numbers on screen."""
    weights, logits = logits_by_torch(result)
    sums = result.weights.sum(dim=-1)
    model, curve = evaluate(result.model, result.task, result.recipe.held_out()), result.evaluation
    return [
        compare(_("the maps are those of `torch.nn.MultiheadAttention`"), result.weights, weights),
        compare(_("the prediction is that of the same layers of torch"), result.logits, logits),
        compare(_("each row of weights sums to one, or is empty"), sums, torch.ones_like(sums)),
        compare(
            _("loss and accuracy of this step are those written down while it was trained"),
            torch.tensor([model.loss, model.accuracy]),
            torch.tensor([curve.loss, curve.accuracy]),
        ),
    ]


def logits_by_torch(result: Result) -> tuple[Tensor, Tensor]:
    """Run the sequence through torch's own layers with the same parameters; return maps and logits."""
    state = result.run.checkpoints[result.at].state
    n, heads = len(result.tokens), result.recipe.heads
    start = F.embedding(result.tokens, state["embedding"]) + result.model.positions[:n]
    blocked = torch.ones(n, n).triu(1).bool() if result.task.causal else None
    x, maps = start, []
    for layer in range(result.recipe.layers):
        norm = F.layer_norm(x, x.shape[-1:], state[f"norms.{layer}.weight"], state[f"norms.{layer}.bias"])
        module = torch.nn.MultiheadAttention(x.shape[-1], heads, bias=False, dtype=x.dtype)
        module.requires_grad_(False)
        module.in_proj_weight.copy_(
            torch.cat([state[f"attention.{layer}.W_{part}.weight"] for part in "qkv"])
        )
        gone = [head - layer * heads for head in result.setting.off]
        out = state[f"attention.{layer}.W_o.weight"].unflatten(1, (heads, -1)).clone()
        out[:, [head for head in gone if 0 <= head < heads]] = 0  # a head that is off adds nothing
        module.out_proj.weight.copy_(out.flatten(1))
        update, weights = module(norm, norm, norm, attn_mask=blocked, average_attn_weights=False)
        maps.append(weights)
        x = x + update
    return torch.cat(maps), (x - start) @ state["readout"].T


def show(result: Any) -> None:
    """Show the checks with their largest differences."""
    st.markdown(_("Computed just now, on the numbers on screen."))
    st.markdown(checks_table({_("on the numbers on screen"): _CHECKS[type(result)](result)}))


def _of_whole(result: Heads) -> list[Check]:
    results = ranked_heads.checks(result.ranked, result.model, result.text)
    return [*results, ranked_heads.check_blocks(result)] if result.ranked.is_long else results


_CHECKS: Mapping[type, Callable[[Any], list[Check]]] = {
    Result: checks,
    Heads: _of_whole,
    LongText: ranked_heads.checks_of_long,
    TwoTexts: ranked_heads.checks_of_pair,
    NextResult: flow.checks_of_next,
    AttentionFlow: flow.checks_of_flow,
    HeadEviction: flow.checks_of_eviction,
    HeadClouds: clouds.checks_of_clouds,
}
