"""One claim: its sentence, its measurement, and the criterion that decides it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from attn_core import Check, compare
from attn_core.claims import Difference, Study
from attn_figures.numbers import number
from attn_ui.base.markdown import all_of, capital
from attn_ui.base.parameters import Steps
from attn_words import N_, _, paragraph

N_SEEDS, APART = 8, 100  # the layers of a stack take seeds in between
SEEDS, DRAWS = N_("8 seeds"), N_("256 draws")
Seeds = tuple[int, ...]
Outcomes = Mapping[tuple[str | float, ...], bool | Difference]
"""By names of the case (measure, curve), then its value of the slider if only one counts."""


def seeds_from(seed: int) -> Seeds:
    """Return the seeds that a study draws from, the page's own first.

    >>> seeds_from(4)[:2]
    (4, 104)
    """
    return tuple(seed + APART * at for at in range(N_SEEDS))


@dataclass(frozen=True)
class Measurement:
    """A function that computes curves, its arguments, and the seeds before them: all, the first or none."""

    function: Callable[..., Study]
    arguments: tuple[object, ...]
    seeds: str = ""

    def __call__(self, seeds: Seeds) -> Study:
        """Compute the curves."""
        first = {"": (), "seeds": (seeds,), "seeds[0]": seeds[:1]}[self.seeds]
        return self.function(*first, *self.arguments)

    @property
    def code(self) -> str:
        """The call of the function, as a line of code."""
        arguments = [*filter(None, [self.seeds]), *map(repr, self.arguments)]
        return f"claims.{self.function.__name__}({', '.join(arguments)})"


@dataclass(frozen=True)
class Claim:
    """One claim; its words are marked messages, to be translated when shown.

    Attributes:
        statement: the sentence, as in courses.
        method: the experiment and its measures, in a sentence or two.
        formula, in_words: the measures in LaTeX, and the meaning of their letters.
        slider: the x axis of the curves.
        measure: computes the curves.
        charts: the measures in the order of their charts, and whether each has a logarithmic axis.
        reported: the measures whose numbers the caption has.
        criterion: the condition under which the claim holds.
        outcomes: returns for each case tried whether the claim holds, or the difference that decides.
        explanation: in which cases it holds, and why.
        leads: links to pages that show it: settings of the link, by the page's folder.
        checks: returns checks of some numbers by other means.
        log_x: whether the slider's axis is logarithmic.
        spread_over: the draws that the standard deviation is over; "" if nothing is random.
    """

    statement: str
    method: str
    formula: str
    in_words: str
    slider: Steps
    measure: Measurement
    charts: Mapping[str, bool]
    reported: Sequence[str]
    criterion: str
    outcomes: Callable[[Study], Outcomes]
    explanation: str
    leads: Mapping[str, Mapping[str, str]]
    checks: Callable[[Study, Seeds], list[Check]]
    log_x: bool = False
    spread_over: str = ""


def verdict(outcomes: Outcomes, over: str) -> str:
    """Say in which cases a claim holds and in which not, each difference with its margin.

    >>> verdict({("mixed", 1): True, ("mixed", 8): False, ("ramp",): False}, "heads")
    '**Holds**: mixed · heads 1. **Does not hold**: mixed · heads 8 and ramp.'
    >>> verdict({("mixed", 1): Difference(0.25, 0.5)}, "heads")
    '**Too small to tell**: mixed · heads 1 (0.25 ± 0.5).'
    """
    places: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for where, each in outcomes.items():
        place = _place(where, over)
        if isinstance(each, Difference):
            place += f" ({number(each.mean, 2)} ± {number(each.margin, 2)})"
        places[_outcome(each)].append(place)
    return paragraph(*(_(_VERDICTS[holds], places=all_of(each)) for holds, each in places.items() if each))


def short_verdict(outcomes: Outcomes) -> str:
    """Return the verdict in a few words: whether a claim holds in all cases tried.

    >>> short_verdict({("mixed", 1): True, ("ramp",): False})
    'Holds in part'
    >>> short_verdict({("mixed", 1): Difference(0.25, 0.5)})
    'Too small to tell'
    """
    kinds = {*map(_outcome, outcomes.values())}
    if len(kinds) > 1:
        return _("Holds in part") if True in kinds else _("Does not hold, or is too small to tell")
    return _({True: N_("Holds"), False: N_("Does not hold"), None: N_("Too small to tell")}[kinds.pop()])


def _outcome(each: bool | Difference) -> bool | None:
    """Whether a claim holds in one case; None if the difference is too small to tell."""
    return each.holds if isinstance(each, Difference) else each


def _place(where: Sequence[str | float], over: str) -> str:
    names = " · ".join(_(name) for name in where if isinstance(name, str))
    return names if isinstance(where[-1], str) else f"{names} · {_(over)} {where[-1]:g}"


def recheck(
    study: Study, *where: str | float, by: str, expected: Tensor | float, scale: float | None = None
) -> Check:
    """Compare the first draw of a curve at one x with another computation of it.

    Args:
        study: the numbers on screen; where: measure, curve and x; scale: as in `compare`.
        by: the name of the other computation; expected: its result.
    """
    measure, curve, x = where
    ours = study.at(str(measure), str(curve), float(x))[0]
    return compare(f"{_place(where, study.over)}: {_(by)}", ours, expected, scale=scale)


_VERDICTS = {
    True: N_("**Holds**: {places}."),
    False: N_("**Does not hold**: {places}."),
    None: N_("**Too small to tell**: {places}."),
}


def axis_label(over: str) -> str:
    """Return the label of the curves' x axis, translated unless it is a symbol."""
    return over if over == "d_k" else capital(_(over))


def caption_at(claim: Claim, study: Study, at: int) -> str:
    """Return the numbers at one position of the slider, each with its standard deviation."""
    sentences = []
    for measure in claim.reported:
        numbers = []
        for curve, draws in study.measures[measure].items():
            values = draws[:, at]
            spread = f" ± {number(float(values.std()), 2)}" if len(values) > 1 else ""
            numbers.append(f"{_(curve)} **{number(float(values.mean()), 3)}**{spread}")
        sentences.append(_("{measure}: {numbers}.", measure=capital(_(measure)), numbers=all_of(numbers)))
    position = claim.slider.texts()[at]
    return paragraph(_("{name}: {value}.", name=axis_label(study.over), value=position), *sentences)
