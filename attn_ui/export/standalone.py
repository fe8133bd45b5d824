"""One figure as a single HTML file that moves without a server or a network.

The page holds the modules, the style and the font of the live figure, and six placeholders: the message that
Python sends for the figure and plotly.js as gzip, both in base64; the figure's title and its address; the
language and, where that is not English, the modules' words in it. The browser fills them when somebody saves
a figure (`attn_live/js/moving_file.js`).
"""

from base64 import b64encode
from functools import cache
from gzip import compress

from attn_figures import theme
from attn_live.bundle import bundle, content_hash, font, markup, style

_PAGE = """<!doctype html>
<html lang="{{LANG}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{TITLE}}</title>
<style>
:root { color-scheme: light dark; }
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
<script>(() => {
{{WORDS}}%(needs)ssayInstead(document.querySelector("main"));
})();</script>
<footer>{{ADDRESS}}</footer>
<script type="application/octet-stream" id="message">{{MESSAGE}}</script>
<script type="application/octet-stream" id="plotly">{{PLOTLY}}</script>
<script type="application/octet-stream" id="letters">%(letters)s</script>
<script type="module">
%(script)s</script>
</body>
</html>
"""


@cache
def saver_version() -> str:
    """Return the hash of the module that saves files and of this page, for their addresses."""
    return content_hash(bundle("save_panel.js") + page())


@cache
def page() -> str:
    """Return the page before its placeholders, such as `{{TITLE}}`, are filled."""
    script = bundle("standalone.js")
    if "</script" in script.lower():
        raise ValueError("the modules must not hold </script>, which ends the element that they stand in")
    return _PAGE % {
        "letters": _letters(),
        "light": _style(theme.LIGHT),
        "dark": _style(theme.DARK),
        "style": style(),
        "markup": markup(),
        "needs": bundle("needs.js"),
        "script": script,
    }


def _letters() -> str:
    """Return the font in which numbers fit their cells, as gzip in base64; in wider ones they would touch."""
    return b64encode(compress(font("sans"), mtime=0)).decode()


def _style(palette: theme.Palette) -> str:
    return f":root {{ {' '.join(f'{name}: {value};' for name, value in theme.variables(palette).items())} }}"
