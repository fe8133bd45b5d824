"""The tab "Maths": the model, its task, and the measures that name a head."""

import streamlit as st

from attn_words import _, paragraph
from pages.learned_heads.attention_flow import AttentionFlow
from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.compute import Result
from pages.learned_heads.eviction import HeadEviction
from pages.learned_heads.tabs import clouds, flow
from pages.learned_heads.words import layers_of_heads

_OTHERS = {AttentionFlow: flow.show_flow, HeadClouds: clouds.show_clouds, HeadEviction: flow.show_eviction}


def show(result: Result | AttentionFlow | HeadEviction | HeadClouds) -> None:
    """Write down the formulas of this kind of result, with the sizes of the model."""
    if not isinstance(result, Result):
        _OTHERS[type(result)]()
        return
    recipe, task = result.recipe, result.task
    st.markdown(
        paragraph(
            _(
                "**The model**: {size}, d_model = {width}, attention alone.",
                size=layers_of_heads(recipe.layers, recipe.heads),
                width=task.d_model,
            ),
            _("E is learned; P are the sinusoids of the places (base 100), or zero without positions."),
        )
    )
    st.latex(
        r"x^{(0)} = E_{\mathrm{token}} + P, \qquad "
        r"x^{(l+1)} = x^{(l)} + \mathrm{heads}(\mathrm{norm}(x^{(l)}))"
    )
    st.latex(r"p = \mathrm{softmax}\bigl(W_u\,(x^{(L)} - x^{(0)})\bigr)")
    logits = _(
        "What the softmax takes are the logits, one for each symbol. The embedding is taken away before "
        "reading out, so all that is said was written by a head."
    )
    loss = _(
        "**The loss**, in nats, is the mean over the places that have an answer; guessing among 16 symbols "
        "has ln 16 = 2.77."
    )
    st.markdown(f"{logits}\n\n{loss}")
    st.latex(r"L = -\frac{1}{m} \sum_i \ln p_i(\mathrm{answer}_i)")
    st.markdown(
        _(
            "**A measure** of a head is the mean weight that its queries give to certain places R, all of "
            "which count: the place before (previous token), the own place (diagonal), every place after an "
            "earlier occurrence of the query's symbol (induction), wherever the task's answer stands (right "
            "place)."
        )
    )
    st.latex(
        r"\frac{1}{m} \sum_{i:\,R_i \neq \emptyset}\ \sum_{j \in R_i} w_{ij}, \qquad "
        r"R_i^{\mathrm{induction}} = \{\,j \le i : \mathrm{token}_{j-1} = \mathrm{token}_i\,\}"
    )
