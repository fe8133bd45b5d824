"""Search for the best bandwidth: over the slider's range, then finer around the least error."""

from dataclasses import dataclass

import numpy as np

from attn_core import BandwidthSearch, bandwidth_search
from attn_ui.base.shared_cache import shared
from pages.kernel_regression.data_points import Numbers, Points
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
    n_supported: int  # points that keep a neighbour there: as many as anywhere


@shared
def errors(_points: Points, fingerprint: str, kernel: str, bandwidths: tuple[float, ...]) -> BandwidthSearch:
    """Compute the errors of bandwidths in the unit of the keys."""
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
    """Lay `steps` equal ratios between each bandwidth and the next."""
    logs = np.log(bandwidths)
    shares = np.arange(steps) / steps
    inner = np.exp(logs[:-1, None] + np.diff(logs)[:, None] * shares).ravel()
    return np.union1d(inner, bandwidths)
