"""One claim: the sentence, what is measured, and how that decides."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from attn_core import Check
from attn_core.claims import Difference, Study
from attn_figures.numbers import number
from attn_ui.base.markdown import listed
from attn_ui.base.parameters import Steps
from attn_ui.base.places import See
from attn_words import N_, _, paragraph

N_SEEDS, APART = 8, 100  # each layer of a stack takes one seed in between
SEEDS, DRAWS = N_("8 seeds"), N_("256 draws")
Seeds = tuple[int, ...]
Held = Mapping[str, bool | Difference]


def seeds_from(seed: int) -> Seeds:
    """Return the seeds that a study draws from, the page's own first.

    >>> seeds_from(4)[:2]
    (4, 104)
    """
    return tuple(seed + APART * at for at in range(N_SEEDS))


@dataclass(frozen=True)
class Claim:
    """One claim; its words are marked as messages, for whoever shows them.

    Attributes:
        says: the sentence as courses say it.
        measured: what is done and measured, in a sentence or two.
        formula, in_words: the measures in LaTeX, and what their letters stand for.
        slider, label: what the curves are over; at: says where the slider stands, its ``{value}``.
        bent: whether its axis is logarithmic.
        measure: computes the curves, from seeds.
        call: the same as a line of code, from ``seeds``.
        drawn: the measures in the order of their charts, and whether each has a logarithmic axis.
        tells: the measures whose numbers the sentence under the slider says.
        repeats: what the spread is over; empty where nothing is drawn by chance.
        counts: what counts as held.
        held: where the claim was tried, in the words that go on after "holds" (no longer to be translated),
            and whether it holds there, or the difference that tells.
        why: where it holds and where not, and why.
        see: where else it can be seen.
        checks: the same numbers by other means.
    """

    says: str
    measured: str
    formula: str
    in_words: str
    slider: Steps
    label: str
    at: str
    bent: bool
    measure: Callable[[Seeds], Study]
    call: str
    drawn: Mapping[str, bool]
    tells: Sequence[str]
    repeats: str
    counts: str
    held: Callable[[Study], Held]
    why: str
    see: Sequence[See]
    checks: Callable[[Study, Seeds], list[Check]]


def verdict(held: Held) -> str:
    """Say where a claim holds, from what was measured; a difference is told with its margin.

    >>> verdict({"at width 1": True, "at width 8": False})
    '**Holds** at width 1. **Does not hold** at width 8.'
    >>> verdict({"at width 1": Difference(0.25, 0.5)})
    '**Too small to tell** at width 1 (0.25 ± 0.5).'
    """
    places: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for where, each in held.items():
        if isinstance(each, Difference):
            mean, margin = number(each.mean, 2), number(each.margin, 2)
            places[each.holds].append(_("{where} ({mean} ± {margin})", where=where, mean=mean, margin=margin))
        else:
            places[each].append(where)
    return paragraph(*(_(_VERDICTS[holds], where=listed(each)) for holds, each in places.items() if each))


_VERDICTS = {
    True: N_("**Holds** {where}."),
    False: N_("**Does not hold** {where}."),
    None: N_("**Too small to tell** {where}."),
}


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
        said.append(_("{measure}: {numbers}.", measure=name[0].upper() + name[1:], numbers=listed(numbers)))
    return paragraph(_(claim.at, value=claim.slider.texts()[at]), *said)
