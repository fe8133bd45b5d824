"""The tab Arithmetic: one query and one key, from their vectors to their share of the output."""

import numpy as np
import streamlit as st

from attn_core import SCORES
from attn_core.scores import score_terms
from attn_figures.numbers import as_weight, in_brackets, number
from attn_ui.base.markdown import coloured
from attn_ui.base.masking import toggle_cell
from attn_ui.base.shared_cache import shared
from attn_ui.base.shared_settings import KEY, QUERY, TEMPERATURE
from attn_ui.screen import widgets
from attn_ui.screen.streamlit_controls import CONTROLS
from attn_ui.screen.tables import ROUNDED, table
from attn_words import _, _c, paragraph
from pages.single_head.compute import Result
from pages.single_head.state import Inputs, Scoring

MOST_TERMS = 8  # of a sum that is written out
DIGITS = 6  # as the hover has them
# What a score multiplies, dimension by dimension, and how it is written.
FACTORS = {
    "additive": ("v_a", "tanh(q W_a + k U_a)"),
    "general": ("q W_a", "k"),
    "cosine": ("q ÷ ‖q‖", "k ÷ ‖k‖"),
    "kernel": ("−(q − k) ÷ 2", "q − k"),
    "linear": ("φ(q)", "φ(k)"),
}
WORK = {
    "additive": "v_a · tanh(q W_a + k U_a)",
    "general": "q W_a · k",
    "cosine": "cos(q, k)",
    "kernel": "−‖q − k‖² ÷ 2",
    "linear": "log(φ(q) · φ(k))",
}


def show(result: Result) -> None:
    """Let the person choose a cell, and work it out."""
    walk, cell = result.walk, result.cell
    with st.container(horizontal=True, vertical_alignment="bottom", width=720):
        widgets.pick(QUERY, _("Query"), walk.queries, width=240)
        widgets.pick(KEY, _("Key"), walk.keys, width=240)
        if result.scoring.masking.kind == "own":
            does = _("Block this cell") if walk.mask[cell] else _("Free this cell")
            st.button(does, on_click=toggle_cell, args=(CONTROLS, *cell))
    query, key = (
        coloured("query", walk.queries[cell[0]]),
        coloured("key", walk.keys[cell[1]]),
    )
    framed = _(
        "The framed cell: “{query}” meets “{key}”. Click another cell of any map to work that one out.",
        query=query,
        key=key,
    )
    st.markdown(paragraph(framed, _(ROUNDED)))
    with st.container(width=960), st.container(horizontal=True, gap="large", key="worked-out"):
        for worked in (products(result), steps(result)):
            with st.container():
                st.markdown(worked)
    st.markdown(_("The output of “{query}” is every value times its weight, added up:", query=query))
    st.markdown(mixture(result))


def products(result: Result) -> str:
    """Write the dot product out, one dimension a row."""
    walk, (row, column) = result.walk, result.cell
    pairs = zip(*_factors(result.inputs, result.scoring, row, column, result), strict=True)
    rows = [
        [str(dimension), f":violet[{_number(one)}]", f":orange[{_number(other)}]", _number(one * other)]
        for dimension, (one, other) in enumerate(pairs, start=1)
    ]
    score = _number(walk.scores[row, column])
    if SCORES[result.scoring.score].is_log:
        rows.append([_("sum"), "", "", _number(np.exp(walk.scores[row, column]))])
        rows.append([_("**its logarithm: the score**"), "", "", f"**{score}**"])
    else:
        rows.append([_("**sum: the score**"), "", "", f"**{score}**"])
    heads = [coloured("query", walk.queries[row]), coloured("key", walk.keys[column])]
    heads = [*FACTORS.get(result.scoring.score, heads)]
    return table([_("dimension"), *heads, _c("arithmetic", "product")], rows, numbers=3)


@shared
def _factors(
    inputs: Inputs, scoring: Scoring, row: int, column: int, _now: Result
) -> tuple[list[float], ...]:
    query, key = _now.head.query[row : row + 1], _now.head.key[column : column + 1]
    return tuple(each[0, 0].tolist() for each in score_terms(scoring.score, query, key, _now.own))


def steps(result: Result) -> str:
    """Write the way from the score to the weight, one operation a row."""
    walk, (row, column) = result.walk, result.cell
    score, scaled = _number(walk.scores[row, column]), _number(walk.scaled_scores[row, column])
    rows = [
        (_("score"), WORK.get(result.scoring.score, "q · k"), score),
        (_("scaled"), f"{score} {result.factor} ÷ {TEMPERATURE.text(result.temperature)}", scaled),
    ]
    may = walk.mask[row]
    total = _number(walk.row_sums[row, 0])
    if not may.any():
        rows += [
            (_("masked"), _("+ −∞, as every key of this row"), "−∞"),
            (_("weight"), _("a row of nothing is zero"), "0"),
        ]
    elif not may[column]:
        rows += [
            (_("masked"), f"{scaled} − ∞", "−∞"),
            ("exp", "exp(−∞)", "0"),
            (_("weight"), f"0 ÷ {total}", f"{0:.6f}"),
        ]
    else:
        largest = walk.scaled_scores[row][may].max()
        exponential = _number(walk.exponentials[row, column])
        rows += [
            (_("mask"), _("{scaled} + 0: may attend", scaled=scaled), scaled),
            (
                _("exp, less the row's largest"),
                f"exp({scaled} − {in_brackets(_number(largest))})",
                exponential,
            ),
            (_("sum of these over the row"), _sum(walk.exponentials[row][may]), total),
            (_("weight"), f"{exponential} ÷ {total}", as_weight(float(walk.weights[row, column]))),
        ]
    name, work, outcome = rows[-1]
    return table(
        [_("step"), _("work"), _("result")], [*rows[:-1], (f"**{name}**", work, f"**{outcome}**")], numbers=1
    )


def mixture(result: Result) -> str:
    """Write the row of the output as the sum of weighted values, one key a row; the selected one in bold."""
    walk, (row, column) = result.walk, result.cell
    weights, output = walk.weights[row], walk.output[row]
    rows = []
    indices = range(len(weights)) if len(weights) <= MOST_TERMS else [column]
    for index in indices:
        shares = [_number(share) for share in weights[index] * walk.value[index]]
        line = [coloured("key", walk.keys[index]), as_weight(float(weights[index])), *shares]
        rows.append([f"**{part}**" for part in line] if index == column else line)
    if len(indices) < len(weights):
        rest = np.delete(weights, column).sum()
        shares = [_number(share) for share in output - weights[column] * walk.value[column]]
        rows.append([_("the other {count} keys", count=len(weights) - 1), as_weight(float(rest)), *shares])
    total = [_number(value) for value in output]
    output_of = _("output of {query}", query=coloured("query", walk.queries[row]))
    rows.append([output_of, f"{weights.sum():.6f}", *total])
    heads = [f":green[w·v {dimension}]" for dimension in range(1, len(output) + 1)]
    return table([_("key"), _("weight"), *heads], rows, numbers=len(heads) + 1)


def _number(value: float) -> str:
    return number(float(value), DIGITS)


def _sum(terms: np.ndarray) -> str:
    numbers = [_number(term) for term in terms]
    if len(numbers) > MOST_TERMS:
        return _("{terms} + … ({count} terms)", terms=" + ".join(numbers[:3]), count=len(numbers))
    return " + ".join(numbers)
