"""The tab Code: programs that print the numbers on the screen, and their formula."""

from collections.abc import Callable

from attn_core import mask_code
from attn_ui import programs
from pages.single_head.numbers import Now
from pages.single_head.snippet import short, snippet


def show(now: Now) -> None:
    """Hand over the programs and the formula."""
    programs.offer(
        lambda: _written(now, snippet),
        lambda: _written(now, short),
        lambda: formula(now),
        prints="the weights and the output",
    )


def formula(now: Now) -> str:
    """Return weights and output of the picture as LaTeX."""
    scale = {"1/√dₖ": rf"\frac{{1}}{{\sqrt{{{now.head.d_k}}}}}"}.get(now.scoring.scale, f"{now.scale:.4g}")
    over = "" if now.temperature == 1.0 else rf"\cdot \frac{{1}}{{{now.temperature:.6g}}}"
    masked = "" if now.walk.mask.all() else " + M"
    weights = programs.in_latex(now.walk.weights.tolist())
    value = programs.in_latex(now.head.value.tolist())
    output = programs.in_latex(now.walk.output.tolist())
    return (
        rf"O = \operatorname{{softmax}}\!\left({scale}{over}\, Q K^\top{masked}\right) V"
        rf" = {weights} {value} = {output}"
    )


def _written(now: Now, write: Callable[..., str]) -> str:
    head = now.head
    scale = {"1/√dₖ": "1 / math.sqrt(Q.shape[-1])"}.get(now.scoring.scale, f"{now.scale:.10g}")
    return write(
        head.query.tolist(),
        head.key.tolist(),
        head.value.tolist(),
        mask=mask_code(now.scoring.masking, now.width, now.walk.mask.tolist()),
        scale=scale,
        temperature=now.temperature,
        **({"queries": head.queries, "keys": head.keys} if write is short else {}),
    )
