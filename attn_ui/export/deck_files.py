"""Slides as one file: a PPTX whose words can be edited, or a PDF whose pictures stay drawings."""

import base64
import io
import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.lang import MSO_LANGUAGE_ID
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.text.text import TextFrame
from pptx.util import Emu, Inches, Pt

from attn_figures import theme
from attn_figures.widths import letters, shorten
from attn_ui.export.slide import Slide
from attn_ui.publish.letters import write_page
from attn_ui.screen.share import scannable
from attn_words import _, speaking

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTH, HEIGHT = 13.333, 7.5  # inches, 16:9
MARGIN = 0.5
TITLE_TOP, TITLE_HEIGHT = 0.15, 1.0  # room for two lines, or for more in smaller type
PICTURE_TOP, PICTURE_HEIGHT = 1.18, 5.25
CAPTION_TOP, CAPTION_HEIGHT = 6.44, 0.68
LINK_TOP, LINK_HEIGHT = 7.12, 0.28
TITLE_POINTS, CAPTION_POINTS, LINK_POINTS = 28, 14, 9
LEAST_POINTS = 8  # of a caption that is long
LEAST_TITLE_POINTS, MOST_TITLE = 12, 480  # of a title that is long: letters that have room in that size
HALF_A_WORD = 3  # letters
LETTER, TITLE_LETTER, LINE = 0.52, 0.6, 1.2  # of the size of type: how wide a letter is, how high a line
CODE_TOP, CODE_SIDE = 6.48, 0.92  # the link's QR code, on the right
BESIDE_CODE = MARGIN + CODE_SIDE + 0.1  # that captions keep free on both sides
MOST_LINK = 150  # characters that fit on a line
_NO_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
LOCALES = {"zh": MSO_LANGUAGE_ID.SIMPLIFIED_CHINESE}
"""PowerPoint's codes of languages other than English, by which it chooses a font with their letters."""


def write_pptx(slides: Sequence[Slide], path: Path) -> None:
    """Write slides for PowerPoint, Keynote or LibreOffice; caption and whole link stand in the notes too."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(WIDTH), Inches(HEIGHT)
    layout = deck.slide_layouts[5]  # a title alone
    for each in map(_fit_for_xml, slides):
        slide = deck.slides.add_slide(layout)
        title = slide.shapes.title
        title.left, title.top = Inches(MARGIN), Inches(TITLE_TOP)
        title.width, title.height = Inches(WIDTH - 2 * MARGIN), Inches(TITLE_HEIGHT)
        points = title_points(each.title)
        _write(title.text_frame, each.title, points, theme.PRINT.ink, PP_ALIGN.LEFT, language=each.language)
        picture = slide.shapes.add_picture(
            str(each.picture), 0, Inches(PICTURE_TOP), height=Inches(PICTURE_HEIGHT)
        )
        picture.left = Emu((deck.slide_width - picture.width) // 2)
        picture._element.nvPicPr.cNvPr.set("descr", each.caption)
        for text, top, height, points, colour, url in (
            (each.caption, CAPTION_TOP, CAPTION_HEIGHT, caption_points(each.caption), theme.PRINT.ink, ""),
            (_shortened(each.link), LINK_TOP, LINK_HEIGHT, LINK_POINTS, theme.PRINT.muted, each.url),
        ):
            box = slide.shapes.add_textbox(
                Inches(BESIDE_CODE), Inches(top), Inches(WIDTH - 2 * BESIDE_CODE), Inches(height)
            )
            _write(box.text_frame, text, points, colour, PP_ALIGN.CENTER, language=each.language, url=url)
        if code := _code(each.url, "png"):
            side = Inches(CODE_SIDE)
            offset = deck.slide_width - Inches(MARGIN) - side
            code_picture = slide.shapes.add_picture(io.BytesIO(code), offset, Inches(CODE_TOP), side, side)
            with speaking(each.language):
                code_picture._element.nvPicPr.cNvPr.set("descr", _("QR code of {link}", link=each.url))
        slide.notes_slide.notes_text_frame.text = f"{each.caption}\n{each.link}"
    deck.save(str(path))


def write_pdf(slides: Sequence[Slide], path: Path, page: "Page") -> None:
    """Print slides with the browser that drew their pictures.

    Args:
        slides: whose pictures are SVG files.
        path: of the PDF.
        page: an empty tab.
    """
    write_page(page, _document(slides))
    page.wait_for_function("() => [...document.images].every((each) => each.complete && each.naturalWidth)")
    page.pdf(path=str(path), width=f"{WIDTH}in", height=f"{HEIGHT}in", print_background=True, tagged=True)


def caption_points(caption: str) -> int:
    """Return the type size, in points, in which a caption fits between the picture and the link.

    >>> caption_points("One head"), caption_points("word " * 100)
    (14, 10)
    """
    across, down = 72 * (WIDTH - 2 * BESIDE_CODE), 72 * CAPTION_HEIGHT
    for points in range(CAPTION_POINTS, LEAST_POINTS, -1):
        # A line ends with a word: on average half of one is missing.
        lines = math.ceil(letters(caption) / (across / (LETTER * points) - HALF_A_WORD))
        if lines * LINE * points <= down:
            return points
    return LEAST_POINTS


def title_points(title: str) -> int:
    """Return the type size, in points, in which a title fits above the picture, no word broken if possible.

    >>> title_points("One head"), title_points("counterrevolutionaries " * 8)
    (28, 20)
    """
    for points in range(TITLE_POINTS, LEAST_TITLE_POINTS, -1):
        across = 72 * (WIDTH - 2 * MARGIN) / (TITLE_LETTER * points)
        lines, width = 1, 0.0
        for word in map(letters, title.split()):
            if width and width + 1 + word > across:
                lines, width = lines + 1, 0.0
            more, width = divmod(
                width + bool(width) + word, across
            )  # a word that is longer than a line is parted
            lines += int(more)
        if lines * LINE * points <= 72 * TITLE_HEIGHT:
            return points
    return LEAST_TITLE_POINTS


def _fit_for_xml(slide: Slide) -> Slide:
    """Return a slide without characters that XML forbids, its title cut to fit: the texts are a user's."""
    title, caption, link, url = (
        _NO_XML.sub("\ufffd", each) for each in (slide.title, slide.caption, slide.link, slide.url)
    )
    return replace(slide, title=shorten(title, MOST_TITLE), caption=caption, link=link, url=url)


