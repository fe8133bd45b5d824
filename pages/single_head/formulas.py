"""The LaTeX formula of each stage of one head, with the present sizes."""

from attn_core import SCORES
from attn_core.scores import DOT
from attn_figures.matrix import Numbers
from attn_ui.base.latex import matrix_latex
from attn_words import _c
from pages.single_head.compute import Result
from pages.single_head.state import Inputs


def score(result: Result) -> str:
    """Return the formula of one pair's score."""
    return rf"S_{{ij}} = {SCORES[result.scoring.score].formula}"


def _sized(name: str, values: Numbers) -> str:
    """Write a matrix's name over its shape; an accent is written as "~S" or "^S"."""
    name = {"~S": r"\tilde S", "^S": r"\hat S", "K^T": r"K^\top"}.get(name, name)
    return rf"\underset{{{values.shape[0]}\times {values.shape[1]}}}{{{name}}}"


def all_at_once(result: Result) -> str:
    """Return the formula of the whole head."""
    over = [r"\sqrt{d_k}"] if result.scoring.scale not in ("none", "free") else []
    over += ["T"] if result.temperature != 1 else []
    inside = rf"\frac{{QK^\top}}{{{' '.join(over)}}}" if over else r"QK^\top"
    if result.scoring.scale == "free":
        inside = rf"{result.scoring.free_scale:g}\,{inside}"
    if not result.matrices.mask.all():
        inside += " + M"
    inside += sink_logit(result.scoring.sink)
    if result.scoring.score != DOT:
        inside, where = inside.replace(r"QK^\top", "S"), rf", \quad {score(result)}"
    else:
        where = ""
    return rf"O = \mathrm{{softmax}}\!\left({inside}\right)V{where}"


def sink_logit(sink: float | None) -> str:
    """Return the sink's logit as one more entry of the softmax; "" without a sink."""
    return "" if sink is None else rf" \;\middle|\; {sink:g}"


def points(result: Result) -> str:
    """Return the formula of the plane of queries and keys."""
    if result.along is not None and result.along.dimensions is not None:
        first, second = (dimension + 1 for dimension in result.along.dimensions)
        return rf"q' = (q_{{{first}}},\, q_{{{second}}}), \qquad k' = (k_{{{first}}},\, k_{{{second}}})"
    return r"q' = (q \cdot d_1,\, q \cdot d_2), \qquad k' = (k \cdot d_1,\, k \cdot d_2)"


def sources(result: Result) -> str:
    """Return the formula of the vectors."""
    matrices = result.matrices
    if matrices.x is None or matrices.memory is None:
        return projected(result)
    sides = [("X", "E", matrices.x)] + ([("Y", "F", matrices.memory)] if result.head.is_cross else [])
    parts = [rf"{name} \in \mathbb{{R}}^{{{x.shape[0]}\times {x.shape[1]}}}" for name, _before, x in sides]
    parts += [row for name, before, x in sides if (row := _row(result.inputs, name, before, x))]
    return r",\quad ".join(parts)


def _row(inputs: Inputs, name: str, before: str, x: Numbers) -> str:
    """Return the formula of row p (zero-based) of X from its word's vector; "" if both are equal."""
    if not (inputs.ramp or inputs.unit_rows):
        return ""
    row = rf"{before}_p + \frac{{p}}{{2}}" if inputs.ramp else f"{before}_p"
    if not inputs.unit_rows:
        return f"{name}_p = {row}"
    where = _c("formula", "where")
    zero = "" if x.any(axis=1).all() else rf"\ (0 \text{{ {where} }} {row} = 0)"
    return rf"{name}_p = \frac{{{row}}}{{|{row}|}}{zero}"


