"""The tab "Checks": the numbers on screen compared with torch, and the invariants of attention."""

import math
from dataclasses import replace

import streamlit as st
import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core import Check, Rotary, compare
from attn_core.plane import audit_plane
from attn_ui.screen.tables import checks_table
from attn_words import _
from pages.multi_head.compute import Result, planes_of
from pages.multi_head.matrices import head_matrices
from pages.single_head.removed_weights import audit_removal


def largest(numbers: Tensor) -> float:
    """Return the largest absolute number; 0 where there is none."""
    return float(numbers.abs().max()) if numbers.numel() else 0.0


def checks(result: Result) -> list[Check]:
    """Compute every check on the numbers on screen."""
    attention = result.attention
    sums = attention.weights.sum(dim=-1)
    attends = sums > 0
    n, fused = result.tokens, _("the output is that of torch's fused attention")
    results = _against_torch(result)
    if result.setting.sink is None:
        output = result.module.fast(n.query, n.key, n.key, result.mask)
        results.append(compare(fused, attention.output, output))
        what, expected = _("each row of weights sums to one, or is empty"), attends.to(sums)
    else:
        what = _("what a row of weights lacks of one went to the sink")
        expected = 1 - torch.sigmoid(result.setting.sink - attention.scaled_scores.logsumexp(dim=-1))
    results.append(compare(what, sums, expected, scale=1.0))
    if attention.mask is not None:
        masked = attention.weights[~attention.mask]
        results.append(compare(_("a masked key has weight zero"), masked, 0.0, scale=1.0))
        if not bool(attends.all()):
            empty = attention.heads[~attends]
            what = _("a query that may attend to nothing has output zero")
            results.append(compare(what, empty, 0.0, scale=largest(attention.value)))
    bias = 0.0 if attention.output_bias is None else attention.output_bias
    what = _("the contributions of the heads, with a bias b_o if any, add up to the output")
    results.append(compare(what, attention.contributions.sum(dim=0) + bias, attention.output))
    side_by_side = torch.cat([*attention.heads], dim=-1)
    what = _("the heads, one beside the other, are what W_o reads, or the output")
    results.append(compare(what, side_by_side, attention.concatenated))
    matrices = head_matrices(result.setting, result.n_head, result.head)
    return [*results, *audit_removal(matrices, result.removal), *_of_planes(result)]


def _of_planes(result: Result) -> list[Check]:
    """Check the planes of all heads in the view "points"; return the worst head's result of each check."""
    if result.look.view != "points":
        return []
    heads = zip(planes_of(result), result.attention.query, result.attention.key, strict=True)
    audits = [audit_plane(plane, queries, keys) for plane, queries, keys in heads]
    return [
        replace(worst, name=_("in every head, {what}", what=_(worst.name)))
        for worst in (
            max(same, key=lambda each: each.error / each.scale) for same in zip(*audits, strict=True)
        )
    ]


def _against_torch(result: Result) -> list[Check]:
    """Compare with torch's module of the same weights, or if torch has none, head by head."""
    module, attention, n = result.module, result.attention, result.tokens
    attends = (attention.weights.sum(dim=-1) > 0).all(dim=0)  # torch gives NaN for a query without a key
    if _torch_has_it(result):
        mask = result.mask
        blocks = ~mask if mask is not None and mask.dtype == torch.bool else mask
        theirs = module.to_torch().eval().requires_grad_(False)
        output, weights = theirs(n.query, n.key, n.key, attn_mask=blocks, average_attn_weights=False)
        return [
            compare(
                _("the maps are those of `torch.nn.MultiheadAttention`"),
                attention.weights[:, attends],
                weights[:, attends],
            ),
            compare(_("the output is that of torch"), attention.output[attends], output[attends]),
        ]
    scale = 1 / (math.sqrt(module.d_head) * result.setting.temperature)
    output = torch.zeros_like(attention.output)
    for head in range(result.n_head):
        own = slice(head * module.d_head, (head + 1) * module.d_head)
        q, k, v = (
            F.linear(x, linear.weight[own], None if linear.bias is None else linear.bias[own])
            for linear, x in ((module.W_q, n.query), (module.W_k, n.key), (module.W_v, n.key))
        )
        if isinstance(result.scheme, Rotary):
            q, k = (turned_as_complex(x, result.scheme) for x in (q, k))
        mask = result.mask
        own_mask = mask[head] if mask is not None and mask.ndim > 2 else mask
        if (sink := result.setting.sink) is not None:  # a key whose value is zero and whose score is a bias
            q, k, v, own_mask = beside_sink(q, k, v, own_mask, sink)
        attended = F.scaled_dot_product_attention(q, k, v, own_mask, scale=scale)
        if module.W_o is None:
            output[:, own] = attended
        else:
            output += attended @ module.W_o.weight[:, own].T
    if module.W_o is not None and module.W_o.bias is not None:
        output += module.W_o.bias
    what = _("the output is that of torch")
    return [compare(what, attention.output[attends], output[attends])]


def beside_sink(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, sink: float) -> list[Tensor]:
    """Return one head's queries, keys, values and mask with a key more, whose bias is the sink's logit."""
    bias = q.new_zeros(len(q), len(k))
    if mask is not None:
        bias = bias.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else mask
    return [q, *(F.pad(x, (0, 0, 0, 1)) for x in (k, v)), F.pad(bias, (0, 1), value=sink)]


def turned_as_complex(x: Tensor, rotary: Rotary) -> Tensor:
    """Rotate rows of x (n, d_head) by position, with each pair of dimensions as one complex number."""
    n, d_head = x.shape
    apart = rotary.layout != "interleaved"
    pairs = x.reshape(n, 2, -1).mT if apart else x.reshape(n, -1, 2)
    pair, place = (torch.arange(count, dtype=x.dtype) for count in (d_head // 2, n))
    angles = place[:, None] * rotary.strength / rotary.base ** (2 * pair / d_head)
    numbers = torch.view_as_complex(pairs.contiguous()) * torch.exp(1j * angles)
    back = torch.view_as_real(numbers)
    return (back.mT if apart else back).reshape(n, d_head)


def _torch_has_it(result: Result) -> bool:
    """Whether torch's module can compute this attention."""
    module = result.module
    plain = module.rotation is None and module.temperature == 1.0 and result.setting.sink is None
    return plain and module.W_o is not None and result.n_head * module.d_head == module.d_model


def show(result: Result) -> None:
    """Show the checks with their largest differences."""
    st.markdown(_("Computed just now, on the numbers on screen."))
    st.markdown(checks_table({_("this page"): checks(result)}))
    if not _torch_has_it(result):
        st.caption(
            _(
                "`torch.nn.MultiheadAttention` always has an output projection and d_head = d_model / "
                "n_head, never a temperature, a rotation or a sink, so it cannot hold this attention; each "
                "head is computed alone instead."
            )
        )
