"""Addresses with doubled slashes, which arise when a base address ends with a slash."""

import re
from urllib.parse import quote

_DOUBLED = re.compile(r"/(/+)(.*)", re.DOTALL)


def single_slashes(path: str) -> str | None:
    """Return the same path with single slashes, relative to it; None where it has only single ones.

    It is relative because a proxy may have removed the beginning of the path, and because an address that
    begins with two slashes would name another host.

    >>> single_slashes("//single-head"), single_slashes("/lab///single-head")
    ('../single-head', '../../single-head')
    """
    match = _DOUBLED.search(path)
    if match is None:
        return None
    more, rest = match.groups()
    return "../" * (len(more) + rest.count("/")) + quote(re.sub("/+", "/", rest))
