"""The tab "Arithmetic": one row of one head, from scores to the share on the right places."""

import math

import streamlit as st

from attn_figures.numbers import number
from attn_ui.base.markdown import all_of, capital, coloured
from attn_ui.screen.tables import ROUNDED, table
from attn_words import _, _c, _n, paragraph
from pages.learned_heads.compute import Result


def show(result: Result) -> None:
    """Show the chosen query's row, with the chosen key set in bold."""
    st.markdown(sentence(result))
    st.markdown(
        table(
            [
                _("Key"),
                _("right place"),
                "q · k",
                f"/ √{result.d_head}",
                _("e to that, less the largest"),
                _("weight"),
            ],
            rows(result),
            numbers=4,
        )
    )
    st.caption(paragraph(_("Click a cell of a map to choose its head, query and key."), _(ROUNDED)))


def sentence(result: Result) -> str:
    """Return a sentence with the weight of the chosen pair and the sum of weights on the right places."""
    head, query, key = result.selection
    weights = result.weights[head, query]
    where = [place for place, right in enumerate(result.task.right(result.tokens)[query].tolist()) if right]
    sentence_ = _(
        "**{head}**, from the query {query} at place {place} to the key {key} at place {other}: weight "
        "**{weight}**.",
        head=capital(result.label(head)),
        query=coloured("query", result.symbols[query]),
        place=query + 1,
        key=coloured("key", result.symbols[key]),
        other=key + 1,
        weight=number(float(weights[key]), 3),
    )
    if not where:
        return paragraph(sentence_, _("This place has no answer, so no key is right."))
    answer = _n(
        "The answer stands at {places}, which has {share}.",
        "The answer stands at {places}, which have {share}.",
        len(where),
        places=all_of([_at(result, place) for place in where]),
        share=number(float(weights[where].sum()), 3),
    )
    return paragraph(sentence_, answer)


def _at(result: Result, place: int) -> str:
    return _("{symbol} at place {place}", symbol=result.symbols[place], place=place + 1)


def rows(result: Result) -> list[list[str]]:
    """Return a table row for each key that the query may attend to: its scores and its weight."""
    head, query, chosen_key = result.selection
    layer, within = divmod(head, result.recipe.heads)
    stages = result.toy_run.layers[layer]
    right = result.task.right(result.tokens)[query].tolist()
    scaled = stages.scaled_scores[within, query]
    largest = float(scaled.max())
    lines = []
    for key in range(query + 1 if result.task.causal else len(result.symbols)):
        score, weight = (float(each[within, query, key]) for each in (stages.scores, stages.weights))
        share = math.exp(float(scaled[key]) - largest)
        cells = [
            _at(result, key),
            _c("switch", "yes") if right[key] else "",
            *(number(each, 3) for each in (score, float(scaled[key]), share, weight)),
        ]
        lines.append([f"**{cell}**" if cell and key == chosen_key else cell for cell in cells])
    return lines
