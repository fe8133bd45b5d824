"""The pictures of the README and of the book are taken by one script, and are those that these show."""

import re
from pathlib import Path

from PIL import Image

from docs import take_screenshots as script

DOCS = Path(__file__).resolve().parents[2] / "docs"
SIZES = {"projector": (1366, 768), "slide": (1280, 720)}
MOST_BYTES = 200_000


def test_guide_pictures_equal_those_of_the_script() -> None:
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
