"""Draw the still pictures that stand before the app: `make stills`, or `python -m docs.draw_stills [PAGE]`.

The live figure of each page as it opens draws them itself (`attn_live/js/still.js`), in each language, light
and dark, in the arrangements that usual windows have. Where they are to stand is measured in the same pages:
at which widths of the window the title, the sentence under it and the figure stand how low.
"""

import argparse
import hashlib
import io
import json
import re
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer
from playwright.sync_api import Browser, BrowserContext, Page

from attn_live.bundle import bundle
from attn_live.labels import untagged
from attn_live.says import runs
from attn_ui.base.navigation import PAGES, Listed
from attn_ui.export import slides
from attn_ui.host.early import FONT_FILES, PLACES, SCHEMES, STILLS, file_name
from attn_ui.lessons.figures import page_of
from attn_ui.streamlit_inside import early, front_end
from attn_words import LANGUAGES, _, speaking

LOCALES = {"en": "en-US", "zh": "zh-CN"}
# Common windows: the arrangements that they have are drawn.
WINDOWS = (
    (390, 844), (412, 915), (820, 1180), (1280, 800), (1280, 720), (1366, 768), (1440, 900), (1536, 864),
    (1920, 1080),
)  # fmt: skip
SCROLL_BAR = 11  # pixels that a thin one takes where it does not lie over the page, as it does on phones
PHONES = 640  # pixels
# Windows in which it is measured what stands how low: the width that a page is opened in, those it is given.
OPENED = {390: range(348, 769, 20), 1280: range(780, 2000, 80)}
DRAWN = ".live-figure[data-state=drawn]"
IN_SERIF = "<text[^>]*Source Serif.*?</text>"
WITHOUT_LIFE = """() => {
  for (const figure of document.querySelectorAll(".live-figure")) figure.replaceWith(figure.cloneNode(true));
}"""
"""Has figures drawn no more, however wide the window becomes."""
SCREENS = "() => screensOfFigure.filter((each) => !each.slide).map(({ width, height }) => [width, height])"
DRAW = "async ([size, scheme]) => (await drawStillOf(...size, scheme)).svg"
KIT = """
export default (_home, subject) => {
  const { layout } = new Moving(subject.steps, null).at(subject.at.step, subject.at.row);
  window.screensOfFigure = layout.meta?.screens ?? [];
  window.chooseScreen = (width, height) => {
    const chosen = choose(window.screensOfFigure, { width, height });
    return [chosen.width, chosen.height];
  };
  window.drawStillOf = (width, height, colours) => drawStill(subject, width, colours, height);
};
"""


def open_page(context: BrowserContext, address: str, page: Listed, width: int, height: int = 800) -> Page:
    """Open a page without a link's settings, and wait until its figure is drawn."""
    tab = context.new_page()
    tab.set_viewport_size({"width": width, "height": height})
    tab.goto(f"{address}/{page.address}")
    tab.wait_for_selector(DRAWN)
    tab.wait_for_function(slides.DRAWN)
    tab.wait_for_selector(early.READY)
    return tab


def hand_over(tab: Page) -> None:
    """Have the first figure hand itself over, as it does to the panel that saves it."""
    tab.route(
        "**/plotly/kit.js*",
        lambda route: route.fulfill(body=bundle("still.js") + KIT, content_type="text/javascript"),
    )
    tab.locator(DRAWN).first.locator("[data-live=save]").click()
    tab.wait_for_function("() => window.drawStillOf")


def arrangements(tab: Page, rooms: dict[int, int]) -> list[tuple[int, int]]:
    """Return the sizes of the arrangements in the common windows, from the pixels there are in each."""
    ways = [
        [rooms[width] - bar, max(360, round(0.62 * height))]
        for width, height in WINDOWS
        for bar in ((0, SCROLL_BAR) if width > PHONES else (0,))
    ]
    return sorted({tuple(tab.evaluate("(room) => chooseScreen(...room)", room)) for room in ways})


def measure(context: BrowserContext, address: str, page: Listed) -> tuple[list[list[float]], dict[int, int]]:
    """Return from which to which width of the window things stand where `early.MEASURE` has them.

    And the width of the figure in each window.
    """
    ranges: list[list[float]] = []
    rooms: dict[int, int] = {}
    for opened, widths in OPENED.items():
        tab = open_page(context, address, page, opened)
        tab.evaluate(WITHOUT_LIFE)
        samples = []
        for width in sorted({*widths, *(each for each, _height in WINDOWS if widths[0] < each < widths[-1])}):
            tab.set_viewport_size({"width": width, "height": 800})
            *found, room = tab.evaluate(early.MEASURE)
            samples.append((width, found))
            rooms[width] = int(room)
        tab.close()
        for (low, one), (high, other) in pairwise(samples):
            if any(abs(a - b) > 0.05 for a, b in zip(one, other, strict=True)):
                continue
            if ranges and ranges[-1][1] == low and ranges[-1][2:] == one:
                ranges[-1][1] = high
            else:
                ranges.append([low, high, *one])
        # A window as people have it, between two that are otherwise: known for itself.
        ranges += [
            [width, width, *found]
            for width, found in samples
            if width in dict(WINDOWS) and not any(low <= width <= high for low, high, *_ in ranges)
        ]
    return sorted(ranges), rooms


