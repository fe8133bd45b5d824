"""Ramps that colour the maps: read by everybody, in every theme."""

import numpy as np
import pytest
from numpy.typing import NDArray
from plotly.colors import sample_colorscale, unlabel_rgb

from attn_figures import theme

THEMES = {"light": theme.LIGHT, "dark": theme.DARK, "print": theme.PRINT}
EACH = [(name, worn) for name in theme.RAMPS for worn in THEMES]
# Machado, Oliveira and Fernandes (2009), severity 1: on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TOLD_APART = 10.0  # of CIE L*a*b*, where two patches side by side are plainly two
Colours = NDArray[np.float64]


def linear(ramp: theme.Ramp) -> Colours:
    """Colours as linear RGB, (n, 3)."""
    shares = np.array([[int(each[at : at + 2], 16) for at in (1, 3, 5)] for each in ramp]) / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def lab(colours: Colours) -> Colours:
    """Linear RGB to CIE L*a*b* (D65)."""
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = np.clip(colours, 0, 1) @ to_xyz.T / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.stack((116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])), axis=1)


@pytest.mark.parametrize(("name", "worn"), EACH)
@pytest.mark.parametrize("blind", BLINDNESS)
def test_palette_weights_have_monotone_lightness_for_everybody(name: str, worn: str, blind: str) -> None:
    weights, _scores = theme.RAMPS[name](THEMES[worn])
    lightness = lab(linear(weights) @ BLINDNESS[blind].T)[:, 0]
    steps = np.diff(lightness)
    assert (steps > 2).all() or (steps < -2).all()


@pytest.mark.parametrize(("name", "worn"), EACH)
@pytest.mark.parametrize("blind", BLINDNESS)
def test_palette_signs_differ_and_grow_from_zero(name: str, worn: str, blind: str) -> None:
    _weights, scores = theme.RAMPS[name](THEMES[worn])
    seen = lab(linear(scores) @ BLINDNESS[blind].T)
    negative, positive, zero = seen[3::-1], seen[5:], seen[4]
    for at, (low, high) in enumerate(zip(negative, positive, strict=True)):
        assert np.linalg.norm(low - high) > TOLD_APART, f"{at + 1} from zero"
    for arm in (negative, positive):
        away = np.linalg.norm(arm - zero, axis=1)
        assert (np.diff(away) > 2).all()
        assert away[0] > 4


@pytest.mark.parametrize(("name", "worn"), EACH)
def test_palette_colours_are_unique(name: str, worn: str) -> None:
    """Figures are built in light colours, and looked up: two that are equal there would become one."""
    told = [theme.LIGHT.weights, theme.LIGHT.scores]
    named = [each for ramp in told for each in ramp] + [
        theme.LIGHT.paper,
        theme.LIGHT.ink,
        theme.LIGHT.masked,
    ]
    assert len(set(named)) == len(named)
    mapping = theme.recolouring(THEMES[worn], name)
    weights, scores = theme.RAMPS[name](THEMES[worn])
    assert [mapping[each] for each in theme.LIGHT.weights] == list(weights)
    assert [mapping[each] for each in theme.LIGHT.scores] == list(scores)
    assert mapping[theme.LIGHT.paper] == THEMES[worn].paper


def test_palettes_named_as_plotly_s_equal_its_own() -> None:
    """Against Plotly's own, at the places that both have."""
    for name in ("viridis", "cividis", "ylgnbu"):
        weights, _scores = theme.RAMPS[name](theme.LIGHT)
        theirs = [unlabel_rgb(each) for each in sample_colorscale(name, [i / 8 for i in range(9)])]
        ours = [[int(each[at : at + 2], 16) for at in (1, 3, 5)] for each in weights]
        assert np.abs(np.array(ours) - np.array(theirs)).max() <= 1
