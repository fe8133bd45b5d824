"""The live figure as a widget of a notebook; needs the package anywidget, and no server."""

import zlib
from functools import cache
from typing import Any

import anywidget
import traitlets

from attn_live.bundle import FONTS, bundle, font, markup, notebook_style


class LiveWidget(anywidget.AnyWidget):
    """One live figure: it moves in the browser, and its sliders' positions can be read in Python."""

    _esm = bundle("notebook.js")
    _css = notebook_style()
    message = traitlets.Bytes().tag(sync=True)
    library = traitlets.Bytes().tag(sync=True)
    fonts = traitlets.Dict().tag(sync=True)
    page = traitlets.Dict().tag(sync=True)
    view = traitlets.Dict().tag(sync=True)

    def __init__(
        self, message: bytes, *, library: bytes, version: str, themes: dict[str, dict[str, str]]
    ) -> None:
        """Make the widget.

        Args:
            message: the result of `packing.message`.
            library: plotly.js, deflated by zlib; version: its own.
            themes: the style sheet's variables by name, for "light" and "dark".
        """
        page = {"markup": markup(), "saver": bundle("save_panel.js"), "themes": themes, "version": version}
        super().__init__(message=message, library=library, fonts=_fonts(), page=page, view={})

    @property
    def step(self) -> int:
        """The zero-based position at which the slider was last released."""
        return self._place("step")

    @property
    def row(self) -> int:
        """The zero-based position of the row slider."""
        return self._place("row")

    @property
    def cell(self) -> tuple[str, int, int] | None:
        """The cell that was clicked last: its map's name, and its zero-based row and column."""
        cell: dict[str, Any] | None = self.view.get("cell")
        return (cell["trace"], cell["row"], cell["column"]) if cell else None

    def _place(self, name: str) -> int:
        return int(self.view.get(name, 0))


@cache
def _fonts() -> dict[str, bytes]:
    """Return the fonts of a saved PDF, deflated."""
    return {name: zlib.compress(font(name), 9) for name in FONTS}
