"""Questions about a covered panel or curve, and the score of an answer against the computed numbers.

Both are made from the numbers of the figure: no page writes a question or an answer of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures.numbers import distinct, fixed_point, number
from attn_figures.scene import Scene, Still, names_of
from attn_live.captions import StepCaption
from attn_ui.base import cover
from attn_ui.base.figure import Figure
from attn_ui.base.link_options import ALOUD, COVER, PREDICT
from attn_ui.base.links import Dropped
from attn_ui.base.markdown import coloured, first_of, plain
from attn_ui.base.parameters import Steps
from attn_words import N_, _, paragraph

Numbers = NDArray[np.float64]
Answer = int | float | str | tuple[float, ...]
NODES = 33  # places at which a drawn curve has a height
MOST_BARS = 24  # keys of a row whose bars can be dragged
_HIGHEST = 1e9  # of a point of a drawn curve
_TIE = 1e-6  # numbers that differ by less, in float32, count as equal
_NO_WEIGHTS = frozenset({"scores", "scaled", "masked", "prediction"})  # though their rows may sum to one
# Nouns of rows and columns in sentences; `_NOUNS` has them for other words in a map's hover.
_SIDES = (N_("query"), N_("key"), N_("row"), N_("column"), N_("dimension"), N_("position"))
_NOUNS = {"at": N_("place"), "says": N_("answer")}
_SUMS_TO = 1e-4  # how near to one a row of weights adds up in float32
RISES, FALLS = N_("it rises"), N_("it falls")
"""The answers to a question about a trend; `_` translates them."""


@dataclass(frozen=True, eq=False)
class Map:
    """A map as the figure draws it.

    Attributes:
        values: (n_rows, n_columns), NaN where masked.
        rows, columns: their labels, as typed; words: what a row and a column are called.
        scores: (n_rows, n_columns), the scores under the softmax; None where the figure has none.
    """

    name: str
    values: Numbers
    rows: Sequence[str]
    columns: Sequence[str]
    words: tuple[str, str]
    scores: Numbers | None = None

    @property
    def is_weights(self) -> bool:
        """Whether each row sums to one, or is empty."""
        if self.name in _NO_WEIGHTS:
            return False
        filled = np.nan_to_num(self.values)
        sums = filled.sum(axis=1)
        return bool((filled >= 0).all() and ((np.abs(sums - 1) < _SUMS_TO) | (sums == 0)).all())

    def nouns(self) -> tuple[str, str]:
        """The nouns for a row and a column in sentences."""
        row, column = (_(_NOUNS.get(word, word)) for word in self.words)
        return row, column

    def row(self, row: int) -> str:
        """Return the label of a row, as markdown."""
        return _quote(self.words[0], self.rows[row])

    def column(self, column: int) -> str:
        """Return the label of a column, as markdown."""
        return _quote(self.words[1], self.columns[column])


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve as the figure draws it: places (n,) and heights (n,), NaN in a gap."""

    x: Numbers
    y: Numbers


@dataclass(frozen=True)
class Pad:
    """The chart to draw a curve on: the ends of its axes, and the given points, (x, y) each."""

    x: tuple[float, float]
    y: tuple[float, float]
    points: tuple[tuple[float, float], ...]


def _quote(word: str, label: str) -> str:
    # The words of a map may be translated already.
    if word in ("query", _("query")):
        return f"“{coloured('query', label)}”"
    return f"“{coloured('key', label) if word in ('key', _('key')) else plain(label)}”"


# ---- scoring, without a figure ----


@dataclass(frozen=True)
class Top:
    """The largest of a row's numbers.

    Attributes:
        places: the indices of the largest, several if they tie; value: the largest.
        next_place, next_value: the largest of the others; None and NaN where there are none.
    """

    places: tuple[int, ...]
    value: float
    next_place: int | None
    next_value: float


