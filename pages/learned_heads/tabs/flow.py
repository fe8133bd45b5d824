"""The tabs of a text's flow and of eviction: formulas, and checks on the numbers on screen."""

import numpy as np
import streamlit as st
import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core import Check, MultiHead, compare
from attn_words import _
from pages.learned_heads.attention_flow import AttentionFlow
from pages.learned_heads.eviction import HeadEviction
from pages.learned_heads.next_token import NextResult


def show_flow() -> None:
    """Write down rollout, the length of a weighted value, and the rule for sinks."""
    st.markdown(
        _(
            "**Attention rollout** multiplies the layers' mean weights A, each mixed with the residual "
            "connection; each row is divided by its sum."
        )
    )
    st.latex(
        r"\tilde A_l = \tfrac{1}{2} A_l + \tfrac{1}{2} I, \qquad R_l = \tilde A_l R_{l-1}, \qquad R_0 = I"
    )
    st.markdown(
        _(
            "**What a key writes** in a head is its weight times its value after W_o; how long that is, "
            "papers call the norm of weighted values. A key that has much weight and a small value writes "
            "little: sinks often do."
        )
    )
    st.latex(
        r"\lVert \alpha_{ij} f(x_j) \rVert = \alpha_{ij} \lVert f(x_j) \rVert, \qquad "
        r"f(x) = (x W_v + b_v)\,W_o"
    )
    st.markdown(_("**An attention sink** is a key to which the other tokens give much, whoever asks."))
    st.latex(r"\frac{1}{n - 1} \sum_{i \neq j} w_{ij} \ge \max(0.3,\ 2 / n)")


def show_eviction() -> None:
    """Write down the output and its error with a smaller cache."""
    st.markdown(_("With a budget b, the softmax of a query is over the keys that are still kept, at most b."))
    st.latex(
        r"O_b = \mathrm{softmax}(S_{\mathrm{kept}})\,V_{\mathrm{kept}}, \qquad "
        r"\mathrm{error}_b = \lVert O_b - O_n \rVert \,/\, \lVert O_n \rVert"
    )


def checks_of_flow(flow: AttentionFlow) -> list[Check]:
    """Compute every check on the numbers on screen."""
    at, n = flow.at, len(flow.tokens)
    product = np.eye(n)
    for weights in flow.layer_weights[: at + 1].numpy():
        mixed = weights + np.eye(n)
        product = mixed / mixed.sum(axis=1, keepdims=True) @ product
    results = [
        compare(
            _("the rollout is the product of the layers' maps, computed by NumPy"),
            flow.rollout[at],
            torch.from_numpy(product),
        ),
        compare(
            _("each row of weights sums to one, or is empty"),
            flow.rollout[at].sum(dim=-1),
            torch.ones(n, dtype=flow.rollout.dtype),
        ),
    ]
    if flow.stages is not None and flow.norms is not None and flow.on[at]:
        stages, on = flow.stages[at], list(flow.on[at])
        vectors = _vectors(stages)
        results += [
            compare(
                _("the lengths of the last row are those of the vectors themselves"),
                flow.norms[at, -1].float(),
                vectors[on].norm(dim=-1).mean(dim=0),
            ),
            compare(
                _("what all keys write to the last token adds up to what its heads write"),
                vectors.sum(dim=1),
                stages.contributions[:, -1],
            ),
        ]
    return results


def _vectors(stages: MultiHead) -> Tensor:
    """Return each key's weighted value after W_o, for the last query in each head, (n_head, n_key, d_out)."""
    assert stages.output_weight is not None
    n_head, d_head = stages.heads.shape[0], stages.heads.shape[-1]
    value = stages.value.repeat_interleave(n_head // len(stages.value), dim=0)
    weighted = stages.weights[:, -1, :, None] * value
    return torch.einsum("hjd,ohd->hjo", weighted, stages.output_weight.reshape(-1, n_head, d_head))


def checks_of_eviction(result: HeadEviction) -> list[Check]:
    """Compute every check on the numbers on screen."""
    layers = result.result.toy_run.layers
    query, key, value = (
        torch.cat([getattr(each, part) for each in layers]) for part in ("query", "key", "value")
    )
    heads = F.scaled_dot_product_attention(query, key, value, result.mask)
    full = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    off = (heads - full).flatten(1).norm(dim=-1) / full.flatten(1).norm(dim=-1)
    places = torch.arange(1, result.n + 1).clamp(max=result.budget)
    return [
        compare(_("the output is that of torch"), result.run.heads[result.budget - 1].float(), heads),
        compare(_("the errors are those of these outputs"), result.errors.float(), off, scale=1),
        compare(
            _("each query has as many keys as the budget, or all there are"),
            result.mask.sum(dim=-1).double(),
            places.double().expand(result.result.n_head, result.n),
        ),
    ]


def checks_of_next(result: NextResult) -> list[Check]:
    """Check that the parts sum to the logit, and that the lens ends at the prediction."""
    prediction = result.next_token
    heads = [] if prediction.heads is None else prediction.heads.flatten().tolist()
    parts = [*prediction.rest.values(), *heads]
    logit, last = prediction.logits.max(), prediction.logits.softmax(dim=-1).max()
    return [
        compare(_("what heads and all else add is the winner's logit"), torch.tensor(sum(parts)), logit),
        compare(_("the last layer of the lens is the prediction"), prediction.chances[-1, -1], last),
    ]