def _code(url: str, kind: str) -> bytes:
    """Return a link's QR code as a file; b"" for no link, or for one that is too long to scan."""
    file = io.BytesIO()
    if url:
        with suppress(ValueError):
            scannable(url).save(file, kind=kind, scale=8, border=4)
    return file.getvalue()


def _write(
    frame: TextFrame, text: str, points: int, colour: str, align: PP_ALIGN, *, language: str, url: str = ""
) -> None:
    frame.word_wrap = True
    frame.vertical_anchor = MSO_ANCHOR.MIDDLE
    paragraph = frame.paragraphs[0]
    paragraph.alignment = align
    run = paragraph.add_run()
    run.text = text
    run.font.size = Pt(points)
    if language in LOCALES:
        run.font.language_id = LOCALES[language]
    run.font.color.rgb = RGBColor(*bytes.fromhex(colour.removeprefix("#")))
    if url:
        run.hyperlink.address = url


def _shortened(link: str) -> str:
    return link if len(link) <= MOST_LINK else f"{link[: MOST_LINK - 1]}…"


def _document(slides: Sequence[Slide]) -> str:
    parts = []
    for each in map(_fit_for_xml, slides):
        svg = base64.b64encode(each.picture.read_bytes()).decode()
        link = escape(_shortened(each.link))
        link = f'<a href="{escape(each.url)}">{link}</a>' if each.url else link
        with speaking(each.language):
            code_name = escape(_("QR code"))
        code = base64.b64encode(_code(each.url, "svg")).decode()
        parts.append(
            f"<section lang='{each.language}'>"
            f"<h1 style='font-size: {title_points(each.title)}pt'>{escape(each.title)}</h1>"
            f"<img alt='{escape(each.caption)}' src='data:image/svg+xml;base64,{svg}'>"
            f"<p style='font-size: {caption_points(each.caption)}pt'>{escape(each.caption)}</p>"
            f"<small>{link}</small>"
            + (f"<img class='code' alt='{code_name}' src='data:image/svg+xml;base64,{code}'>" if code else "")
            + "</section>"
        )
    style = f"""
@page {{ size: {WIDTH}in {HEIGHT}in; margin: 0; }}
body {{ margin: 0; font-family: {theme.SANS}; color: {theme.PRINT.ink}; }}
section {{ position: relative; width: {WIDTH}in; height: {HEIGHT - 0.01}in; }}
section {{ overflow: hidden; break-after: page; }}
section:last-child {{ break-after: auto; }}
h1, p, small, img {{ position: absolute; left: {MARGIN}in; right: {MARGIN}in; margin: 0; }}
h1, p, small {{ display: flex; align-items: center; }}
p, small {{ justify-content: center; text-align: center; }}
h1 {{ top: {TITLE_TOP}in; height: {TITLE_HEIGHT}in; line-height: {LINE}; font-weight: 400; }}
h1 {{ overflow-wrap: anywhere; }}
img {{ top: {PICTURE_TOP}in; height: {PICTURE_HEIGHT}in; width: {WIDTH - 2 * MARGIN}in; }}
img {{ object-fit: contain; }}
p {{ top: {CAPTION_TOP}in; height: {CAPTION_HEIGHT}in; line-height: {LINE}; }}
small {{ top: {LINK_TOP}in; height: {LINK_HEIGHT}in; font-size: {LINK_POINTS}pt; }}
small, a {{ color: {theme.PRINT.muted}; }}
p, small {{ left: {BESIDE_CODE}in; right: {BESIDE_CODE}in; }}
.code {{ top: {CODE_TOP}in; left: auto; right: {MARGIN}in; width: {CODE_SIDE}in; height: {CODE_SIDE}in; }}
"""
    head = f"<title>{escape(slides[0].title)}</title><style>{style}</style>"
    return f'<!doctype html><html lang="{slides[0].language}">{head}{"".join(parts)}</html>'
