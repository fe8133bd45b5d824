"""Programs that reproduce the weights, and their formula."""

from attn_core.learned_positions import PACKAGE
from attn_ui import programs_tab
from attn_ui.programs import Programs, in_latex
from pages.positional_encoding.numbers import Numbers
from pages.positional_encoding.snippet import attention_code, short_code


def show(numbers: Numbers) -> None:
    """Hand over the programs and the formula."""
    inputs, scheme = numbers.inputs, numbers.scheme()
    given = (inputs.tokens, inputs.words, numbers.width, inputs.seed)
    programs_tab.show(
        Programs(
            lambda: attention_code(*given, scheme),
            lambda: short_code(*given, scheme=numbers.scheme_name, settings=numbers.scheme_settings()),
            lambda: formula(numbers),
            prints="the weights with positions",
            package=PACKAGE if numbers.scheme_name == "learned" else "",
        )
    )


def formula(numbers: Numbers) -> str:
    """Return the scheme and the weights with positions as LaTeX."""
    scheme = numbers.scheme()
    changed = {
        "vector": r"\tilde X \tilde X^\top",
        "rotation": r"\tilde Q \tilde K^\top",
    }.get(scheme.adds, r"X X^\top")
    bias = " + sB" if scheme.adds == "bias" else ""
    weights = in_latex(numbers.attended.weights.tolist())
    return (
        rf"{scheme.latex()}, \qquad s = {numbers.inputs.scheme.strength:g}, \qquad "
        rf"A = \operatorname{{softmax}}\!\left(\frac{{{changed}}}{{\sqrt{{{numbers.width}}}}}{bias}\right)"
        rf" = {weights}"
    )
