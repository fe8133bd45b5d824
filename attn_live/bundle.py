"""Joins the browser's modules into one, so that neither a build step nor a second request is needed."""

import hashlib
import re
from functools import cache, lru_cache
from pathlib import Path

_HERE = Path(__file__).parent
MODULES = _HERE / "js"
FONTS = ("sans", "sans-bold", "serif")  # of saved PDFs
_IMPORT = re.compile(r"^import\s+(?:[^;]*?from\s+)?\"\.[\w./]*/([\w-]+\.js)\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
_COMMENT = re.compile(r"^\s*(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)


@lru_cache(maxsize=64)
def content_hash(text: str) -> str:
    """Return a short hash of a text, for the address where it is served."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def served_module(address: str) -> str:
    """Return a small module that fetches `bundle()` from an address when it is first called."""
    return bundle("served.js").replace("{{MODULE}}", address)


def markup() -> str:
    """Return the HTML of one figure before anything is drawn."""
    return (_HERE / "live_figure.html").read_text(encoding="utf-8")


def style() -> str:
    """Return the style sheet of all figures; its colours and fonts are Streamlit's variables."""
    return (_HERE / "live_figure.css").read_text(encoding="utf-8")


def notebook_style() -> str:
    """Return the style sheet of a figure in a notebook."""
    return style() + (_HERE / "notebook.css").read_text(encoding="utf-8")


def long_style() -> str:
    """Return the style sheet of a map of any size."""
    return (_HERE / "long_map.css").read_text(encoding="utf-8")


@cache
def font(name: str) -> bytes:
    """Return the file of one of `FONTS`."""
    return (_HERE / "fonts" / f"{name}.ttf").read_bytes()


@cache
def bundle(entry: str = "index.js") -> str:
    """Return one ES module that holds `entry` and all that it imports, each once, without comments.

    The modules import only one another, by name, and no two of them may give the same name to something at
    their top level; the browser refuses the module where they do.
    """
    texts: dict[str, str] = {}
    _collect(entry, texts)
    return "".join(texts.values())


def join_scripts(*scripts: Path) -> str:
    """Return scripts of other folders as one module, with all modules of this folder that they import."""
    texts: dict[str, str] = {}
    sources = [script.read_text(encoding="utf-8") for script in scripts]
    for source in sources:
        for module in _IMPORT.findall(source):
            _collect(module, texts)
    return "".join((*texts.values(), *(_IMPORT.sub("", source) for source in sources)))


def _collect(name: str, texts: dict[str, str]) -> None:
    if name in texts:
        return
    source = (MODULES / name).read_text(encoding="utf-8")
    texts[name] = ""
    for module in _IMPORT.findall(source):
        _collect(module, texts)
    del texts[name]  # so that it comes after all that it needs
    texts[name] = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", source)))
