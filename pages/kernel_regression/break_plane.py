"""Mistakes with vectors: what is drawn of one, what is said, and the lines that mend it."""

import math
from dataclasses import dataclass, replace

import numpy as np
import torch

from attn_core import compare
from attn_core.checks import Check
from attn_core.kernel_mistakes import FACTOR, KERNEL_MISTAKES, Weighed, by_distance
from attn_core.mistakes import Mistake
from attn_figures.kernel_plane_mistakes import Made, Plane, two_planes
from attn_figures.numbers import number
from attn_figures.picture import Spec
from attn_ui.base.parameters import shown
from attn_ui.base.shared_cache import shared
from attn_words import N_, _, paragraph
from pages.kernel_regression.plane import AXIS, COORDINATES, DOWN, MAP, PlanePoints
from pages.kernel_regression.points import Numbers
from pages.kernel_regression.settings import BANDWIDTH, KERNEL_SLIP
from pages.kernel_regression.words import CLOSE

RINGS, ROUND = (0.5, 1.2), 64  # bandwidths at which the kernel is held against a circle, and places on each
EVERY, WORK = (
    4,
    3e6,
)  # of the slider's bandwidths those tried for the least error, and distances weighed for it
RIGHT = N_("the distance")
FIXES = {
    "kernel of each coordinate": """\
u = (queries[:, None] - keys) / h                # (n_query, n_key, d)
weight = kernel(u.abs()).sum(dim=-1)             # wrong: near in one coordinate is near enough

u = (queries[:, None] - keys).norm(dim=-1) / h   # right: one distance a key, (n_query, n_key)
weight = kernel(u)""",
    "mixed units": f"""\
u = (queries[:, None] - keys).norm(dim=-1) / h   # wrong: column 0 in mm, column 1 in cm

unit = torch.tensor([{FACTOR}, 1.0])                 # right: one unit for both; or unit = keys.std(dim=0)
u = ((queries[:, None] - keys) / unit).norm(dim=-1) / h""",
}


@dataclass(frozen=True)
class Asked:
    """What is broken: data, kernel, bandwidth, and the query around which the kernel is drawn."""

    points: PlanePoints
    kernel: str
    bandwidth: float
    query: tuple[float, float]

    def weighed(self, mistake: Mistake[Weighed] | None, queries: Numbers) -> Weighed:
        """Weigh the data for queries (n_query, 2), by the mistake or rightly."""
        return self._weighed(mistake, queries, self.points.keys, self.points.values)

    def heights(self, mistake: Mistake[Weighed] | None, keys: Numbers) -> Numbers:
        """Return what a key at each place would count for the query, from 0 to 1."""
        scores = self._weighed(mistake, np.array([self.query]), keys, np.zeros(len(keys))).scores
        found: Numbers = scores.exp()[0].numpy()
        return found

    def _weighed(
        self, mistake: Mistake[Weighed] | None, queries: Numbers, keys: Numbers, values: Numbers
    ) -> Weighed:
        made = by_distance if mistake is None else mistake.attend
        tensors = (torch.from_numpy(each) for each in (queries, keys, values))
        return made(*tensors, kernel=self.kernel, bandwidth=self.bandwidth)

    def made(self, mistake: Mistake[Weighed] | None, title: str) -> Made:
        """Return both maps."""
        sides = (len(AXIS), len(AXIS))
        estimate = self.weighed(mistake, MAP).estimate.numpy()
        return Made(title, self.heights(mistake, MAP).reshape(sides), estimate.reshape(sides))

    def check(self, mistake: Mistake[Weighed]) -> Check:
        """Hold the kernel's heights on circles around the query against the lowest on each."""
        angles = 2 * np.pi * np.arange(ROUND) / ROUND
        around = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        rings = [np.array(self.query) + reach * self.bandwidth * around for reach in RINGS]
        heights = self.heights(mistake, np.concatenate(rings)).reshape(len(RINGS), ROUND)
        lowest = heights.min(axis=1, keepdims=True)
        return compare(_(mistake.breaks), torch.from_numpy(heights), torch.from_numpy(lowest), scale=1.0)


@dataclass(frozen=True)
class Least:
    """The least leave-one-out error of the bandwidths tried that leave as many points as any a neighbour."""

    bandwidth: float
    error: float
    supported: int


def tried(n_key: int) -> tuple[float, ...]:
    """Return the bandwidths that are tried for so many points."""
    most = len(BANDWIDTH.values)
    return BANDWIDTH.thinned(max(EVERY, round(most * n_key**2 / WORK))).values


