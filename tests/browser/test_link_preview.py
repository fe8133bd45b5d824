"""What a chat that unfolds a link finds: asked by plain HTTP, as it asks, and read by Python's own parser."""

import http.client
import io
from html.parser import HTMLParser
from urllib.parse import quote, urlsplit

import pytest
from PIL import Image

from attn_ui.base.navigation import PAGES, PageEntry
from tests.browser.app_page import AppPage

CHAT = {"User-Agent": "Mozilla/5.0 (compatible; a chat that unfolds links)", "Accept": "*/*"}
HOSTILE = '"><script>alert(1)</script>{{ORIGIN}}'


class Head(HTMLParser):
    """The parts of an HTML that speak of it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.meta: dict[str, list[str]] = {}
        self.title = self.lang = self.icon = ""
        self.in_title = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.in_title = tag == "title"
        if tag == "html":
            self.lang = found.get("lang", "")
        if tag == "meta":
            name = found.get("property") or found.get("name", "")
            self.meta.setdefault(name, []).append(found.get("content", ""))
        if tag == "link" and found.get("rel") == "shortcut icon":
            self.icon = found["href"]

    def handle_endtag(self, tag: str) -> None:
        self.in_title = False

    def handle_data(self, data: str) -> None:
        if self.in_title:
            self.title += data


def ask(server: str, target: str, **headers: str) -> tuple[int, str, bytes]:
    """Ask for a target as it stands, with headers as they stand; return status, type and body."""
    at = urlsplit(server)
    connection = http.client.HTTPConnection(at.hostname or "", at.port, timeout=60)
    sent = {**CHAT, **{name.replace("_", "-"): text for name, text in headers.items()}}
    connection.request("GET", target, headers=sent)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.getheader("Content-Type", ""), body


def head(server: str, target: str, **headers: str) -> Head:
    status, kind, body = ask(server, target, **headers)
    assert (status, kind) == (200, "text/html; charset=utf-8")
    return Head(body.decode())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.folder)
@pytest.mark.parametrize("accept", ["*/*", "text/html,application/xhtml+xml"])
def test_link_preview_describes_each_address(server: str, page: PageEntry, accept: str) -> None:
    found = head(server, f"/{page.address}?t=2.00", Accept=accept)
    assert found.lang == "en"
    assert found.title == page.heading
    only = {name: content for name, (content,) in found.meta.items() if name}
    assert only["description"] == only["og:description"] == page.about != ""
    assert only["og:title"] == page.heading
    assert only["twitter:card"] == "summary_large_image"
    assert only["og:image"] == f"{server}/pictures/{page.address or 'overview'}.png"
    status, kind, body = ask(server, urlsplit(only["og:image"]).path)
    assert (status, kind) == (200, "image/png")
    assert Image.open(io.BytesIO(body)).size == (int(only["og:image:width"]), int(only["og:image:height"]))
    status, kind, icon = ask(server, found.icon.removeprefix("."))
    assert (status, kind) == (200, "image/svg+xml; charset=utf-8")
    assert icon.startswith(b"<svg")


@pytest.mark.essential
def test_link_preview_title_description_and_picture_are_unique(server: str) -> None:
    heads = [head(server, f"/{page.address}") for page in PAGES]
    for what in ("og:title", "og:description", "og:image"):
        assert len({found.meta[what][0] for found in heads}) == len(PAGES)


def test_link_preview_picture_has_the_address_of_the_visitor(server: str) -> None:
    found = head(server, "/single-head", Host="lab.example.edu:8443", X_Forwarded_Proto="https")
    assert found.meta["og:image"] == ["https://lab.example.edu:8443/pictures/single-head.png"]
    found = head(server, "/single-head", Host="[::1]:8501", X_Forwarded_Proto="https, http")
    assert found.meta["og:image"] == ["https://[::1]:8501/pictures/single-head.png"]


@pytest.mark.parametrize(
    "headers",
    [{"Host": HOSTILE}, {"Host": 'a"b'}, {"Host": "a b"}, {"Host": "lab.edu/%0d"}, {"Host": "user@lab.edu"}],
)
def test_invalid_host_header_is_not_repeated_in_the_page(server: str, headers: dict[str, str]) -> None:
    status, _, body = ask(server, "/single-head", **headers)
    assert status in (200, 400)
    assert b"alert" not in body
    if status == 200:
        assert Head(body.decode()).meta["og:image"] == ["/pictures/single-head.png"]


def test_invalid_scheme_is_not_repeated_in_the_page(server: str) -> None:
    found = head(server, "/single-head", X_Forwarded_Proto='javascript:alert(1)//"><script>')
    assert found.meta["og:image"] == [f"{server}/pictures/single-head.png"]


@pytest.mark.parametrize("target", ["/nowhere", "/nowhere/at/all", f"/{quote(HOSTILE)}"])
def test_link_preview_of_an_unknown_address_is_the_first_pages(server: str, target: str) -> None:
    found = head(server, target)
    assert found.title == "Attention lab"
    assert found.meta["og:image"] == [f"{server}/pictures/overview.png"]


@pytest.mark.parametrize("page", ["", "single-head", "nowhere"])
def test_link_preview_repeats_nothing_of_the_query(server: str, page: str) -> None:
    # A link that sets something: without one a page has its picture before the app.
    _, _, plain = ask(server, f"/{page}?seed=1")
    for asked in (
        f"?say={quote(HOSTILE)}",
        "?say=%22onload=alert(1)",
        "?text=%3C/title%3E%3Cscript%3Ealert(1)",
    ):
        assert ask(server, f"/{page}{asked}")[2] == plain
    assert b"{{" not in plain


@pytest.mark.parametrize("target", ["/pictures/..%2f..%2fapp.py", "/pictures/overview.png/..", "/pictures/"])
def test_link_preview_route_serves_pictures_only(server: str, target: str) -> None:
    _, kind, body = ask(server, target)
    assert kind != "image/png"
    assert b"import streamlit" not in body


def test_window_title_equals_the_heading_of_its_page(app: AppPage) -> None:
    for page in PAGES[:2]:
        app.open(page.address)
        assert app.page.title() == page.heading
    app.page.get_by_test_id("stTopNavLink").filter(has_text="Single head").first.click()
    app.page.wait_for_function("() => document.title === 'Single head · Attention lab'")
    app.settle()
