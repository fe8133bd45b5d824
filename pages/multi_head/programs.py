"""Programs that reproduce the numbers on the page, and their formula."""

from dataclasses import replace
from typing import Any

from attn_core import GLOROT, make_mask, mask_code, tokenize, weights_of
from attn_ui.base import removed_weights
from attn_ui.base.planes import plane_lines
from attn_ui.base.programs import More, Programs, attends_where, attention_programs
from attn_ui.base.schemes import biases, positions_expression, rotation_expression, tables
from pages.multi_head import formulas
from pages.multi_head.compute import Result, allowed, width_of
from pages.multi_head.settings import EXAMPLES
from pages.single_head.arcs import together_lines
from pages.single_head.programs import beside_sink
from programs.writing import PYTORCH, Program


def programs(result: Result) -> Programs:
    """Return the programs and the formula of the view on screen."""
    samples, words = _samples(result), result.tokens
    tokens = tokenize(result.setting.text)[: len(words.queries)]
    return attention_programs(
        (tokens, tokens) if samples else (words.queries, words.keys),
        _starts(result),
        _attends(result),
        _call(result),
        lambda: formulas.with_numbers(result),
        samples=samples,
        more=_more(result),
    )


def token_by_token(result: Result) -> Program:
    """Return the program that writes one token after the other, with a cache of earlier keys and values."""
    numbers, lines = _projected(result)
    lines += ["heads = token_by_token(Q, K, V)", f"written = {_output_expression(result)}"]
    return Program(PYTORCH, "\n".join(lines), numbers, ["written"])


def shared_heads(result: Result, num_kv_heads: int) -> Program:
    """Return the program that shares fewer heads of keys and values."""
    numbers, lines = _starts(result)
    lines.append(f"K, V = share_heads(K, {num_kv_heads}), share_heads(V, {num_kv_heads})")
    return Program(PYTORCH, "\n".join([*lines, *_attends(result)]), numbers, ["weights", "output"])


