"""A deck of two links, from the app's own pictures: its words, its pictures, its pages."""

from pathlib import Path

from playwright.sync_api import Browser
from pptx import Presentation
from pypdf import PdfReader

from attn_ui import slides

LIST = "single-head?t=0.50&text=a+b  Sharper <b>\n/?t=soon\n"


def test_two_slides_as_pptx_and_as_pdf(browser: Browser, server: str, tmp_path: Path) -> None:
    lines, bad = slides.read_list(LIST)
    assert bad == []
    said = slides.make(lines, tmp_path, "pptx", server, browser)
    (sentence,) = said
    assert sentence.startswith("line 2: ")
    assert "soon" in sentence
    deck = Presentation(str(tmp_path / "slides.pptx"))
    first, second = deck.slides
    assert (first.shapes.title.text, second.shapes.title.text) == ("Sharper <b>", "See attention")
    (picture,) = [shape for shape in first.shapes if shape.shape_type == 13]
    assert picture.image.size == (3200, 1800)
    assert picture.left >= 0
    assert picture.left + picture.width <= deck.slide_width
    texts = [shape.text_frame.text for shape in first.shapes if shape.has_text_frame]
    assert texts[2] == "single-head?t=0.50&text=a+b"
    assert texts[1]
    assert picture._element.nvPicPr.cNvPr.get("descr") == texts[1]
    slides.make(lines[:1], tmp_path, "pdf", server, browser)
    (page,) = PdfReader(tmp_path / "slides.pdf").pages
    assert [round(float(side)) for side in page.mediabox[2:]] == [960, 540]
    text = page.extract_text()
    assert "Sharper <b>" in text
    assert "0.90" in text  # of the picture: it is a drawing, whose words and numbers can be found
