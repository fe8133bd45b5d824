"""The tab Checks: the numbers on screen compared with torch, and the invariants of attention."""

import streamlit as st
import torch

import attn_core
from attn_core.hard_lookup import audit_hard_lookup
from attn_core.plane import audit_plane
from attn_core.scores import DOT, audit_score
from attn_ui.screen.tables import checks_table
from attn_words import _
from pages.single_head.compute import Result, plane_of
from pages.single_head.removed_weights import as_keys, audit_removal


def show(result: Result) -> None:
    """Show the checks of the numbers on screen."""
    head, sink = result.head, result.scoring.sink
    query, key, value, mask = head.query, head.key, head.value, result.mask
    scored: tuple[attn_core.Check, ...] = ()
    if result.scoring.score != DOT or sink is not None:
        # Torch has the dot product alone: scores times the identity fit it; a sink is a key with value zero.
        at = None if sink is None else sink * result.temperature / result.scale
        query, key, value, mask = as_keys(torch.tensor(result.matrices.scores), result.matrices, at)
    if result.scoring.score != DOT:
        scored = audit_score(
            result.scoring.score, head.query, head.key, head.value, attn_mask=result.mask,
            parameters=result.own, scores=torch.tensor(result.matrices.scores),
        )  # fmt: skip
    attention = attn_core.scaled_dot_product_attention(
        query, key, value, mask, scale=result.scale, temperature=result.temperature
    )
    checks = attn_core.audit_attention(
        attention, query, key, value, mask, scale=result.scale / result.temperature
    )
    if sink is not None:
        name, weights = (
            _("beside the sink, a key without value, the keys have these weights"),
            result.matrices.weights,
        )
        scored += (attn_core.compare(name, torch.tensor(weights), attention.weights[:, :-1], scale=1.0),)
    lookup = audit_hard_lookup(*as_keys(torch.tensor(result.matrices.scores), result.matrices, None))
    more = [lookup, *audit_removal(result.matrices, result.removal)]
    if result.along is not None:
        plane, is_main = plane_of(head, result.along), result.along.dimensions is None
        more += audit_plane(plane, head.query, head.key, is_main=is_main)
    st.markdown(_("Computed just now, on the numbers on screen."))
    st.markdown(checks_table({_("this page"): [*scored, *checks, *more]}))
    st.caption(
        _(
            "The hull is tested along every axis and 256 other directions. A check holds while its largest "
            "deviation stays below {tolerance} times the largest number compared.",
            tolerance=f"{checks[0].tolerance:.1e}",
        )
    )
