"""Programs that reproduce the numbers on the page, and their formula."""

from dataclasses import replace
from typing import Any

from attn_core import (
    GLOROT,
    RelativeBuckets,
    VectorScheme,
    make_mask,
    mask_code,
    tokenize,
    weights_of,
)
from attn_ui.base import set_aside
from attn_ui.base.arcs import together_lines
from attn_ui.base.planes import plane_lines
from attn_ui.base.programs import Programs, attends_where, words_of
from attn_ui.base.schemes import biases, is_computed, placed, turned
from attn_ui.base.set_aside import Lines
from pages.multi_head import formulas
from pages.multi_head.compute import Result, allowed, width_of
from pages.multi_head.settings import EXAMPLES
from programs.writing import PYTORCH, Program

_SAMPLED = {"X", "W_q", "W_k", "W_v", "W_o"}  # what attn_core draws from a seed


def programs(result: Result) -> Programs:
    """Return what is handed over."""
    numbers, lines = _starts(result)
    sampled, tokens, ends = _sampling(result), result.tokens, _goes_on(result)
    queries = tokenize(result.setting.text)[: len(tokens.queries)]
    names, words = words_of(*[queries] * 2 if sampled else (tokens.queries, tokens.keys))
    merged = f"output = {_merged(result)}"
    scores = [f"scores = {_scores(result)}  # (n_head, n_query, n_key)"]
    again = scores * (result.aside.what == "without")  # the short program attends with them once more
    return Programs(
        "\n".join(
            [*words, *lines, *scores, f"heads, weights = {attends_where(_mask(result))}", merged, *ends.lines]
        ),
        numbers,
        (*names, "weights", "output", *ends.prints),
        short=(
            "\n".join([*words, *sampled, *lines, _shortly(result), merged, *again, *ends.lines]),
            f"show(weights, {names[0]}, keys={names[-1]}, output=output).show()",
        ),
        formula=lambda: formulas.with_numbers(result),
        sampled=_SAMPLED if sampled else (),
    )


def token_by_token(result: Result) -> Program:
    """Return the program that writes one token after the other, with what came before kept."""
    numbers, lines = _projected(result)
    lines += ["heads = token_by_token(Q, K, V)", f"written = {_merged(result)}"]
    return Program(PYTORCH, "\n".join(lines), numbers, ["written"])


def shared_heads(result: Result, num_kv_heads: int) -> Program:
    """Return the program of fewer heads of keys and values."""
    numbers, lines = _starts(result)
    lines.append(f"K, V = share_heads(K, {num_kv_heads}), share_heads(V, {num_kv_heads})")
    lines += [
        f"scores = {_scores(result)}  # (n_head, n_query, n_key)",
        f"heads, weights = {attends_where(_mask(result))}",
    ]
    lines.append(f"output = {_merged(result)}")
    return Program(PYTORCH, "\n".join(lines), numbers, ["weights", "output"])


