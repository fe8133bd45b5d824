"""The tab "Maths": the model, what it is trained for, and the measures that name a head."""

import streamlit as st

from pages.learned_heads.compute import Now


def show(now: Now) -> None:
    """Write the formulas down, with the sizes of the present model."""
    recipe, task = now.recipe, now.task
    layers = f"{recipe.layers} layer{'' if recipe.layers == 1 else 's'}"
    places = "P the sinusoids of the places (base 100)" if recipe.positions else "P is zero: no positions"
    st.markdown(
        f"**The model**: {layers} of {recipe.heads} head{'' if recipe.heads == 1 else 's'}, d_model = "
        f"{task.d_model}, attention alone. E is learned, {places}."
    )
    st.latex(
        r"x^{(0)} = E_{\mathrm{token}} + P, \qquad "
        r"x^{(l+1)} = x^{(l)} + \mathrm{heads}(\mathrm{norm}(x^{(l)}))"
    )
    st.latex(r"p = \mathrm{softmax}\bigl(W_u\,(x^{(L)} - x^{(0)})\bigr)")
    st.markdown(
        "What the softmax takes are the logits, one for each symbol. The embedding is taken away before "
        "reading out, so all that is said was written by a head.\n\n"
        "**The loss**, in nats, is the mean over the places that have an answer; guessing among 16 symbols "
        "has ln 16 = 2.77."
    )
    st.latex(r"L = -\frac{1}{m} \sum_i \ln p_i(\mathrm{answer}_i)")
    st.markdown(
        "**A measure** of a head is the mean weight that its queries give to certain places R, all of which "
        "count: the place before (previous token), the own place (diagonal), every place after an earlier "
        "occurrence of the query's symbol (induction), wherever the task's answer stands (right place)."
    )
    st.latex(
        r"\frac{1}{m} \sum_{i:\,R_i \neq \emptyset}\ \sum_{j \in R_i} w_{ij}, \qquad "
        r"R_i^{\mathrm{induction}} = \{\,j \le i : \mathrm{token}_{j-1} = \mathrm{token}_i\,\}"
    )
