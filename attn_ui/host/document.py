"""The HTML that a visit begins with: Streamlit's own, with announcements of what a figure will need.

A figure requests its scripts and plotly.js only after Streamlit's first message: on a slow line they arrive
one after another. Announced in the HTML, they are fetched in parallel, and plotly.js runs while the page
waits for that message.
"""

import gzip
import hashlib
import json
from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st
from anyio import to_thread
from plotly.offline import get_plotlyjs_version
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attn_live.bundle import FONTS, bundle, content_hash, font
from attn_ui.base.link_options import LANG
from attn_ui.base.navigation import PAGES, PageEntry
from attn_ui.export.standalone import page, saver_version
from attn_ui.host import early_picture, link_preview
from attn_ui.host.assets import ALWAYS_ASK, FOREVER, PLOTLY_FILE, Asset, FrontEnd, reply, takes_gzip
from attn_ui.host.language import language_of
from attn_ui.host.slashes import single_slashes
from attn_ui.screen import lesson_panel, search, share, style, terms
from attn_ui.screen.live_figure import PLOTLY_ROUTE, module_address
from attn_ui.streamlit_inside import front_end, markup, routes
from attn_words import LANGUAGES, PSEUDO, SOURCE, is_spoken, speaking

# Relative, as Streamlit's own addresses are: right under a base path and behind a proxy that strips one.
_PLOTLY = f"./{PLOTLY_FILE}?v={get_plotlyjs_version()}"
# The server is where the page's own files are; given this address, Streamlit's front end does not look for it
# below the page's own address first. plotly.js blocks the main thread: it runs right after the page's first
# request, with little else to do until the answer. The live figure waits for a script with this mark; if that
# fails it removes itself, and the figure requests it anew.
_EARLY = """<script>
(() => {
  %s
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) {
    WebSocket.prototype.send = send;
    send.call(this, data);
    const script = document.createElement("script");
    script.dataset.plotly = "early";
    script.onerror = () => script.remove();
    script.src = "%s";
    document.head.append(script);
  };
})();
</script>"""


def announce(front: FrontEnd, page: PageEntry) -> str:
    """Return Streamlit's HTML with what a page's figure will request, and with what an old browser shows.

    Args:
        front: Streamlit's own files.
        page: the page at the address.
    """
    lines = [
        f'<link rel="modulepreload" crossorigin href="{module_address()}">',
        f'<link rel="preload" as="style" href="{style.address()}">',
        f'<link rel="preload" as="script" href="{_PLOTLY}">',
        early_picture.background(),
        _EARLY % (front_end.SERVER_STANDS_AT, _PLOTLY),
    ]
    # In the body: after Streamlit's own styles in the head, which count as much.
    dress = (
        f'<link rel="stylesheet" href="{style.address()}"><style data-arriving>{markup.arriving()}</style>'
    )
    html = front.index.replace("</head>", "\n".join([*lines, "</head>"]), 1)
    # Before the scripts of the head, which wait until all of the page is read.
    picture = json.dumps(link_preview.picture_of(page, "svg"))
    still = f"<script>(() => {{\n{bundle('needs.js')}standStill({picture});\n}})();</script>"
    return html.replace("</body>", f"{dress}\n{still}\n</body>", 1)


@cache
def _icon() -> str:
    return link_preview.ICON.read_text(encoding="utf-8")


_ICON = _icon, "image/svg+xml", None
_ROBOTS = "User-agent: *\nDisallow: /*?\n"  # pages, but not each of their settings
# Files that are requested when a figure is drawn or saved: how each is made, its type, and the mark of its
# version where that is not the hash of its content.
_PARTS: dict[str, tuple[Callable[[], str | bytes], str, Callable[[], str] | None]] = {
    f"{PLOTLY_ROUTE[1:]}/live.js": (bundle, "text/javascript", None),
    f"{PLOTLY_ROUTE[1:]}/page.css": (style.sheet, "text/css", None),
    f"{PLOTLY_ROUTE[1:]}/search.js": (search.module, "text/javascript", None),
    f"{PLOTLY_ROUTE[1:]}/search.json": (search.listing, "application/json", None),
    f"{PLOTLY_ROUTE[1:]}/terms.js": (terms.module, "text/javascript", None),
    f"{PLOTLY_ROUTE[1:]}/terms.json": (terms.listing, "application/json", None),
    f"{PLOTLY_ROUTE[1:]}/save_panel.js": (lambda: bundle("save_panel.js"), "text/javascript", saver_version),
    f"{PLOTLY_ROUTE[1:]}/moving.html": (page, "text/plain", saver_version),
    f"{PLOTLY_ROUTE[1:]}/{share.ARCHIVE}": (share.files, "application/zip", share.files_version),
    f"{PLOTLY_ROUTE[1:]}/icon.svg": _ICON,
    "favicon.ico": _ICON,  # clients that request this name take an SVG too
    "robots.txt": (lambda: _ROBOTS, "text/plain", None),
    **{
        f"{PLOTLY_ROUTE[1:]}/fonts/{name}.ttf": (partial(font, name), "font/ttf", saver_version)
        for name in FONTS
    },
}
# Below these no address is a page's.
_NO_PAGES = (*routes.FOLDERS, PLOTLY_ROUTE[1:], "pictures")


