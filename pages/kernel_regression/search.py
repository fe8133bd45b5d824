"""Search for the best bandwidth: over the slider's range, then finer around the least error."""

from dataclasses import dataclass

import numpy as np

from attn_core import BandwidthSearch, bandwidth_search
from attn_ui.base.shared_cache import shared
from pages.kernel_regression.data_points import Numbers, Points
from pages.kernel_regression.settings import BANDWIDTH

FINEST = 20  # parts, at most, of each step between the slider's bandwidths
WORK = 3e7  # distances in the first search, at most: many points leave fewer bandwidths
REFINED = 21  # bandwidths tried between the neighbours of the best, in each of two rounds


@dataclass(frozen=True)
class Best:
    """The tried bandwidth with the least leave-one-out error, and its errors."""

    bandwidth: float
    training: float
    left_out: float
    n_supported: int  # points with another point in the window, the most at any bandwidth


@shared
def errors(_points: Points, fingerprint: str, kernel: str, bandwidths: tuple[float, ...]) -> BandwidthSearch:
    """Compute the errors of bandwidths, which are in the unit of the keys."""
    return bandwidth_search(*_points.tensors(), kernel=kernel, bandwidths=bandwidths)


@shared
def best_of(_points: Points, fingerprint: str, kernel: str) -> Best:
    """Search the slider's whole range, its own bandwidths included, then around the least error."""
    own = np.array(BANDWIDTH.values) * _points.unit
    between = int(np.clip(WORK / len(_points.keys) ** 2 / len(own), 1, FINEST))
    bandwidths = _between(own, between)
    search = _search(_points, kernel, bandwidths)
    for _ in range(2):
        best = int(np.flatnonzero(bandwidths == search.best)[0])
        low, high = bandwidths[max(0, best - 1)], bandwidths[min(len(bandwidths) - 1, best + 1)]
        bandwidths = np.union1d(np.geomspace(low, high, REFINED), [search.best])
        search = _search(_points, kernel, bandwidths)
    best = int(np.flatnonzero(bandwidths == search.best)[0])
    return Best(
        search.best,
        float(search.training_errors[best]),
        float(search.leave_one_out_errors[best]),
        int(search.n_supported[best]),
    )


def _search(points: Points, kernel: str, bandwidths: Numbers) -> BandwidthSearch:
    return bandwidth_search(*points.tensors(), kernel=kernel, bandwidths=bandwidths.tolist())


def _between(bandwidths: Numbers, steps: int) -> Numbers:
    """Divide the step from each bandwidth to the next into `steps` equal ratios."""
    logs = np.log(bandwidths)
    shares = np.arange(steps) / steps
    inner = np.exp(logs[:-1, None] + np.diff(logs)[:, None] * shares).ravel()
    return np.union1d(inner, bandwidths)
