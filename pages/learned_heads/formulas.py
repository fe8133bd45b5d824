"""The formulas of the page with the numbers on screen."""

from attn_ui.base.latex import matrix_latex
from pages.learned_heads.attention_flow import AttentionFlow
from pages.learned_heads.compute import Result
from pages.learned_heads.eviction import HeadEviction


def toy_formula(result: Result) -> str:
    """Return the output of the chosen head as LaTeX, with its numbers."""
    layer, head = divmod(result.selection[0], result.recipe.heads)
    stage = result.toy_run.layers[layer]
    weights, value, output = (
        matrix_latex(each[head].tolist()) for each in (stage.weights, stage.value, stage.heads)
    )
    scaled = rf"\frac{{1}}{{\sqrt{{{result.d_head}}}}}\, Q K^\top{' + M' if result.task.causal else ''}"
    return rf"O = \operatorname{{softmax}}\!\left({scaled}\right) V = {weights} {value} = {output}"


def flow_formula(flow: AttentionFlow) -> str:
    """Return the rollout up to the layer on screen as LaTeX, with its numbers."""
    layer = flow.at + 1
    product = rf"\tilde A_{{{layer}}} \cdots \tilde A_1"
    return rf"R_{{{layer}}} = {product} = {matrix_latex(flow.rollout[flow.at].tolist())}"


def eviction_formula(eviction: HeadEviction) -> str:
    """Return the error of the chosen head as LaTeX, with its numbers."""
    head, budget, n = eviction.result.selection[0], eviction.budget, eviction.n
    output, full = (eviction.run.heads[at - 1, head] for at in (budget, n))
    return (
        rf"\frac{{\lVert O_{{{budget}}} - O_{{{n}}} \rVert}}{{\lVert O_{{{n}}} \rVert}} = "
        rf"\frac{{{float((output - full).norm()):.4f}}}{{{float(full.norm()):.4f}}} = "
        f"{float(eviction.errors[head]):.4f}"
    )
