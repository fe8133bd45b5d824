"""The message of a live figure as the browser reads it."""

import numpy as np

from tests.browser.app_page import AppPage


def test_a_browser_that_cannot_inflate_asks_for_the_plain_form(live: AppPage) -> None:
    live.page.add_init_script("delete window.DecompressionStream")
    live.open()
    live.page.wait_for_function("() => document.querySelectorAll('.live-plot .main-svg').length >= 2")
    for step, keys in ((2, ""), (3, "ArrowRight")):
        if keys:
            live.press("first", keys)
        drawn = live.trace("first", "left")
        np.testing.assert_allclose(drawn, np.arange(9.0).reshape(3, 3) / 100 + step / 10, rtol=1e-6)


def test_every_cell_tells_its_whole_labels_where_the_axis_cuts_them(app: AppPage) -> None:
    words = [f"antidisestablishmentarianism{i}" for i in range(5)]
    app.open(f"multi-head?text={'+'.join(words)}&heads=2")
    told = app.figure("maps").evaluate(
        "figure => figure.querySelector('.live-plot').data.filter(t => t.hovertext).map(t => t.hovertext)"
    )
    maps = [cells for cells in told if len(cells[0]) == len(words)]
    assert maps
    for cells in maps:
        assert cells == [[f"query <b>{query}</b>, key <b>{key}</b>" for key in words] for query in words]
