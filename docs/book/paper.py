"""The book on paper: Chromium prints its single page as a PDF, with figures as drawings."""

from pathlib import Path

from attn_ui.export.slides import chromium

_READY = """async () => {
    for (const image of document.querySelectorAll("img")) image.loading = "eager";
    for (const opened of document.querySelectorAll("details.dropdown")) opened.open = true;
    await Promise.all([...document.images].map((image) => image.decode().catch(() => null)));
}"""


def printed(folder: Path, out: Path) -> Path:
    """Print the page of a folder that Sphinx's builder "singlehtml" made; return the file.

    Raises:
        SlidesError: there is no Chromium.
    """
    with chromium() as browser:
        page = browser.new_context(
            java_script_enabled=True, viewport={"width": 794, "height": 1123}
        ).new_page()
        page.goto((folder / "index.html").resolve().as_uri())
        page.emulate_media(media="print", color_scheme="light")
        page.evaluate(_READY)
        page.pdf(
            path=out,
            format="A4",
            scale=0.75,  # a column of 680 pixels and more: figures as in a window, side by side
            margin={"top": "15mm", "bottom": "15mm", "left": "12mm", "right": "12mm"},
            display_header_footer=True,
            header_template="<span></span>",
            footer_template="<div style='font-size:8px;width:100%;text-align:center'>"
            "<span class='pageNumber'></span></div>",
            print_background=True,
            tagged=True,
            outline=True,
        )
    return out
