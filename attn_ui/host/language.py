"""The language of a request before any page runs: that of its link, else the browser's preference."""

from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import Scope

from attn_ui.base.link_options import LANG
from attn_ui.screen.language import preferred
from attn_words import is_spoken


def language_of(scope: Scope) -> str:
    """Return the language to answer a request in.

    >>> language_of({"query_string": b"", "headers": [(b"accept-language", b"zh-CN,zh;q=0.9,en;q=0.8")]})
    'zh'
    """
    linked = parse_qs(str(scope.get("query_string", b""), "latin-1")).get(LANG.name, [""])[0]
    if is_spoken(linked):
        return linked
    first, *_ = Headers(raw=scope["headers"]).get("accept-language", "").split(",")
    return preferred(first.partition(";")[0].strip())
