"""The tab Arithmetic: one query and one key, from their vectors to their share of the output."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from attn_core import SCORES
from attn_core.scores import score_terms
from attn_figures.numbers import as_weight, in_brackets, number
from attn_figures.single_head import HeadMatrices
from attn_ui.base.markdown import coloured
from attn_ui.base.masking import toggle_cell
from attn_ui.base.parameters import Steps
from attn_ui.base.shared_settings import KEY, QUERY, TEMPERATURE
from attn_ui.screen import widgets
from attn_ui.screen.streamlit_controls import CONTROLS
from attn_ui.screen.tables import ROUNDED, table
from attn_words import _, _c, paragraph
from pages.single_head.compute import Result

MOST_TERMS = 8  # written out, at most, of a sum
MOST_DIMENSIONS = 64  # written out, at most, of vectors
DIGITS = 6  # as in the hover text
# The vectors that a score multiplies, by dimension, and the names of their entries.
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


@dataclass(frozen=True, eq=False)
class Working:
    """One cell of one head, with the numbers of its arithmetic.

    ``pairs`` are the numbers of query and key that the score multiplies; ``factor`` and ``temperature``
    scale it; ``bias`` is added for positions, None without.
    """

    matrices: HeadMatrices
    cell: tuple[int, int]
    pairs: Sequence[tuple[float, float]]
    factor: str
    temperature: float
    bias: float | None = None


def show(result: Result) -> None:
    """Show controls for a cell, and its arithmetic."""
    choose_cell(result.matrices, result.cell, is_own_mask=result.scoring.masking.kind == "own")
    work_out(working(result))


def choose_cell(
    matrices: HeadMatrices,
    cell: tuple[int, int],
    *,
    is_own_mask: bool,
    others: Sequence[tuple[Steps, str, Sequence[str]]] = (),
) -> None:
    """Show controls for query, key and `others` by name, and a switch of the cell in a visitor's own mask."""
    offers = [*others, (QUERY, _("Query"), matrices.queries), (KEY, _("Key"), matrices.keys)]
    with st.container(horizontal=True, vertical_alignment="bottom", width=240 * (1 + len(offers))):
        for steps_of_choice, label, names in offers:
            widgets.pick(steps_of_choice, label, names, width=240)
        if is_own_mask:
            does = _("Block this cell") if matrices.mask[cell] else _("Free this cell")
            st.button(does, on_click=toggle_cell, args=(CONTROLS, *cell))
    framed = _(
        "“{query}” meets “{key}”: choose others above, or click a cell where a map is drawn.",
        query=coloured("query", matrices.queries[cell[0]]),
        key=coloured("key", matrices.keys[cell[1]]),
    )
    st.markdown(paragraph(framed, _(ROUNDED)))


def work_out(working: Working) -> None:
    """Write out the score, the weight and the output as tables."""
    with st.container(width=960), st.container(horizontal=True, gap="large", key="worked-out"):
        for side in (products(working), score_to_weight_table(working)):
            with st.container():
                st.markdown(side)
    query = coloured("query", working.matrices.queries[working.cell[0]])
    st.markdown(_("The output of “{query}” is every value times its weight, added up:", query=query))
    st.markdown(mixture(working))


def working(result: Result) -> Working:
    """Return the chosen cell with its numbers."""
    (row, column), head = result.cell, result.head
    query, key = head.query[row : row + 1], head.key[column : column + 1]
    left, right = (each[0, 0].tolist() for each in score_terms(result.scoring.score, query, key, result.own))
    pairs = [*zip(left, right, strict=True)]
    return Working(result.matrices, result.cell, pairs, result.factor, result.temperature)


