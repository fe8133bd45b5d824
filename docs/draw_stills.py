"""Draw the still pictures shown before the app: `make stills`, or `python -m docs.draw_stills [PAGE]`.

The live figure of each page with its defaults draws them itself (`attn_live/js/still.js`), in each language,
light and dark, in the arrangements of three windows. These drawings share one file: a colour that differs in
the dark is a variable of its style, and a text that differs between languages is a numbered placeholder,
whose texts are in `places.json`. Their places are measured in the same pages: for ranges of the window's
width, how low the title, the sentence under it and the figure are.
"""

import argparse
import base64
import hashlib
import html
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
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page

from attn_live.bundle import bundle
from attn_live.captions import spans
from attn_live.plain_labels import strip_tags
from attn_ui.base.navigation import PAGES, PageEntry
from attn_ui.export import slides
from attn_ui.host.early_picture import FONT_FILES, PLACES, SCHEMES, STILLS, fill_drawing
from attn_ui.lessons.figures import page_of
from attn_ui.streamlit_inside import early, front_end
from attn_words import LANGUAGES, _, speaking

LOCALES = {"en": "en-US", "zh": "zh-CN"}
# A phone, a notebook, a large screen: their arrangements are drawn, and scaled a little for other windows.
# Further common widths follow.
WINDOWS = ((390, 844), (1280, 800), (1920, 1080))
OTHER_WINDOWS = (412, 820, 1366, 1440, 1536)
# Windows to measure places in: the width at which a page is opened, and those to which it is resized.
OPENED = {390: range(348, 769, 20), 1280: range(780, 2000, 80)}
DRAWN = ".live-figure[data-state=drawn]"
USUAL = {"fill": "#000000"}
IN_SERIF = "<text[^>]*Source Serif.*?</text>"
UNSEEN = r'<rect [^>]*style="(?=[^"]*fill-opacity:0(?![.\d]))[^"]*stroke-(?:opacity|width):0(?![.\d])[^"]*"/>'
WITHOUT_LIFE = """() => {
  for (const figure of document.querySelectorAll(".live-figure")) figure.replaceWith(figure.cloneNode(true));
}"""
"""Stops figures from being drawn again when the window is resized."""
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


def open_page(context: BrowserContext, address: str, page: PageEntry, width: int, height: int = 800) -> Page:
    """Open a page without a link's settings, and wait until its figure is drawn."""
    tab = context.new_page()
    tab.set_viewport_size({"width": width, "height": height})
    tab.goto(f"{address}/{page.address}")
    tab.wait_for_selector(DRAWN)
    tab.wait_for_function(slides.DRAWN)
    tab.wait_for_selector(early.READY)
    return tab


def hand_over(tab: Page) -> None:
    """Make the first figure pass itself to the script in `KIT`, as it does to the save panel."""
    tab.route(
        "**/plotly/save_panel.js*",
        lambda route: route.fulfill(body=bundle("still.js") + KIT, content_type="text/javascript"),
    )
    tab.locator(DRAWN).first.locator("[data-live=save]").click()
    tab.wait_for_function("() => window.drawStillOf")


def arrangements(tab: Page, rooms: dict[int, int]) -> list[tuple[int, int]]:
    """Return the sizes of the arrangements in the three windows, from the pixels there are in each."""
    ways = [[rooms[width], max(360, round(0.62 * height))] for width, height in WINDOWS]
    return sorted({tuple(tab.evaluate("(room) => chooseScreen(...room)", room)) for room in ways})


def measure(
    context: BrowserContext, address: str, page: PageEntry
) -> tuple[list[list[float]], dict[int, int]]:
    """Return the results of `early.MEASURE` by ranges of the window's width, and the figure's width in each.

    A range is [first width, last width, *results].
    """
    ranges: list[list[float]] = []
    rooms: dict[int, int] = {}
    sizes = {*dict(WINDOWS), *OTHER_WINDOWS}
    for opened, widths in OPENED.items():
        tab = open_page(context, address, page, opened)
        tab.evaluate(WITHOUT_LIFE)
        samples = []
        for width in sorted({*widths, *(each for each in sizes if widths[0] < each < widths[-1])}):
            tab.set_viewport_size({"width": width, "height": 800})
            *matches, room = tab.evaluate(early.MEASURE)
            samples.append((width, matches))
            rooms[width] = int(room)
        tab.close()
        for (low, one), (high, other) in pairwise(samples):
            if any(abs(a - b) > 0.05 for a, b in zip(one, other, strict=True)):
                continue
            if ranges and ranges[-1][1] == low and ranges[-1][2:] == one:
                ranges[-1][1] = high
            else:
                ranges.append([low, high, *one])
        # A common window between two with other results gets a range of its own.
        ranges += [
            [width, width, *matches]
            for width, matches in samples
            if width in sizes and not any(low <= width <= high for low, high, *_ in ranges)
        ]
    return sorted(ranges), rooms


