"""axe-core on whole pages with their tabs, light and dark; the contrast of digits in cells."""

from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from attn_figures import theme
from tests.browser.app_page import AppPage

# A picture is one image with a name: its drawing is looked at by the tests of the colours instead.
# The field for files is Streamlit's own, and gives one element two roles.
CONTEXT = {"exclude": [[".live-plot svg"], ["[data-testid=stFileUploaderDropzone]"]]}
GROUND = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"


def violations(app: AppPage, *rules: str) -> list[str]:
    """Ask axe-core for what it finds wrong, one line for each element."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    found = app.page.evaluate("([context, options]) => axe.run(context, options)", [CONTEXT, options])
    return [
        f"{rule['id']}: {node['html'][:200]} ({node['failureSummary'][:200]})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def wear(app: AppPage, palette: theme.Palette) -> None:
    """Change the scheme of the system, and wait until the page wears it."""
    app.page.emulate_media(color_scheme="dark" if palette is theme.DARK else "light")
    red, green, blue = (int(palette.paper[i : i + 2], 16) for i in (1, 3, 5))
    ground = f"rgb({red}, {green}, {blue})"
    app.page.wait_for_function(f"() => {GROUND} === '{ground}'")


@pytest.mark.parametrize("address", ["", "kernel-regression"])
def test_axe_finds_nothing_on_any_tab_in_either_theme(app: AppPage, address: str) -> None:
    app.open(address)
    app.page.evaluate(Axe().axe_script)
    found = {}
    for name in app.page.get_by_role("tab").all_inner_texts() or [""]:
        if name:
            app.tab(name)
        found[name, "light"] = violations(app)
        wear(app, theme.DARK)
        found[name, "dark"] = violations(app, "color-contrast")
        wear(app, theme.LIGHT)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


def test_every_digit_in_a_cell_reads_on_its_colour(app: AppPage) -> None:
    app.open("multi-head")
    for palette in (theme.DARK, theme.LIGHT):
        wear(app, palette)
        app.settle()
        cells = app.page.locator(".live-figure").first.evaluate(
            """figure => { const plot = figure.querySelector('.live-plot');
                return [...plot.querySelectorAll('.heatmaplayer .hm')].flatMap(map => {
                    const trace = map.__data__[0].trace;
                    const scale = plot._fullLayout[trace.coloraxis] ?? trace;
                    return [...map.querySelectorAll('.heatmap-label')].map(label => [
                        label.querySelector('text').style.fill, label.__data__.z,
                        scale.cmin ?? scale.zmin, scale.cmax ?? scale.zmax, scale.colorscale]);
                }); }"""
        )
        assert cells
        worst = min(
            contrast(hexadecimal(ink), colour_at(scale, (z - low) / (high - low)))
            for ink, z, low, high, scale in cells
        )
        assert worst >= 4.5


def hexadecimal(colour: str) -> str:
    """Write `rgb(1, 2, 3)` as #010203."""
    return "#" + "".join(f"{int(channel):02X}" for channel in colour[4:-1].split(","))


def colour_at(scale: list[tuple[float, str]], place: float) -> str:
    """Mix the colour at a place of a scale, channel by channel, with numpy."""
    places = [at for at, _ in scale]
    channels = [[int(colour[i : i + 2], 16) for _, colour in scale] for i in (1, 3, 5)]
    return "#" + "".join(f"{round(float(np.interp(place, places, channel))):02X}" for channel in channels)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2 contrast ratio of two #RRGGBB colours."""
    channels = [np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255 for colour in (one, other)]
    linear = [np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) for c in channels]
    low, high = sorted(float(c @ [0.2126, 0.7152, 0.0722]) + 0.05 for c in linear)
    return high / low
