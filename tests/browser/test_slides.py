"""A deck of two links, from the app's own pictures: its words, its pictures, its pages."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser
from pptx import Presentation
from pptx.util import Pt
from pypdf import PdfReader

from attn_ui.base.page import page_at
from attn_ui.export import deck_files, slides
from attn_ui.export.slide import Slide
from attn_ui.lessons.link_list import read_list

LIST = "single-head?t=0.50&text=a+b&say=b+for+a  Sharper <b>\n/?t=soon\n"


def test_slides_of_two_links_are_two_with_titles(browser: Browser, server: str, tmp_path: Path) -> None:
    lines, bad = read_list(LIST)
    assert bad == []
    said = slides.make(lines, tmp_path, "pptx", server, browser, public="https://lab.example.org/course")
    (sentence,) = said
    assert sentence.startswith("line 2: ")
    assert "soon" in sentence
    deck = Presentation(str(tmp_path / "slides.pptx"))
    first, second = deck.slides
    assert (first.shapes.title.text, second.shapes.title.text) == ("Sharper <b>", page_at("").title)
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


@pytest.mark.parametrize("public", ["", "https://lab.example.org/course"])
def test_slides_moving_file_names_the_link_and_not_its_server(
    browser: Browser, server: str, tmp_path: Path, public: str
) -> None:
    lines, _ = read_list(LIST)
    assert slides.make(lines[:1], tmp_path, "html", server, browser, public=public) == []
    (file,) = tmp_path.glob("01-*.html")
    assert f'<a href="{file.name}">Sharper' in (tmp_path / "index.html").read_text(encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    link = "single-head?t=0.50&amp;text=a+b&amp;say=b+for+a"
    assert f"<footer>{public}/{link}</footer>" in text if public else f"<footer>{link}</footer>" in text
    assert server not in text


def test_slides_long_caption_fits_between_picture_and_link(browser: Browser, tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    picture.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="16" height="9"/>')
    said = (
        "Head 1 keeps most of the squared length of its queries and keys, 90.1%, and leaves out 0.0139588. "
    )
    captions = [(said * 6)[:count] for count in (40, 180, 260, 400, 520)]
    captions.append("注意力的权重由查询与键的点积得到。" * 12)
    deck = [Slide("A title", each, "https://lab.example.org", picture) for each in captions]
    page = browser.new_page()
    deck_files.write_pdf(deck, tmp_path / "deck.pdf", page)
    places = page.evaluate(
        """() => [...document.querySelectorAll('section')].map(section => {
            const words = element => {
                const range = document.createRange();
                range.selectNodeContents(element);
                return range.getBoundingClientRect();
            };
            const [above, said, link] = ['img', 'p', 'small'].map(each => section.querySelector(each));
            const [top, bottom] = [words(said).top, words(said).bottom];
            return [top - above.getBoundingClientRect().bottom, words(link).top - bottom];
        })"""
    )
    page.close()
    assert len(places) == len(captions)
    assert all(above > -2 and below > -2 for above, below in places), places
    assert len({deck_files.caption_points(each) for each in captions}) > 2  # none is smaller than it must be


def test_slides_long_title_fits_over_the_picture(browser: Browser, tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    picture.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="16" height="9"/>')
    titles = [
        "Donaudampfschifffahrtsgesellschaftskapitän antidisestablishmentarianism "
        "pneumonoultramicroscopicsilicovolcanoconiosis",
        "WORDS OF WIDE LETTERS " * 7,
        "noblanks" * 40,
        "查询与键的点积 " * 20,
        "more than any slide has room for " * 60,
    ]
    deck = [Slide(each, "said", "https://lab.example.org", picture) for each in ["“A title”", *titles]]
    page = browser.new_page()
    deck_files.write_pdf(deck, tmp_path / "deck.pdf", page)
    places = page.evaluate(
        """() => [...document.querySelectorAll('h1')].map(title => {
            const range = document.createRange();
            range.selectNodeContents(title);
            const [box, words] = [title.getBoundingClientRect(), range.getBoundingClientRect()];
            return [words.top - box.top, box.bottom - words.bottom, box.right - words.right];
        })"""
    )
    quote = page.evaluate(
        """() => {
            const [title, range] = [document.querySelector('h1'), document.createRange()];
            range.setStart(title.firstChild, 0);
            range.setEnd(title.firstChild, 1);
            return range.getBoundingClientRect().width / parseFloat(getComputedStyle(title).fontSize);
        }"""
    )
    page.close()
    assert quote == pytest.approx(0.37, abs=0.02)  # of the figures' font; of Chinese ones 1, of DejaVu's 0.52
    assert all(min(each) > -2 for each in places), places
    assert deck_files.title_points("A title") == deck_files.TITLE_POINTS


def test_slides_with_words_invalid_in_xml_are_valid(browser: Browser, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    Image.new("RGB", (16, 9)).save(picture)
    wild = "a\0b\x0b\ud800\ufffe"
    deck = [Slide(f"{wild} {number}", wild, f"single-head?say={wild}", picture) for number in (1, 2)]
    deck_files.write_pptx(deck, tmp_path / "deck.pptx")
    made = Presentation(str(tmp_path / "deck.pptx")).slides
    kept = "a\ufffdb\ufffd\ufffd\ufffd"
    assert [slide.shapes.title.text for slide in made] == [f"{kept} 1", f"{kept} 2"]
    drawing = tmp_path / "picture.svg"
    drawing.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="16" height="9"/>')
    page = browser.new_page()
    deck_files.write_pdf([replace(each, picture=drawing) for each in deck], tmp_path / "deck.pdf", page)
    page.close()
    assert len(PdfReader(tmp_path / "deck.pdf").pages) == 2


def test_slides_captions_and_links_are_as_large_as_possible() -> None:
    sizes = [deck_files.caption_points("word " * count) for count in range(1, 200)]
    assert sizes == sorted(sizes, reverse=True)
    assert {*sizes} == {*range(deck_files.LEAST_POINTS, deck_files.CAPTION_POINTS + 1)}
    most = "x" * deck_files.MOST_LINK
    assert deck_files._shortened(most) == most
    assert deck_files._shortened(f"{most}y") == f"{most[:-1]}…"