def projected(result: Result) -> str:
    """Return the formulas of Q, K and V."""
    other = "Y" if result.head.is_cross else "X"
    bias = {letter: f" + b_{letter}" if result.matrices.biases is not None else "" for letter in "qkv"}
    sources = {
        "projected": (f"XW_q{bias['q']}", f"{other}W_k{bias['k']}", f"{other}W_v{bias['v']}"),
        "as they are": ("X", other, other),
    }.get(result.inputs.qkv)
    head = result.matrices
    parts = [_sized("Q", head.query), _sized("K", head.key), _sized("V", head.value)]
    if sources is not None:
        parts = [f"{part} = {source}" for part, source in zip(parts, sources, strict=True)]
    return r",\quad ".join(parts)


def dot_products(result: Result) -> str:
    """Return the formula of the scores."""
    if result.scoring.score != DOT:
        return f"{_sized('S', result.matrices.scores)}: \\quad {score(result)}"
    product = rf"{_sized('Q', result.matrices.query)}\;{_sized('K^T', result.matrices.key.T)}"
    return f"{_sized('S', result.matrices.scores)} = {product}"


def scaling(result: Result) -> str:
    """Return the formula of the scaled scores."""
    scale = {"none": "", "free": rf"\,\cdot\,{result.scoring.free_scale:g}"}.get(
        result.scoring.scale, rf"\,/\sqrt{{{result.head.d_k}}}"
    )
    return rf"{_sized('~S', result.matrices.scaled_scores)} = S{scale}\,/\,T"


def masking(result: Result) -> str:
    """Return the formula of the mask."""
    scores = _sized("^S", result.matrices.scaled_scores)
    return rf"{scores} = \tilde S + M,\quad M_{{ij}} \in \{{0, -\infty\}}"


def softmax(result: Result) -> str:
    """Return the formula of the weights."""
    sink = result.scoring.sink
    sink_term = "" if sink is None else rf" + \exp({sink:g} - \max_l \hat S_{{il}})"
    return (
        rf"{_sized('A', result.matrices.weights)}:\quad A_{{ij}} = "
        r"\frac{\exp(\hat S_{ij} - \max_l \hat S_{il})}{\sum_l \exp(\hat S_{il} - \max_l \hat S_{il})"
        f"{sink_term}}}"
    )


def mixing(result: Result) -> str:
    """Return the formula of the output."""
    matrices = result.matrices
    return rf"{_sized('O', matrices.output)} = {_sized('A', matrices.weights)}\;{_sized('V', matrices.value)}"


def hard_or_soft(result: Result) -> str:
    """Return the formulas of the hard and of the soft output from the same scores."""
    limit = r" \xrightarrow{\,T \to 0\,} O^\mathrm{hard}_i" if result.scoring.sink is None else ""
    return (
        rf"{_sized('O', result.matrices.output)}: \quad "
        r"O^\mathrm{hard}_i = \frac{1}{|J_i|} \sum_{j \in J_i} V_j, "
        r"\quad J_i = \arg\max_j \hat S_{ij}; \quad O_i = \sum_j A_{ij} V_j" + limit
    )


def with_numbers(result: Result) -> str:
    """Return the formula of the output with the numbers of weights, values and output."""
    scale = {"1/√dₖ": rf"\frac{{1}}{{\sqrt{{{result.head.d_k}}}}}", "none": ""}.get(
        result.scoring.scale, f"{result.scale:.4g}"
    )
    over = "" if result.temperature == 1.0 else rf"\frac{{1}}{{{result.temperature:.6g}}}"
    factor = r" \cdot ".join(part for part in (scale, over) if part)
    masked = ("" if result.matrices.mask.all() else " + M") + sink_logit(result.scoring.sink)
    weights = matrix_latex(result.matrices.weights.tolist())
    value = matrix_latex(result.head.value.tolist())
    output = matrix_latex(result.matrices.output.tolist())
    is_dot = result.scoring.score == DOT
    product = r"Q K^\top" if is_dot else "S"
    where = "" if is_dot else rf", \qquad {score(result)}"
    return (
        rf"O = \operatorname{{softmax}}\!\left({factor}\, {product}{masked}\right) V"
        rf" = {weights} {value} = {output}{where}"
    )
