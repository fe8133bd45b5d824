"""Files of this repository that the book includes as they are, and the links between them."""

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
TAKEN: Mapping[str, str] = {
    "DECISIONS.md": "decisions/index.md",
    "CHANGELOG.md": "built/changelog.md",
    "CONTRIBUTING.md": "built/contributing.md",
    "docs/architecture.md": "built/architecture.md",
    "docs/extending.md": "built/extending.md",
    "deploy/README.md": "built/deploying.md",
    "locales/terms.md": "built/terms.md",
} | {f"docs/decisions/{path.name}": f"decisions/{path.name}" for path in ROOT.glob("docs/decisions/*.md")}
"""Pages that are files elsewhere: the path of each, and its path in the book."""
WRITTEN: Mapping[str, str] = {f"docs/book/{path.name}": path.name for path in HERE.glob("*.md")}
"""Pages that are written for the book."""
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)(?=[)#])")


def with_book_links(file: str) -> str:
    """Return a page with its links to files of this repository replaced by their paths in the book.

    Raises:
        ValueError: a link leads to no file.
    """
    text = (ROOT / file).read_text(encoding="utf-8")
    sources = {**TAKEN, **WRITTEN}

    def here(link: re.Match[str]) -> str:
        target = _target(file, link[1])
        if not (ROOT / target).is_file():
            line = text.count("\n", 0, link.start()) + 1
            raise ValueError(f"{file}:{line}: wanted a link to a file of this repository, got {link[1]}")
        return os.path.relpath(sources.get(target, _in_book(target)), PurePosixPath(sources[file]).parent)

    return _LINK.sub(here, text)


def attached() -> dict[str, str]:
    """Return the files that pages link to and that are no pages, and their paths in the book."""
    sources = {**TAKEN, **WRITTEN}
    targets = {
        _target(file, link)
        for file in sources
        for link in _LINK.findall((ROOT / file).read_text(encoding="utf-8"))
    }
    return {target: _in_book(target) for target in sorted(targets - sources.keys())}


def _target(file: str, link: str) -> str:
    return os.path.normpath(PurePosixPath(file).parent / link)


def _in_book(file: str) -> str:
    return f"files/{PurePosixPath(file).name}"


def write(path: Path, content: bytes) -> None:
    """Write a file if its content changes: Sphinx reads newer files again."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
