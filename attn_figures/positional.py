"""Pictures of what positions change in attention: before and after, side by side, and tests."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attn_figures import marks, theme
from attn_figures.chart import Chart, ticks
from attn_figures.frame import Side, few_ticks
from attn_figures.marks import readings
from attn_figures.matrix import PAIRS, ColourScale, Hover, Matrix, Numbers, Pick, Scale
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

MOST_WORDS = 14  # labels a side
PHONE_HEIGHT = 920  # pixels of the maps of all schemes on a phone, two in a line
BODY = 7.0  # units a side of the maps of a test, whatever their size


def before_and_after(
    tokens: Sequence[str], before: Numbers, after: Numbers, *, names: tuple[str, str], limit: float
) -> Spec:
    """Draw weights (query, key) without and with positions, and the second minus the first.

    Args:
        limit: the difference at the ends of its ramp, the same at all steps.
    """
    common = _attention_labels(tokens)
    without = Matrix("before", before, names[0], **common)
    within = Matrix("after", after, names[1], **common)
    return compose([without, within, within.minus(without, _("what changes"), limit=limit)])


def attention_maps(
    tokens: Sequence[str], maps: Mapping[str, Numbers], labels: Mapping[str, str] = {}
) -> Spec:
    """Draw a map of weights (query, key) for each scheme; ``labels`` are shown in place of their names."""
    common = _attention_labels(tokens)
    if len(tokens) > MOST_WORDS:  # many small maps have no room for words: numbers replace them
        places = few_ticks([str(place) for place in range(len(tokens))])
        common["rows"] = replace(common["rows"], title=_("Query"), ticks=places)
        common["columns"] = replace(common["columns"], title=_("Key"), ticks=places)
    return compose(
        [Matrix(name, weights, labels.get(name, name), **common) for name, weights in maps.items()],
        phone_height=PHONE_HEIGHT,
    )


@dataclass(frozen=True)
class Trial:
    """The expected and the actual values of a test, (n_rows, n_columns), with their labels."""

    expected: Numbers

    actual: Numbers
    titles: tuple[str, str]
    rows: Sequence[str]
    columns: Sequence[str]
    row_title: str
    column_title: str
    quantity: str
    limits: tuple[float, float]  # ends of the ramps of values and of differences, the same at all steps
    scale: Scale = "scores"


def trial(
    values: Trial,
    errors: Mapping[str, float],
    scheme: str,
    largest_error: float,
    labels: Mapping[str, str] = {},
) -> Spec:
    """Draw expected values, actual values, their difference, and every scheme's largest difference as a bar.

    Args:
        errors: the largest difference of each scheme, by its name.
        largest_error: the end of the bars' axis, the same at all steps.
        labels: shown in place of the schemes' names, where they differ.
    """
    bars = _error_bars(errors, scheme, largest_error, labels)
    return compose([*_trial_maps(values), bars], largest_unit=36)


def _trial_maps(trial: Trial) -> list[Matrix]:
    # For numbers a few ticks are enough; of words as many are labels as have room.
    ticks = few_ticks(trial.rows) if all(each.isdecimal() for each in trial.rows) else None
    common: dict[str, Any] = {
        "rows": Side(trial.rows, trial.row_title, "ink", ticks),
        "columns": Side(trial.columns, trial.column_title, "ink", ticks=few_ticks(trial.columns)),
        "size": (BODY, BODY),
        "pick": Pick(together="trial"),
    }
    values, differences = trial.limits
    common |= {"hover": Hover(trial.quantity), "ramp": ColourScale(trial.scale, values)}
    expected = Matrix("expected", trial.expected, trial.titles[0], **common)
    actual = Matrix("found", trial.actual, trial.titles[1], **common)
    return [expected, actual, actual.minus(expected, limit=differences)]


def _error_bars(errors: Mapping[str, float], scheme: str, largest: float, labels: Mapping[str, str]) -> Chart:
    names = list(errors)
    values = np.array([errors[name] for name in names])
    light = theme.LIGHT
    colours = [light.query if name == scheme else light.hatch for name in names]
    texts = [labels.get(name, name) for name in names]
    place = "%{y}" if texts == names else "%{hovertext}"
    hover = readings((_("largest difference"), "%{x:.6g}"), of=place)
    bars = marks.bar("errors", names, values, colours, across=True, hover=hover) | {
        "text": [_short(value) for value in values],
        "textposition": "outside",
        "cliponaxis": False,
        "textfont": {"size": theme.FONT_SIZE - 1, "color": light.ink},
    }
    if texts != names:
        bars["hovertext"] = texts
    return Chart(
        "bars",
        [bars],
        columns=BODY - 1,
        rows=BODY,
        x_title=_("Largest difference"),
        x={"range": [0, 1.45 * largest], "nticks": 4},
        y={
            **{"autorange": "reversed", "showgrid": False, "tickfont": {"color": light.ink}},
            **ticks(names, texts),
        },
    )


def _short(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return "0" if value == 0 else f"{value:.0e}" if value < 1e-3 else f"{value:.2g}"


def _attention_labels(tokens: Sequence[str]) -> dict[str, Any]:
    """Return fields of a map: at most fourteen labels a side, and a ramp for a long text's small weights."""
    step = math.ceil(len(tokens) / MOST_WORDS)
    long = step > 1
    ticks = list(enumerate(tokens))[::step] if long else None
    return {
        "rows": Side.queries(tokens, ticks),
        "columns": Side.keys(tokens, ticks),
        "pick": PAIRS,
        "ramp": ColourScale(power=2.0 if long else 1.0),
    }
