"""A figure as HTML to paste into a web page, and the files that must lie beside that page.

No folder of figures is written: the HTML itself holds the figure's message. It holds no picture, because
drawing one needs a browser; where no script runs, its alternative text is shown.
"""

import io
import zipfile
from functools import cache
from pathlib import Path

from attn_live.bundle import content_hash
from attn_ui.publish.element import element
from attn_ui.publish.figure import figure_of_link
from attn_ui.publish.files import NAME, Site, library, shared_files
from attn_words import LANGUAGES, speaking

FOLDER = f"{NAME}/"
"""Where a page finds the files: a folder beside it."""
_READABLE = 0o644 << 16  # by everybody, where it is unpacked


def snippet(link: str, app: str = "") -> str:
    """Return the figure of a link as HTML that needs nothing but the files of `archive`.

    Args:
        link: see `attn_ui.publish.figure.figure_of_link`, whose errors are raised here too.
        app: the address of the app that the figure leads to; "" for none.
    """
    figure = figure_of_link(link)
    head = Site(Path(), app).head(FOLDER)
    return f"{head}{element(figure, '', app, message=figure.in_base64, stills=False)}\n"


@cache
def archive(plotly: Path | None = None) -> bytes:
    """Return a ZIP of the folder that all figures of a site share, in all languages.

    Args:
        plotly: a bundle of plotly.js; None as in `library`.
    """
    files = dict(library(plotly))
    for name in LANGUAGES:
        with speaking(name):
            files |= shared_files()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive_file:
        for name, content in files.items():
            about = zipfile.ZipInfo(FOLDER + name)  # without a date: the same bytes from every process
            about.external_attr = _READABLE
            archive_file.writestr(about, content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


@cache
def archive_version(plotly: Path | None = None) -> str:
    """Return the hash of the ZIP, for its address."""
    return content_hash(archive(plotly).hex())
