"""Sentences about a text's flow; pure."""

from attn_core.text_flow import SINK_SHARE
from attn_ui.base.markdown import coloured, listed
from attn_words import _, _n, paragraph
from pages.learned_heads.compute import Now
from pages.learned_heads.text_flow import TextFlow


def seen(flow: TextFlow, at: int) -> list[str]:
    """Say what draws weight in a layer, what it writes, and where the last token looks."""
    told = []
    if not flow.on[at]:
        told.append(_("Every head of layer {layer} is off: it reads nothing.", layer=at + 1))
    elif len(flow.tokens) > 1:
        told += _drawn(flow, at)
    own = flow.rollout[at].diagonal().mean()
    told.append(
        _n(
            "After layer {count}, **{own}** of a place still comes from its own token, on average.",
            "After layers 1 to {count}, **{own}** of a place still comes from its own token, on average.",
            at + 1,
            own=f"{float(own):.2f}",
        )
    )
    if flow.is_causal and flow.on[at]:
        key = int(flow.weights[at, -1].argmax())
        told.append(
            _(
                "For the next token, the last one, {query}, looks most at {key}: **{weight}**, the mean of "
                "the heads.",
                query=coloured("query", flow.labels[-1]),
                key=coloured("key", flow.labels[key]),
                weight=f"{float(flow.weights[at, -1, key]):.2f}",
            )
        )
    return told


def _drawn(flow: TextFlow, at: int) -> list[str]:
    """Say which keys draw the weight of the other tokens, and what is written from them."""
    sinks = flow.sinks[at].nonzero().flatten().tolist()
    top = sinks or [int(flow.shares[at].argmax())]
    told = [
        _(
            "In layer {layer} the other tokens give {keys} **{weight}** of their weight; attention sinks: "
            "{count}.",
            layer=at + 1,
            keys=listed([coloured("key", flow.labels[key]) for key in top]),
            weight=f"{float(flow.shares[at, top].sum()):.2f}",
            count=len(sinks),
        )
    ]
    if flow.norms is not None:
        norms = flow.norms[at]
        rows = norms / norms.sum(dim=-1, keepdim=True).clamp(min=1e-300)
        others = (rows.sum(dim=0) - rows.diagonal())[top].sum() / (len(rows) - 1)
        told.append(
            _(
                "Of the length of what is written to those tokens: **{length}**.",
                length=f"{float(others):.2f}",
            )
        )
    return told


def _bar(n: int) -> float:
    return max(SINK_SHARE, min(1.0, 2 / n))


def alt(flow: TextFlow) -> str:
    """Say what is drawn."""
    drawn = [_("a layer's mean weights")]
    if flow.norms is not None:
        drawn.append(_("the length of what they write"))
    drawn.append(_("the rollout up to the layer"))
    if flow.is_causal:
        drawn.append(_("where each head looks for the next token"))
    return _("Maps side by side: {maps}", maps=listed(drawn))


def what_is_seen(flow: TextFlow) -> str:
    """Say how the maps are made."""
    told = [
        _(
            "Attention rollout: half of each place passes by a layer on the residual connection, half comes "
            "by the mean weights; the layers' maps are multiplied (Abnar and Zuidema, 2020)."
        )
    ]
    if flow.norms is None:
        told.append(_("A file holds no values, so the length of what is written is not known."))
    else:
        told.append(
            _(
                "What a key writes is its weight times the length of its value after W_o, the mean of the "
                "heads, each row divided by its sum; hover has the length (Kobayashi et al., 2020)."
            )
        )
    if isinstance(flow.of, Now):
        told.append(_("The toy was trained for {steps} steps.", steps=f"{flow.of.step:,}"))
    return paragraph(*told)


def what_a_sink_is(flow: TextFlow) -> str:
    """Say by which rule sinks are found, and what setting them aside does."""
    told = _(
        "An attention sink is found where the other tokens give a key at least {bar} of their weight, on "
        "average: 0.3 (Gu et al., 2024), and in a short text twice an even share.",
        bar=f"{_bar(len(flow.tokens)):.2f}",
    )
    if not flow.aside:
        return told
    return paragraph(
        told,
        _(
            "Sinks are set aside in every layer: each row of weights, and of lengths, is divided by what it "
            "still has, and rollout goes on from these."
        ),
    )