def top(row: Numbers) -> Top | None:
    """Return the largest number of a row (n,), and the next; None where all are NaN.

    >>> top(np.array([0.2, np.nan, 0.7, 0.1]))
    Top(places=(2,), value=0.7, next_place=0, next_value=0.2)
    """
    finite_places = np.flatnonzero(np.isfinite(row))
    if not len(finite_places):
        return None
    largest = float(row[finite_places].max())
    places = tuple(int(place) for place in finite_places if row[place] >= largest - _TIE)
    other_places = [int(place) for place in finite_places if place not in places]
    following = max(other_places, key=lambda place: float(row[place]), default=None)
    return Top(places, largest, following, np.nan if following is None else float(row[following]))


def direction(start: float, end: float) -> int:
    """Return 1 where a number rises from start to end, -1 where it falls, 0 where it stays."""
    return 0 if abs(end - start) <= _TIE else 1 if end > start else -1


def differences(answer: Sequence[float], row: Numbers) -> Numbers:
    """Return the numbers of an answer minus the row's, (n,); masked cells count as 0."""
    return np.asarray(answer, dtype=np.float64) - np.nan_to_num(row)


def total_variation(answer: Sequence[float], row: Numbers) -> float:
    r"""Return the total variation distance, $\tfrac12 \sum_j |p_j - w_j|$: half the sum of the differences.

    It is 0 for equal rows, and 1 for rows without a common key.

    >>> total_variation([1.0, 0.0], np.array([0.25, 0.75]))
    0.75
    """
    return float(np.abs(differences(answer, row)).sum() / 2)


def read_row(report: object, count: int) -> tuple[float, ...] | None:
    """Return the row that somebody dragged, as the browser reports it; None where it does not sum to one."""
    row = _read_numbers(report, count, 0, 1)
    return row if row and abs(sum(row) - 1) < 1e-6 else None


def from_curve(heights: Sequence[float], ends: tuple[float, float], curve: Curve) -> Numbers:
    """Return how far a drawn curve lies above the true one at each of its places; NaN in gaps.

    Args:
        heights: of the drawn curve at evenly spaced places, linear between; ends: the first and last place.
        curve: the computed one.
    """
    places = np.linspace(*ends, len(heights))
    return np.interp(curve.x, places, np.asarray(heights, dtype=np.float64)) - curve.y


def read_curve(report: object) -> tuple[float, ...] | None:
    """Return the curve that somebody drew, as the browser reports it; None where it is malformed."""
    return _read_numbers(report, NODES, -_HIGHEST, _HIGHEST)


def _read_numbers(report: object, count: int, low: float, high: float) -> tuple[float, ...] | None:
    if not isinstance(report, list | tuple) or len(report) != count:
        return None
    if not all(isinstance(each, int | float) and low <= each <= high for each in report):
        return None
    return tuple(map(float, report))


# ---- the question ----


