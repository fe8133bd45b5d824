"""A list of links to this app, one a line, each with a title if you like."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from attn_ui.base.navigation import PAGES


@dataclass(frozen=True)
class Line:
    """One line of a list: its number, the link as it was written, where it leads, and its title."""

    number: int
    link: str
    path: str  # a page's address with its query
    title: str


def read_list(text: str) -> tuple[list[Line], list[str]]:
    """Return the links of a list, and a sentence for each line that is no link.

    >>> links, bad = read_list("single-head?t=0.5  Sharper\\n\\n# why\\nhello")
    >>> links
    [Line(number=1, link='single-head?t=0.5', path='single-head?t=0.5', title='Sharper')]
    >>> bad
    ["line 4 is no link to a page: 'hello'"]
    """
    links, bad = [], []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        link, _, title = line.strip().partition(" ")
        if not link or link.startswith("#"):
            continue
        path = _path_of(link)
        if path is None:
            bad.append(f"line {number} is no link to a page: {line.strip()[:60]!r}")
        else:
            links.append(Line(number, link, path, title.strip()))
    return links, bad


def _path_of(link: str) -> str | None:
    """Return a link's page and query; None where it leads to no page of this app."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    if parts.scheme not in ("", "http", "https") or bool(parts.scheme) != bool(parts.netloc):
        return None
    if not parts.scheme and not link.startswith("/") and not parts.path and not parts.query:
        return None
    # Behind a proxy the app may live below a path of its own.
    page = parts.path.strip("/").rpartition("/")[2] if parts.netloc else parts.path.strip("/")
    if page not in {each.address for each in PAGES}:
        return None
    return f"{page}?{parts.query}" if parts.query else page
