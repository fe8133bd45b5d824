"""A tablet's window in Safari's engine.

Its driver here turns a finger into a mouse, so what a finger tells a page is sent by script: that tries
our side of it, not Safari's own gestures.
"""

import contextlib
from collections.abc import Iterator

import pytest

from tests.browser.peers import Peer, WebKit, missing

TABLET = (820, 1180)
CELL = """
    const [name, row, column] = arguments;
    const plot = document.querySelector('.live-plot');
    plot.scrollIntoView({ block: 'center' });
    const trace = plot._fullData.find((t) => t.name === name);
    const box = plot.getBoundingClientRect();
    return [box.x + plot._fullLayout[trace.xaxis.replace('x', 'xaxis')].d2p(column)
                + plot._fullLayout[trace.xaxis.replace('x', 'xaxis')]._offset,
            box.y + plot._fullLayout[trace.yaxis.replace('y', 'yaxis')].d2p(row)
                + plot._fullLayout[trace.yaxis.replace('y', 'yaxis')]._offset];
"""
# A finger comes down on the slider, which leaps to it as browsers' own do; then it scrolls, or goes on.
FINGER = """
    const [to, end] = arguments;
    const slider = document.querySelector('input[data-live=step]');
    const output = slider.closest('.live-row').querySelector('output');
    const told = (kind, clientX) => slider.dispatchEvent(new PointerEvent(kind,
        { pointerType: 'touch', isPrimary: true, bubbles: true, clientX, clientY: 10 }));
    told('pointerdown', 10);
    slider.value = to;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    const meanwhile = output.textContent;
    if (end === 'pointerup') told('pointermove', 60);
    told(end, 60);
    slider.dispatchEvent(new Event('change', { bubbles: true }));
    return [meanwhile, output.textContent, slider.value];
"""
SAYS = "return document.querySelector('.live-row output').textContent"


@pytest.fixture(scope="module")
def webkit() -> Iterator[Peer]:
    """Safari's engine with a tablet's window, upright."""
    if reason := missing("WebKit"):
        pytest.skip(reason)
    with contextlib.closing(WebKit()) as browser:
        browser.resize(*TABLET)
        yield browser


@pytest.mark.slow
def test_upright_tablet_has_room_for_every_part_of_a_page(webkit: Peer, server: str) -> None:
    webkit.open(f"{server}/kernel-regression")
    wide, figure, sliders, actions = webkit.run("""
        const main = document.querySelector('.stMain');
        const figure = document.querySelector('.live-figure');
        return [main.scrollWidth - main.clientWidth, figure.offsetWidth,
            [...figure.querySelectorAll('input')].map((slider) => slider.offsetWidth),
            getComputedStyle(figure.querySelector('.live-stage')).touchAction];
    """)
    assert wide == 0
    assert len(sliders) == 2
    assert min(sliders) >= figure / 2
    assert actions == "manipulation"
    assert webkit.complaints() == []


def test_touch_selects_a_cell_and_scrolling_sets_nothing(webkit: Peer, server: str) -> None:
    webkit.open(f"{server}/single-head")
    webkit.tap(*webkit.run(CELL, "masked", 2, 1))
    webkit.until("return location.search === '?q=2&k=1'")
    webkit.settle()
    before = webkit.run(SAYS)
    assert webkit.run(FINGER, 3, "pointercancel")[:2] == [before, before]
    assert webkit.run(SAYS) == before
    meanwhile, after, value = webkit.run(FINGER, 3, "pointerup")
    assert meanwhile == before
    assert value == "3"
    webkit.until("return document.querySelector('.live-row output').textContent !== arguments[0]", before)
    assert after == webkit.run(SAYS) or after == before  # it may be drawn a frame later
    webkit.until("return location.search.includes('t=')")
    assert webkit.complaints() == []
