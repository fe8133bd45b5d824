"""The files that all figures of a site share, and those of each figure.

All are in one folder. Each script puts one text into `window.labParts`, so that a page opened from a disk can
load it too. A browser fetches once for a whole site the style with its font, the modules of the live figure
and plotly.js; and the save panel, when somebody saves a figure.
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
"""The third of plotly.js that figures need, if `make cartesian` has fetched it."""


@dataclass
class Site:
    """A folder of figures, and the files that they share.

    Attributes:
        folder: of all files.
        app: the address of the app that figures lead to; "" for none.
        plotly: a bundle of plotly.js; None for `CARTESIAN`, or all of plotly.js if that was not fetched.
        stills: whether pictures are, or will be, drawn (`stills.draw_stills`).
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
            root: the path from the page to the folder: "" or with a slash at its end.
        """
        path = self.folder / f"{figure.id}.js"
        if figure.id not in self._ids and not path.is_file():
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_text(part(figure.id, figure.in_base64), encoding="utf-8")
        self._ids.add(figure.id)
        return element(figure, root, self.app, stills=self.stills)

    def head(self, root: str) -> str:
        """Return the HTML head that a page with figures needs once, in the current language.

        Args:
            root: the path from the page to the folder.
        """
        at = escape(root)
        # The script requests its other files with its own mark, which therefore depends on the panel too.
        words = ""
        if language() != SOURCE:
            words = f'<script defer src="{at}{_words_name()}?v={content_hash(_words())}"></script>\n'
        version = content_hash(module() + bundle("save_panel.js"))
        return (
            f'<link rel="stylesheet" href="{at}{NAME}.css?v={content_hash(stylesheet())}">\n{words}'
            f'<script defer src="{at}{NAME}.js?v={version}"></script>\n'
        )

    def write(self) -> None:
        """Write the files that all figures share, in the current language."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, content in {**shared_files(), **library(self.plotly)}.items():
            (self.folder / name).write_bytes(content)


def library(file: Path | None = None) -> Mapping[str, bytes]:
    """Return plotly.js by its file name: a given bundle, else `CARTESIAN`, else all of it."""
    bundle_file = file or (CARTESIAN if CARTESIAN.is_file() else None)
    text = get_plotlyjs() if bundle_file is None else bundle_file.read_text(encoding="utf-8")
    return {_plotly_name(): text.encode()}


def part(name: str, text: str) -> str:
    """Return a script that stores a text for the figures of the page, under a name."""
    # Escaped, the text cannot end the script element around it, nor a line in old engines.
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
    """Return the style of figures on a page, in light or dark colours, as the page or the system sets."""
    light, dark = (_variables(palette) for palette in (theme.LIGHT, theme.DARK))
    says = ("[data-theme={0}]", "[data-bs-theme={0}]", "[data-mode={0}]", "html.{0}", "body.{0}")

    def selectors(colours: str) -> str:
        return ", ".join(f"{each.format(colours)} live-figure" for each in says)

    shows_light = "--live-light: block; --live-dark: none;"
    shows_dark = "--live-light: none; --live-dark: block;"
    # The font is in the style itself, for a page from a disk may fetch none. Only the drawing uses it: words
    # around are in the page's own font, and none moves when this one arrives.
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
