"""Programs that reproduce how far the pairs of a scaled rotary head turn, and its scores."""

from attn_ui.base.program_lines import program
from attn_ui.base.programs import Programs, in_latex, printing
from attn_words import _
from pages.positional_encoding.scaled import ScaledHead


def scaling_programs(head: ScaledHead) -> Programs:
    """Return what is handed over."""
    return Programs(
        lambda: scaling_code(head),
        lambda: short_code(head),
        lambda: formula(head),
        prints=_("how many times round each pair turns, and the scores at offsets 1, 2, 4, …"),
    )


def scaling_code(head: ScaledHead) -> str:
    """Return a program that leaves and prints `turns` (n_pair,) and `scores` (n_offset,)."""
    m, sharp = "", ""
    if head.name == "YaRN":
        m, sharp = "m = 0.1 * math.log(factor) + 1  # that queries and keys are multiplied by\n", "m**2 * "
    return program(
        head.scaling.code(),
        f"""d_head, base, factor, trained = {head.d_head}, {head.base!r}, {head.factor!r}, {head.trained}
frequencies = rotary_frequencies(d_head, base, factor, trained)  # (n_pair,)
turns = factor * trained * frequencies / (2 * math.pi)  # times round at the longer length
offsets = 2 ** torch.arange({len(head.doubling)})
angles = offsets[:, None] * frequencies  # (n_offset, n_pair)
{m}scores = {sharp}angles.cos().mean(dim=-1)  # of one vector with itself, every pair alike""",
        printing("turns", "scores"),
    )


def short_code(head: ScaledHead) -> str:
    """Return the same with attn_core."""
    return f"""import torch

from attn_core import make_scaling

scaling = make_scaling({head.name!r}, base={head.base!r}, factor={head.factor!r}, trained={head.trained})
turns = scaling.turns({head.d_head})
offsets = 2 ** torch.arange({len(head.doubling)})
scores = scaling.scores(offsets, {head.d_head})
{printing("turns", "scores")}"""


def formula(head: ScaledHead) -> str:
    """Return the scaling and how many times round each pair turns, as LaTeX."""
    turns = in_latex([head.scaling.turns(head.d_head).tolist()])
    return (
        rf"{head.scaling.formula}, \qquad b = {head.base:.12g}, \quad s = {head.factor:g}, \quad "
        rf"L = {head.trained}, \quad d = {head.d_head}, \qquad \frac{{s L\,\omega'}}{{2\pi}} = {turns}"
    )
