"""A deck of two links, from the app's own pictures: its words, its pictures, its pages."""

import io
from pathlib import Path

import numpy as np
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser
from pptx import Presentation
from pptx.util import Pt
from pypdf import PdfReader

from attn_ui.export import slides
from attn_ui.lessons.link_list import read_list

LIST = "single-head?t=0.50&text=a+b&say=b+for+a  Sharper <b>\n/?t=soon\n"


def test_two_slides_as_pptx_and_as_pdf(browser: Browser, server: str, tmp_path: Path) -> None:
    lines, bad = read_list(LIST)
    assert bad == []
    said = slides.make(lines, tmp_path, "pptx", server, browser, public="https://lab.example.org/course")
    (sentence,) = said
    assert sentence.startswith("line 2: ")
    assert "soon" in sentence
    deck = Presentation(str(tmp_path / "slides.pptx"))
    first, second = deck.slides
    assert (first.shapes.title.text, second.shapes.title.text) == ("Sharper <b>", "See attention")
    picture, code = [shape for shape in first.shapes if shape.shape_type == 13]
    assert picture.image.size == (3200, 1380)
    # It fills the slide under its title, where two lines fit, and lies on nothing else.
    title = first.shapes.title
    assert title.top + title.height <= picture.top
    assert title.height >= 2 * 1.15 * Pt(28)
    assert picture.left >= 0
    assert picture.left + picture.width <= deck.slide_width
    assert picture.width * picture.height > 0.6 * deck.slide_width * deck.slide_height
    boxes = [shape for shape in first.shapes if shape.has_text_frame]
    texts = [shape.text_frame.text for shape in boxes]
    link = "https://lab.example.org/course/single-head?t=0.50&text=a+b&say=b+for+a"
    assert texts[2] == link
    (run,) = boxes[2].text_frame.paragraphs[0].runs
    assert run.hyperlink.address == link
    kind = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    found = zxingcpp.read_barcodes(
        np.asarray(Image.open(io.BytesIO(code.image.blob)).convert("L")), formats=kind
    )
    assert [each.text for each in found] == [link]
    assert code.left + code.width <= deck.slide_width
    assert code.top >= picture.top + picture.height
    assert texts[1] == "b for a"
    assert picture._element.nvPicPr.cNvPr.get("descr") == texts[1]
    slides.make(lines[:1], tmp_path, "pdf", server, browser, public="https://lab.example.org")
    (page,) = PdfReader(tmp_path / "slides.pdf").pages
    assert [round(float(side)) for side in page.mediabox[2:]] == [960, 540]
    text = page.extract_text()
    assert "Sharper <b>" in text
    leads = [each.get_object()["/A"]["/URI"] for each in page.annotations or ()]
    assert leads == ["https://lab.example.org/single-head?t=0.50&text=a+b&say=b+for+a"]
    assert "0.90" in text  # of the picture: it is a drawing, whose words and numbers can be found
