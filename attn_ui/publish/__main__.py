"""Figures of the app on a page of their own: `python -m attn_ui.publish LINK... --out DIR`.

Makes DIR/index.html with a live figure for each link, and beside it all that these need: the folder can be
put on any web server, or opened from a disk.
"""

import argparse
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path

from attn_figures import theme
from attn_ui.export.slides import SlidesError, language_of, make_writable
from attn_ui.publish.figure import Published, figure_of_link
from attn_ui.publish.files import Site
from attn_ui.publish.stills import draw_stills
from attn_words import LANGUAGES, _, language, speaking

FIGURES = "figures/"
_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
{head}<style>
:root {{ --paper: {light.paper}; --ink: {light.ink}; }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ --paper: {dark.paper}; --ink: {dark.ink}; }} }}
body {{ margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--paper); color: var(--ink); }}
body {{ font: 1rem/1.5 system-ui, sans-serif; }}
h2 {{ margin: 2rem 0 0; font-weight: 500; break-after: avoid; }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{figures}
</main>
</body>
</html>
"""


def page(figures: Sequence[Published], site: Site, root: str) -> str:
    """Return a whole page of figures, each under the title of its page.

    Args:
        figures: in their order; site: of their files; root: the path from the page to its folder.
    """
    parts = [f"<h2>{escape(each.title)}</h2>\n{site.element(each, root)}" for each in figures]
    return _PAGE.format(
        language=language(),
        title=escape(_("Attention lab")),
        head=site.head(root),
        light=theme.LIGHT,
        dark=theme.DARK,
        figures="\n".join(parts),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Publish the figures; return 0, 1 where a link is wrong, 2 where nothing can be made."""
    parser = argparse.ArgumentParser(
        prog="python -m attn_ui.publish", description=__doc__.split("\n", maxsplit=1)[0]
    )
    parser.add_argument(
        "links", nargs="+", metavar="LINK", help='from a page\'s name on: "single-head?t=0.5"'
    )
    parser.add_argument("--out", type=Path, default=Path("build/figures"), help="the folder for the page")
    parser.add_argument("--app", default="", help="the address of an app that figures lead to")
    parser.add_argument("--language", choices=LANGUAGES, help="that of the first link unless given")
    parser.add_argument("--no-stills", action="store_true", help="no pictures for where no script runs")
    parser.add_argument("--chromium", help="the browser's program, where it is not found by itself")
    options = parser.parse_args(arguments)
    with speaking(options.language or language_of(options.links[0])):
        figures, wrong = _figures(options.links)
        for sentence in wrong:
            print(f"publish: {sentence}", file=sys.stderr)
        if not figures:
            return 1
        try:
            out = make_writable(options.out)
            site = Site(out / FIGURES, options.app, stills=not options.no_stills)
            text = page(figures, site, FIGURES)
            site.write()
            if site.stills:
                draw_stills(site.folder, options.chromium)
        except SlidesError as error:
            print(f"publish: {error}", file=sys.stderr)
            return 2
        except ModuleNotFoundError as error:
            package = str(error.name).partition(".")[0]
            print(f"publish: {package} is missing: pip install '.[publish]'", file=sys.stderr)
            return 2
        (out / "index.html").write_text(text, encoding="utf-8")
        print(f"publish: {out / 'index.html'}")
    return 1 if wrong else 0


def _figures(links: Sequence[str]) -> tuple[list[Published], list[str]]:
    figures, wrong = [], []
    for link in links:
        try:
            figures.append(figure_of_link(link))
        except (ValueError, LookupError) as error:
            wrong.append(str(error))
    return figures, wrong


if __name__ == "__main__":
    sys.exit(main())