@dataclass(frozen=True, eq=False)
class CoverQuestion:
    """A question about a covered panel or curve.

    Attributes:
        name: of the covered trace; title: its name on screen; kind: of question.
        maps: the covered map at every step; empty for a curve.
        step: the slider's index; row, column: of the cell in question.
        slider: the slider's label; texts: its read-out at each step.
        by_row: whether a second slider chooses the row, so that each row has a sentence.
        curve, pad: the covered curve at the present step and the chart to draw it on; None for a map.
    """

    name: str
    kind: str
    maps: Sequence[Map]
    step: int
    row: int
    column: int
    slider: str = ""
    texts: Sequence[str] = ()
    by_row: bool = False
    curve: Curve | None = None
    pad: Pad | None = None
    title: str = ""

    @property
    def map(self) -> Map:
        """The covered map at the slider's present step."""
        return self.maps[self.step]

    def sentences(self) -> list[StepCaption]:
        """Return the question at every step; where a second slider chooses the row, for each row."""
        steps = range(len(self.texts) or 1)
        if self.by_row and self.kind in ("key", "number", "row"):
            return [[self.sentence(step, row) for row in range(len(self.map.rows))] for step in steps]
        return [self.sentence(step, self.row) for step in steps]

    def sentence(self, step: int, row: int) -> str:
        """Return the question, as markdown."""
        title = f"**{plain(self.title or cover.panel_title(self.name))}**"
        return paragraph(_("Covered: {panel}.", panel=title), self._question(step, row))

    def _question(self, step: int, row: int) -> str:
        if self.kind == ALOUD:
            return _("Predict it.")
        if self.kind == "curve":
            return _("Draw where it goes.")
        panel = self.maps[step]
        row, column = min(row, len(panel.rows) - 1), min(self.column, len(panel.columns) - 1)
        fields = dict(zip(("asked", "found"), panel.nouns(), strict=True))
        fields |= {"row": panel.row(row), "column": panel.column(column)}
        match self.kind:
            case "key":
                return _("Which {found} has the largest number for the {asked} {row}?", **fields)
            case "row":
                return _("How does the {asked} {row} share its weight out? Drag the bars.", **fields)
            case "number":
                return _("Which number stands at {asked} {row} and {found} {column}?", **fields)
        return _(
            "{slider} goes from {start} to {end}: does the number at {asked} {row} and {found} {column} rise "
            "or fall?",
            **fields,
            slider=self.slider,
            start=self.texts[step],
            end=self.texts[self.end(step)],
        )

    def end(self, step: int) -> int:
        """Return the step that a trend ends at: the last; from the last, the first."""
        last = len(self.texts) - 1
        return last if step != last else 0

    # ---- the answer ----

    def verdict(self, answer: Answer | None) -> str:
        """Return sentences that compare an answer with the computed numbers, and give the reason.

        Args:
            answer: a column's index, a number, numbers of a row or curve, `RISES` or `FALLS`; None for no
                answer.
        """
        if self.kind == ALOUD:
            return ""
        if self.kind == "curve":
            return self._judge_curve(answer) if isinstance(answer, tuple) else _("You gave no answer.")
        match self.kind, answer:
            case "key", int():
                sentence = self._judge_key(answer)
            case "row", tuple():
                sentence = self._judge_row(answer)
            case "number", int() | float():
                sentence = self._judge_number(answer)
            case "trend", str():
                sentence = self._judge_trend(answer)
            case _:
                sentence = _("You gave no answer.")
        return paragraph(sentence, self._trend_text() if self.kind == "trend" else self._largest_text())

    def _judge_key(self, answer: int) -> str:
        panel, row = self.map, self.map.values[self.row]
        answer = min(answer, len(row) - 1)
        peak = top(row)
        sentence = _("You said: {answer}.", answer=f"{panel.column(answer)} ({_number_text(row[answer])})")
        return paragraph(_("**Right.**") if peak and answer in peak.places else "", sentence)

    def _judge_row(self, answer: Sequence[float]) -> str:
        panel, row = self.map, self.map.values[self.row]
        difference = differences(answer, row)
        worst = int(np.abs(difference).argmax())
        distance = total_variation(answer, row)
        score = _(
            "Half the sum of the differences is {distance} (the total variation distance, 0 to 1).",
            distance=_digits(distance),
        )
        if np.abs(difference[worst]) < 0.0005:
            return paragraph(_("**Right.**"), score)
        return paragraph(_compare_numbers(panel.column(worst), answer[worst], row[worst]), score)

    def _judge_curve(self, answer: tuple[float, ...]) -> str:
        if self.curve is None or self.pad is None:
            return ""
        difference = from_curve(answer, self.pad.x, self.curve)
        if not np.isfinite(difference).any():
            return _("It has no height anywhere: there is nothing to compare.")
        furthest = int(np.nanargmax(np.abs(difference)))
        height = float(self.curve.y[furthest])
        return _(
            "Your curve is {distance} away from it on average, furthest at {place}: you drew {drawn}, it is "
            "{number}.",
            distance=_digits(float(np.nanmean(np.abs(difference)))),
            place=f"{self.curve.x[furthest]:.3g}",
            drawn=_digits(height + float(difference[furthest])),
            number=_digits(height),
        )

    def table(self, answer: Sequence[float]) -> str:
        """Return a table, in markdown, that compares a dragged row with the computed one cell by cell."""
        panel, row = self.map, self.map.values[self.row]
        difference = differences(answer, row)
        header = [_(panel.words[1]).capitalize(), _("You gave"), _("It has"), _("Difference")]
        lines = [f"| {' | '.join(header)} |", "|---|---:|---:|---:|"]
        lines += [
            f"| {plain(label)} | {gave:.2f} | {_number_text(has)} | {_signed(off)} |"
            for label, gave, has, off in zip(panel.columns, answer, row, difference, strict=True)
        ]
        return "\n".join(lines)

    def _judge_number(self, answer: float) -> str:
        value = float(self.map.values[self.row, self.column])
        return paragraph(
            _("**Right.**") if abs(answer - value) < 0.0005 else "",
            _compare_numbers(self.map.column(self.column), answer, value),
        )

    def _judge_trend(self, answer: str) -> str:
        turn = direction(*self._ends())
        is_right = np.isfinite(self._ends()).all() and turn == (1 if answer == RISES else -1)
        return paragraph(_("**Right.**") if is_right else "", _("You said: {answer}.", answer=_(answer)))

    def _ends(self) -> tuple[float, float]:
        start, end = (
            float(self.maps[at].values[self.row, self.column]) for at in (self.step, self.end(self.step))
        )
        return start, end

    def _trend_text(self) -> str:
        start, end = self._ends()
        if not np.isfinite([start, end]).all():
            return _("The cell is masked, so it has no number.")
        start_text, end_text = _digits_apart(start, end)
        sentence = _(
            "With {slider} at {here} it is {start}, at {there} {end}.",
            slider=self.slider,
            here=self.texts[self.step],
            there=self.texts[self.end(self.step)],
            start=start_text,
            end=end_text,
        )
        return paragraph(sentence, self._explain_trend())

    def _explain_trend(self) -> str:
        """Return how the row's largest weight changes until `end`; "" for a map that is not of weights."""
        if not self.map.is_weights:
            return ""
        both_maps = self.maps[self.step], self.maps[self.end(self.step)]
        start, end = (float(np.nan_to_num(each.values[self.row]).max()) for each in both_maps)
        start_text, end_text = _digits_apart(start, end)
        return _("The row's largest weight goes from {start} to {end}.", start=start_text, end=end_text)

    def _largest_text(self) -> str:
        """Name the row's largest number and the next; for weights, also the difference of their scores."""
        panel = self.map
        peak = top(panel.values[self.row])
        if peak is None or (panel.is_weights and peak.value == 0):
            row_noun, row = _(panel.words[0]), panel.row(self.row)
            return _("The {asked} {row} may attend to nothing.", asked=row_noun, row=row)
        value, next_number = _digits_apart(peak.value, peak.next_value)
        largest = f"{first_of([panel.column(place) for place in peak.places])} ({value})"
        if peak.next_place is None:
            return _("The largest is {largest}.", largest=largest)
        fields = {"largest": largest, "column": panel.column(peak.next_place), "number": next_number}
        readout = _("The largest is {largest}; the next, {column} with {number}.", **fields)
        scores = panel.scores if panel.is_weights else None
        if scores is not None and np.isfinite(scores[self.row, [peak.places[0], peak.next_place]]).all():
            best, other = (float(scores[self.row, at]) for at in (peak.places[0], peak.next_place))
            sentence = _(
                "The largest has the scaled score {score}, {more} above that of the next.",
                score=_digits(best, 2),
                more=_digits(best - other, 2),
            )
            return paragraph(readout, sentence)
        return readout


