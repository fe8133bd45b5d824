"""The colours of maps: chosen once, on every page, in the link and in what is saved; nothing else changes."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from attn_figures import theme
from tests.browser.app_page import AppPage
from tests.browser.save_panel import SavePanel

PAGE = "single-head"


def drawn_scale(app: AppPage) -> list[str]:
    """The colours of all maps, as Plotly draws them."""
    scales: list[list[list[str]]] = app.page.evaluate(
        """() => [...document.querySelectorAll('.js-plotly-plot')].map((plot) =>
            Object.entries(plot.layout ?? {}).filter(([name]) => name.startsWith('coloraxis'))
                .map(([, axis]) => axis.colorscale.map(([, colour]) => colour)))[0]"""
    )
    return [colour for scale in scales for colour in scale]


def wait_for_scale(app: AppPage, first: str) -> None:
    app.page.wait_for_function(
        """(first) => [...document.querySelectorAll('.js-plotly-plot')].some((plot) =>
            Object.entries(plot.layout ?? {}).some(([name, axis]) =>
                name.startsWith('coloraxis') && axis.colorscale[0][1] === first))""",
        arg=first,
    )


def test_palette_selection_applies_to_all_pages_and_is_in_the_link(app: AppPage) -> None:
    app.open(PAGE)
    weights = theme.RAMPS["viridis"](theme.LIGHT)[0]
    wait_for_scale(app, theme.LIGHT.scores[0])
    said = app.page.locator(".live-says").inner_text()
    app.page.get_by_role("button", name="Share").click()
    app.settle()
    app.choose("pick-palette", "viridis")
    wait_for_scale(app, weights[0])
    assert "palette=viridis" in app.page.url
    assert set(weights) <= set(drawn_scale(app))
    assert theme.LIGHT.weights[4] not in drawn_scale(app)
    assert app.page.locator(".live-says").inner_text() == said
    app.page.get_by_role("link", name="Overview").first.click()
    wait_for_scale(app, weights[0])
    app.page.wait_for_url(re.compile("palette=viridis"))
    app.page.go_back()
    app.page.wait_for_url(re.compile("single-head"))
    wait_for_scale(app, weights[0])
    app.page.get_by_role("button", name="Share").click()
    app.settle()
    app.choose("pick-decimals", "three (0.000)")
    app.page.wait_for_url(re.compile("decimals=3"))
    app.choose("pick-palette", "indigo")
    wait_for_scale(app, theme.LIGHT.scores[0])
    app.page.wait_for_url(lambda url: "palette" not in url and "decimals=3" in url)


@pytest.mark.parametrize("worn", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_palette_of_a_link_applies_in_both_themes_and_saved_pictures(
    app: AppPage, worn: str, tmp_path: Path
) -> None:
    app.page.emulate_media(color_scheme="dark" if worn == "dark" else "light")
    app.open(f"{PAGE}?palette=grey")
    palette = {"light": theme.LIGHT, "dark": theme.DARK}[worn]
    weights = theme.RAMPS["grey"](palette)[0]
    wait_for_scale(app, weights[0])
    assert set(weights) <= set(drawn_scale(app))
    for colour in (*theme.LIGHT.weights[1:], *theme.DARK.weights[1:]):
        assert colour not in drawn_scale(app)
    panel = SavePanel(app, "walk")
    picture = panel.save(tmp_path, "png", shape="16:9", scale="1", colours="print", caption=False)
    assert share_of_blue(picture) < 0.01
    panel.close()
    app.open(PAGE)
    panel = SavePanel(app, "walk")
    assert share_of_blue(panel.save(tmp_path, "png", shape="16:9", scale="1", colours="print")) > 0.02


def share_of_blue(picture: Path) -> float:
    pixels = np.asarray(Image.open(picture).convert("RGB"), dtype=int)
    return float((pixels[..., 2] - pixels[..., 0] > 40).mean())
