"""The numbers on screen: mean and spread of every curve."""

from collections.abc import Mapping

from attn_ui.base.page import Columns
from pages.what_courses_say.compute import State


def columns(state: State) -> Columns:
    """Return the table by titles: measure, curve, x, mean, standard deviation (0 for a single draw)."""
    study = state.study
    titles = ("measure", "curve", study.over, "mean", "standard deviation")
    rows = [
        (measure, curve, float(x), float(values.mean()), float(values.std()) if len(values) > 1 else 0.0)
        for measure, curves in study.measures.items()
        for curve, draws in curves.items()
        for x, values in zip(study.x, draws.unbind(dim=1), strict=True)
    ]
    return dict(zip(titles, zip(*rows, strict=True), strict=True))


def tables(state: State) -> Mapping[str, Columns]:
    """Return the tables by name."""
    return {"curves": columns(state)}
