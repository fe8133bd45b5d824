"""Programs that reproduce the weights, or how far pairs turn, and their formula."""

from dataclasses import replace
from typing import Any

from attn_core import RelativeBuckets, VectorScheme
from attn_ui.base.programs import Programs, words_of
from attn_ui.base.schemes import biases, is_computed, placed, turned
from pages.positional_encoding import formulas
from pages.positional_encoding.compute import Result
from pages.positional_encoding.scaled import ScaledHead, head_of

_SCALED = {
    "interpolation": "interpolated(frequencies, factor)",
    "NTK": "ntk_aware(frequencies, factor)",
    "YaRN": "yarn(frequencies, base, factor, trained)",
}


def programs(result: Result) -> Programs:
    """Return what is handed over."""
    if result.state.is_scaled:
        return _of_scaling(head_of(result))
    state, scheme = result.state, result.scheme()
    numbers: dict[str, Any] = {"X": result.x}
    lines, attends = list[str](), "X, X, X"
    if scheme.adds == "vector":
        lines.append(f"X = {placed(state.scheme, 'X')}  # with the vectors of the places")
    elif scheme.adds == "rotation":
        lines.append(f"Q = K = {turned(state.scheme, 'X')}  # by their places")
        attends = "Q, K, X"
    elif scheme.adds == "bias":
        lines.append(f"biases = {biases(state.scheme, state.num_heads, 'X', 'X')}  # (n_head, n, n)")
        lines.append(f"bias = biases[{state.head - 1}]  # of head {state.head}")
    query, key, _value = attends.split(", ")
    biased = scheme.adds == "bias"
    scores = f"scores = {query} @ {key}.mT / {query}.shape[-1] ** 0.5{' + bias' * biased}"
    if isinstance(scheme, VectorScheme) and not is_computed(state.scheme):
        bare = replace(scheme, strength=1.0)
        numbers["P"] = bare.vectors(len(result.x), result.width, start=bare.first)
    if isinstance(scheme, RelativeBuckets):
        numbers["table"] = scheme.bucket_biases()
    _names, words = words_of(state.tokens, state.tokens)
    sampled = f'X = sentence_vectors(words, {result.width}, kind="{state.words}", seed={state.seed})'
    shortly = f"weights = scaled_dot_product_attention({attends}{', bias' * biased}).weights"
    return Programs(
        "\n".join([*words, *lines, scores, "_, weights = attend(scores, X)"]),
        numbers,
        ["words", "weights"],
        short=("\n".join([*words, sampled, *lines, shortly]), "show(weights, words).show()"),
        formula=lambda: formulas.with_numbers(result),
        sampled=("X",),
    )


def _of_scaling(head: ScaledHead) -> Programs:
    sharp = "(0.1 * math.log(factor) + 1) ** 2 * " if head.name == "YaRN" else ""
    start = f"d_head, base, factor, trained = {head.d_head}, {head.base!r}, {head.factor!r}, {head.trained}"
    return Programs(
        f"{start}\n"
        "frequencies = rotary_frequencies(d_head, base)  # (n_pair,)\n"
        f"frequencies = {_SCALED[head.name]}\n"
        "turns = factor * trained * frequencies / (2 * math.pi)  # times round at the longer length\n"
        f"scores = {sharp}scores_at({[*head.doubling.tolist()]}, frequencies)",
        {},
        ["turns", "scores"],
        short=(
            f'scaling = make_scaling("{head.name}", base={head.base!r}, factor={head.factor!r}, '
            f"trained_length={head.trained})\n"
            f"turns = scaling.turns({head.d_head})\n"
            f"scores = scaling.scores(2 ** torch.arange({len(head.doubling)}), {head.d_head})",
            "",
        ),
        formula=lambda: formulas.of_scaling(head),
    )