def _number_text(value: float) -> str:
    """Write the number of a cell, or that it is masked."""
    return _digits(value) if np.isfinite(value) else _("masked")


def _compare_numbers(column: str, answer: float, value: float) -> str:
    """Write the number that was given for a column beside the computed one."""
    return _(
        "{column}: you gave {answer}, computed {number}.",
        column=column,
        answer=_digits(answer),
        number=_number_text(value),
    )


def _digits(value: float, decimals: int = 3) -> str:
    """Write a number with so many decimals; one that would round to zero with two significant digits.

    >>> _digits(0.25), _digits(-1234.5678), _digits(-3.8e-5), _digits(-1e-9)
    ('0.250', '−1,234.6', '−3.8 × 10⁻⁵', '0.000')
    """
    value = float(value)
    if abs(value) >= 10:
        return number(value, 5)
    is_hidden = _TIE < abs(value) < 10.0**-decimals / 2
    return number(value, 2) if is_hidden else fixed_point(value, decimals)


def _digits_apart(one: float, other: float) -> list[str]:
    """Write two numbers, with as many digits as it takes to tell them apart where they differ.

    >>> _digits_apart(0.25, 0.75), _digits_apart(1.0, 0.99996), _digits_apart(0.5, 0.5)
    (['0.250', '0.750'], ['1', '0.99996'], ['0.500', '0.500'])
    """
    texts = [_digits(one), _digits(other)]
    return distinct([one, other]) if texts[0] == texts[1] and direction(one, other) else texts


