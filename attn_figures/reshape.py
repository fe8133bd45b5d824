"""The reshape that makes heads, on small blocks that move: nothing is computed, numbers only change place."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.marks import Mark
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

Numbers = NDArray[np.float64]
MOVE_STEPS = 8
HOLD_STEPS = 4
STAGES = ("flat", "split", "heads", "attended", "joined", "flat again")
# How many steps of the slider lead from each stage to the next.
LEADS = (MOVE_STEPS, MOVE_STEPS, HOLD_STEPS, MOVE_STEPS, MOVE_STEPS)
N_STEPS = sum(LEADS) + 1
GAP = 0.8  # between blocks, in cells


@dataclass(frozen=True)
class Moment:
    """A step of the slider: the stage it comes from, the stage it goes to, and the share of the way."""

    left: int
    right: int
    share: float

    @property
    def nearest(self) -> int:
        """The closer of the two stages."""
        return self.left if self.share < 0.5 else self.right


def moment(step: int) -> Moment:
    """Return the moment of a step; steps 0, 8, 16, 20, 28 and 36 are stages.

    >>> moment(8), moment(12).share
    (Moment(left=1, right=1, share=0.0), 0.5)
    """
    start = 0
    for stage, lead in enumerate(LEADS):
        if step == start:
            return Moment(stage, stage, 0.0)
        if step < start + lead:
            return Moment(stage, stage + 1, (step - start) / lead)
        start += lead
    return Moment(len(LEADS), len(LEADS), 0.0)


def corners(n: int, n_head: int, d_head: int) -> Numbers:
    """Return the corner of each number's block at each stage: (n_stages, n, n_head, d_head, 2), x and y.

    The first of three axes goes to the right as separate blocks, the second down, the third to the right
    within a block; of two axes the first goes down and the second to the right.
    """
    token, head, dim = np.meshgrid(np.arange(n), np.arange(n_head), np.arange(d_head), indexing="ij")
    flat = np.stack([head * d_head + dim, token], -1)
    by_token = np.stack([token * (d_head + GAP) + dim, head], -1)
    by_head = np.stack([head * (d_head + GAP) + dim, token], -1)
    stages = [_centre(places) for places in (flat, by_token, by_head)]
    return np.stack([stages[0], stages[1], stages[2], stages[2], stages[1], stages[0]]).astype(np.float64)


def _centre(places: Numbers) -> Numbers:
    low, high = places.min(axis=(0, 1, 2)), places.max(axis=(0, 1, 2)) + 1
    return np.asarray(places - (low + high) / 2)


def blocks(step: int, tokens: Sequence[str], n_head: int, d_head: int, *, caption: str = "") -> Spec:
    """Draw the numbers as blocks, coloured by head, on their way from one shape to the next.

    Args:
        step: from 0 to `N_STEPS` - 1.
        tokens: as typed; one row of the flat matrix each.
        caption: the text under the blocks, one or two lines; may hold Plotly's tags.
    """
    at = moment(step)
    places = corners(len(tokens), n_head, d_head)
    # Blocks start and stop softly, so that the eye can follow them.
    here = places[at.left] + at.share**2 * (3 - 2 * at.share) * (places[at.right] - places[at.left])
    wide, tall = (float(np.ptp(places[..., axis])) + 1 for axis in (0, 1))
    traces: list[Mark] = []
    is_mixed = at.left + at.share >= STAGES.index("attended")
    for head in range(n_head):
        colour = theme.LIGHT.series[head % len(theme.LIGHT.series)]
        x, y = _outlines(here[:, head].reshape(-1, 2))
        fill = theme.rgba(colour, 0.85 if is_mixed else 0.35)
        traces.append(marks.area(f"head {head + 1}", x, y, fill, edge=colour, width=1))
    traces.append(_labels(here))
    chart = Chart(
        "blocks",
        traces,
        columns=wide + 1,
        rows=tall + 1,
        title=" ",  # room for the caption, which starts where an axis would
        x={"range": [-(wide + 1) / 2, (wide + 1) / 2], "visible": False},
        y={"range": [(tall + 1) / 2, -(tall + 1) / 2], "visible": False},
        legend=[
            (_("head {number}", number=head + 1), theme.LIGHT.series[head % len(theme.LIGHT.series)])
            for head in range(n_head)
        ],
    )
    spec = compose([chart], largest_unit=48.0)
    spec["layout"]["annotations"][0]["text"] = caption
    return spec


def _outlines(corner: Numbers) -> tuple[Numbers, Numbers]:
    """Draw unit squares as one line that is broken between them."""
    inset = 0.06
    near, far = inset, 1 - inset
    path = np.array([[near, near], [far, near], [far, far], [near, far], [near, near], [np.nan, np.nan]])
    outline = (corner[:, None, :] + path[None]).reshape(-1, 2)
    return outline[:, 0], outline[:, 1]


def _labels(here: Numbers) -> Mark:
    n, n_head, d_head = here.shape[:3]
    centre = here.reshape(-1, 2) + 0.5
    token, head, dim = (axis.ravel() for axis in np.indices((n, n_head, d_head)))
    hover = _(
        "token {token}, head {head}, dimension {dimension} of the head",
        token="%{customdata[0]}",
        head="%{customdata[1]}",
        dimension="%{customdata[2]}",
    )
    return marks.words("numbers", centre[:, 0], centre[:, 1], [f"{t + 1}" for t in token], hover=hover) | {
        "customdata": np.stack([token + 1, head + 1, dim + 1], -1)
    }
