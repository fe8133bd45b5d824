"""Tiles of long maps for browsers: each is computed or read where its map is kept.

A session keeps its map, or what it is computed from; here stands only by which name it is asked for, which
goes with the session. Nothing runs a page, and no map is ever sent, or copied, as a whole.
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
    """What has the tiles of one map."""

    def tile(self, level: int, row: int, column: int) -> bytes:
        """Return one, as `attn_live.pyramid.Pyramid.tile` does; ValueError where there is none."""


class OpenMap:
    """A map that a session looks at; its name is 128 random bits, so that nobody guesses another's."""

    def __init__(self, source: Source) -> None:
        """Give it a name, for as long as somebody holds this."""
        self.name = secrets.token_urlsafe(16)
        self._source = source
        self._lock = Lock()
        _OPEN_MAPS[self.name] = self

    @property
    def address(self) -> str:
        """Where its tiles are, from the server's root."""
        return f"/{FOLDER}/{self.name}"

    def tile(self, level: int, row: int, column: int) -> bytes | None:
        """Return a tile, None where there is none; one at a time, so that what they share is made once."""
        with self._lock:
            try:
                return self._source.tile(level, row, column)
            except ValueError:  # raised further, it would hold the map beyond its session
                return None


_OPEN_MAPS: WeakValueDictionary[str, OpenMap] = WeakValueDictionary()


class Tiles:
    """ASGI middleware that answers for tiles, beside what runs pages."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap the application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for a tile, or hand on what asks for none."""
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
