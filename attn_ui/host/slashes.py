"""Links with a slash too many, as whoever joins an address that ends with one to a path makes them."""

import re
from urllib.parse import quote

_DOUBLED = re.compile(r"/(/+)(.*)", re.DOTALL)


def without_doubled(path: str) -> str | None:
    """Return where a path leads with one slash for several, from that path; None where it has single ones.

    It is relative: nothing here knows what a proxy has taken away from the path's beginning, and an address
    that begins with two slashes would name another host.

    >>> without_doubled("//single-head"), without_doubled("/lab///single-head")
    ('../single-head', '../../single-head')
    """
    found = _DOUBLED.search(path)
    if found is None:
        return None
    more, rest = found.groups()
    return "../" * (len(more) + rest.count("/")) + quote(re.sub("/+", "/", rest))