class _Document:
    """One text or file, plain and compressed, with a mark of its version."""

    def __init__(self, content: str | bytes, media_type: str = "text/html") -> None:
        if isinstance(content, str):
            media_type, content = f"{media_type}; charset=utf-8", content.encode()
        self.media_type = media_type
        self.plain = content
        self.compressed = gzip.compress(self.plain, 9, mtime=0)
        self.mark = hashlib.sha256(self.plain).hexdigest()[:12]  # as `content_hash` has it

    def answer(self, headers: Headers, method: str, cache: str = ALWAYS_ASK) -> Response:
        body = self.compressed if takes_gzip(headers) else self.plain
        return reply(
            headers,
            method,
            body=body,
            mark=self.mark,
            media_type=self.media_type,
            cache=cache,
            varies="Accept, Accept-Encoding, Accept-Language",
        )


def _cache_control(is_current: bool) -> str:
    """Return how long a browser may keep a file: for ever, if its address names the present version."""
    return FOREVER if is_current else ALWAYS_ASK


@lru_cache(maxsize=64)  # bounded: a client can send any host
def _document_at(text: str, where: str) -> _Document:
    return _Document(link_preview.insert_host(text, where))


@cache
def _part(name: str, language: str) -> _Document:
    make, media_type, _ = _PARTS[name]
    with speaking(language):
        return _Document(make(), media_type)


@lru_cache(maxsize=64)
def _still(name: str) -> _Document:
    return _Document(early_picture.content(name), early_picture.TYPES[Path(name).suffix])


class Assets:
    """ASGI middleware: the announced HTML, plotly.js, and Streamlit's scripts compressed once."""

    def __init__(self, app: ASGIApp, plotly: Asset, front: FrontEnd) -> None:
        """Wrap the application; made when the server starts, after its settings were read."""
        self.app = app
        self.plotly = plotly
        self.front = front
        base = str(st.get_option("server.baseUrlPath") or "").strip("/")
        self.base = f"/{base}/" if base else "/"
        icon = f".{PLOTLY_ROUTE}/icon.svg?v={content_hash(_icon())}"
        pages = [(page, announce(front, page)) for page in PAGES]
        self.pages: dict[tuple[str, str], tuple[str, str]] = {}  # by language and path
        for language in (*LANGUAGES, PSEUDO):
            with speaking(language):
                for page, text in pages:
                    html = link_preview.describe_page(text, page, self.base, icon)
                    path = f"{self.base}{page.address}"
                    self.pages[language, path] = html, early_picture.insert_picture(html, page, language)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer requests for pages and for known files; pass all others on."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._still(scope, headers) or await self._file(scope, headers)
        if answer is not None:
            await answer(scope, receive, send)
        elif self._may_be_page(scope["path"], headers.get("accept", "*/*")):
            query = scope["query_string"].decode("latin-1")
            place = single_slashes(scope["path"])
            if place and query:
                place = f"{place}?{query}"
            if place := place or await to_thread.run_sync(lesson_panel.first_step, query):
                await RedirectResponse(place)(scope, receive, send)
            else:
                await self._page(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _may_be_page(self, path: str, accept: str) -> bool:
        """Tell whether a request may be for a page; chats that preview a link accept any type."""
        if "text/html" in accept:
            return True
        first, *_ = path[len(self.base) :].split("/")
        return "*/*" in accept and path.startswith(self.base) and first not in _NO_PAGES

    def _still(self, scope: Scope, headers: Headers) -> Response | None:
        name = early_picture.file_at(str(scope["path"]).removeprefix(self.base))
        if not name:
            return None
        is_current = scope["query_string"] == f"v={early_picture.version(name)}".encode()
        return _still(name).answer(headers, scope["method"], _cache_control(is_current))

    async def _file(self, scope: Scope, headers: Headers) -> Response | None:
        path = str(scope["path"])
        if not path.startswith(self.base):
            return None
        name = path[len(self.base) :]
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        mark = query.get("v")
        if name == PLOTLY_FILE:
            return await self.plotly.answer(
                headers, scope["method"], _cache_control(mark == get_plotlyjs_version())
            )
        if name in _PARTS:
            _, _, version = _PARTS[name]
            language = query[LANG.name] if is_spoken(query.get(LANG.name)) else SOURCE
            part = await to_thread.run_sync(_part, name, language)
            current = version() if version else part.mark
            return part.answer(headers, scope["method"], _cache_control(mark == current))
        asset = self.front.texts.get(name)
        if name in link_preview.PICTURES:
            return FileResponse(link_preview.PICTURES[name], headers={"Cache-Control": link_preview.CACHE})
        # Streamlit serves the file as it is, in parts and all; only the compressed form is ours.
        if asset is None or not takes_gzip(headers) or "range" in headers:
            return None
        return await asset.answer(headers, scope["method"], FOREVER)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; replace Streamlit's own HTML in the answer by that with announcements."""
        plain = MutableHeaders(scope=scope).mutablecopy()
        for name in ("accept-encoding", "if-none-match", "if-modified-since", "range"):
            del plain[name]
        messages: list[Message] = []

        async def hold(message: Message) -> None:
            messages.append(message)

        await self.app({**scope, "headers": plain.raw, "method": "GET"}, receive, hold)
        body = b"".join(message.get("body", b"") for message in messages)
        if self.front.index and body.decode(errors="replace") == self.front.index:
            language = language_of(scope)
            entry = self.pages.get((language, scope["path"]))
            text, with_picture = entry or self.pages[language, self.base]
            if entry and early_picture.shows_first_figure(scope["query_string"].decode("latin-1")):
                text = with_picture
            document = _document_at(text, link_preview.origin(scope))
            await document.answer(Headers(scope=scope), scope["method"])(scope, receive, send)
            return
        for message in messages:
            bare = message["type"] == "http.response.body" and scope["method"] == "HEAD"
            await send({**message, "body": b""} if bare else message)
