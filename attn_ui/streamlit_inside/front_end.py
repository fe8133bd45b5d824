"""Streamlit's own HTML, scripts and fonts as they lie on disk."""

import re
from collections.abc import Iterable
from pathlib import Path

from attn_ui.streamlit_inside.feature import Feature, expect, look_up

TEXTS = (".js", ".css")
# The front end looks for the server here first, and not below the page's own address.
SERVER_STANDS_AT = 'window.__streamlit ??= { BACKEND_BASE_URL: new URL(".", location.href).href };'
_FOLDER = "streamlit.file_util:get_static_dir"


def folder() -> Path | None:
    """Return the folder of Streamlit's front end; None if it is not found."""
    try:
        path = Path(look_up(_FOLDER)())
    except (LookupError, TypeError):
        return None
    return path if path.is_dir() else None


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


def font(stem: str) -> Path:
    """Return the file of one of its fonts.

    Raises:
        LookupError: there is none of that name.
    """
    paths = sorted(((folder() or Path("nowhere")) / "static" / "media").glob(f"{stem}.*"))
    if not paths:
        raise LookupError(f"a font called {stem} among Streamlit's own files")
    return paths[0]


def missing_names(names: Iterable[str]) -> list[str]:
    """Return the names that occur in none of its scripts, 23 MB that are read file by file.

    The script with most of the names is read first, so that few are left to look for in the others.
    """
    missing = {name: re.compile(rb"%s(?![\w-])" % name.encode()) for name in names}
    scripts = [path for path in texts().values() if path.suffix == ".js"]
    for path in sorted(scripts, key=lambda path: not path.name.startswith("index")):
        if not missing:
            break
        content = path.read_bytes()
        missing = {name: mark for name, mark in missing.items() if not mark.search(content)}
    return list(missing)


def _has_index() -> str:
    html = index()
    return next((f"index.html has no {tag}" for tag in ("</head>", "</body>") if html.count(tag) != 1), "")


def _has_address() -> str:
    return "" if not missing_names(["BACKEND_BASE_URL"]) else "no script knows BACKEND_BASE_URL"


HTML = Feature(
    "announced HTML",
    expect(_FOLDER),
    _has_index,
    uses="index.html on disk, into which lines are written before </head> and </body>",
    gives="a page shows its figure, still, before the app has come, and stands on its own paper, an old "
    "browser sees that figure and a sentence, and a link unfolds with a picture of its page",
    without="Streamlit's own HTML is sent, and a first visit is slower",
    upstream=(6567, 6609),
)
SERVER = Feature(
    "the server's address, told",
    _has_address,
    uses="window.__streamlit.BACKEND_BASE_URL",
    gives="no link to a page answers 404 twice, to a front end that looks for the server below that page",
    without="it does",
    upstream=(7074,),
)
