"""Pictures of what position does to attention: before and after, side by side, and put to a test."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attn_figures import marks, theme
from attn_figures.chart import Chart
from attn_figures.frame import Side, few
from attn_figures.matrix import PAIRS, ColourScale, Hover, Matrix, Numbers, Pick, Scale
from attn_figures.panels import compose
from attn_figures.picture import Picture, Spec
from attn_words import _

MOST_WORDS = 14  # labels a side
PHONE_HEIGHT = 920  # pixels that the maps of all schemes take on a phone, two in a line
BODY = 7.0  # units a side of the maps of a test, whatever their size


@Picture
def before_and_after(
    tokens: Sequence[str],
    before: Numbers,
    after: Numbers,
    *,
    names: tuple[str, str],
    limit: float,
) -> Spec:
    """Draw weights (query, key) without and with positions, and the second less the first.

    Args:
        tokens: labels of queries and keys.
        before, after: weights (n, n).
        names: what stands under the first two maps.
        limit: the difference at the ends of its ramp, the same at all steps.
    """
    common = _attention_labels(tokens)
    without = Matrix("before", before, names[0], **common)
    within = Matrix("after", after, names[1], **common)
    return compose.spec([without, within, within.minus(without, _("what changes"), limit=limit)])


@Picture
def attention_maps(tokens: Sequence[str], maps: Mapping[str, Numbers], said: Mapping[str, str] = {}) -> Spec:
    """Draw one map of weights (query, key) for each scheme, by its name, or what people read in its place."""
    common = _attention_labels(tokens)
    if len(tokens) > MOST_WORDS:  # many small maps have no room for words: places stand for them
        places = few([str(place) for place in range(len(tokens))])
        common["rows"] = replace(common["rows"], title=_("Query"), ticks=places)
        common["columns"] = replace(common["columns"], title=_("Key"), ticks=places)
    return compose.spec(
        [Matrix(name, weights, said.get(name, name), **common) for name, weights in maps.items()],
        phone_height=PHONE_HEIGHT,
    )


@dataclass(frozen=True)
class Trial:
    """What was expected and what came, (n_rows, n_columns), with their labels and what a value is called."""

    expected: Numbers
    found: Numbers
    titles: tuple[str, str]
    rows: Sequence[str]
    columns: Sequence[str]
    row_title: str
    column_title: str
    quantity: str
    limits: tuple[float, float]  # ends of the ramps of values and of differences, the same at all steps
    scale: Scale = "scores"


@Picture
def trial(
    tried: Trial,
    errors: Mapping[str, float],
    chosen: str,
    largest_error: float,
    said: Mapping[str, str] = {},
) -> Spec:
    """Draw what was expected, what came, the difference, and every scheme's largest difference as a bar.

    Args:
        tried: the two maps.
        errors: the largest difference of each scheme, by its name.
        chosen: the scheme whose maps these are.
        largest_error: the end of the bars' axis, the same at all steps.
        said: what people read in place of the schemes' names, where that is something else.
    """
    bars = _error_bars(errors, chosen, largest_error, said)
    return compose.spec([*_trial_maps(tried), bars], largest_unit=36)


def _trial_maps(tried: Trial) -> list[Matrix]:
    # Of numbers a few say what lies between; words stand as far as there is room, and what goes is told.
    ticks = few(tried.rows) if all(each.isdecimal() for each in tried.rows) else None
    common: dict[str, Any] = {
        "rows": Side(tried.rows, tried.row_title, "ink", ticks),
        "columns": Side(tried.columns, tried.column_title, "ink", ticks=few(tried.columns)),
        "size": (BODY, BODY),
        "pick": Pick(together="trial"),
    }
    values, differences = tried.limits
    common |= {"hover": Hover(tried.quantity), "ramp": ColourScale(tried.scale, values)}
    expected = Matrix("expected", tried.expected, tried.titles[0], **common)
    found = Matrix("found", tried.found, tried.titles[1], **common)
    return [expected, found, found.minus(expected, limit=differences)]


def _error_bars(errors: Mapping[str, float], chosen: str, largest: float, said: Mapping[str, str]) -> Chart:
    names = list(errors)
    values = np.array([errors[name] for name in names])
    light = theme.LIGHT
    colours = [light.query if name == chosen else light.hatch for name in names]
    read = [said.get(name, name) for name in names]
    scheme = "%{y}" if read == names else "%{hovertext}"
    hover = _("{scheme}<br>largest difference <b>{difference}</b>", scheme=scheme, difference="%{x:.6g}")
    drawn = marks.bar("errors", names, values, colours, across=True, hover=hover) | {
        "text": [_short(value) for value in values],
        "textposition": "outside",
        "cliponaxis": False,
        "textfont": {"size": theme.FONT_SIZE - 1, "color": light.ink},
    }
    if read != names:
        drawn["hovertext"] = read
    return Chart(
        "bars",
        [drawn],
        columns=BODY - 1,
        rows=BODY,
        x_title=_("Largest difference"),
        x={"range": [0, 1.45 * largest], "nticks": 4},
        y={
            **{"autorange": "reversed", "showgrid": False, "tickfont": {"color": light.ink}},
            **{"tickmode": "array", "tickvals": names, "ticktext": [said.get(name, name) for name in names]},
        },
    )


def _short(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return "0" if value == 0 else f"{value:.0e}" if value < 1e-3 else f"{value:.2g}"


def _attention_labels(tokens: Sequence[str]) -> dict[str, Any]:
    """Label about fourteen words of a long sentence, and spend the ramp on small weights there."""
    step = math.ceil(len(tokens) / MOST_WORDS)
    long = step > 1
    few = list(enumerate(tokens))[::step] if long else None
    return {
        "rows": Side.queries(tokens, few),
        "columns": Side.keys(tokens, few),
        "pick": PAIRS,
        "ramp": ColourScale(power=2.0 if long else 1.0),
    }
