"""The lines of a program that set weights aside: the small ones, or those of a whole key."""

from typing import Any

from pages.single_head.compute import Now


def aside_lines(now: Now) -> dict[str, Any]:
    """Return the lines that follow `weights` and `output`, and the names that they leave; none by default."""
    head, aside = now.head, now.aside
    if not aside.what:
        return {}
    memory = "V" if head.x is None else "X" if head.x is head.memory else "Y"
    value = memory if head.projections is None else f"attention.W_v({memory}).detach()"
    if aside.what == "without":
        lines = [
            f"without = weights.clone()\nwithout[:, {aside.value:.0f}] = 0  # nobody attends to "
            f"{now.walk.keys[int(aside.value)]!r}",
            "# What is left of each row is shared out anew; a row that has nothing left is zero.",
            "without = (without / without.sum(dim=-1, keepdim=True)).nan_to_num()",
            f"output_without = without @ {value}",
            "moved_by = (output_without - output).norm(dim=-1)",
        ]
        return {"aside": lines, "prints": ("without", "output_without", "moved_by")}
    if aside.what == "above":
        lines = [f"kept = (weights >= {aside.value:g}) & (weights > 0)"]
    else:
        top = min(int(aside.value), len(now.walk.keys))
        lines = [
            f"least = weights.topk({top}, dim=-1).values[:, -1:]  # the last of the {top} largest of each row",
            "kept = (weights >= least - 1e-6) & (weights > 0)  # all that tie with it",
        ]
    lines.append("mass = (weights * kept).sum(dim=-1)  # of each row")
    if not aside.renormalised:
        return {"aside": lines, "prints": ("mass",)}
    lines += [
        "renormalised = (weights * kept / mass[:, None]).nan_to_num()  # rows sum to one again",
        f"output_kept = renormalised @ {value}",
        "moved_by = (output_kept - output).norm(dim=-1)",
    ]
    return {"aside": lines, "prints": ("mass", "renormalised", "output_kept", "moved_by")}
