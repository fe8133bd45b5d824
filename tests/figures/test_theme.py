"""The colours: distinct, readable, even in lightness, and the same in Streamlit's configuration."""

import tomllib
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from attn_figures import theme

ROOT = Path(__file__).resolve().parents[2]
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
PALETTES = {"light": theme.LIGHT, "dark": theme.DARK, "print": theme.PRINT}
WORDS = ["ink", "muted", "query", "key", "value", "output", "warning"]


def linear(colour: str) -> np.ndarray:
    """sRGB to linear light (IEC 61966-2-1)."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def lightness(colour: str) -> float:
    """CIE 1976 L*."""
    y = luminance(colour)
    return 116 * np.cbrt(y) - 16 if y > 0.008856 else 903.3 * y


def contrast(one: str, other: str) -> float:
    """WCAG 2.2 contrast ratio."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("target", ["dark", "print"])
def test_light_colours_have_one_counterpart_each(target: str) -> None:
    light: dict[str, set[str]] = {}
    for field in fields(theme.Palette):
        one, other = getattr(theme.LIGHT, field.name), getattr(PALETTES[target], field.name)
        pairs = zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]
        for colour, counterpart in pairs:
            light.setdefault(colour, set()).add(counterpart)
    assert {colour: names for colour, names in light.items() if len(names) > 1} == {}


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("word", WORDS)
def test_text_colours_are_readable_on_paper(name: str, word: str) -> None:
    palette = PALETTES[name]
    assert contrast(getattr(palette, word), palette.paper) >= 4.5


@pytest.mark.parametrize("name", PALETTES)
def test_weights_ramp_is_even_in_lightness(name: str) -> None:
    steps = np.diff([lightness(colour) for colour in PALETTES[name].weights])
    assert (steps < 0).all() or (steps > 0).all()
    assert abs(steps).max() < 2.1 * abs(steps).min()


@pytest.mark.parametrize("name", PALETTES)
def test_scores_ramp_is_symmetric_in_lightness(name: str) -> None:
    values = np.array([lightness(colour) for colour in PALETTES[name].scores])
    middle, paper = (int(each[1:], 16) for each in (PALETTES[name].scores[4], PALETTES[name].paper))
    assert abs(middle - paper) <= 1  # told apart by nobody but who looks colours up
    assert abs(values - values[::-1]).max() < 20
    away = abs(values - values[4])
    assert (np.diff(away[4:]) > 0).all()
    assert (np.diff(away[:5]) < 0).all()


@pytest.mark.parametrize("name", PALETTES)
def test_scores_ramp_survives_red_green_blindness(name: str) -> None:
    # Machado, Oliveira and Fernandes (2009), deuteranopia, severity 1.
    deuteranopia = np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    )
    low, high = (deuteranopia @ linear(PALETTES[name].scores[i]) for i in (0, -1))
    # The blue channel alone still tells amber from indigo.
    assert (high - low)[2] > 0.2


@pytest.mark.parametrize(("section", "palette"), [("light", theme.LIGHT), ("dark", theme.DARK)])
def test_streamlit_theme_has_the_same_colours(section: str, palette: theme.Palette) -> None:
    assert CONFIG[section] == {
        "primaryColor": palette.query,
        "backgroundColor": palette.paper,
        "secondaryBackgroundColor": palette.panel,
        "textColor": palette.ink,
        "borderColor": palette.rule,
        "linkColor": palette.query,
        "violetTextColor": palette.query,
        "orangeTextColor": palette.key,
        "greenTextColor": palette.value,
        "sidebar": {"backgroundColor": palette.panel},
    }


@pytest.mark.parametrize("ramp", ["weights", "scores"])
@pytest.mark.parametrize("name", PALETTES)
def test_digits_are_readable_on_every_ramp_colour(name: str, ramp: str) -> None:
    stops = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in getattr(PALETTES[name], ramp)])
    places = np.linspace(0, 1, 1001)
    channels = [np.interp(places, np.linspace(0, 1, len(stops)), stop) for stop in stops.T]
    colours = ["#" + "".join(f"{round(c):02X}" for c in colour) for colour in zip(*channels, strict=True)]
    assert min(max(contrast(c, "#000000"), contrast(c, "#FFFFFF")) for c in colours) >= 4.5
