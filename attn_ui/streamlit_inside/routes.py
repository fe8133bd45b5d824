"""The addresses of Streamlit's server that are limited or closed here."""

import re

from starlette.datastructures import Headers
from starlette.types import Scope

from attn_ui.streamlit_inside.part import Part, equals, there

_SERVER = "streamlit.web.server.starlette"
_STREAM = "/_stcore/stream"
_METRICS = "/_stcore/metrics"
_UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")
FOLDERS = ("_stcore", "static", "media", "component")
"""What Streamlit serves below these is no page."""

STREAM = Part(
    "places of visitors",
    equals(f"{_SERVER}.starlette_websocket:_ROUTE_WEBSOCKET_STREAM", _STREAM[1:]),
    there(f"{_SERVER}.starlette_websocket:_parse_subprotocols"),
    uses="the address of the stream, and the session that a third subprotocol names",
    buys="whoever comes back to a session that is kept has a place",
    without="every connection counts as a new visitor",
)
UPLOAD = Part(
    "addresses of files",
    equals(f"{_SERVER}.starlette_routes:BASE_ROUTE_UPLOAD_FILE", "_stcore/upload_file"),
    uses="the address to which a file is sent, which names the session",
    buys="a visitor's files are counted, and nothing but a file may be larger than 64 kB",
    without="whatever is sent may be as large as a file",
)
METRICS = Part(
    "closed metrics",
    equals(f"{_SERVER}.starlette_routes:ROUTE_METRICS", _METRICS[1:]),
    uses="the address of Streamlit's open metrics",
    buys="nobody reads how many visitors there are",
    without="every address that ends in /metrics is closed",
)


def is_stream(scope: Scope) -> bool:
    """Tell whether a connection is a visitor's."""
    return scope["type"] == "websocket" and (not STREAM.on or str(scope["path"]).endswith(_STREAM))


def comes_back(scope: Scope) -> bool:
    """Tell whether a visitor names a session that may be kept."""
    named = Headers(scope=scope).get("sec-websocket-protocol", "").split(",")
    return STREAM.on and len(named) > 2


def may_be_file(path: str) -> bool:
    """Tell whether a file may be sent to an address."""
    return not UPLOAD.on or bool(_UPLOAD.search(path))


def session_of(path: str) -> str:
    """Return the session that a file is sent for; "" where none is named."""
    found = _UPLOAD.search(path) if UPLOAD.on else None
    return found[1] if found else ""


def is_metrics(path: str) -> bool:
    """Tell whether metrics stand at an address."""
    return path.rstrip("/").endswith(_METRICS if METRICS.on else "/metrics")