def fingerprint(figure: Any) -> str:
    """Return what becomes another where a figure does: by this it is known that its still picture is old.

    >>> fingerprint({"z": np.array([1.0, 2.0])}) == fingerprint({"z": [1.0000001, 2]})
    True
    >>> fingerprint({"z": [1.0, 2.0]}) == fingerprint({"z": [1.0, 2.1]})
    False
    """
    return hashlib.sha256(json.dumps(_plain(figure), sort_keys=True).encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(each) for each in value]
    if isinstance(value, int | float | np.number):
        # The last digits of a sum are the processor's, and so is all of what is nothing but rounding.
        return float(f"{round(float(value), 9):.4g}") + 0.0
    return value


def main(browser: Browser, address: str, pages: Collection[str]) -> None:
    """Draw and measure some pages; what is known of others stays."""
    STILLS.mkdir(exist_ok=True)
    places: dict[str, Any] = json.loads(PLACES.read_text(encoding="utf-8")) if PLACES.is_file() else {}
    for page in PAGES:
        name = page.address or page.folder
        if pages and name not in pages:
            continue
        for old in STILLS.glob(f"{name}.*.svg"):
            old.unlink()
        built = page_of(page.address)
        about = places[name] = {"enters": bool(built.enters)}
        for spoken in LANGUAGES:
            with at_rest(browser, spoken, "light") as context:
                tops, rooms = measure(context, address, page)
            for scheme in SCHEMES:
                with at_rest(browser, spoken, scheme) as context:
                    tab = open_page(context, address, page, 1280)
                    hand_over(tab)
                    for size in arrangements(tab, rooms):
                        svg = tab.evaluate(DRAW, [size, scheme])
                        file = STILLS / file_name(name, spoken, size, scheme)
                        file.write_text(svg, encoding="utf-8")
                    about["side"] = tab.evaluate(early.SIDE)
                    with speaking(spoken):
                        head = {"title": _(built.title), "about": runs(_(built.about))}
                        head["figure"] = fingerprint(built.at("").figure())
                    about[spoken] = {**head, "tops": tops, "screens": tab.evaluate(SCREENS)}
        PLACES.write_text(json.dumps(places, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(name, flush=True)
    save_fonts(places)


def save_fonts(places: dict[str, Any]) -> None:
    """Save of the fonts the letters that are needed."""
    drawn = [path.read_text(encoding="utf-8") for path in STILLS.glob("*.svg")]
    heads = [about[spoken] for about in places.values() for spoken in LANGUAGES]
    titles = "".join(head["title"] for head in heads)
    said = "".join(text for head in heads for _role, text in head["about"])
    said += "".join(text for svg in drawn for text in re.findall(r">([^<]+)<", svg))
    words = (untagged(each) for svg in drawn for each in re.findall(IN_SERIF, svg))
    for name, letters, weight in (
        ("sans", said, None),
        ("title", titles, 700),
        ("serif", "".join(words), 400),
    ):
        font = TTFont(front_end.font(FONT_FILES[name]))
        only = subset.Subsetter(subset.Options(layout_features=["kern", "liga", "ccmp", "locl", "mark"]))
        only.populate(text=letters)
        only.subset(font)
        if weight:
            font = instancer.instantiateVariableFont(font, {"wght": weight})
        font.flavor = "woff2"
        into = io.BytesIO()
        font.save(into)
        (STILLS / f"{name}.woff2").write_bytes(into.getvalue())


@contextmanager
def at_rest(browser: Browser, spoken: str, scheme: Any) -> Iterator[BrowserContext]:
    """Yield windows of a visitor of this language who has moved a slider before."""
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce", locale=LOCALES[spoken])
    context.add_init_script("localStorage.setItem('live-figure-moved', 'true')")
    context.set_default_timeout(slides.WAIT_MILLISECONDS)
    yield context
    context.close()


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("pages", nargs="*", help="by their addresses; all where none is named")
    asked.add_argument("--address", help="of a running app")
    chosen = asked.parse_args()
    with slides.chromium() as chromium, ExitStack() as stack:
        main(chromium, chosen.address or stack.enter_context(slides.serving()), chosen.pages)
