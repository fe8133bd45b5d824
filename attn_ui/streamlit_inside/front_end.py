"""Streamlit's own HTML, scripts and fonts as they lie on disk, and which of them a page asks for first."""

import re
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path

from attn_ui.streamlit_inside.part import Part, find, there

TEXTS = (".js", ".css")
# What the first message of every page asks Streamlit's front end for, by its files' names.
COMPONENTS = ("Html", "BidiComponent", "Button")
FONTS = ("SourceSerifVariable-Roman", "MaterialSymbols-Rounded", "SourceCodeVF-Upright")
# The front end looks for the server here first, and not below the page's own address.
SERVER_STANDS_AT = 'window.__streamlit ??= { BACKEND_BASE_URL: new URL(".", location.href).href };'
_FOLDER = "streamlit.file_util:get_static_dir"
_IMPORT = re.compile(r"""(?:from|import)\s*["']\./([\w.-]+\.js)["']""")


def folder() -> Path | None:
    """Return where it lies; None where nobody knows."""
    try:
        found = Path(find(_FOLDER)())
    except (LookupError, TypeError):
        return None
    return found if found.is_dir() else None


def index() -> str:
    """Return the HTML that every page begins with; "" where there is none."""
    path = (folder() or Path("nowhere")) / "index.html"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def texts() -> dict[str, Path]:
    """Return scripts and styles by their path below the server's address."""
    root = folder()
    if root is None:
        return {}
    paths = [path for path in sorted((root / "static").rglob("*")) if path.suffix in TEXTS]
    return {path.relative_to(root).as_posix(): path for path in paths}


def fonts() -> list[str]:
    """Return the fonts of every page by their path below the server's address."""
    root = folder()
    if root is None:
        return []
    found = [path for stem in FONTS for path in sorted((root / "static" / "media").glob(f"{stem}.*"))]
    return [path.relative_to(root).as_posix() for path in found]


def font(stem: str) -> Path:
    """Return the file of one of its fonts.

    Raises:
        LookupError: there is none of that name.
    """
    found = sorted(((folder() or Path("nowhere")) / "static" / "media").glob(f"{stem}.*"))
    if not found:
        raise LookupError(f"a font called {stem} among Streamlit's own files")
    return found[0]


def scripts(components: Sequence[str], known: dict[str, Path], named: str) -> list[str]:
    """List the scripts that hold some components, and all that these import.

    Args:
        components: by the beginnings of their files' names.
        known: all scripts, as `texts` has them.
        named: the HTML; what it names itself is left out.
    """
    by_name = {path.removeprefix("static/js/"): file for path, file in known.items()}
    waiting = deque(name for stem in components for name in by_name if name.split(".")[0] == stem)
    found: dict[str, None] = {}
    while waiting:
        name = waiting.popleft()
        if name in by_name and name not in found and name not in named:
            found[name] = None
            waiting.extend(_IMPORT.findall(by_name[name].read_text(encoding="utf-8")))
    return [f"static/js/{name}" for name in found]


def lacks(names: Iterable[str]) -> list[str]:
    """Return which of some names stand in none of its scripts, 23 MB that are read file by file.

    The one that holds most of the names is read first: the others are then looked through for few.
    """
    left = {name: re.compile(rb"%s(?![\w-])" % name.encode()) for name in names}
    scripts = [path for path in texts().values() if path.suffix == ".js"]
    for path in sorted(scripts, key=lambda path: not path.name.startswith("index")):
        if not left:
            break
        content = path.read_bytes()
        left = {name: mark for name, mark in left.items() if not mark.search(content)}
    return list(left)


def _has_index() -> str:
    html = index()
    return next((f"index.html has no {tag}" for tag in ("</head>", "</body>") if html.count(tag) != 1), "")


def _has_components() -> str:
    stems = {path.removeprefix("static/js/").split(".")[0] for path in texts()}
    return next((f"no script is called {name}" for name in COMPONENTS if name not in stems), "")


def _has_fonts() -> str:
    found = " ".join(fonts())
    return next((f"no font is called {stem}" for stem in FONTS if stem not in found), "")


def _has_address() -> str:
    return "" if not lacks(["BACKEND_BASE_URL"]) else "no script knows BACKEND_BASE_URL"


HTML = Part(
    "announced HTML",
    there(_FOLDER),
    _has_index,
    uses="index.html on disk, into which lines are written before </head> and </body>",
    buys="a first visit fetches side by side what it would ask for in turn, an old browser sees a still "
    "figure, and a link unfolds with a picture of its page",
    without="Streamlit's own HTML is sent, and a first visit is slower",
)
CHUNKS = Part(
    "announced scripts",
    there(_FOLDER),
    _has_components,
    uses="the names of its scripts, and what they import",
    buys="the scripts of a page's first elements are fetched side by side with the first message",
    without="they are fetched after it",
)
TYPE = Part(
    "announced fonts",
    there(_FOLDER),
    _has_fonts,
    uses="the names of its fonts",
    buys="words stand in their font at once",
    without="the fonts come after the first words",
)
SERVER = Part(
    "the server's address, told",
    _has_address,
    uses="window.__streamlit.BACKEND_BASE_URL",
    buys="the front end does not look for the server below the page's own address first: one request less",
    without="it does",
)