def products(working: Working) -> str:
    """Return the table of the dot product, one row per dimension."""
    matrices, (row, column) = working.matrices, working.cell
    rows = [
        [str(dimension), f":violet[{_number(one)}]", f":orange[{_number(other)}]", _number(one * other)]
        for dimension, (one, other) in enumerate(working.pairs[:MOST_DIMENSIONS], start=1)
    ]
    if rest := working.pairs[MOST_DIMENSIONS:]:
        rows.append(["…", "", "", _number(sum(one * other for one, other in rest))])
    score = _number(matrices.scores[row, column])
    if SCORES[matrices.score].is_log:
        rows.append([_("sum"), "", "", _number(np.exp(matrices.scores[row, column]))])
        rows.append([_("**its logarithm: the score**"), "", "", f"**{score}**"])
    else:
        rows.append([_("**sum: the score**"), "", "", f"**{score}**"])
    heads = [coloured("query", matrices.queries[row]), coloured("key", matrices.keys[column])]
    return table(
        [_("dimension"), *FACTORS.get(matrices.score, heads), _c("arithmetic", "product")], rows, numbers=3
    )


def score_to_weight_table(working: Working) -> str:
    """Return the table from the score to the weight, one row per operation."""
    matrices, (row, column) = working.matrices, working.cell
    score = _number(matrices.scores[row, column])
    scaled = _number(matrices.scores[row, column] * matrices.scale)
    rows = [
        (_("score"), WORK.get(matrices.score, "q · k"), score),
        (_("scaled"), f"{score} {working.factor} ÷ {TEMPERATURE.text(working.temperature)}", scaled),
    ]
    may = matrices.mask[row]
    if working.bias is not None and may[column]:
        work = f"{scaled} + {in_brackets(_number(working.bias))}"
        scaled = _number(matrices.scaled_scores[row, column])
        rows.append((_("bias of positions"), work, scaled))
    total = _number(matrices.row_sums[row, 0])
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
        largest = matrices.scaled_scores[row][may].max()
        exponential = _number(matrices.exponentials[row, column])
        at_sink = _number(matrices.sink_exponentials[row, 0])
        beside = "" if matrices.sink is None else f" + {at_sink} {_('to the sink')}"
        rows += [
            (_("mask"), _("{scaled} + 0: may attend", scaled=scaled), scaled),
            (
                _("exp, less the row's largest"),
                f"exp({scaled} − {in_brackets(_number(largest))})",
                exponential,
            ),
            (_("sum of these over the row"), _sum(matrices.exponentials[row][may]) + beside, total),
            (_("weight"), f"{exponential} ÷ {total}", as_weight(float(matrices.weights[row, column]))),
        ]
    name, work, outcome = rows[-1]
    return table(
        [_("step"), _("work"), _("result")], [*rows[:-1], (f"**{name}**", work, f"**{outcome}**")], numbers=1
    )


def mixture(working: Working) -> str:
    """Return the table of the output as a sum of weighted values, one row per key, the chosen one in bold."""
    matrices, (row, column) = working.matrices, working.cell
    weights, output = matrices.weights[row], matrices.output[row, :MOST_DIMENSIONS]
    value = matrices.value[:, :MOST_DIMENSIONS]
    rows = []
    indices = range(len(weights)) if len(weights) <= MOST_TERMS else [column]
    for index in indices:
        shares = [_number(share) for share in weights[index] * value[index]]
        line = [coloured("key", matrices.keys[index]), as_weight(float(weights[index])), *shares]
        rows.append([f"**{part}**" for part in line] if index == column else line)
    if len(indices) < len(weights):
        rest = np.delete(weights, column).sum()
        shares = [_number(share) for share in output - weights[column] * value[column]]
        rows.append([_("the other {count} keys", count=len(weights) - 1), as_weight(float(rest)), *shares])
    output_of = _("output of {query}", query=coloured("query", matrices.queries[row]))
    rows.append([output_of, f"{weights.sum():.6f}", *map(_number, output)])
    heads = [f":green[w·v {dimension}]" for dimension in range(1, len(output) + 1)]
    return table([_("key"), _("weight"), *heads], rows, numbers=len(heads) + 1)


def _number(value: float) -> str:
    return number(float(value), DIGITS)


def _sum(terms: Sequence[float]) -> str:
    numbers = [_number(term) for term in terms]
    if len(numbers) > MOST_TERMS:
        return _("{terms} + … ({count} terms)", terms=" + ".join(numbers[:3]), count=len(numbers))
    return " + ".join(numbers)
