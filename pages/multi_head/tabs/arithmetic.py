"""The tab "Arithmetic": one cell written out, from two vectors to its part in the output."""

import math

import streamlit as st
from torch import Tensor

from attn_figures.numbers import in_brackets, number
from attn_ui.base.markdown import coloured
from attn_ui.base.masking import toggle_cell
from attn_ui.base.parameters import shown
from attn_ui.base.shared_settings import HEAD, KEY, QUERY
from attn_ui.screen import widgets
from attn_ui.screen.streamlit_controls import CONTROLS
from attn_ui.screen.tables import ROUNDED
from attn_words import _, _c, paragraph
from pages.multi_head.compute import Result, allowed, biases
from pages.multi_head.controls import names_of_heads
from pages.multi_head.settings import POSITIONS, TAB

MOST_TERMS = 8  # of a sum that is written out


def show(result: Result) -> None:
    """Write out the chosen cell: from the two vectors to its part in the output."""
    _read_cell(result)
    head, (query, key) = result.look.head, result.cell
    attention, d_head = result.attention, result.module.d_head
    q, k, v = attention.query[head, query], attention.key[head, key], attention.value[head, key]
    score, scaled = (
        float(attention.scores[head, query, key]),
        float(attention.scaled_scores[head, query, key]),
    )
    weight = float(attention.weights[head, query, key])
    read_controls = _(
        "In head {head}, {query} asks {key}.",
        head=head + 1,
        query=coloured("query", result.tokens.queries[query]),
        key=coloured("key", result.tokens.keys[key]),
    )
    st.markdown(paragraph(read_controls, _("Click another cell of the maps to follow that one."), _(ROUNDED)))
    st.markdown(
        _(
            "**1. Two vectors of this head, multiplied number by number and added up**; vectors or turns "
            "of places are in them already"
        )
    )
    st.latex(rf"q \cdot k = {_sum_of_products(q, k)} = {_number(score)}")
    if result.scheme.adds in ("vector", "rotation"):
        bare = float(result.unplaced.attention.scores[head, query, key])
        st.markdown(_("Without positions this product is {product}.", product=number(bare)))
    _scaling(result, score)
    st.markdown(_("**3. The softmax of the row**: its share in the sum of exponentials over all keys"))
    if not math.isfinite(scaled):
        st.markdown(_("This key is masked: its score counts as −∞, and its weight is exactly 0."))
    else:
        row = attention.scaled_scores[head, query]
        top = row.max()
        total, own = float((row - top).exp().sum()), math.exp(scaled - float(top))
        st.latex(
            rf"w = \frac{{e^{{{_number(scaled)} - m}}}}{{\sum_j e^{{s_j - m}}}} = "
            rf"\frac{{{_number(own)}}}{{{_number(total)}}} = {_weight(weight)} \qquad "
            rf"m = {_number(float(top))}"
        )
    st.markdown(
        _("**4. Into the output**: the weight times this key's value, times the head's block of W_o, if any")
    )
    part = weight * v
    st.latex(rf"w\,v = {_weight(weight)} \cdot {_vector(v)} = {_vector(part)}")
    block = attention.output_weight
    if block is not None:
        projected = block[:, head * d_head : (head + 1) * d_head] @ part
        st.latex(rf"w\,v\,W_o^{{({head + 1})}} = {_vector(projected)}")
    st.markdown(
        _(
            "Summed over all keys this is what head {head} adds to the output, in columns of its own where "
            "there is no W_o; summed over all heads, plus a bias b_o if any, it is the output: the tab "
            "*{tab}* goes on.",
            head=head + 1,
            tab=shown(TAB, "Heads add up"),
        )
    )


def _scaling(result: Result, score: float) -> None:
    """Write out the way from the product to what the softmax takes."""
    d_head, temperature = result.module.d_head, result.setting.temperature
    scaled = score / math.sqrt(d_head) / temperature
    over, sizes = r"\sqrt{d_{head}}\,T", rf"\sqrt{{{d_head}}} \cdot {temperature:.6g}"
    st.markdown(
        _(
            "**2. Divided by √d_head = √{d_head}**, the width of the head and not of the model, and by the "
            "temperature T",
            d_head=d_head,
        )
    )
    st.latex(rf"\frac{{q \cdot k}}{{{over}}} = \frac{{{_number(score)}}}{{{sizes}}} = {_number(scaled)}")
    added = biases(result.setting, result.n_head)
    if added is not None:
        bias = float(added[result.look.head, result.cell[0], result.cell[1]])
        st.markdown(
            _(
                "Positions add the bias that head {head} has for this distance ({scheme}):",
                head=result.look.head + 1,
                scheme=shown(POSITIONS, result.setting.positions.name),
            )
        )
        st.latex(rf"s = {_number(scaled)} + {in_brackets(_number(bias))} = {_number(scaled + bias)}")


def _read_cell(result: Result) -> None:
    """Offer the cell by name; the head too, where the view does not ask for it already."""
    state = [(QUERY, _("Query"), result.tokens.queries), (KEY, _("Key"), result.tokens.keys)]
    if result.look.view != "two heads":
        state.insert(0, (HEAD, _("Head"), list(names_of_heads(result.n_head))))
    for column, (steps, label, names) in zip(st.columns(len(state)), state, strict=True):
        with column:
            widgets.pick(steps, label, names)
    if result.setting.mask == "own":
        may = allowed(result.setting, result.n_head)
        does = _("Block this cell") if may is None or bool(may[result.cell]) else _("Free this cell")
        st.button(does, on_click=toggle_cell, args=(CONTROLS, *result.cell))


def _number(value: float, digits: int = 4) -> str:
    """Write a number with so many significant digits, as LaTeX; zero has no sign.

    >>> _number(-0.25), _number(-0.0), _number(1.5e-7)
    ('-0.25', '0', '1.5 \\\\cdot 10^{-7}')
    """
    text = f"{value + 0.0:.{digits}g}"
    if "e" in text:
        mantissa, power = text.split("e")
        return rf"{mantissa} \cdot 10^{{{int(power)}}}"
    return text


def _weight(value: float) -> str:
    """Write a weight with six decimals, or as a power of ten where these would hide it."""
    return f"{value:.6f}" if value >= 1e-3 or not value else _number(value, 3)


def _sum_of_products(q: Tensor, k: Tensor) -> str:
    products = [
        rf"{in_brackets(_number(a))} \cdot {in_brackets(_number(b))}"
        for a, b in zip(q.tolist(), k.tolist(), strict=True)
    ]
    if len(products) > MOST_TERMS:
        n_more = len(products) - MOST_TERMS + 1
        more = _c("terms", "more")
        products[MOST_TERMS - 1 :] = [rf"\underbrace{{\cdots}}_{{{n_more}\ \text{{{more}}}}}"]
    return " + ".join(products)


def _vector(vector: Tensor) -> str:
    numbers = [_number(value, 3) for value in vector.tolist()]
    if len(numbers) > MOST_TERMS:
        numbers[MOST_TERMS - 1 :] = [r"\ldots", numbers[-1]]
    entries = r",\ ".join(numbers)
    return f"[{entries}]"
