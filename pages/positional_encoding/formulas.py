"""The formulas of the page as LaTeX, each built from the scheme that its numbers are computed with."""

from attn_core import SCHEMES, BiasScheme, Scheme
from attn_ui.base.latex import matrix_latex
from pages.positional_encoding.compute import Result
from pages.positional_encoding.scaled import ScaledHead


def position_formula(scheme: Scheme) -> str:
    """Return the formula of row i (zero-based) with its position; "" if the scheme changes no vector."""
    place = f"i+{scheme.first}" if scheme.first else "i"
    return {
        "vector": rf"X_i = E_i + s\,P_{{{place}}}",
        "rotation": rf"\tilde X_i = R_{{s\,{place}}}\,X_i",
    }.get(scheme.adds, "")


def weights(scheme: Scheme, width: int) -> str:
    """Return the formula of the weights."""
    x = r"\tilde X" if scheme.adds == "rotation" else "X"
    bias = rf" + s\,B_{{{scheme.head + 1}}}" if isinstance(scheme, BiasScheme) else ""
    return rf"A = \operatorname{{softmax}}\!\left(\frac{{{x} {x}^\top}}{{\sqrt{{{width}}}}}{bias}\right)"


def output() -> str:
    """Return the formula of the output: position vectors are part of X and so of V; a rotation is not."""
    return r"O = A\,X"


def attention(result: Result) -> str:
    """Return the formulas of the attention, in the order of the computation."""
    scheme = result.scheme()
    strength = "" if scheme.adds == "nothing" else rf"s = {result.state.scheme.strength:g}"
    parts = (position_formula(scheme), weights(scheme, result.width), output(), strength)
    return r",\qquad ".join(part for part in parts if part)


def scheme_formula(result: Result, name: str) -> str:
    """Return a scheme's formula at the page's settings, or its general formula if its package is missing."""
    kind = SCHEMES[name]
    return kind.formula if kind.missing_package() else result.beside(name).scheme().latex()


def with_numbers(result: Result) -> str:
    """Return the formulas of the scheme and of the weights, with the weights' numbers."""
    scheme = result.scheme()
    numbers = f"{weights(scheme, result.width)} = {matrix_latex(result.attended.weights.tolist())}"
    return rf"{scheme.latex()}, \qquad s = {result.state.scheme.strength:g}, \qquad {numbers}"


def scaling_formula(head: ScaledHead) -> str:
    """Return the formula of the scaling, with each pair's number of turns."""
    turns = matrix_latex([head.scaling.turns(head.d_head).tolist()])
    return (
        rf"{head.scaling.formula}, \qquad b = {head.base:.12g}, \quad s = {head.factor:g}, \quad "
        rf"L = {head.trained}, \quad d = {head.d_head}, \qquad \frac{{s L\,\omega'}}{{2\pi}} = {turns}"
    )
