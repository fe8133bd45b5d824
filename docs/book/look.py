"""The look of the book: the product's colours and fonts as furo's variables, and what furo's HTML lacks."""

from typing import Any

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from attn_figures import theme

LETTERS = "system-ui, sans-serif"
"""The fonts of the text: one that loads later, as that of the figures does, would move it."""
_PALETTES = {"light": theme.LIGHT, "dark": theme.DARK}


def colours(scheme: str) -> dict[str, str]:
    """Return furo's variables for "light" or "dark", so that figures have their own background.

    >>> colours("dark")["color-background-primary"] == theme.DARK.paper
    True
    """
    palette = _PALETTES[scheme]
    return {
        "font-stack": LETTERS,
        "font-stack--monospace": theme.MONO,
        "color-foreground-primary": palette.ink,
        "color-foreground-secondary": palette.muted,
        "color-foreground-muted": palette.muted,
        "color-foreground-border": palette.rule,
        "color-background-primary": palette.paper,
        "color-background-secondary": palette.panel,
        "color-background-hover": palette.masked,
        "color-background-border": palette.rule,
        "color-background-item": palette.rule,
        "color-brand-primary": palette.query,
        "color-brand-content": palette.query,
        "color-brand-visited": palette.query,
        "color-code-background": palette.panel,
        "color-code-foreground": palette.ink,
        "color-admonition-background": palette.paper,
        "color-card-border": palette.rule,
        "color-api-background": palette.panel,
        "color-highlight-on-target": palette.masked,
    }


def _with_levels(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Give the headings of the navigation the level that furo leaves out, for screen readers."""
    tree = str(context.get("furo_navigation_tree", ""))
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the correction of furo's HTML."""
    app.connect("html-page-context", _with_levels, priority=900)  # after furo
    return {"parallel_read_safe": True, "parallel_write_safe": True}
