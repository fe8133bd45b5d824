"""The addresses of Streamlit's server: that of its stream, and folders that hold no pages."""

from starlette.datastructures import Headers
from starlette.types import Scope

from attn_ui.streamlit_inside.feature import Feature, equals, expect

_SERVER = "streamlit.web.server.starlette"
_STREAM = "/_stcore/stream"
FOLDERS = ("_stcore", "static", "media", "component")
"""What Streamlit serves below these is no page."""

STREAM = Feature(
    "places of visitors",
    equals(f"{_SERVER}.starlette_websocket:_ROUTE_WEBSOCKET_STREAM", _STREAM[1:]),
    expect(f"{_SERVER}.starlette_websocket:_parse_subprotocols"),
    uses="the address of the stream, and the session that a third subprotocol names",
    gives="whoever comes back to a session that is kept has a place",
    without="every connection counts as a new visitor",
)


def is_stream(scope: Scope) -> bool:
    """Whether a connection is a visitor's stream of messages."""
    return scope["type"] == "websocket" and (not STREAM.on or str(scope["path"]).endswith(_STREAM))


def has_session(scope: Scope) -> bool:
    """Whether a visitor names a session that may still be kept."""
    protocols = Headers(scope=scope).get("sec-websocket-protocol", "").split(",")
    return STREAM.on and len(protocols) > 2
