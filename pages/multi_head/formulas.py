"""The formulas of the page as LaTeX, each built from the settings that its numbers are computed from."""

from attn_ui.base.latex import matrix_latex
from pages.multi_head.compute import Result, allowed
from pages.single_head.formulas import sink_logit


def projections(result: Result, head: str = "h") -> str:
    """Return the formulas of a head's query, key and value."""
    sides = ("q", "k", "k") if not result.is_self_attention else ("", "", "")
    terms = []
    for name, side in zip("QKV", sides, strict=True):
        letter = name.lower()
        bias = f" + b_{letter}^{{({head})}}" if result.setting.bias else ""
        terms.append(f"{name}_{head} = X{f'_{side}' if side else ''}\\, W_{letter}^{{({head})}}{bias}")
    return r",\quad ".join(terms)


def weights(result: Result, head: str = "h") -> str:
    """Return the formula of a head's weights."""
    turned = "" if result.module.rotation is None else r"\tilde "
    q, k = (f"{turned}{name}_{head}" for name in "QK")
    temperature = result.setting.temperature
    over = rf"\sqrt{{{result.module.d_head}}}" + (rf"\cdot {temperature:.6g}" if temperature != 1.0 else "")
    bias = f" + s B_{head}" if result.scheme.adds == "bias" else ""
    masked = f" + M_{head}" if masks(result) else ""
    sink = sink_logit(result.setting.sink)
    return rf"\operatorname{{softmax}}\!\left(\frac{{{q} {k}^\top}}{{{over}}}{bias}{masked}{sink}\right)"


def masks(result: Result) -> bool:
    """Whether the formula has a mask."""
    return allowed(result.setting, result.n_head) is not None


def joined(heads: list[str]) -> str:
    """Return the names of heads side by side in brackets: the first, dots, and the last."""
    if len(heads) == 1:
        return heads[0]
    between = r"\ldots, " if len(heads) > 2 else ""
    return f"[{heads[0]}, {between}{heads[-1]}]"


def output(result: Result, heads: list[str]) -> str:
    """Return the formula of the output: the named heads joined, and projected if there is a projection."""
    if not result.setting.projection:
        return joined(heads)
    return rf"{joined(heads)}\, W_o{output_bias(result)}"


def output_as_sum(result: Result) -> str:
    """Return the formula of the output as a sum over heads, for an output projection."""
    if result.n_head == 1:
        return rf"\mathrm{{head}}_{{1}}\, W_o^{{(1)}}{output_bias(result)}"
    return rf"\sum_{{h=1}}^{{{result.n_head}}} \mathrm{{head}}_h\, W_o^{{(h)}}{output_bias(result)}"


def output_bias(result: Result) -> str:
    """Return the term of the output projection's bias; "" without one."""
    return " + b_o" if result.setting.bias and result.setting.projection else ""


def names(result: Result, of: str = r"\mathrm{head}_{%d}") -> list[str]:
    """Return the name of each head, counted from 1."""
    return [of.replace("%d", str(head + 1)) for head in range(result.n_head)]


def with_numbers(result: Result) -> str:
    """Return the formulas of the first head and of the output, with their numbers."""
    heads, scheme = names(result, "A_{%d} V_{%d}"), result.scheme
    places = rf"{scheme.latex()}, \quad s = {result.setting.positions.strength:g}, \qquad "
    return (places if scheme.adds != "nothing" else "") + (
        rf"{projections(result, '1')}, \qquad A_1 = {weights(result, '1')} = "
        rf"{matrix_latex(result.attention.weights[0].tolist())}, \qquad "
        rf"O = {output(result, heads)} = {matrix_latex(result.attention.output.tolist())}"
    )
