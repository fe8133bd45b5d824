"""Tiles of long maps, sent to browsers without running a page.

A session keeps its map, or what it is computed from; this module only keeps the name of the map in addresses,
which ends with the session. No map is ever sent, or copied, as a whole.
"""

import re
import secrets
from threading import Lock
from typing import Protocol
from weakref import WeakValueDictionary

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = "map-tiles"
_ADDRESS = re.compile(rf"/{FOLDER}/([\w-]{{22}})/(\d{{1,2}})\.(\d{{1,4}})\.(\d{{1,4}})$", re.ASCII)


class Source(Protocol):
    """The source of the tiles of one map."""

    def tile(self, level: int, row: int, column: int) -> bytes:
        """Return a tile, as `attn_live.pyramid.Pyramid.tile` does; ValueError if there is none."""


class OpenMap:
    """A map that is open in a session; its name is 128 random bits, so that nobody guesses another's."""

    def __init__(self, source: Source) -> None:
        """Register the map under a new name, for as long as this object is in use."""
        self.name = secrets.token_urlsafe(16)
        self._source = source
        self._lock = Lock()
        _OPEN_MAPS[self.name] = self

    @property
    def address(self) -> str:
        """The path of its tiles, from the server's root."""
        return f"/{FOLDER}/{self.name}"

    def tile(self, level: int, row: int, column: int) -> bytes | None:
        """Return a tile, or None; calls run one at a time, so that what tiles share is computed once."""
        with self._lock:
            try:
                return self._source.tile(level, row, column)
            except ValueError:  # raised further, it would hold the map beyond its session
                return None


_OPEN_MAPS: WeakValueDictionary[str, OpenMap] = WeakValueDictionary()


class Tiles:
    """ASGI middleware that answers requests for tiles, apart from the runs of pages."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap the application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a tile; pass all others on."""
        match = _ADDRESS.search(scope["path"]) if scope["type"] == "http" else None
        if not match or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        open_map = _OPEN_MAPS.get(match[1])
        tile = await run_in_threadpool(open_map.tile, *map(int, match.groups()[1:])) if open_map else None
        answer: Response = PlainTextResponse("no such tile", 404)
        if tile is not None:
            answer = Response(tile, media_type="application/octet-stream")
        answer.headers["Cache-Control"] = "no-store"  # it is of one session
        await answer(scope, receive, send)
