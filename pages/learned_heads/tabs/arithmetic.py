"""The tab "Arithmetic": one row of one head, from scores to the share on the right places."""

import math

import streamlit as st

from attn_figures.numbers import number
from attn_ui.base.markdown import coloured, listed
from attn_ui.screen.tables import ROUNDED, table
from pages.learned_heads.compute import Now


def show(now: Now) -> None:
    """Show the chosen query's row, with the chosen key set in bold."""
    st.markdown(sentence(now))
    st.markdown(
        table(
            ["Key", "right place", "q · k", f"/ √{now.d_head}", "e to that, less the largest", "weight"],
            rows(now),
            numbers=4,
        )
    )
    st.caption(f"Click a cell of a map to choose its head, query and key. {ROUNDED}")


def sentence(now: Now) -> str:
    """Say where the chosen head, query and key are, and what the right places have together."""
    head, query, key = now.chosen
    weights = now.weights[head, query]
    where = [place for place, right in enumerate(now.task.right(now.tokens)[query].tolist()) if right]
    told = (
        f"**{now.head(head).capitalize()}**, from the query {coloured('query', now.symbols[query])} at place "
        f"{query + 1} to the key {coloured('key', now.symbols[key])} at place {key + 1}: weight "
        f"**{number(float(weights[key]), 3)}**."
    )
    if not where:
        return f"{told} This place has no answer, so no key is right."
    places = listed([f"{now.symbols[place]} at place {place + 1}" for place in where])
    share = number(float(weights[where].sum()), 3)
    return f"{told} The answer stands at {places}, which {'have' if len(where) > 1 else 'has'} {share}."


def rows(now: Now) -> list[list[str]]:
    """Return a line a key that the query may see: its scores and its weight."""
    head, query, chosen = now.chosen
    layer, within = divmod(head, now.recipe.heads)
    stages = now.result.layers[layer]
    right = now.task.right(now.tokens)[query].tolist()
    scaled = stages.scaled_scores[within, query]
    largest = float(scaled.max())
    found = []
    for key in range(query + 1 if now.task.causal else len(now.symbols)):
        score, weight = (float(each[within, query, key]) for each in (stages.scores, stages.weights))
        share = math.exp(float(scaled[key]) - largest)
        cells = [
            f"{now.symbols[key]} at place {key + 1}",
            "yes" if right[key] else "",
            *(number(each, 3) for each in (score, float(scaled[key]), share, weight)),
        ]
        found.append([f"**{cell}**" if cell and key == chosen else cell for cell in cells])
    return found