def fingerprint(figure: Any) -> str:
    """Return a hash of a figure: once it changes, the still picture is out of date.

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
        value = np.float32(value) if isinstance(value, np.floating) else value  # as the browser has it
        # The last digits of a sum depend on the processor, and so do numbers that are only rounding.
        return float(f"{round(float(value), 9):.4g}") + 0.0
    return value


def main(browser: Browser, address: str, pages: Collection[str]) -> None:
    """Draw and measure some pages; the results of others are kept."""
    STILLS.mkdir(exist_ok=True)
    places: dict[str, Any] = json.loads(PLACES.read_text(encoding="utf-8")) if PLACES.is_file() else {}
    for page in PAGES:
        name = page.address or page.folder
        if pages and name not in pages:
            continue
        for old in STILLS.glob(f"{name}.*.svg"):
            old.unlink()
        built = page_of(page.address)
        about = places[name] = {}
        pictures: dict[str, dict[str, dict[str, str]]] = {}  # by size, language and scheme
        for language in LANGUAGES:
            with at_rest(browser, language, "light") as context:
                tops, rooms = measure(context, address, page)
            for scheme in SCHEMES:
                with at_rest(browser, language, scheme) as context:
                    tab = open_page(context, address, page, 1280)
                    hand_over(tab)
                    for size in arrangements(tab, rooms):
                        of_size = pictures.setdefault("x".join(map(str, size)), {})
                        of_size.setdefault(language, {})[scheme] = tab.evaluate(DRAW, [size, scheme])
                    about["side"] = tab.evaluate(early.SIDE)
                    with speaking(language):
                        head = {"title": _(built.title), "about": spans(_(built.about))}
                        head["figure"] = fingerprint(built.at("").figure())
                    about[language] = {**head, "tops": tops, "screens": tab.evaluate(SCREENS), "words": {}}
        for form, of_size in pictures.items():
            svg, words = in_languages({language: in_schemes(**of_size[language]) for language in of_size})
            (STILLS / f"{name}.{form}.svg").write_text(svg, encoding="utf-8")
            for language, characters in words.items():
                about[language]["words"][form] = characters
        lines = (f"{json.dumps(each)}: {json.dumps(places[each], ensure_ascii=False)}" for each in places)
        PLACES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        print(name, flush=True)
    save_fonts(places)


def in_schemes(light: str, dark: str) -> str:
    """Return one drawing for both schemes: colours that differ are variables, images that differ are doubled.

    >>> print(in_schemes('<svg><path fill="#000"/></svg>', '<svg><path fill="#fff"/></svg>'))
    <svg><style>[data-scheme=light]{--0:#000}[data-scheme=dark]{--0:#fff}</style><path fill="var(--0)"/></svg>

    Raises:
        ValueError: they differ in more than colours.
    """
    colours: dict[tuple[str, str], str] = {}

    def both(one: str, other: str) -> str:
        return one if one == other else f"var(--{colours.setdefault((one, other), str(len(colours)))})"

    merged: list[str] = []
    for one, other in zip(*(_tokens(_named_alike(svg)) for svg in (light, dark)), strict=True):
        if one.startswith("<image"):
            pictures = [_smaller(one), _smaller(other)]
            both_alike = pictures[0] == pictures[1]
            merged += pictures[:1] if both_alike else map(_only_in, pictures, SCHEMES)
            continue
        parts, others = (re.split(r"(#\w+|rgba?\([^)]*\))", each) for each in _styled_alike(one, other))
        if parts[::2] != others[::2]:
            raise ValueError(f"wanted a drawing that differs in colours alone, got {one} and {other}")
        merged.append("".join(map(both, parts, others)))
    style = "".join(
        f"[data-scheme={scheme}]{{{';'.join(f'--{n}:{pair[at]}' for pair, n in colours.items())}}}"
        for at, scheme in enumerate(SCHEMES)
    )
    return "".join(merged).replace("><", f"><style>{style}</style><", 1)


def in_languages(drawings: dict[str, str]) -> tuple[str, dict[str, list[str]]]:
    """Return one drawing for several languages, with placeholders where they differ, and the texts of each.

    >>> in_languages({"en": "<text>key</text>", "zh": "<text>键</text>"})
    ('<text><?word 0?></text>', {'en': ['key'], 'zh': ['键']})
    """
    parts = {language: _tokens(svg) for language, svg in drawings.items()}
    if len({len(each) for each in parts.values()}) > 1:  # they are drawn differently: each is one text
        parts = {language: [svg] for language, svg in drawings.items()}
    words: dict[str, list[str]] = {language: [] for language in drawings}
    merged = []
    for tokens in zip(*parts.values(), strict=True):
        if len(set(tokens)) == 1:
            merged.append(tokens[0])
            continue
        merged.append(f"<?word {len(words[next(iter(words))])}?>")
        for characters, token in zip(words.values(), tokens, strict=True):
            characters.append(token)
    return "".join(merged), words


def _tokens(svg: str) -> list[str]:
    return [each for each in re.split(r"(<[^>]+>)", svg) if each]


def _named_alike(svg: str) -> str:
    """Return a drawing with ids that do not depend on its content, without the boxes that nobody sees.

    In a page with one drawing the ids cannot clash. A box around words has neither a fill nor a line.
    """
    return re.sub(r'(id="|#)s[0-9a-z]+-(\d+)', r"\1still\2", re.sub(UNSEEN, "", svg))


def _styled_alike(one: str, other: str) -> list[str]:
    """Return two tags whose styles have the same properties: a drawing leaves out defaults.

    >>> _styled_alike("<text>", '<text style="fill:#ffffff">')
    ['<text style="fill:#000000">', '<text style="fill:#ffffff">']
    """
    matches = [re.search(r' style="([^"]*)"', tag) for tag in (one, other)]
    styles = [
        dict(part.split(":", 1) for part in html.unescape(each[1]).split(";")) if each else {}
        for each in matches
    ]
    if set(styles[0]) == set(styles[1]):
        return [one, other]
    tags = []
    for tag, style in zip((one, other), styles, strict=True):
        style_text = ";".join(
            f"{name}:{style.get(name) or USUAL[name]}" for name in {**styles[0], **styles[1]}
        )
        bare = re.sub(r' style="[^"]*"', "", tag)
        tags.append(re.sub(r"(?=/?>$)", f' style="{html.escape(style_text)}"', bare))
    return tags


def _only_in(image: str, scheme: str) -> str:
    return image.replace("<image", f'<image class="{scheme}"', 1)


def _smaller(image: str) -> str:
    """Return an image with a palette, if it has few colours: the same pixels in a third of the bytes."""
    head, mark, rest = image.partition("data:image/png;base64,")
    coded, quote, tail = rest.partition('"')
    into = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(coded))) as opened:
        pixels = opened.convert("RGBA")
    few = pixels.quantize(256, method=Image.Quantize.FASTOCTREE)
    is_same = few.convert("RGBA").tobytes() == pixels.tobytes()
    (few if is_same else pixels).save(into, "PNG", optimize=True)
    shorter = min(coded, base64.b64encode(into.getvalue()).decode(), key=len)
    return f"{head}{mark}{shorter}{quote}{tail}"


def save_fonts(places: dict[str, Any]) -> None:
    """Save the fonts, cut to the letters that are needed."""
    heads = [about[language] for about in places.values() for language in LANGUAGES]
    pictures = [
        fill_drawing(f"{page}.{size}.svg", language, places)
        for page, about in places.items()
        for language in LANGUAGES
        for size in about[language]["words"]
    ]
    titles = "".join(head["title"] for head in heads)
    characters = "".join(text for head in heads for _role, text in head["about"])
    characters += "".join(text for svg in pictures for text in re.findall(r">([^<]+)<", svg))
    words = (strip_tags(each) for svg in pictures for each in re.findall(IN_SERIF, svg))
    for name, letters, weight in (
        ("sans", characters, None),
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
def at_rest(browser: Browser, language: str, scheme: Any) -> Iterator[BrowserContext]:
    """Yield a browser context in this language, in which a slider was moved before."""
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce", locale=LOCALES[language])
    context.add_init_script("localStorage.setItem('live-figure-moved', 'true')")
    context.set_default_timeout(slides.WAIT_MILLISECONDS)
    yield context
    context.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", help="by their addresses; all where none is named")
    parser.add_argument("--address", help="of a running app")
    options = parser.parse_args()
    with slides.chromium() as chromium, ExitStack() as stack:
        main(chromium, options.address or stack.enter_context(slides.serving()), options.pages)
