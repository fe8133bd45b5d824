"""Programs that print the numbers on the screen, and their formula."""

from dataclasses import replace
from typing import Any

from torch import Tensor

from attn_core import GLOROT, SCORES, mask_code
from attn_core.scores import DOT
from attn_ui.base import set_aside
from attn_ui.base.arcs import together_lines
from attn_ui.base.planes import plane_lines
from attn_ui.base.programs import Programs, attends_where, words_of
from attn_ui.base.set_aside import Lines
from pages.single_head import formulas
from pages.single_head.compute import Result
from pages.single_head.state import tokens_of
from programs.writing import PYTORCH, Program

_SAMPLED = {"X", "W_q", "W_k", "W_v"}  # what attn_core draws from a seed
# A score of a query and a key, by functions of `programs`.
_SCORES = {
    DOT: "Q @ K.mT",
    "additive": "additive_scores(Q, K, W_a, U_a, v_a)",
    "general": "general_scores(Q, K, W_a)",
    "cosine": "cosine_scores(Q, K)",
    "kernel": "kernel_scores(Q, K)",
    "linear": "linear_scores(Q, K)",
}


def programs(result: Result) -> Programs:
    """Return what is handed over."""
    numbers, lines = _starts(result)
    mask = "mask" if result.scoring.masking.kind != "none" else ""
    ends, sampled = _goes_on(result, mask), _sampling(result)
    queries, keys = (
        [tokens_of(result.inputs.text)] * 2 if sampled else (result.head.queries, result.head.keys)
    )
    names, words = words_of(queries, keys)
    scores = [f"scores = {_scores(result)}  # (n_query, n_key)"]
    again = scores * (result.aside.what == "without")  # the short program attends with them once more
    attends = f"output, weights = {attends_where(mask)}"
    return Programs(
        "\n".join([*words, *lines, *scores, attends, *ends.lines]),
        numbers,
        (*names, "weights", "output", *ends.prints),
        short=(
            "\n".join([*words, *sampled, *lines, _shortly(result, mask), *again, *ends.lines]),
            f"show(weights, {names[0]}, keys={names[-1]}, output=output).show()",
        ),
        formula=lambda: formulas.with_numbers(result),
        sampled=_SAMPLED if sampled else (),
    )


def tiles_program(query: Tensor, key: Tensor, value: Tensor, size: int) -> Program:
    """Return the program that reads the keys a tile at a time."""
    numbers = {"Q": query, "K": key, "V": value}
    return Program(PYTORCH, f"output = tiled_attention(Q, K, V, {size})", numbers, ["output"])


def state_program(query: Tensor, key: Tensor, value: Tensor) -> Program:
    """Return the program that adds each token to a state."""
    numbers = {"Q": query, "K": key, "V": value}
    return Program(PYTORCH, "output = linear_attention(Q, K, V)", numbers, ["output"])


def _starts(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Return the numbers, and the lines from them to queries, keys, values and the mask."""
    head, masking = result.head, result.scoring.masking
    if head.x is None:
        numbers: dict[str, Any] = {"Q": head.query, "K": head.key, "V": head.value}
        lines = []
    else:
        memory = "X" if head.x is head.memory else "Y"
        numbers = {"X": head.x} | ({"Y": head.memory} if memory == "Y" else {})
        lines = [f"Q, K, V = X, {memory}, {memory}  # the vectors as they are"]
        if head.projections is not None:
            names, biases = ("W_q", "W_k", "W_v"), ("b_q", "b_k", "b_v")
            numbers |= dict(zip(names, head.projections, strict=True))
            numbers |= {name: b[0] for name, b in zip(biases, head.biases or (), strict=False)}
            added = [f" + {name}" if head.biases else "" for name in biases]
            of = ("X", memory, memory)
            projections = (f"{x} @ {W}{b}" for x, W, b in zip(of, names, added, strict=True))
            lines = [f"Q, K, V = {', '.join(projections)}"]
    numbers |= result.own
    code = mask_code(masking, result.width) if masking.kind != "none" else ""
    if code or result.aside.what == "without":
        lines.append("i, j = places(len(Q), len(K))")
    if masking.kind != "none":
        numbers |= {} if code else {"allowed": result.walk.mask.astype(int)}
        lines.append(f"mask = {code or 'allowed == 1'}  # True = may attend")
    return numbers, lines


def _sampling(result: Result) -> list[str]:
    """Write how attn_core draws words and weights; nothing where more than that is asked for."""
    inputs, head = result.inputs, result.head
    plain = replace(inputs, ramp=False, unit_rows=False, bias=False, weights=(), second_text=None)
    if inputs != plain or not inputs.is_own or inputs.vectors != "random" or head.projections is None:
        return []
    widths = f"{inputs.width}, {inputs.d_k}, {inputs.d_v}"
    init = "" if inputs.init == GLOROT else f', init="{inputs.init}"'
    return [
        f"X = sentence_vectors(words, {inputs.width}, seed={inputs.seed})",
        f"head = SelfAttention({widths}, seed={inputs.seed}{init}, dtype=X.dtype).requires_grad_(False)",
        "W_q, W_k, W_v = weights_of(head).values()",
    ]


def _scores(result: Result) -> str:
    """Write the scores of a picture: scaled, and sharp or flat as the temperature has them."""
    scaled = _SCORES[result.scoring.score]
    if result.scoring.score == DOT and result.scoring.scale == "1/√dₖ":
        scaled += " / Q.shape[-1] ** 0.5"
    elif result.scale != 1.0:
        scaled += f" * {result.scale!r}"
    return scaled + (f" / {result.temperature:.10g}" if result.temperature != 1.0 else "")


def _shortly(result: Result, mask: str) -> str:
    """Write the same with attn_core."""
    is_dot, score = result.scoring.score == DOT, result.scoring.score
    arguments = ["Q", "K", "V"] if is_dot else [f'"{score}"', "Q", "K", "V"]
    arguments += [mask] * bool(mask)
    if not is_dot or result.scoring.scale != "1/√dₖ":
        arguments.append(f"scale={result.scale!r}")
    if result.temperature != 1.0:
        arguments.append(f"temperature={result.temperature:.10g}")
    if own := SCORES[score].shapes:
        arguments.append("weights={" + ", ".join(f'"{name}": {name}' for name, _axes in own) + "}")
    call = "scaled_dot_product_attention" if is_dot else "score_attention"
    return f"result = {call}({', '.join(arguments)})\nweights, output = result.weights, result.output"


def _goes_on(result: Result, mask: str) -> Lines:
    """Write what is done with the weights: rows taken together, weights set aside, or points in a plane."""
    aside, group, along = result.aside, result.walk.group, result.along
    if group.also:
        return together_lines(group.rows(result.cell[0]), "weights[rows]", summed=group.summed)
    if along is not None:
        return plane_lines(along.dimensions)
    return set_aside.aside_lines(aside, result.walk.keys, mask) if aside.what else Lines()
