"""The search for the best bandwidth: the slider's range tried finely, then finer around the least."""

from dataclasses import dataclass

import numpy as np

from attn_core import BandwidthSearch, bandwidth_search
from attn_ui.base.shared_cache import shared
from pages.kernel_regression.points import Numbers, Points
from pages.kernel_regression.settings import BANDWIDTH

FINEST = 20  # bandwidths tried between two of the slider's, at most
WORK = 3e7  # distances weighed in the first search, which takes fewer bandwidths where there are many points
REFINED = 21  # bandwidths tried between the neighbours of the least, twice


@dataclass(frozen=True)
class Best:
    """The bandwidth with the least leave-one-out error of those tried, and its errors."""

    bandwidth: float
    training: float
    left_out: float
    supported: int  # points that keep a neighbour there: as many as anywhere


@shared
def errors(_points: Points, fingerprint: str, kernel: str, bandwidths: tuple[float, ...]) -> BandwidthSearch:
    """Compute the errors of bandwidths in the unit of the keys."""
    return bandwidth_search(*_points.tensors(), kernel=kernel, bandwidths=bandwidths)


@shared
def best_of(_points: Points, fingerprint: str, kernel: str) -> Best:
    """Search the slider's whole range, its own bandwidths among those tried, then around the least."""
    own = np.array(BANDWIDTH.values) * _points.unit
    between = int(np.clip(WORK / len(_points.keys) ** 2 / len(own), 1, FINEST))
    tried = _between(own, between)
    found = _search(_points, kernel, tried)
    for _ in range(2):
        at = int(np.flatnonzero(tried == found.best)[0])
        low, high = tried[max(0, at - 1)], tried[min(len(tried) - 1, at + 1)]
        tried = np.union1d(np.geomspace(low, high, REFINED), [found.best])
        found = _search(_points, kernel, tried)
    at = int(np.flatnonzero(tried == found.best)[0])
    return Best(
        found.best,
        float(found.training_errors[at]),
        float(found.leave_one_out_errors[at]),
        int(found.n_supported[at]),
    )


def _search(points: Points, kernel: str, bandwidths: Numbers) -> BandwidthSearch:
    return bandwidth_search(*points.tensors(), kernel=kernel, bandwidths=bandwidths.tolist())


def _between(bandwidths: Numbers, steps: int) -> Numbers:
    """Lay `steps` equal ratios between each bandwidth and the next."""
    logs = np.log(bandwidths)
    shares = np.arange(steps) / steps
    inner = np.exp(logs[:-1, None] + np.diff(logs)[:, None] * shares).ravel()
    return np.union1d(inner, bandwidths)