@shared
def least(_asked: Asked, fingerprint: str, kernel: str, mistake: str | None) -> Least:
    """Leave each point out in turn, at bandwidths all over the slider's range."""
    known = None if mistake is None else KERNEL_MISTAKES[mistake]
    keys, values = _asked.points.keys, torch.from_numpy(_asked.points.values)
    found = []
    for h in tried(len(keys)):
        scores = replace(_asked, bandwidth=h).weighed(known, keys).scores.clone().fill_diagonal_(-math.inf)
        kept = scores.amax(dim=-1) > -math.inf
        # Of each row the largest is taken off first, or far from all keys a Gaussian would be 0 / 0.
        weights = torch.softmax(scores[kept], dim=-1)
        error = float((weights @ values - values[kept]).square().mean()) if bool(kept.any()) else math.inf
        found.append(Least(h, error, int(kept.sum())))
    most = max(each.supported for each in found)
    return min((each for each in found if each.supported == most), key=lambda each: each.error)


def picture(asked: Asked, name: str) -> Spec:
    """Draw the mistake beside the right thing."""
    row, column = (
        int(np.abs(axis - at).argmin()) for axis, at in zip((DOWN, AXIS), asked.query[::-1], strict=True)
    )
    limit = float(np.abs(asked.points.values).max()) or 1.0
    plane = Plane(AXIS, COORDINATES, (row, column), limit)
    return two_planes.spec(
        plane, asked.made(KERNEL_MISTAKES[name], shown(KERNEL_SLIP, name)), asked.made(None, _(RIGHT))
    )


def said(asked: Asked, name: str) -> list[str]:
    """Say what is done, what it changes, and whether another bandwidth mends it."""
    mistake = KERNEL_MISTAKES[name]
    query = np.array([asked.query])
    wrong, right = (asked.weighed(each, query) for each in (mistake, None))
    check = asked.check(mistake)
    place = asked.points.name_vector([*asked.query])
    told = [_estimate(asked, each) for each in (wrong, right)]
    if told[0] == told[1]:
        estimates = _("At {place} the estimate is {estimate} both ways.", place=place, estimate=told[0])
    else:
        estimates = _(
            "At {place} the estimate is {estimate}; by the distance it is {right}.",
            place=place,
            estimate=told[0],
            right=told[1],
        )
    return [
        paragraph(_(mistake.what), _(mistake.why)),
        paragraph(verdict(check), estimates, _apart(asked, mistake)),
        _another(asked, name),
    ]


def verdict(check: Check) -> str:
    """Say whether a mistake is seen by a check, and by how much."""
    told = {"name": check.name, "verdict": check.verdict}
    if check.passed:
        return _("It changes nothing here: the check **{name}** {verdict}.", **told)
    return _("The check **{name}** {verdict}.", **told)


def _estimate(asked: Asked, made: Weighed) -> str:
    value = float(made.estimate[0])
    return _("undefined (no key is in the window)") if math.isnan(value) else asked.points.amount(value)


def _apart(asked: Asked, mistake: Mistake[Weighed]) -> str:
    """Say how far the maps differ, and where only one of them has an estimate."""
    wrong, right = (asked.weighed(each, MAP).estimate for each in (mistake, None))
    both = ~(wrong.isnan() | right.isnan())
    empty = [int(each.isnan().sum()) for each in (wrong, right)]
    gaps = ""
    if any(empty):
        gaps = _(
            "Of {count} places {wrong} have no estimate, by the distance {right}.",
            count=len(MAP),
            wrong=empty[0],
            right=empty[1],
        )
    if not bool(both.any()):
        return paragraph(_("No place of the map has an estimate both ways."), gaps)
    largest = asked.points.amount(float((wrong - right)[both].abs().max()))
    return paragraph(_("On the map the two differ by up to {largest}.", largest=largest), gaps)


def _another(asked: Asked, name: str) -> str:
    """Say what the error is at the bandwidth that suits each best."""
    points = asked.points
    wrong, right = (least(asked, points.fingerprint, asked.kernel, each) for each in (name, None))
    told = _(
        "Leave-one-out error at the best bandwidth of those tried: {error} (h = {h}), by the distance "
        "{right} (h = {right_h}).",
        error=number(wrong.error),
        h=points.set_width(wrong.bandwidth),
        right=number(right.error),
        right_h=points.set_width(right.bandwidth),
    )
    if wrong.supported != right.supported:
        apart = _(
            "They are of {supported} and of {right} points, and do not compare.",
            supported=wrong.supported,
            right=right.supported,
        )
        return paragraph(told, apart)
    if wrong.error <= right.error * CLOSE:
        return paragraph(told, _("So another bandwidth mends it here."))
    return paragraph(told, _("So **none of them mends it**."))
