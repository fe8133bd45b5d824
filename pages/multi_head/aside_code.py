"""The lines of a program that go on with single heads: rows that are taken together."""

from typing import Any

from attn_ui.base.arcs import together_lines
from pages.multi_head.compute import Now


def aside_lines(now: Now) -> dict[str, Any]:
    """Return the lines that follow `weights` and `output`, and the names that they leave; none by default."""
    look, group = now.look, now.group
    if look.view != "arcs" or not group.also:
        return {}
    rows = group.rows(now.cell[0])
    if look.all_heads:
        weights = f"weights[{now.shown_heads}][:, rows]" if now.off else "weights[:, rows]"
        return together_lines(rows, weights, summed=group.summed, dim=1)
    return together_lines(rows, f"weights[{now.head}, rows]", summed=group.summed)
