"""Programs that print the weights, or the turns of a scaling's pairs, and their formula."""

from attn_ui.base.programs import Programs, words_of
from attn_ui.base.schemes import biases, positions_expression, rotation_expression, tables
from pages.positional_encoding import formulas
from pages.positional_encoding.compute import Result
from pages.positional_encoding.scaled import ScaledHead, head_of
from programs.writing import SHORT

_SCALED = {
    "interpolation": "frequencies / factor",
    "NTK": "ntk_aware(frequencies, factor)",
    "YaRN": "yarn(frequencies, base, factor, trained)",
}


def programs(result: Result) -> Programs:
    """Return the programs and the formula of the picture on screen."""
    if result.state.is_scaled:
        return _of_scaling(head_of(result))
    state, scheme = result.state, result.scheme()
    numbers = {"X": result.x} | tables(state.scheme, scheme, len(result.x), result.width)
    query, bias, lines = "X", "", list[str]()
    if scheme.adds == "vector":
        lines = [f"X = {positions_expression(state.scheme, 'X')}  # with its positions"]
    elif scheme.adds == "rotation":
        query, lines = "Q", [f"Q = K = {rotation_expression(state.scheme, 'X')}  # by position"]
    elif scheme.adds == "bias":
        bias = "bias"
        lines = [
            f"biases = {biases(state.scheme, state.num_heads, 'X', 'X')}  # (n_head, n, n)",
            f"bias = biases[{state.head - 1}]  # of head {state.head}",
        ]
    key = "K" if query == "Q" else "X"
    scores = " + ".join(filter(None, [f"{query} @ {key}.mT / {query}.shape[-1] ** 0.5", bias]))
    _names, words = words_of(state.tokens, state.tokens)
    samples = f'X = sentence_vectors(words, {result.width}, kind="{state.words}", seed={state.seed})'
    call = f"scaled_dot_product_attention({', '.join(filter(None, [query, key, 'X', bias]))})"
    return Programs(
        [*words, *lines, f"scores = {scores}", "_, weights = attend(scores, X)"],
        numbers,
        ["words", "weights"],
        [*words, samples, *lines, f"weights = {call}.weights"],
        lambda: formulas.with_numbers(result),
        sampled=["X"],
        last={SHORT: "show(weights, words).show()"},
    )


def _of_scaling(head: ScaledHead) -> Programs:
    sharp = "(0.1 * math.log(factor) + 1) ** 2 * " if head.name == "YaRN" else ""
    lines = [
        f"d_head, base, factor, trained = {head.d_head}, {head.base!r}, {head.factor!r}, {head.trained}",
        "frequencies = rotary_frequencies(d_head, base)  # (n_pair,)",
        f"frequencies = {_SCALED[head.name]}",
        "turns = factor * trained * frequencies / (2 * math.pi)  # times round at the longer length",
        f"scores = {sharp}scores_at({[*head.doubling.tolist()]}, frequencies)",
    ]
    start = f"base={head.base!r}, factor={head.factor!r}, trained_length={head.trained}"
    short = [
        f'scaling = make_scaling("{head.name}", {start})',
        f"turns = scaling.turns({head.d_head})",
        f"scores = scaling.scores(2 ** torch.arange({len(head.doubling)}), {head.d_head})",
    ]
    return Programs(lines, {}, ["turns", "scores"], short, lambda: formulas.scaling_formula(head))