def _signed(value: float) -> str:
    """Write a difference with its sign, none before zero.

    >>> _signed(0.25), _signed(-0.25), _signed(-1e-4)
    ('+0.250', '−0.250', '0.000')
    """
    text = fixed_point(value, 3)
    return text if value <= 0 or not float(text) else f"+{text}"


# ---- from a figure ----


def question(
    figure: Figure,
    name: str,
    kind: str,
    at: Callable[[Steps], int],
    panel_sources: Iterable[str] = (),
    *,
    own_row: int = 0,
) -> tuple[CoverQuestion, str]:
    """Return the question about a panel or curve, and the requested kind if that is impossible, else "".

    Args:
        figure: the page's own, nothing covered.
        name: of the covered trace; kind: of question, one of `PREDICT`'s.
        at: returns the index of a setting's present value; panel_sources: the page's own.
        own_row: the row in question if nothing in the figure chooses one.

    Raises:
        ValueError: there is no such panel or curve; the message lists those of the figure.
    """
    scene = figure.scene.scene
    cover.check(scene, name, panel_sources)
    step = at(figure.slider.steps) if figure.slider else 0
    texts = figure.slider.texts() if figure.slider else [""] * scene.n_steps
    label = figure.slider.label if figure.slider else ""
    maps, title = read_maps(scene, name), cover.panel_title(name, scene)
    possible = kinds(scene, name)
    bad_kind = "" if kind in possible or name not in cover.names(scene) else kind
    kind = kind if kind in possible else ALOUD
    if not maps:
        curve, pad = _read_curve(scene.at(step, None), name)
        return CoverQuestion(
            name, kind, (), step, 0, 0, label, texts, curve=curve, pad=pad, title=title
        ), bad_kind
    panel = maps[step]
    choices: Mapping[str, Steps] = figure.selection
    axes = _axes(scene, name)
    row, column = (
        min(at(choices[axis]), count - 1) if axis in choices else None
        for axis, count in zip(axes, panel.values.shape, strict=True)
    )
    by_row = row is None and figure.rows is not None and len(figure.rows.steps.values) == len(panel.rows)
    if by_row and figure.rows:
        row = at(figure.rows.steps)
    row = min(own_row, len(panel.rows) - 1) if row is None else row
    column = min(row, len(panel.columns) - 1) if column is None else column
    return CoverQuestion(name, kind, maps, step, row, column, label, texts, by_row, title=title), bad_kind


