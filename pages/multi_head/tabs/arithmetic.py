"""The tabs "Arithmetic", "Maths", "Data" and "Code": one cell written out, formulas, numbers, PyTorch."""

import math
from collections.abc import Sequence

import streamlit as st
from torch import Tensor

from attn_core import tokenize
from attn_ui import controls
from attn_ui.frame import coloured
from attn_ui.shared_settings import HEAD, KEY, QUERY
from pages.multi_head import snippet as snippets
from pages.multi_head.maps import Now
from pages.multi_head.numbers import SAMPLES, Setting, array, names_of_heads

MOST_TERMS = 8  # of a sum that is written out
MOST_WRITTEN = 40  # numbers of an example that the program writes out


def show(now: Now) -> None:
    """Write out the chosen cell: from the two vectors to its part in the output."""
    first, second, third = st.columns(3)
    with first:
        head = controls.pick(HEAD, "Head", names_of_heads(now.n_head))
    with second:
        query = controls.pick(QUERY, "Query", now.tokens.queries)
    with third:
        key = controls.pick(KEY, "Key", now.tokens.keys)
    result, d_head = now.result, now.module.d_head
    q, k, v = result.query[head, query], result.key[head, key], result.value[head, key]
    score, scaled = float(result.scores[head, query, key]), float(result.scaled_scores[head, query, key])
    weight = float(result.weights[head, query, key])
    words = f"{coloured('query', now.tokens.queries[query])} asks {coloured('key', now.tokens.keys[key])}"
    st.markdown(f"In head {head + 1}, {words}. Click another cell of the maps to follow that one.")
    st.markdown("**1. Two vectors of this head, multiplied number by number and added up**")
    st.latex(rf"q \cdot k = {_sum_of_products(q, k)} = {_number(score)}")
    st.markdown(f"**2. Divided by √d_head = √{d_head}**, the width of the head and not of the model")
    st.latex(
        rf"\frac{{q \cdot k}}{{\sqrt{{d_{{head}}}}}} = \frac{{{_number(score)}}}{{\sqrt{{{d_head}}}}} "
        rf"= {_number(score / math.sqrt(d_head))}"
    )
    st.markdown("**3. The softmax of the row**: its share in the sum of exponentials over all keys")
    if not math.isfinite(scaled):
        st.markdown("This key is masked: its score counts as −∞, and its weight is exactly 0.")
    else:
        row = result.scaled_scores[head, query]
        top = row.max()
        total, own = float((row - top).exp().sum()), math.exp(scaled - float(top))
        st.latex(
            rf"w = \frac{{e^{{{_number(scaled)} - m}}}}{{\sum_j e^{{s_j - m}}}} = "
            rf"\frac{{{_number(own)}}}{{{_number(total)}}} = {weight:.6f} \qquad m = {_number(float(top))}"
        )
    st.markdown("**4. Into the output**: the weight times this key's value, times the head's block of W_o")
    part = weight * v
    st.latex(rf"w\,v = {weight:.6f} \cdot {_vector(v)} = {_vector(part)}")
    if now.setting.projection:
        block = result.output_weight
        assert block is not None
        through = block[:, head * d_head : (head + 1) * d_head] @ part
        st.latex(rf"w\,v\,W_o^{{({head + 1})}} = {_vector(through)}")
        st.markdown(
            f"Summed over all keys this is what head {head + 1} adds to the output, and summed over all "
            f"heads{' (and the bias)' if now.setting.bias else ''} it is the output: the tab *Heads add up* "
            "goes on."
        )
    else:
        st.markdown(
            f"Without W_o the head's {d_head} numbers stand in columns {head * d_head + 1} to "
            f"{(head + 1) * d_head} of the output."
        )


def maths(now: Now) -> None:
    """Show the formulas with the present sizes."""
    n_query, n_key = len(now.tokens.queries), len(now.tokens.keys)
    h, d_head, d_model, d_key = now.n_head, now.module.d_head, now.module.d_model, now.module.d_key
    st.markdown("Every head h has projections of its own, cut from three wide ones:")
    st.latex(
        rf"Q_h = X_q W_q^{{(h)}},\quad K_h = X_k W_k^{{(h)}},\quad V_h = X_k W_v^{{(h)}} \qquad "
        rf"W_q^{{(h)}}: {d_model} \times {d_head},\quad W_k^{{(h)}}, W_v^{{(h)}}: {d_key} \times {d_head}"
    )
    st.markdown("It attends as a single head does:")
    st.latex(
        rf"A_h = \operatorname{{softmax}}\!\left(\frac{{Q_h K_h^\top}}{{\sqrt{{{d_head}}}}}\right)"
        rf"\ ({n_query} \times {n_key}), \qquad \mathrm{{head}}_h = A_h V_h\ ({n_query} \times {d_head})"
    )
    st.markdown("The heads stand side by side:" if not now.setting.projection else "The heads are joined:")
    if now.setting.projection:
        st.latex(
            rf"O = [\mathrm{{head}}_1, \ldots, \mathrm{{head}}_{{{h}}}]\,W_o = "
            rf"\sum_{{h=1}}^{{{h}}} \mathrm{{head}}_h\,W_o^{{(h)}} \qquad "
            rf"W_o: {h * d_head} \times {d_model}, \quad O: {n_query} \times {d_model}"
        )
        st.markdown(
            "The sum and the product are the same thing: a matrix product with the rows of W_o cut into one "
            "block a head."
        )
    else:
        st.latex(
            rf"O = [\mathrm{{head}}_1, \ldots, \mathrm{{head}}_{{{h}}}] \qquad "
            rf"O: {n_query} \times {h * d_head}"
        )
    st.caption("Vaswani et al. (2017), Attention Is All You Need, section 3.2.2.")


