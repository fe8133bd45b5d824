"""The tab "Checks": the numbers on screen against torch, and against what any attention must hold to."""

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
from pages.multi_head.aside import audit_aside
from pages.multi_head.compute import Now, planes_of


def largest(numbers: Tensor) -> float:
    """Return the largest absolute number; 0 where there is none."""
    return float(numbers.abs().max()) if numbers.numel() else 0.0


def checks(now: Now) -> list[Check]:
    """Compute every check on the numbers on screen."""
    result = now.result
    sums = result.weights.sum(dim=-1)
    attends = sums > 0
    found = [*_against_torch(now), _against_fused(now)]
    found.append(
        compare(_("each row of each map sums to one, or is empty"), sums, attends.to(sums), scale=1.0)
    )
    if result.mask is not None:
        masked = result.weights[~result.mask]
        found.append(compare(_("a masked key has weight zero"), masked, 0.0, scale=1.0))
        if not bool(attends.all()):
            empty = result.heads[~attends]
            what = _("a query that may attend to nothing has output zero")
            found.append(compare(what, empty, 0.0, scale=largest(result.value)))
    bias = 0.0 if result.output_bias is None else result.output_bias
    what = _("the contributions of the heads, with a bias b_o if any, add up to the output")
    found.append(compare(what, result.contributions.sum(dim=0) + bias, result.output))
    side_by_side = torch.cat([*result.heads], dim=-1)
    what = _("the heads, one beside the other, are what W_o reads, or the output")
    found.append(compare(what, side_by_side, result.concatenated))
    return [*found, *audit_aside(now), *_of_planes(now)]


def _of_planes(now: Now) -> list[Check]:
    """Check the plane of every head, where the picture is one of points; of each check the worst head's."""
    if now.look.view != "points":
        return []
    heads = zip(planes_of(now), now.result.query, now.result.key, strict=True)
    every = [audit_plane(plane, queries, keys) for plane, queries, keys in heads]
    return [
        replace(worst, name=_("in every head, {what}", what=_(worst.name)))
        for worst in (
            max(same, key=lambda each: each.error / each.scale) for same in zip(*every, strict=True)
        )
    ]


def _against_torch(now: Now) -> list[Check]:
    """Against torch's own module with the same weights, or each head alone where torch has no such module."""
    module, result, n = now.module, now.result, now.tokens
    attends = (result.weights.sum(dim=-1) > 0).all(dim=0)  # torch gives NaN to a row without a key
    if _torch_has_it(now):
        given = now.mask
        blocks = ~given if given is not None and given.dtype == torch.bool else given
        theirs = module.to_torch().eval().requires_grad_(False)
        output, weights = theirs(n.query, n.key, n.key, attn_mask=blocks, average_attn_weights=False)
        return [
            compare(
                _("the maps are those of `torch.nn.MultiheadAttention` with the same weights"),
                result.weights[:, attends],
                weights[:, attends],
            ),
            compare(
                _("the outputs are those of `torch.nn.MultiheadAttention` with the same weights"),
                result.output[attends],
                output[attends],
            ),
        ]
    scale = 1 / (math.sqrt(module.d_head) * now.setting.temperature)
    output = torch.zeros_like(result.output)
    for head in range(now.n_head):
        own = slice(head * module.d_head, (head + 1) * module.d_head)
        q, k, v = (
            F.linear(x, linear.weight[own], None if linear.bias is None else linear.bias[own])
            for linear, x in ((module.W_q, n.query), (module.W_k, n.key), (module.W_v, n.key))
        )
        if isinstance(now.scheme, Rotary):
            q, k = (turned_as_complex(x, now.scheme) for x in (q, k))
        given = now.mask
        own_mask = given[head] if given is not None and given.ndim > 2 else given
        attended = F.scaled_dot_product_attention(q, k, v, own_mask, scale=scale)
        if module.W_o is None:
            output[:, own] = attended
        else:
            output += attended @ module.W_o.weight[:, own].T
    if module.W_o is not None and module.W_o.bias is not None:
        output += module.W_o.bias
    what = _("the output is that of each head alone, by `torch.nn.functional.scaled_dot_product_attention`")
    return [compare(what, result.output[attends], output[attends])]


def turned_as_complex(x: Tensor, rotary: Rotary) -> Tensor:
    """Turn rows of x (n, d_head) by their places: each pair of numbers is one complex number."""
    n, d_head = x.shape
    apart = rotary.layout != "interleaved"
    pairs = x.reshape(n, 2, -1).mT if apart else x.reshape(n, -1, 2)
    pair, place = (torch.arange(count, dtype=x.dtype) for count in (d_head // 2, n))
    angles = place[:, None] * rotary.strength / rotary.base ** (2 * pair / d_head)
    numbers = torch.view_as_complex(pairs.contiguous()) * torch.exp(1j * angles)
    back = torch.view_as_real(numbers)
    return (back.mT if apart else back).reshape(n, d_head)


def _torch_has_it(now: Now) -> bool:
    """Whether torch's module can hold this attention."""
    module = now.module
    plain = module.rotation is None and module.temperature == 1.0
    return plain and module.W_o is not None and now.n_head * module.d_head == module.d_model


def _against_fused(now: Now) -> Check:
    fused = now.module.fast(now.tokens.query, now.tokens.key, now.tokens.key, now.mask)
    what = _("torch's fused attention, which keeps no map, gives this output")
    return compare(what, now.result.output, fused)


def show(now: Now) -> None:
    """Show the checks with their largest differences."""
    st.markdown(_("Computed just now, on the numbers on screen."))
    st.markdown(table(checks(now)))
    if not _torch_has_it(now):
        st.caption(
            _(
                "`torch.nn.MultiheadAttention` always has an output projection and d_head = d_model / "
                "n_head, never a temperature or a rotation, so it cannot hold this attention; each head is "
                "computed alone instead."
            )
        )


def table(found: list[Check]) -> str:
    """Return the checks as a table in markdown."""
    return checks_table(
        [check.name for check in found],
        {_("on the numbers on screen"): [(check.passed, check.verdict) for check in found]},
    )
