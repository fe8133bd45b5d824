"""Captions and formulas of weights that are removed from a head."""

import numpy as np

from attn_figures.numbers import number
from attn_figures.single_head import HeadMatrices
from attn_figures.ties import largest_indices
from attn_ui.base.markdown import coloured, first_of
from attn_ui.base.removed_weights import Removal
from attn_ui.base.ties import ROUNDING, drop_rounding
from attn_words import _, _n, paragraph


def _query(matrices: HeadMatrices, *at: int) -> str:
    return first_of([f"“{coloured('query', matrices.queries[each])}”" for each in at])


def _key(matrices: HeadMatrices, at: int) -> str:
    return f"“{coloured('key', matrices.keys[at])}”"


def describe_threshold(matrices: HeadMatrices, removal: Removal) -> str:
    """Say how many weights stay, their share of each row, and how far the output moves."""
    rows = np.flatnonzero(matrices.mask.any(axis=1))
    if (threshold := matrices.threshold) is None or not len(rows):
        return ""
    mass = threshold.mass[rows, 0]
    sentence = _(
        "Kept: {kept} of {count} weights, {mean} of a row on average, at least {least}, in {queries}.",
        kept=f"{threshold.cells.sum():,}",
        count=f"{matrices.mask.sum():,}",
        mean=number(float(mass.mean()), 3),
        least=number(float(mass.min()), 3),
        queries=_query(matrices, *rows[largest_indices(-mass)].tolist()),
    )
    if threshold.output_change is not None:
        changes = threshold.output_change[rows]
        change_sentence = _(
            "The output moves by {mean} on average, at most by {most}.",
            mean=number(drop_rounding(float(changes.mean())), 3),
            most=number(drop_rounding(float(changes.max())), 3),
        )
        sentence = paragraph(sentence, change_sentence)
    more = int((threshold.cells[rows].sum(axis=1) > removal.value).sum()) if removal.kind == "largest" else 0
    ties = _n(
        "In {count} row more are kept: all that tie with the last.",
        "In {count} rows more are kept: all that tie with the last.",
        more,
    )
    return paragraph(sentence, ties if more else "")


def describe_ablation(matrices: HeadMatrices) -> str:
    """Say which query attended most to the removed word, and which query's output moves furthest."""
    if (ablation := matrices.ablation) is None:
        return ""
    weights, means = matrices.weights[:, ablation.key], ablation.output_changes.mean(axis=1)
    changes = np.where(ablation.output_change < ROUNDING, 0.0, ablation.output_change)
    sentence = _(
        "Without {key}: its largest weight was {lost}, from {queries}; the outputs move by {mean} on "
        "average, at most by {far}, at {furthest}. The word that matters most is {most}: {largest} on "
        "average.",
        key=_key(matrices, ablation.key),
        lost=number(float(weights.max()), 3),
        queries=_query(matrices, *largest_indices(weights)),
        mean=number(drop_rounding(float(means[ablation.key])), 3),
        far=number(float(changes.max()), 3),
        furthest=_query(matrices, *largest_indices(changes)),
        most=first_of([_key(matrices, key) for key in largest_indices(means)]),
        largest=number(drop_rounding(float(means.max())), 3),
    )
    count = int(ablation.empty.sum())
    empty_sentence = _n(
        "{count} query could attend to it alone: it is left with weights and output of zero.",
        "{count} queries could attend to it alone: they are left with weights and output of zero.",
        count,
    )
    return paragraph(sentence, empty_sentence if count else "")


def threshold_formula(removal: Removal) -> str:
    """Return the formula of the weights that stay, their mass, and the renormalised row."""
    value = f"{removal.value:g}" if removal.kind == "above" else r"\tau"
    rule = rf"A_{{ij}} \ge {value}" if removal.value else "A_{ij} > 0"
    if removal.kind == "largest":
        rule = rf"A_{{ij}} \ge A_{{i({removal.value:.0f})}}"
    return (
        rf"m_i = \sum_j [\,{rule}\,]\, A_{{ij}},\quad "
        rf"\hat A_{{ij}} = \begin{{cases}} [\,{rule}\,]\, A_{{ij}} / m_i & m_i > 0 \\ 0 & m_i = 0 "
        r"\end{cases},\quad \hat O = \hat A V"
    )


def ablation_formula() -> str:
    """Return the formulas of the weights and the output without key l."""
    return (
        r"A^{(l)}_{ij} = \frac{[\,j \ne l\,]\,A_{ij}}{1 - A_{il}},\quad O^{(l)} = A^{(l)} V,\quad "
        r"\bigl\lVert O^{(l)}_i - O_i \bigr\rVert"
    )