def data(now: Now) -> None:
    """Show the vectors that go in and the projections, as tables to read and download."""
    result, head = now.result, now.look.head
    st.markdown("**What goes in**: one row a token")
    _table(now.tokens.query, now.tokens.queries, "x")
    if not now.is_self_attention:
        st.markdown("**What is attended to**")
        _table(now.tokens.key, now.tokens.keys, "x")
    st.markdown(f"**Head {head + 1}**: weights, then its query, key and value vectors")
    _table(result.weights[head], now.tokens.queries, "", columns=now.tokens.keys)
    for name, tensor, tokens in (
        ("q", result.query[head], now.tokens.queries),
        ("k", result.key[head], now.tokens.keys),
        ("v", result.value[head], now.tokens.keys),
    ):
        _table(tensor, tokens, name)
    st.markdown("**What comes out**")
    _table(result.output, now.tokens.queries, "o")
    st.caption("The button at the corner of a table saves it as CSV. All numbers are computed in float64.")


def code(now: Now) -> None:
    """Hand over PyTorch that reproduces the numbers on the page."""
    st.markdown(
        "These lines need nothing but PyTorch and end with the `weights` and the `output` on this page."
    )
    st.code(snippet(now), language="python")


def snippet(now: Now) -> str:
    """Return a program for the present settings."""
    setting, n = now.setting, now.tokens
    vectors = [_vectors("x", n.query, n.queries, setting)]
    if not now.is_self_attention:
        vectors.append(_vectors("memory", n.key, n.keys, setting))
    mask = setting.mask
    if mask == "sliding window" and len(n.queries) != len(n.keys):
        mask = "none"
    return snippets.snippet(
        vectors,
        n_head=now.n_head,
        d_head=now.module.d_head,
        bias=setting.bias,
        projection=setting.projection,
        seed=setting.seed,
        mask=mask,
        reach=setting.reach,
    )


def _vectors(name: str, vectors: Tensor, tokens: Sequence[str], setting: Setting) -> str:
    """Write the vectors of a worked example out where they are few numbers, else as they are drawn."""
    if setting.case in SAMPLES:
        sample = SAMPLES[setting.case]
        if vectors.numel() <= MOST_WRITTEN:
            return snippets.given(name, vectors.tolist())
        return snippets.drawn(
            name, sample.query_tokens if name == "x" else sample.key_tokens, vectors.shape[1], 0
        )
    text = setting.text if name == "x" else setting.memory_text
    return snippets.drawn(name, tokenize(text)[: len(tokens)], vectors.shape[1], setting.seed)


def _table(tensor: Tensor, rows: Sequence[str], letter: str, columns: Sequence[str] = ()) -> None:
    numbers = array(tensor)
    names = columns or [f"{letter}{index + 1}" for index in range(numbers.shape[1])]
    st.dataframe(
        # No token is a space, so no column hides another.
        {" ": list(rows)} | {name: numbers[:, index] for index, name in enumerate(names)},
        hide_index=True,
        width="stretch",
        height="content" if len(rows) <= 12 else 420,
        column_config={" ": "Token"} | {name: st.column_config.NumberColumn(format="%.6f") for name in names},
    )


def _number(value: float) -> str:
    """Write a number with four significant digits, in brackets where it is negative."""
    text = f"{value:.4g}"
    if "e" in text:
        digits, power = text.split("e")
        text = rf"{digits} \cdot 10^{{{int(power)}}}"
    return f"({text})" if value < 0 else text


def _sum_of_products(q: Tensor, k: Tensor) -> str:
    products = [rf"{_number(a)} \cdot {_number(b)}" for a, b in zip(q.tolist(), k.tolist(), strict=True)]
    if len(products) > MOST_TERMS:
        left = len(products) - MOST_TERMS + 1
        products[MOST_TERMS - 1 :] = [rf"\underbrace{{\cdots}}_{{{left}\ \text{{more}}}}"]
    return " + ".join(products)


def _vector(vector: Tensor) -> str:
    numbers = [f"{value:.3g}" for value in vector.tolist()]
    if len(numbers) > MOST_TERMS:
        numbers[MOST_TERMS - 1 :] = [r"\ldots", numbers[-1]]
    listed = r",\ ".join(numbers)
    return f"[{listed}]"
