"""One figure as a single HTML file that moves without a server or a network.

The page holds the modules and the style of the live figure, and four places to be filled: the message that
Python sends for the figure and plotly.js as gzip (see `sevens`), the figure's title and its address. The
browser fills it when somebody saves a figure (`attn_live/js/moving.js`); `filled` does the same here.
"""

import gzip
import hashlib
from functools import cache
from html import escape

import numpy as np

from attn_figures import theme
from attn_live.bundle import bundle, markup, style

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{TITLE}}</title>
<style>
:root { color-scheme: light dark; --st-font: %(sans)s; --st-code-font: %(mono)s; }
%(light)s
@media (prefers-color-scheme: dark) { %(dark)s }
body { margin: 0 auto; padding: 1rem; max-width: 1560px; box-sizing: border-box; }
body { font: 1rem/1.6 var(--st-font); color: var(--st-text-color); background: var(--st-background-color); }
footer { font-size: 0.8rem; overflow-wrap: anywhere; }
%(style)s
</style>
</head>
<body>
<main>%(markup)s</main>
<footer>{{ADDRESS}}</footer>
<script type="application/octet-stream" id="message">{{MESSAGE}}</script>
<script type="application/octet-stream" id="plotly">{{PLOTLY}}</script>
<script type="module">
%(script)s</script>
</body>
</html>
"""


@cache
def kit_version() -> str:
    """Return a mark of the module that saves files and of this page, for their addresses."""
    return hashlib.sha256((bundle("kit.js") + page()).encode()).hexdigest()[:12]


@cache
def page() -> str:
    """Return the page before it is filled: `{{TITLE}}`, `{{ADDRESS}}`, `{{MESSAGE}}`, `{{PLOTLY}}`."""
    script = bundle("standalone.js")
    if "</script" in script.lower():
        raise ValueError("the modules must not hold </script>, which ends the element that they stand in")
    return _PAGE % {
        "sans": theme.SANS,
        "mono": theme.MONO,
        "light": _variables(theme.LIGHT),
        "dark": _variables(theme.DARK),
        "style": style(),
        "markup": markup(),
        "script": script,
    }


def filled(message: bytes, plotly_js: bytes, *, title: str, address: str = "") -> str:
    """Return the whole file.

    Args:
        message: what Python sends for a figure: its head, its sentences and its packed steps.
        plotly_js: the library's own text.
        title: what the file is called in a browser.
        address: where the figure can be set up again.
    """
    parts = {
        "{{TITLE}}": escape(title),
        "{{ADDRESS}}": escape(address),
        "{{MESSAGE}}": sevens(message),
        "{{PLOTLY}}": sevens(gzip.compress(plotly_js, 9, mtime=0)),
    }
    whole = page()
    for name, text in parts.items():
        before, _, after = whole.partition(name)
        whole = before + text + after
    return whole


def sevens(data: bytes) -> str:
    """Write bytes as text of seven bits a character, which HTML keeps as it is (`attn_live/js/sevens.js`).

    NUL, carriage return and "<" would be changed by HTML or end the element; each stands as a character
    beyond ASCII.

    >>> sevens(b"abc")
    '0XL0'
    """
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8))
    filled_up = np.pad(bits, (0, -len(bits) % 7)).reshape(-1, 7)
    codes = np.packbits(np.pad(filled_up, ((0, 0), (1, 0))), axis=1).tobytes()
    return codes.decode("ascii").translate({0: "\xa0", 13: "\xa1", 60: "\xa2"})


def _variables(palette: theme.Palette) -> str:
    """Name the colours as the figure's style sheet asks for them."""
    named = {
        "background-color": palette.paper,
        "text-color": palette.ink,
        "border-color": palette.rule,
        "primary-color": palette.query,
        "violet-text-color": palette.query,
        "orange-text-color": palette.key,
        "green-text-color": palette.value,
    }
    lines = " ".join(f"--st-{name}: {colour};" for name, colour in named.items())
    return f":root {{ {lines} }}"
