"""The data of the kernel regression page: a toy data set, or a person's own points."""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from attn_core import regression_sample
from pages.kernel_regression.settings import OWN_POINTS, POINTS_DATA

Numbers = NDArray[np.float64]
Place = TypeVar("Place", float, Numbers)
TOY_WIDTH = 5.0  # toy data lie in [0, 5], and the sliders count in their unit
OWN = "kernel_own_points"  # where the session keeps a person's points


@dataclass(frozen=True)
class Points:
    """Keys and values (n_key,), keys ascending, and how the sliders measure them.

    Attributes:
        name: the data set's.
        keys, values: the points.
        truth: the true curve, where it is known.
        low, unit: where the sliders' 0 lies and how long their 1 is, in the unit of the keys.
        x_title, y_title: what a person called the two columns.
    """

    name: str
    keys: Numbers
    values: Numbers
    truth: Callable[[Numbers], Numbers] | None = None
    low: float = 0.0
    unit: float = 1.0
    x_title: str = "x"
    y_title: str = "y"

    def place(self, slider: Place) -> Place:
        """Turn a position on the query slider into a place among the keys."""
        return self.low + self.unit * slider

    @property
    def digits(self) -> int:
        """Significant digits that tell one place from the next: years need more than small numbers."""
        farthest = max(abs(self.low), abs(self.low + TOY_WIDTH * self.unit))
        before_the_point = math.floor(math.log10(farthest)) + 1
        apart = math.ceil(math.log10(farthest / (0.01 * self.unit)))
        return min(15, max(3, apart, before_the_point if before_the_point < 8 else 0))

    def tensors(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values for `attn_core`."""
        return torch.from_numpy(self.keys), torch.from_numpy(self.values)

    @property
    def fingerprint(self) -> str:
        """A short text that differs whenever a picture of the points would; caches are keyed on it."""
        words = f"{self.truth and self.name}\n{self.low}\n{self.unit}\n{self.x_title}\n{self.y_title}\n"
        return hashlib.sha256(words.encode() + self.keys.tobytes() + self.values.tobytes()).hexdigest()


def sample(name: str, n_points: int, noise: float, seed: int) -> Points:
    """Draw a toy data set."""
    drawn = regression_sample(name, n_points=n_points, noise=noise, seed=seed)
    curve = drawn.truth
    assert curve is not None

    def truth(x: Numbers) -> Numbers:
        return np.asarray(curve(torch.from_numpy(x)), dtype=np.float64)

    return Points(name, drawn.keys.numpy(), drawn.values.numpy(), truth)


def from_columns(x: Numbers, y: Numbers, x_title: str, y_title: str) -> Points:
    """Make points of two columns of numbers; the sliders span their width."""
    order = np.argsort(x, kind="stable")
    width = float(x.max() - x.min()) or 1.0
    return Points(OWN_POINTS, x[order], y[order], None, float(x.min()), width / TOY_WIDTH, x_title, y_title)


def edited(points: Points, x: Numbers, y: Numbers) -> Points:
    """Put other numbers in the place of points, measured as before."""
    order = np.argsort(x, kind="stable")
    return replace(points, keys=x[order], values=y[order])


def keep_own(points: Points) -> None:
    """Keep a person's points for this session and show them; to be called from a callback."""
    st.session_state[OWN] = points
    st.session_state[POINTS_DATA.name] = OWN_POINTS


def own_points() -> Points | None:
    """Return the points that this session keeps."""
    points: Points | None = st.session_state.get(OWN)
    return points