def _projected(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Return a program's numbers, and its lines up to Q, K, V and position biases of all heads."""
    words, scheme, positions = result.unplaced.tokens, result.scheme, result.setting.positions
    memory, added = _memory(result), " + b_{0}" if result.setting.bias else ""
    inputs = {"X": words.query, memory: words.key}
    numbers, lines = inputs | weights_of(result.module), []
    if scheme.adds == "vector":
        lines = [f"{name} = {positions_expression(positions, name)}  # with its positions" for name in inputs]
    numbers |= tables(positions, scheme, max(result.tokens.shape), words.query.shape[1])
    lines += [
        f"{letter.upper()} = split_heads({name} @ W_{letter}{added.format(letter)}, {result.n_head})"
        for letter, name in zip("qkv", ("X", memory, memory), strict=True)
    ]
    lines[-1] += "  # (n_head, n, d_head)"
    if scheme.adds == "rotation":
        lines += [f"{name} = {rotation_expression(positions, name)}  # by position" for name in "QK"]
    if scheme.adds == "bias":
        lines.append(f"bias = {biases(positions, result.n_head, 'X', memory)}")
    return numbers, lines


def _memory(result: Result) -> str:
    return "X" if result.is_self_attention else "Y"


def _starts(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Return what `_projected` does, with the lines up to the mask."""
    numbers, lines = _projected(result)
    memory = _memory(result)
    kinds = result.setting.kinds if allowed(result.setting, result.n_head) is not None else ()
    codes, patterns = [], []
    for at, kind in enumerate(kinds[: result.n_head]):
        masking, width = replace(result.setting.masking, kind=kind), width_of(result.setting, kind)
        codes.append(mask_code(masking, width).replace("len(K)", f"len({memory})"))
        if not codes[-1]:
            numbers[f"allowed_{at}"] = make_mask(masking, *result.tokens.shape, width).int()
        patterns.append(codes[-1] or f"allowed_{at} == 1")
    if any(codes) or result.removal.kind == "without":
        lines.append(f"i, j = places(len(X), len({memory}))")
    if len(patterns) > 1:
        each = "".join(f"    {pattern},\n" for pattern in patterns)
        lines.append(f"masks = [\n{each}]  # True = may attend; heads take them in turn")
        lines.append(f"mask = heads_take_turns(masks, {result.n_head})")
    elif patterns:
        lines.append(f"mask = {patterns[0]}  # True = may attend")
    return numbers, lines


def _samples(result: Result) -> list[str]:
    """Write how attn_core draws words and weights; [] if anything is set that it does not draw."""
    setting = result.setting
    plain = replace(setting, cross=False, bias=False, projection=True, d_head=None, weights=())
    if setting != plain or setting.case in EXAMPLES:
        return []
    init = "" if setting.init == GLOROT else f', init="{setting.init}"'
    arguments = f"{setting.d_model}, {result.n_head}, bias=False, seed={setting.seed}{init}, dtype=X.dtype"
    return [
        f"X = sentence_vectors(words, {setting.d_model}, seed={setting.seed})",
        f"module = MultiHeadAttention({arguments})",
        "W_q, W_k, W_v, W_o = weights_of(module.requires_grad_(False)).values()",
    ]


def _attends(result: Result) -> list[str]:
    """Write the lines from all heads' scores to weights and output."""
    scores, temperature = "Q @ K.mT / Q.shape[-1] ** 0.5", result.setting.temperature
    scores += f" / {temperature!r}" * (temperature != 1.0) + " + bias" * (result.scheme.adds == "bias")
    note = f", temperature {temperature!r}" * (temperature != 1.0)
    return [
        f"scores = {scores}  # (n_head, n_query, n_key){note}",
        f"heads, weights = {beside_sink(attends_where(_mask(result)), result.setting.sink)}",
        f"output = {_output_expression(result)}",
    ]


def _mask(result: Result) -> str:
    return "mask" if allowed(result.setting, result.n_head) is not None else ""


def _call(result: Result) -> str:
    """Write the call of attn_core that gives weights and output."""
    mask, temperature = _mask(result), result.setting.temperature
    hot = f", temperature={temperature!r}" * (temperature != 1.0)
    hot += "" if result.setting.sink is None else f", sink={result.setting.sink:g}"
    if result.scheme.adds == "bias" and mask:
        return f"scaled_dot_product_attention(\n    Q, K, V, torch.where(mask, bias, -torch.inf){hot}\n)"
    extra = ", bias" if result.scheme.adds == "bias" else f", {mask}" * bool(mask)
    return f"scaled_dot_product_attention(Q, K, V{extra}{hot})"


def _output_expression(result: Result) -> str:
    """Write the expression of the output, from the heads' outputs."""
    biased = " + b_o" if result.setting.bias else ""
    return f"merge_heads(heads) @ W_o{biased}" if result.setting.projection else "merge_heads(heads)"


def _more(result: Result) -> More:
    """Write a view's further lines: rows combined, weights removed, or points in planes."""
    look, group = result.look, result.group
    if result.removal.kind:
        mask = _mask(result)
        if mask and min(len(result.setting.kinds), result.n_head) > 1:
            mask = f"mask[{result.head}]"
        lines, prints = removed_weights.removal_lines(result.removal, result.tokens.keys, mask, result.head)
        return [beside_sink(line, result.setting.sink) for line in lines], prints
    if look.view == "points":
        return plane_lines()
    if look.view != "arcs" or not group.also:
        return [], []
    rows = group.rows(result.cell[0])
    if look.all_heads:
        weights = f"weights[{result.shown_heads}][:, rows]" if result.off else "weights[:, rows]"
        return together_lines(rows, weights, summed=group.summed, axis=1)
    return together_lines(rows, f"weights[{result.head}][rows]", summed=group.summed)
