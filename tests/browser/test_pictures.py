"""The pictures of the README and of the book are taken by one script, and are those that these show."""

import re
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser

from docs import take_screenshots as script

DOCS = Path(__file__).resolve().parents[2] / "docs"
SIZES = {"projector": (1366, 768), "slide": (1280, 720)}
MOST_BYTES = 200_000


def test_the_guides_show_what_the_script_takes() -> None:
    shown = []
    for guide in (*DOCS.parent.glob("README*.md"), *DOCS.glob("book/*.md")):
        for target in re.findall(r"!\[[^]]+\]\((.*?)\)", guide.read_text(encoding="utf-8")):
            picture = (guide.parent / target).resolve()
            assert picture.parent == DOCS
            shown.append(picture.stem)
    assert set(shown) <= set(script.PICTURES)
    assert {path.stem for path in DOCS.glob("*.png")} == set(script.PICTURES)
    assert set(SIZES) <= set(shown)
    for path in DOCS.glob("*.png"):
        assert path.stat().st_size < MOST_BYTES
        with Image.open(path) as picture:
            assert picture.size == SIZES.get(path.stem, (1280, 800))


@pytest.mark.still
@pytest.mark.slow
def test_projector_and_slide_are_taken_from_a_running_app(
    browser: Browser, server: str, tmp_path: Path
) -> None:
    script.take(browser, server, tmp_path, list(SIZES))
    for name, size in SIZES.items():
        with Image.open(tmp_path / f"{name}.png") as picture:
            assert picture.size == size
            # It is drawn: paper, and the colours of cells.
            colours = picture.convert("RGB").getcolors(size[0] * size[1])
            assert colours is not None
            assert len(colours) > 100
