"""The lines of a program that go on with weights: rows taken together, or weights set aside."""

from typing import Any

from attn_ui.base import set_aside
from attn_ui.base.arcs import together_lines
from pages.single_head.compute import Now
from pages.single_head.snippet import Asked, called


def aside_lines(now: Now, asked: Asked, value: str = "") -> dict[str, Any]:
    """Return the lines that follow `weights` and `output`, and the names that they leave; none by default.

    ``value`` is what the short program calls V; the one in PyTorch has to come by it.
    """
    head, aside, group = now.head, now.aside, now.walk.group
    if group.also:
        return together_lines(group.rows(now.cell[0]), "weights[rows]", summed=group.summed)
    if not aside.what:
        return {}
    if aside.what == "without":
        mask = f"mask & (j != {int(aside.value)})"
        if value:
            again = [
                f"alone = {called(asked, mask)}",
                "without, output_without = alone.weights, alone.output",
            ]
        else:
            again = [
                f"with torch.no_grad():\n    output_without, without = attention({asked.sequences}, {mask})"
            ]
        return set_aside.without_lines(aside, now.walk.keys, again)
    lines = []
    if not value:
        value = "V" if head.x is None else "X" if head.x is head.memory else "Y"
        if head.projections is not None and aside.renormalised:
            lines = [f"with torch.no_grad():\n    V = attention.W_v({value})"]
            value = "V"
    made = set_aside.aside_lines(aside, now.walk.keys, value)
    return {"aside": [*lines, *made["aside"]], "prints": made["prints"]}
