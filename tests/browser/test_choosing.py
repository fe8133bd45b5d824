"""A chosen cell: framed at once by the browser itself, in the picture, the film and what is saved."""

import re
from pathlib import Path

import pytest

from tests.browser.app_page import AppPage
from tests.browser.save_panel import SavePanel

pytestmark = pytest.mark.film

# Notes whenever the frames change whether the address has them already; and all that is drawn again.
WATCH = """
key => {
    const figure = document.querySelector(`.st-key-${key} .live-figure`);
    window.seen = { early: null, drawn: 0, film: [] };
    new MutationObserver(() => { window.seen.early ??= !/[?&]k=/.test(location.search); })
        .observe(figure.querySelector('.live-choice'), { childList: true });
    const film = figure.querySelector('.live-film');
    new MutationObserver(() => window.seen.film.push(film.dataset.film)).observe(film, { attributes: true });
    figure.querySelector('.live-plot').on('plotly_afterplot', () => { window.seen.drawn += 1; });
}
"""
PAGES = {"single-head": ("walk", "weights"), "multi-head": ("maps", "head 2")}


def frames(app: AppPage, key: str) -> list[tuple[float, float]]:
    """The centres of the frames around what is chosen, in the window."""
    found: list[tuple[float, float]] = app.figure(key).evaluate(
        """figure => [...figure.querySelectorAll('.live-choice .live-frame')].map(frame => {
            const { x, y, width, height } = frame.getBoundingClientRect();
            return [x + width / 2, y + height / 2];
        })"""
    )
    return found


def heads(came: list[bytes | str], key: str) -> list[int]:
    """The bytes of each message that brings a figure again."""
    return [
        len(data) for data in came if isinstance(data, bytes) and f'{{"key":"{key}","alt"'.encode() in data
    ]


def is_framed(app: AppPage, key: str, name: str, row: int, column: int) -> bool:
    x, y = app.cell_centre(key, name, row, column)
    return any(abs(x - left) < 1 and abs(y - top) < 1 for left, top in frames(app, key))


@pytest.mark.essential
@pytest.mark.sample(1)
@pytest.mark.parametrize("path", PAGES)
def test_cell_click_moves_the_frame_at_once_and_sends_no_picture(app: AppPage, path: str) -> None:
    key, name = PAGES[path]
    came: list[bytes | str] = []

    def take(data: bytes | str) -> None:
        came.append(data)

    app.page.on("websocket", lambda socket: socket.on("framereceived", take))
    app.open(f"{path}?q=1")
    app.page.wait_for_selector(
        f".st-key-{key} .live-film[data-film=ready]", state="attached", timeout=120_000
    )
    assert heads(came, key)
    assert is_framed(app, key, name, 1, 0)
    app.page.evaluate(WATCH, key)
    came.clear()
    app.click_cell(key, name, 2, 3)
    seen = app.page.evaluate("window.seen")
    assert seen["early"] is True  # framed before anything was told to the server
    assert seen["drawn"] == 0
    assert "making" not in seen["film"]
    assert is_framed(app, key, name, 2, 3)
    assert not is_framed(app, key, name, 1, 0)
    assert {"q=2", "k=3"} <= set(app.query.split("&"))
    assert came
    assert not heads(came, key)  # a reference stands for the whole message
    app.page.reload()
    app.settle()
    assert is_framed(app, key, name, 2, 3)


@pytest.mark.slow
def test_saved_picture_has_the_frame(app: AppPage, tmp_path: Path) -> None:
    app.open("single-head?q=2&k=1")
    saved = SavePanel(app, "walk").save(tmp_path, "svg")
    shapes = re.findall(r'<g class="shape-group".*?</g>', saved.read_text(), re.DOTALL)
    widths = [re.findall(r"stroke-width: (\d)px", shape) for shape in shapes]
    # Three maps, the key's row of V, the query's row of the output: each line of ink on a wider one of paper.
    assert widths == [["4"], ["2"]] * 5
