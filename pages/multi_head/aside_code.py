"""The lines of a program that go on with single heads: rows taken together, or weights set aside."""

from typing import Any

from attn_ui.base import set_aside
from attn_ui.base.arcs import together_lines
from attn_ui.base.planes import direction_lines
from pages.multi_head.compute import Now


def aside_lines(now: Now, values: str = "") -> dict[str, Any]:
    """Return the lines that follow `weights` and `output`, and the names that they leave; none by default.

    ``values`` are what the short program calls V of all heads; the one in PyTorch has to come by them.
    """
    look, group = now.look, now.group
    if now.aside.what:
        return _set_aside(now, values)
    if look.view == "points":
        return _planes(now, short=bool(values))
    if look.view != "arcs" or not group.also:
        return {}
    rows = group.rows(now.cell[0])
    if look.all_heads:
        weights = f"weights[{now.shown_heads}][:, rows]" if now.off else "weights[:, rows]"
        return together_lines(rows, weights, summed=group.summed, dim=1)
    return together_lines(rows, f"weights[{now.head}, rows]", summed=group.summed)


def _planes(now: Now, *, short: bool) -> dict[str, Any]:
    """Write where queries and keys of all heads stand, each head in a plane of its own."""
    if short:
        lines = ["q, k = result.query, result.key  # (n_head, n, d_head)"]
    else:
        memory = "X" if now.is_self_attention else "Y"
        lines = [
            "with torch.no_grad():",
            "    q = attention.split_heads(attention.W_q(X))",
            f"    k = attention.split_heads(attention.W_k({memory}))",
        ]
        if now.scheme.adds == "rotation":
            lines.append("    q, k = attention.rotary(q), attention.rotary(k)")
    whose = "each head's queries and keys"
    lines += [
        *direction_lines(now.module.d_head, whose, "torch.cat([q, k], dim=1)", ":, :2"),
        "query_points, key_points = q @ directions.mT, k @ directions.mT",
        "in_plane = query_points @ key_points.mT  # the part of each q·k that the plane shows",
    ]
    return {"aside": lines, "prints": ["query_points", "key_points", "in_plane"]}


def _set_aside(now: Now, values: str) -> dict[str, Any]:
    lines = [f"# Head {now.head + 1} alone.", f"head_weights = weights[{now.head}]"]
    if now.aside.what == "without" or now.aside.renormalised:
        memory = "X" if now.is_self_attention else "Y"
        if not values:
            lines.append(
                f"with torch.no_grad():\n    values = attention.split_heads(attention.W_v({memory}))"
            )
        lines += [
            f"head_values = {values or 'values'}[{now.head}]",
            "head_output = head_weights @ head_values",
        ]
    if now.aside.what == "without":
        made = set_aside.without_lines(
            now.aside, now.tokens.keys, _again(now, short=bool(values)), of="head_"
        )
    else:
        made = set_aside.aside_lines(now.aside, now.tokens.keys, "head_values", of="head_")
    return {"aside": [*lines, *made["aside"]], "prints": made["prints"]}


def _again(now: Now, *, short: bool) -> list[str]:
    """Write how the head attends to all keys but one."""
    key = int(now.aside.value)
    mask = f"mask & (j != {key})"
    if short:
        if now.scheme.adds == "bias":  # which stands in the short program's mask
            mask = f"mask.masked_fill(j == {key}, -torch.inf)"
        lines = [f"without = attention(x, memory, memory, {mask}).weights[{now.head}]"]
    else:
        called = "X" if now.is_self_attention else "X, Y"
        lines = [f"with torch.no_grad():\n    without = attention({called}, {mask})[1][{now.head}]"]
    return [*lines, "output_without = without @ head_values"]
