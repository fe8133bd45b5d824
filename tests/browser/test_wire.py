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