def chooses_row(figure: Figure, name: str) -> Steps | None:
    """Return the setting that chooses the row of a map: by a click, or by the slider of rows."""
    axis = _axes(figure.scene.scene, name)[0]
    if axis in figure.selection:
        return figure.selection[axis]
    return figure.rows.steps if figure.rows else None


def kinds(scene: Scene, name: str) -> tuple[str, ...]:
    """Return the kinds of question that can be asked about a panel or curve of a figure."""
    maps = read_maps(scene, name)
    if not maps:
        return (ALOUD, "curve") if _read_curve(scene.stills[0], name)[1] else (ALOUD,)
    panel = maps[0]
    row = ("row",) if panel.is_weights and len(panel.columns) <= MOST_BARS else ()
    return (ALOUD, "key", *row, "number", *(("trend",) if len(maps) > 1 else ()))


def _read_curve(still: Still, name: str) -> tuple[Curve | None, Pad | None]:
    """Return a curve over x, and the chart that it is drawn in; (None, None) if there is none."""
    for chart in still.charts:
        traces = {trace["name"]: trace for trace in chart.data}
        trace, axes = traces.get(name), (chart.x, chart.y)
        if trace is None or trace.get("type", "scatter") != "scatter" or np.size(trace.get("x", ())) < 2:
            continue
        if any(axis.get("type", "linear") != "linear" or "range" not in axis for axis in axes):
            continue
        x, y = (np.asarray(trace[side], dtype=np.float64) for side in ("x", "y"))
        data = traces.get("data", {"x": (), "y": ()})
        points = tuple((float(across), float(up)) for across, up in zip(data["x"], data["y"], strict=True))
        low, high = chart.y["range"]
        return Curve(x, y), Pad((float(x[0]), float(x[-1])), (float(low), float(high)), points)
    return None, None


def _axes(scene: Scene, name: str) -> tuple[Any, Any]:
    """Return the keys of `Figure.selection` that a click on a map sets by its row and column, or None."""
    panels = (still.maps.get(name) for still in scene.stills)
    return next(((panel.pick.row, panel.pick.column) for panel in panels if panel), (None, None))


def read_maps(scene: Scene, name: str) -> list[Map]:
    """Return a map at every step of a figure; an empty list if the name is a curve's.

    A step without the map repeats that of the step before it. The first step uses the first map there is.
    """
    maps = [_read_map(still, name) for still in scene.stills]
    shown_maps = [each for each in maps if each is not None]
    if not shown_maps:
        return []
    maps[0] = maps[0] or shown_maps[0]
    for before, after in pairwise(range(len(maps))):
        maps[after] = maps[after] or maps[before]
    return [each for each in maps if each is not None]


def _read_map(still: Still, name: str) -> Map | None:
    panel = still.maps.get(name)
    if panel is None:
        return None
    roles = {"query": _("query"), "key": _("key")}
    row, column = (
        roles.get(side.role, word) if " " in word or panel.pick.together == "query-key" else word
        for word, side in zip(panel.words, (panel.rows, panel.columns), strict=True)
    )
    scores = dict(panel.hover.extra.items).get(_("scaled score"))
    if scores is None and name == "weights" and (masked := still.maps.get("masked")):
        scores = masked.visible_values if masked.visible_values.shape == panel.visible_values.shape else None
    return Map(
        name, panel.visible_values, names_of(panel.rows), names_of(panel.columns), (row, column), scores
    )


def dropped(name: str, kind: str, error: ValueError | None, possible: Sequence[str] = ()) -> Dropped:
    """Report the link option that cannot be used: `COVER` if there is an error, else `PREDICT`."""
    if error is not None:
        return Dropped(COVER.name, name, str(error))
    requirement = _("for what is covered here one of {options}", options=", ".join(possible))
    return Dropped(PREDICT.name, kind, requirement)
