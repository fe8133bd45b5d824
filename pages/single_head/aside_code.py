"""The lines of a program that set weights aside: the small ones, or those of a whole key."""

from typing import Any

from attn_ui.base.arcs import together_lines
from pages.single_head.compute import Now


def aside_lines(now: Now, value: str = "") -> dict[str, Any]:
    """Return the lines that follow `weights` and `output`, and the names that they leave; none by default.

    ``value`` is what the program calls V; by default, how it comes by it.
    """
    head, aside, group = now.head, now.aside, now.walk.group
    if group.also:
        return together_lines(group.rows(now.cell[0]), "weights[rows]", summed=group.summed)
    if not aside.what:
        return {}
    lines = []
    if not value:
        value = "V" if head.x is None else "X" if head.x is head.memory else "Y"
        if head.projections is not None and (aside.renormalised or aside.what == "without"):
            lines = [f"with torch.no_grad():\n    V = attention.W_v({value})"]
            value = "V"
    if aside.what == "without":
        key = int(aside.value)
        lines += [
            f"# Nobody attends to {now.walk.keys[key]!r}.",
            f"without = weights * (torch.arange({len(now.walk.keys)}) != {key})",
            "# What is left of each row is shared out anew; a row that has nothing left is zero.",
            "without = without / without.sum(dim=-1, keepdim=True).clamp(min=1e-300)",
            f"output_without = without @ {value}",
            "moved_by = (output_without - output).norm(dim=-1)",
        ]
        return {"aside": lines, "prints": ("without", "output_without", "moved_by")}
    if aside.what == "above":
        lines.append(f"kept = (weights >= {aside.value:g}) & (weights > 0)")
    else:
        top = min(int(aside.value), len(now.walk.keys))
        lines += [
            "ordered = weights.sort(dim=-1).values  # each row, the largest last",
            f"least = ordered[:, [-{top}]] - 1e-10 * ordered[:, [-1]]  # what ties with the last is kept",
            "kept = (weights >= least) & (weights > 0)",
        ]
    lines.append("mass = (weights * kept).sum(dim=-1)  # of each row")
    if not aside.renormalised:
        return {"aside": lines, "prints": ("mass",)}
    lines += [
        "renormalised = weights * kept / mass[:, None].clamp(min=1e-300)  # rows sum to one again",
        f"output_kept = renormalised @ {value}",
        "moved_by = (output_kept - output).norm(dim=-1)",
    ]
    return {"aside": lines, "prints": ("mass", "renormalised", "output_kept", "moved_by")}
