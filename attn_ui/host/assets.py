"""Files that a first visit needs: compressed once, and kept by the browser."""

import gzip
import hashlib
import re
from importlib.resources import files
from pathlib import Path
from threading import Lock

from anyio import to_thread
from plotly.offline import get_plotlyjs_version
from starlette.datastructures import Headers
from starlette.responses import Response

from attn_ui.screen.live_figure import PLOTLY_ROUTE
from attn_ui.streamlit_inside import front_end

PLOTLY_FILE = f"{PLOTLY_ROUTE[1:]}/plotly.min.js"
# Each address has a version or a hash of its content, which therefore never changes.
FOREVER = "public, max-age=31536000, immutable"
ALWAYS_ASK = "no-cache"
# Before a script's first line: V8 compiles all its functions at once, and none of them twice.
# https://v8.dev/blog/explicit-compile-hints
COMPILE_AT_ONCE = b"//# allFunctionsCalledOnLoad\n"
_TEXTS = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
_VERSION = re.compile(r"plotly\.js (?:\([^)]*\) )?v(\d+\.\d+\.\d+)")


class Asset:
    """One file on disk, compressed at the first request and then kept."""

    def __init__(self, path: Path, first: bytes = b"") -> None:
        """Take the path of the file, and bytes to serve before its content; nothing is read yet."""
        self.path = path
        self.first = first
        self._lock = Lock()
        self._compressed: tuple[bytes, str] | None = None

    def plain(self) -> bytes:
        """Read the content as it is served."""
        return self.first + self.path.read_bytes()

    def compress(self) -> tuple[bytes, str]:
        """Return the compressed content and its hash; calls at the same time wait for one result."""
        with self._lock:
            if self._compressed is None:
                content = self.plain()
                mark = hashlib.sha256(content).hexdigest()[:20]
                self._compressed = gzip.compress(content, 6, mtime=0), mark
            return self._compressed

    async def answer(self, headers: Headers, method: str, cache: str) -> Response:
        """Answer a request for this file, compressed where the browser takes that."""
        body, mark = await to_thread.run_sync(self._content, takes_gzip(headers))
        return reply(headers, method, body=body, mark=mark, media_type=_TEXTS[self.path.suffix], cache=cache)

    def _content(self, zipped: bool) -> tuple[bytes, str]:
        content, mark = self.compress()
        return content if zipped else self.plain(), mark


def reply(
    headers: Headers,
    method: str,
    *,
    body: bytes,
    mark: str,
    media_type: str,
    cache: str,
    varies: str = "Accept-Encoding",
) -> Response:
    """Answer a request for a text, with 304 where the browser has this version already.

    Args:
        headers: the request's.
        method: "HEAD" gets no body, but the length that it would have.
        body: compressed where the browser takes that (`takes_gzip`).
        mark: identifies this version.
        media_type, cache, varies: of the answer's headers.
    """
    zipped = takes_gzip(headers)
    tag = f'"{mark}{"-gz" if zipped else ""}"'
    meta = {"Cache-Control": cache, "ETag": tag, "Vary": varies}
    if tag in (part.strip().removeprefix("W/") for part in headers.get("if-none-match", "").split(",")):
        return Response(status_code=304, headers=meta)
    if zipped:
        meta["Content-Encoding"] = "gzip"
    answer = Response(body, headers=meta, media_type=media_type)
    if method == "HEAD":
        answer.body = b""
    return answer


def takes_gzip(headers: Headers) -> bool:
    """Tell whether the browser takes gzip."""
    for part in headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return not re.fullmatch(r"q=0(\.0*)?", weight.strip().replace(" ", ""))
    return False


def plotly_js(folder: Path | None = None) -> Asset:
    """Read plotly.js: the installed plotly's, or the bundle in a folder.

    Args:
        folder: holds one `plotly*.min.js`; None is the installed plotly's folder.

    Raises:
        ValueError: no such file, several, or of another version than the installed plotly writes for.
    """
    place = folder or Path(str(files("plotly") / "package_data"))
    paths = sorted(place.glob("plotly*.min.js"))
    version = get_plotlyjs_version()
    fix = f"npm pack plotly.js-cartesian-dist-min@{version} brings the one that agrees"
    if len(paths) != 1:
        names = ", ".join(path.name for path in paths) or "none"
        raise ValueError(f"wanted one file plotly*.min.js in {place}, got {names}; {fix}")
    with paths[0].open("rb") as file:
        match = _VERSION.search(file.read(400).decode(errors="replace"))
    if match is None or match[1] != version:
        came = f"version {match[1]}" if match else "a file without a version"
        raise ValueError(f"the installed plotly needs plotly.js {version}, got {came} in {paths[0]}; {fix}")
    return Asset(paths[0], COMPILE_AT_ONCE)


class FrontEnd:
    """Streamlit's own HTML, scripts and styles, by their path below the server's address."""

    def __init__(self) -> None:
        """List what is installed."""
        self.index = front_end.index() if front_end.HTML.on else ""
        self.texts = {path: Asset(file) for path, file in front_end.texts().items()}

    def prepare(self) -> None:
        """Compress the files that every first visit requests, before the first visitor comes."""
        for path, asset in self.texts.items():
            if path in self.index:
                asset.compress()
