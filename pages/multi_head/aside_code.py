"""The lines of a program that go on with single heads: rows taken together, or weights set aside."""

from typing import Any

from attn_ui.base import set_aside
from attn_ui.base.arcs import together_lines
from pages.multi_head.compute import Now


def aside_lines(now: Now, values: str = "") -> dict[str, Any]:
    """Return the lines that follow `weights` and `output`, and the names that they leave; none by default.

    ``values`` are what the program calls V of all heads; by default, how it comes by them.
    """
    look, group = now.look, now.group
    if now.aside.what:
        return _set_aside(now, values)
    if look.view != "arcs" or not group.also:
        return {}
    rows = group.rows(now.cell[0])
    if look.all_heads:
        weights = f"weights[{now.shown_heads}][:, rows]" if now.off else "weights[:, rows]"
        return together_lines(rows, weights, summed=group.summed, dim=1)
    return together_lines(rows, f"weights[{now.head}, rows]", summed=group.summed)


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
    made = set_aside.aside_lines(now.aside, now.tokens.keys, "head_values", of="head_")
    return {"aside": [*lines, *made["aside"]], "prints": made["prints"]}
