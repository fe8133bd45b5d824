"""The files that all figures of a site share, and those of each figure.

All are in one folder. Each script is a plain one that puts one text into `window.labParts`, so that it also
works on a page opened from disk. A site fetches each of these once: the style with its font, the modules of
the live figure, plotly.js, and, when somebody saves a figure, the panel.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path

from plotly.offline import get_plotlyjs, get_plotlyjs_version

from attn_figures import theme
from attn_live.browser_words import browser_words
from attn_live.bundle import FONTS, bundle, content_hash, font, style
from attn_ui.publish import letters
from attn_ui.publish.element import element
from attn_ui.publish.figure import Published
from attn_words import SOURCE, language

NAME = "attention-lab"
_HERE = Path(__file__).resolve()
CARTESIAN = _HERE.parents[2] / "build" / "plotly-js" / "plotly-cartesian.min.js"
"""A third of plotly.js, where `make cartesian` has fetched it."""


@dataclass
class Site:
    """A folder of figures, and the files that they share.

    Attributes:
        folder: where all files are.
        app: the address of the app that figures link to; "" for none.
        plotly: another bundle of plotly.js; by default the part that figures need, or all if that is missing.
        stills: whether still pictures are drawn, now or later (`stills.draw_stills`).
    """

    folder: Path
    app: str = ""
    plotly: Path | None = None
    stills: bool = True
    _ids: set[str] = field(default_factory=set)

    def element(self, figure: Published, root: str) -> str:
        """Write a figure's own file; return its HTML.

        Args:
            figure: what is shown.
            root: the folder as the page sees it: "" or a path that ends with a slash.
        """
        path = self.folder / f"{figure.id}.js"
        if figure.id not in self._ids and not path.is_file():
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_text(part(figure.id, figure.in_base64), encoding="utf-8")
        self._ids.add(figure.id)
        return element(figure, root, self.app, stills=self.stills)

    def head(self, root: str) -> str:
        """Return the HTML head that a page with figures needs once, in the spoken language.

        Args:
            root: the folder as the page sees it.
        """
        at = escape(root)
        # The script asks for its other files with the mark that it came with: the panel's is in it.
        words = ""
        if language() != SOURCE:
            words = f'<script defer src="{at}{_words_name()}?v={content_hash(_words())}"></script>\n'
        version = content_hash(module() + bundle("save_panel.js"))
        return (
            f'<link rel="stylesheet" href="{at}{NAME}.css?v={content_hash(stylesheet())}">\n{words}'
            f'<script defer src="{at}{NAME}.js?v={version}"></script>\n'
        )

    def write(self) -> None:
        """Write the files that all figures share, in the language that is spoken."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, content in {**shared_files(), **library(self.plotly)}.items():
            (self.folder / name).write_bytes(content)


def library(file: Path | None = None) -> Mapping[str, bytes]:
    """Return plotly.js by its name: a bundle; else the part that figures need, where that was fetched."""
    bundle_file = file or (CARTESIAN if CARTESIAN.is_file() else None)
    text = get_plotlyjs() if bundle_file is None else bundle_file.read_text(encoding="utf-8")
    return {_plotly_name(): text.encode()}


def part(name: str, text: str) -> str:
    """Return a script that brings a text to the figures of the page, under a name."""
    # Neither ends an element that it may stand in, nor breaks a line in old readers of scripts.
    quoted = json.dumps(text).replace("</", "<\\/")
    return f"(window.labParts ??= {{}})[{json.dumps(name)}] = {quoted};\n"


def plotly_of(folder: Path) -> str:
    """Return the plotly.js that a site was written with."""
    return (folder / _plotly_name()).read_text(encoding="utf-8")


def _plotly_name() -> str:
    return f"plotly-{get_plotlyjs_version()}.min.js"


def _words() -> str:
    return f"window.labWords = {json.dumps(browser_words(), ensure_ascii=False)};\n"


def _words_name() -> str:
    return f"{NAME}-{language()}.js"


@cache
def module() -> str:
    """Return the script that brings the figures of a page to life."""
    text = bundle("published.js").replace("{{PLOTLY}}", _plotly_name())
    return f"(() => {{\n{text}}})();\n"


@cache
def stylesheet() -> str:
    """Return the style of figures on a page, in light and dark colours: as the page says, or the system."""
    light, dark = (_variables(palette) for palette in (theme.LIGHT, theme.DARK))
    says = ("[data-theme={0}]", "[data-bs-theme={0}]", "[data-mode={0}]", "html.{0}", "body.{0}")

    def selectors(colours: str) -> str:
        return ", ".join(f"{each.format(colours)} live-figure" for each in says)

    shows_light = "--live-light: block; --live-dark: none;"
    shows_dark = "--live-light: none; --live-dark: block;"
    # In the style itself, for a page from a disk may fetch none. Only what is drawn is written in it: words
    # around that are in the page's own font, and none moves when this comes.
    font_data = base64.b64encode(letters.site_font()).decode()
    face = (
        '@font-face { font-family: "Source Sans"; font-weight: 200 900; font-display: swap; '
        f'src: url(data:font/woff2;base64,{font_data}) format("woff2"); }}\n'
    )
    figure_of_link = (_HERE.parents[2] / "attn_live" / "published.css").read_text(encoding="utf-8")
    return (
        f"{face}live-figure {{ {light} {shows_light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ live-figure {{ {dark} {shows_dark} }} }}\n"
        f"{selectors('light')} {{ {light} {shows_light} }}\n"
        f"@media screen {{ {selectors('dark')} {{ {dark} {shows_dark} }} }}\n"
        f"{style()}{figure_of_link}"
    )


def _variables(palette: theme.Palette) -> str:
    variables = theme.variables(palette) | {"--st-font": "inherit", "--st-heading-font": "inherit"}
    return " ".join(f"{name}: {value};" for name, value in variables.items())


def shared_files() -> dict[str, bytes]:
    """Return the files that all figures share, except plotly.js, by name."""
    texts = {
        f"{NAME}.css": stylesheet(),
        f"{NAME}.js": module(),
        f"{NAME}-save.js": part(f"{NAME}-save", bundle("save_panel.js")),
    }
    for name in FONTS:
        texts[f"{NAME}-{name}.js"] = part(f"{NAME}-{name}", base64.b64encode(font(name)).decode())
    if language() != SOURCE:
        texts[_words_name()] = _words()
    return {name: text.encode() for name, text in texts.items()}
