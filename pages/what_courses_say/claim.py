"""One claim: the sentence, what is measured, and how that decides."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from attn_core import Check, compare
from attn_core.claims import Difference, Study
from attn_figures.numbers import number
from attn_ui.base.markdown import capital, listed
from attn_ui.base.parameters import Steps
from attn_words import N_, _, paragraph

N_SEEDS, APART = 8, 100  # each layer of a stack takes one seed in between
SEEDS, DRAWS = N_("8 seeds"), N_("256 draws")
Seeds = tuple[int, ...]
Held = Mapping[tuple[str | float, ...], bool | Difference]
"""By the names of what is compared, a place on the slider last, unless all count."""


def seeds_from(seed: int) -> Seeds:
    """Return the seeds that a study draws from, the page's own first.

    >>> seeds_from(4)[:2]
    (4, 104)
    """
    return tuple(seed + APART * at for at in range(N_SEEDS))


@dataclass(frozen=True)
class Measured:
    """What computes a claim's curves, and what it takes after the seeds: the first of them or none."""

    of: Callable[..., Study]
    given: tuple[object, ...]
    draws: str = ""

    def __call__(self, seeds: Seeds) -> Study:
        """Compute the curves."""
        drawn = {"": (), "seeds": (seeds,), "seeds[0]": seeds[:1]}[self.draws]
        return self.of(*drawn, *self.given)

    @property
    def code(self) -> str:
        """The same as a line of code."""
        return (
            f"claims.{self.of.__name__}({', '.join([*filter(None, [self.draws]), *map(repr, self.given)])})"
        )


@dataclass(frozen=True)
class Claim:
    """One claim; its words are marked as messages, for whoever shows them.

    Attributes:
        says: the sentence as courses say it.
        measured: what is done and measured, in a sentence or two.
        formula, in_words: the measures in LaTeX, and what their letters stand for.
        slider: what the curves are over.
        bent: whether its axis is logarithmic.
        measure: computes the curves.
        drawn: the measures in the order of their charts, and whether each has a logarithmic axis.
        tells: the measures whose numbers the sentence under the slider says.
        repeats: what the spread is over; empty where nothing is drawn by chance.
        counts: what counts as held.
        held: where the claim was tried, and whether it holds there, or the difference that tells.
        why: where it holds and where not, and why.
        leads: where else it can be seen: settings of a link, by the page's folder.
        checks: the same numbers by other means.
    """

    says: str
    measured: str
    formula: str
    in_words: str
    slider: Steps
    bent: bool
    measure: Measured
    drawn: Mapping[str, bool]
    tells: Sequence[str]
    repeats: str
    counts: str
    held: Callable[[Study], Held]
    why: str
    leads: Mapping[str, Mapping[str, str]]
    checks: Callable[[Study, Seeds], list[Check]]


def verdict(held: Held, over: str) -> str:
    """Say where a claim holds, from what was measured; a difference is told with its margin.

    >>> verdict({("mixed", 1): True, ("mixed", 8): False, ("ramp",): False}, "heads")
    '**Holds**: mixed · heads 1. **Does not hold**: mixed · heads 8 and ramp.'
    >>> verdict({("mixed", 1): Difference(0.25, 0.5)}, "heads")
    '**Too small to tell**: mixed · heads 1 (0.25 ± 0.5).'
    """
    places: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for where, each in held.items():
        place = _place(where, over)
        if isinstance(each, Difference):
            place += f" ({number(each.mean, 2)} ± {number(each.margin, 2)})"
        places[_outcome(each)].append(place)
    return paragraph(*(_(_VERDICTS[holds], places=listed(each)) for holds, each in places.items() if each))


def in_short(held: Held) -> str:
    """Return the verdict in two or three words: whether a claim holds wherever it was tried.

    >>> in_short({("mixed", 1): True, ("ramp",): False}), in_short({("mixed", 1): Difference(0.25, 0.5)})
    ('Holds in part', 'Too small to tell')
    """
    outcomes = {*map(_outcome, held.values())}
    if len(outcomes) > 1:
        return _("Holds in part") if True in outcomes else _("Does not hold, or is too small to tell")
    return _({True: N_("Holds"), False: N_("Does not hold"), None: N_("Too small to tell")}[outcomes.pop()])


def _outcome(each: bool | Difference) -> bool | None:
    """Whether a claim holds at one place; None where the difference is too small to tell."""
    return each.holds if isinstance(each, Difference) else each


def _place(where: Sequence[str | float], over: str) -> str:
    names = " · ".join(_(name) for name in where if isinstance(name, str))
    return names if isinstance(where[-1], str) else f"{names} · {_(over)} {where[-1]:g}"


def again(
    study: Study, *where: str | float, by: str, theirs: Tensor | float, scale: float | None = None
) -> Check:
    """Check the first draw of a curve at one place against the same number by other means.

    Args:
        study: the numbers on screen; where: measure, curve and place; scale: as `compare` has it.
        by: what computes it; theirs: what that gives.
    """
    measure, curve, x = where
    ours = study.at(str(measure), str(curve), float(x))[0]
    return compare(f"{_place(where, study.over)}: {_(by)}", ours, theirs, scale=scale)


_VERDICTS = {
    True: N_("**Holds**: {places}."),
    False: N_("**Does not hold**: {places}."),
    None: N_("**Too small to tell**: {places}."),
}


def axis(over: str) -> str:
    """Name what curves are over, as a label; a symbol stays as it is."""
    return over if over == "d_k" else capital(_(over))


def told(claim: Claim, study: Study, at: int) -> str:
    """Say the numbers at one position of the slider, with one standard deviation where there is a spread."""
    said = []
    for measure in claim.tells:
        numbers = []
        for curve, found in study.measures[measure].items():
            here = found[:, at]
            spread = f" ± {number(float(here.std()), 2)}" if len(here) > 1 else ""
            numbers.append(f"{_(curve)} **{number(float(here.mean()), 3)}**{spread}")
        name = _(measure)
        said.append(_("{measure}: {numbers}.", measure=capital(name), numbers=listed(numbers)))
    return paragraph(_("{name}: {value}.", name=axis(study.over), value=claim.slider.texts()[at]), *said)
