"""One claim: the sentence, what is measured, and how that decides."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from attn_core import Check
from attn_core.claims import Study
from attn_figures.numbers import number
from attn_ui.base.markdown import listed
from attn_ui.base.parameters import Steps
from attn_ui.base.places import See
from attn_words import N_, _, paragraph

N_SEEDS, APART = 8, 100  # each layer of a stack takes one seed in between
SEEDS = N_("8 seeds")
Seeds = tuple[int, ...]


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
            and whether it holds there.
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
    held: Callable[[Study], Mapping[str, bool]]
    why: str
    see: Sequence[See]
    checks: Callable[[Study, Seeds], list[Check]]


def verdict(held: Mapping[str, bool]) -> str:
    """Say whether a claim holds, from what was measured.

    >>> verdict({"at width 1": True, "at width 8": False})
    '**Holds** at width 1; **does not hold** at width 8.'
    >>> verdict({"at width 1": True}), verdict({"at width 1": False, "at width 8": False})
    ('**Holds** at width 1.', '**Does not hold** at width 1, nor at width 8.')
    """
    yes = [where for where, holds in held.items() if holds]
    no = [where for where, holds in held.items() if not holds]
    if not yes:
        return _("**Does not hold** {where}.", where=_neither(no))
    if not no:
        return _("**Holds** {where}.", where=listed(yes))
    return _("**Holds** {where}; **does not hold** {other}.", where=listed(yes), other=_neither(no))


def _neither(places: Sequence[str]) -> str:
    first, *others = places
    return reduce(lambda told, other: _("{first}, nor {other}", first=told, other=other), others, first)


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
