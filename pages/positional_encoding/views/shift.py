"""Move all positions on: where only the offset counts, nothing changes."""

import numpy as np
import torch

from attn_core import shift_difference
from attn_figures import positional as pictures
from attn_figures.positional import Trial
from attn_ui.live_figure import Slider, live_figure, pack, pack_says
from attn_ui.shared_cache import shared
from pages.positional_encoding import words
from pages.positional_encoding.numbers import Numbers, usable_schemes
from pages.positional_encoding.settings import SHIFT, Inputs

SHIFTED = 16  # positions in the shift test


def show(numbers: Numbers) -> None:
    """Draw what positions say of each pair, the same with all of them shifted, and the difference."""
    figures, says = _packed(numbers.inputs.still(SHIFT))
    live_figure(
        figures,
        key="shift",
        alt="What positions say of each pair, the same with all positions shifted, and the difference",
        name=f"shift {numbers.scheme_name}",
        slider=Slider("Shift of all positions", SHIFT),
        says=says,
    )


@shared
def _packed(inputs: Inputs) -> tuple[bytes, bytes]:
    numbers = Numbers(inputs)
    shifts = torch.tensor([int(value) for value in SHIFT.values])
    scheme = numbers.bare()
    expected = scheme.similarity(SHIFTED, numbers.width).numpy()
    differences = shift_difference(scheme, SHIFTED, numbers.width, shifts).numpy()
    # A table's first row may be far longer than all others: it must not bleach the rest.
    typical = float(np.quantile(abs(expected), 0.98)) or 1.0
    places = [str(place) for place in range(SHIFTED)]
    errors, scales = {}, {}
    for name in usable_schemes():
        own = numbers.under(name)
        moved = shift_difference(own.bare(), SHIFTED, own.width, shifts)
        errors[name] = moved.abs().amax(dim=(-2, -1)).tolist()
        scales[name] = float(own.bare().similarity(SHIFTED, own.width).abs().max())
    del errors["none"], scales["none"]
    figures, says = [], []
    for step, shift in enumerate(SHIFT.values):
        at = {name: each[step] for name, each in errors.items()}
        tried = Trial(
            expected=expected,
            found=expected + differences[step],
            titles=(f"positions 0 to {SHIFTED - 1}", "all positions shifted"),
            rows=places,
            columns=places,
            row_title="Query, counted from the first",
            column_title="Key, counted from the first",
            quantity="score of positions",
            limits=(typical, typical),
        )
        # The ramp's error grows without bound, so each step has an axis of its own.
        figures.append(pictures.trial.spec(tried, at, numbers.scheme_name, max(at.values()) or 1.0))
        says.append(words.shift(at, scales, numbers.scheme_name, int(shift), numbers.width))
    return pack(figures), pack_says(says)
