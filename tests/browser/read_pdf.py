"""What a PDF of one page holds, read by two readers that know nothing of this product."""

import io
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page
from pypdf import PdfReader

Pixels = NDArray[np.uint8]
SVG = "{http://www.w3.org/2000/svg}"
# Shades of 255 in a block of 10 pixels: two ways to smooth an edge differ by 35, and on average by 1.25.
MOST_APART, MOST_APART_ON_AVERAGE = 50, 1.6
HREF = "{http://www.w3.org/1999/xlink}href"
# The drawing by itself, in the fonts that the page has.
LAY_OVER = """(text) => {
    const home = document.createElement("div");
    home.popover = "manual";
    home.id = "laid-over";
    home.style.cssText = "position: fixed; inset: 0; margin: 0; border: 0; padding: 0; background: #fff;"
        + "line-height: normal; width: max-content; height: max-content; overflow: visible";
    home.innerHTML = text;
    document.body.append(home);
    home.showPopover();
}"""


def size_of(path: Path) -> tuple[float, ...]:
    """Return the width and height of the only page, in points; it may break no rule of the format."""
    (page,) = PdfReader(path, strict=True).pages
    return tuple(float(side) for side in page.mediabox[2:])


def text_of(path: Path) -> str:
    """Return all that a PDF says, in the order in which it is drawn, without blanks."""
    (page,) = PdfReader(path, strict=True).pages
    return _without_blanks(page.extract_text())


def drawn_text(svg: Path) -> str:
    """Return all that a drawing says, likewise."""
    texts = ElementTree.parse(svg).getroot().iter(f"{SVG}text")
    return _without_blanks("".join("".join(text.itertext()) for text in texts))


def _without_blanks(text: str) -> str:
    return "".join(text.replace("\u200b", "").split())


def maps_of(path: Path) -> list[Pixels]:
    """Return the pictures in a PDF, red to blue and how solid, in their order; not those that are words."""
    (page,) = PdfReader(path, strict=True).pages
    return [_pixels(each.data) for each in page.images if each.name.startswith("X")]


def drawn_maps(svg: Path) -> list[Pixels]:
    """Return the pictures in a drawing, likewise."""
    images = ElementTree.parse(svg).getroot().iter(f"{SVG}image")
    sources = [each.get(HREF) or each.get("href") or "" for each in images]
    return [_pixels(b64decode(source.partition("base64,")[2])) for source in sources]


def _pixels(file: bytes) -> Pixels:
    with Image.open(io.BytesIO(file)) as picture:
        return np.asarray(picture.convert("RGBA"))


def check_drawn_as(pdf: Path, svg: Path, size: Sequence[int], page: Page) -> None:
    """A PDF is its drawing: as large, with the same words, in the same places, and maps of the very colours.

    Args:
        pdf, svg: the two files, saved with the same choices; size: in pixels.
        page: of the app, where the browser can draw the SVG in the same fonts.
    """
    assert size_of(pdf) == pytest.approx([side * 0.6 for side in size])
    assert text_of(pdf) == drawn_text(svg) != ""
    check_maps(pdf, svg)
    apart = differences(rendered(pdf, size[0]), drawn_by_browser(page, svg, size))
    assert apart.max() < MOST_APART
    assert apart.mean() < MOST_APART_ON_AVERAGE


def check_maps(pdf: Path, svg: Path) -> None:
    """Every map of a drawing is in its PDF, each pixel as so many of its very colour."""
    ours, drawn = maps_of(pdf), drawn_maps(svg)
    assert len(ours) == len(drawn) > 0
    for large, small in zip(ours, drawn, strict=True):
        times = [big // little for big, little in zip(large.shape, small.shape, strict=True)]
        whole = small.repeat(times[0], axis=0).repeat(times[1], axis=1)
        assert whole.shape == large.shape
        np.testing.assert_array_equal(large[..., 3], whole[..., 3])
        solid = whole[..., 3] > 0
        np.testing.assert_array_equal(large[solid], whole[solid])


def rendered(path: Path, width: int) -> Pixels:
    """Draw the page of a PDF with PDFium."""
    with pypdfium2.PdfDocument(path) as document:
        page = document[0]
        bitmap = page.render(scale=width / page.get_width())
        pixels = np.asarray(bitmap.to_pil().convert("RGB"))
        bitmap.close()
        page.close()
    return pixels


def drawn_by_browser(page: Page, svg: Path, size: Sequence[int]) -> Pixels:
    """Draw an SVG with the browser, over the page that is open there."""
    before = page.viewport_size
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(LAY_OVER, svg.read_text())
    shot = page.screenshot(clip={"x": 0, "y": 0, "width": size[0], "height": size[1]})
    page.evaluate("() => document.querySelector('#laid-over').remove()")
    if before:
        page.set_viewport_size(before)
    return _pixels(shot)[..., :3]


def differences(one: Pixels, other: Pixels, block: int = 10) -> NDArray[np.float64]:
    """Return how much two pictures differ in each block of pixels, in shades of 255 on average."""
    high, wide = (side // block * block for side in one.shape[:2])
    means = [
        each[:high, :wide].reshape(high // block, block, wide // block, block, 3).mean(axis=(1, 3))
        for each in (one.astype(float), other.astype(float))
    ]
    apart: NDArray[np.float64] = np.abs(means[0] - means[1]).max(axis=-1)
    return apart