def _inputs(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Return the sequences and the weights, and the lines that tell the sequences their places."""
    words, positions, scheme = result.unplaced.tokens, result.setting.positions, result.scheme
    numbers: dict[str, Any] = {"X": words.query}
    if not result.is_self_attention:
        numbers["Y"] = words.key
    lines = []
    if scheme.adds == "vector":
        lines = [f"{name} = {placed(positions, name)}  # with the vectors of the places" for name in numbers]
    if isinstance(scheme, VectorScheme) and not is_computed(positions):
        bare = replace(scheme, strength=1.0)
        longest = max(result.tokens.shape)
        numbers["P"] = bare.vectors(longest, words.query.shape[1], start=bare.first)
    return numbers | weights_of(result.module), lines


def _projected(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Return the numbers, and the lines from them to Q, K and V of all heads, and to the biases."""
    numbers, lines = _inputs(result)
    memory = "X" if result.is_self_attention else "Y"
    added = {letter: f" + b_{letter}" if result.setting.bias else "" for letter in "qkv"}
    projections = [
        f"split_heads({name} @ W_{letter}{added[letter]}, {result.n_head})"
        for letter, name in zip("qkv", ("X", memory, memory), strict=True)
    ]
    lines += [f"{letter.upper()} = {each}" for letter, each in zip("qkv", projections, strict=True)]
    lines[-1] += "  # (n_head, n, d_head)"
    if result.scheme.adds == "rotation":
        lines += [f"{name} = {turned(result.setting.positions, name)}  # by their places" for name in "QK"]
    if result.scheme.adds == "bias":
        lines.append(f"bias = {biases(result.setting.positions, result.n_head, 'X', memory)}")
    if isinstance(result.scheme, RelativeBuckets):
        numbers["table"] = result.scheme.bucket_biases()
    return numbers, lines


def _starts(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Return the same, and the mask."""
    numbers, lines = _projected(result)
    memory = "X" if result.is_self_attention else "Y"
    kinds = result.setting.kinds if allowed(result.setting, result.n_head) is not None else ()
    codes, patterns = [], []
    for at, kind in enumerate(kinds[: result.n_head]):
        masking, width = replace(result.setting.masking, kind=kind), width_of(result.setting, kind)
        codes.append(mask_code(masking, width).replace("len(K)", f"len({memory})"))
        if not codes[-1]:
            numbers[f"allowed_{at}"] = make_mask(masking, *result.tokens.shape, width).int()
        patterns.append(codes[-1] or f"allowed_{at} == 1")
    if any(codes) or result.aside.what == "without":
        lines.append(f"i, j = places(len(X), len({memory}))")
    if len(patterns) > 1:
        each = "".join(f"    {pattern},\n" for pattern in patterns)
        lines.append(f"masks = [\n{each}]  # True = may attend; heads take them in turn")
        lines.append(f"mask = heads_take_turns(masks, {result.n_head})")
    elif patterns:
        lines.append(f"mask = {patterns[0]}  # True = may attend")
    return numbers, lines


def _sampling(result: Result) -> list[str]:
    """Write how attn_core draws words and weights; nothing where more than that is asked for."""
    setting = result.setting
    plain = replace(setting, cross=False, bias=False, projection=True, d_head=None, weights=())
    if setting != plain or setting.case in EXAMPLES:
        return []
    init = "" if setting.init == GLOROT else f', init="{setting.init}"'
    arguments = f"{setting.d_model}, {result.n_head}, bias=False, seed={setting.seed}{init}, dtype=X.dtype"
    return [
        f"X = sentence_vectors(words, {setting.d_model}, seed={setting.seed})",
        f"module = MultiHeadAttention({arguments}).requires_grad_(False)",
        "W_q, W_k, W_v, W_o = weights_of(module).values()",
    ]


def _scores(result: Result) -> str:
    """Write the scores of all heads: scaled, sharp or flat as the temperature has them, and biased."""
    hot = "" if result.setting.temperature == 1.0 else f" / {result.setting.temperature!r}"
    return f"Q @ K.mT / Q.shape[-1] ** 0.5{hot}" + " + bias" * (result.scheme.adds == "bias")


def _mask(result: Result) -> str:
    return "mask" if allowed(result.setting, result.n_head) is not None else ""


def _shortly(result: Result) -> str:
    """Write the same with attn_core."""
    mask = _mask(result)
    arguments = f", {mask}" * bool(mask)
    if result.scheme.adds == "bias":
        arguments = ", bias.masked_fill(~mask, -torch.inf)" if mask else ", bias"
    if result.setting.temperature != 1.0:
        arguments += f", temperature={result.setting.temperature!r}"
    call = f"scaled_dot_product_attention(Q, K, V{arguments})"
    return f"result = {call}\nheads, weights = result.output, result.weights"


def _merged(result: Result) -> str:
    """Write the output from what the heads give."""
    biased = " + b_o" if result.setting.bias else ""
    return f"merge_heads(heads) @ W_o{biased}" if result.setting.projection else "merge_heads(heads)"


def _goes_on(result: Result) -> Lines:
    """Write what is done with single heads: rows taken together, weights set aside, or points in planes."""
    look, group = result.look, result.group
    if result.aside.what:
        mask = _mask(result)
        if mask and min(len(result.setting.kinds), result.n_head) > 1:
            mask = f"mask[{result.head}]"
        return set_aside.aside_lines(result.aside, result.tokens.keys, mask, result.head)
    if look.view == "points":
        return plane_lines()
    if look.view != "arcs" or not group.also:
        return Lines()
    rows = group.rows(result.cell[0])
    if look.all_heads:
        weights = f"weights[{result.shown_heads}][:, rows]" if result.off else "weights[:, rows]"
        return together_lines(rows, weights, summed=group.summed, axis=1)
    return together_lines(rows, f"weights[{result.head}][rows]", summed=group.summed)
