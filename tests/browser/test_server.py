"""The server as a visitor meets it: headers, Plotly's own file, nothing from elsewhere."""

import gzip
import re
import tomllib
import urllib.error
import urllib.request
from email.message import Message
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route
from plotly.offline import get_plotlyjs, get_plotlyjs_version
from uvicorn.loops.auto import auto_loop_factory

from attn_live.bundle import bundle
from attn_ui.base.bounds import MAX_MAPS_BYTES
from attn_ui.base.navigation import PAGES
from attn_ui.host.assets import COMPILE_AT_ONCE
from attn_ui.host.security import HEADERS
from attn_ui.screen.live_figure import PLOTLY_ROUTE, module_address
from tests.browser.app_page import AppPage
from tests.browser.conftest import serving

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = ["http://127.0.0.1:9/words", "http://127.0.0.1:9/image", "ws://127.0.0.1:9/socket"]
# Each fails: nobody listens there.
ASK_ELSEWHERE = """async ([words, image, socket]) => {
    const failed = (made) => new Promise((done) => { made.onerror = done; });
    await fetch(words, { mode: 'no-cors' }).catch(() => null);
    await failed(Object.assign(new Image(), { src: image }));
    await failed(new WebSocket(socket));
}"""


@pytest.mark.essential
@pytest.mark.parametrize("path", ["/", "/single-head", "/_stcore/health", f"{PLOTLY_ROUTE}/plotly.min.js"])
def test_server_answers_all_have_the_security_headers(server: str, path: str) -> None:
    with urllib.request.urlopen(server + path) as answer:
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def _ask(url: str, **headers: str) -> tuple[int, Message, bytes]:
    request = urllib.request.Request(
        url, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def test_server_sends_the_installed_plotly_with_long_caching(server: str) -> None:
    url = f"{server}{PLOTLY_ROUTE}/plotly.min.js"
    status, headers, body = _ask(f"{url}?v={get_plotlyjs_version()}")
    assert (status, body) == (200, COMPILE_AT_ONCE + get_plotlyjs().encode())
    assert "immutable" in headers["Cache-Control"]
    assert headers["Vary"] == "Accept-Encoding"
    # An address that does not name this version is no promise of this content.
    for other in ("", "?v=1"):
        assert "immutable" not in _ask(url + other)[1]["Cache-Control"]
    status, headers, _ = _ask(f"{server}{PLOTLY_ROUTE}/plotly.min.map?v={get_plotlyjs_version()}")
    assert "immutable" not in (headers["Cache-Control"] or "")


def test_server_caches_the_module_by_version_alone(server: str) -> None:
    url = f"{server}/{module_address()[2:]}"
    status, headers, body = _ask(url)
    assert (status, body.decode()) == (200, bundle())
    assert "immutable" in headers["Cache-Control"]
    assert "immutable" not in _ask(url[:-1])[1]["Cache-Control"]
    assert url.removeprefix(f"{server}/") in _ask(server, Accept="text/html")[2].decode()


@pytest.mark.parametrize("name", ["plotly", "index"])
def test_server_sends_scripts_compressed_and_once(server: str, name: str) -> None:
    index = _ask(server, Accept="text/plain")[2].decode()
    found = re.search(r'src="\./(static/js/index[^"]+)"', index)
    assert found is not None
    path = {"plotly": f"plotly/plotly.min.js?v={get_plotlyjs_version()}", "index": found[1]}[name]
    _, plain, whole = _ask(f"{server}/{path}", Accept_Encoding="identity")
    status, headers, packed = _ask(f"{server}/{path}", Accept_Encoding="gzip, deflate, br")
    assert (status, headers["Content-Encoding"]) == (200, "gzip")
    assert gzip.decompress(packed) == whole
    assert len(packed) < 0.4 * len(whole)
    assert "immutable" in headers["Cache-Control"]
    assert "Accept-Encoding" in headers["Vary"]
    assert headers["ETag"] != plain["ETag"]
    status, _, body = _ask(f"{server}/{path}", Accept_Encoding="gzip", If_None_Match=headers["ETag"])
    assert (status, body) == (304, b"")
    # A browser that refuses gzip is not given it.
    assert _ask(f"{server}/{path}", Accept_Encoding="gzip;q=0")[2] == whole


def test_server_page_preloads_what_it_will_request(server: str) -> None:
    _, headers, page = _ask(f"{server}/single-head", Accept="text/html", Accept_Encoding="gzip")
    html = gzip.decompress(page).decode()
    assert (
        f'<link rel="preload" as="script" href="./plotly/plotly.min.js?v={get_plotlyjs_version()}">' in html
    )
    assert headers["Cache-Control"] == "no-cache"
    assert set(headers["Vary"].split(", ")) == {"Accept", "Accept-Encoding", "Accept-Language"}
    assert _ask(f"{server}/single-head", Accept="text/html", If_None_Match=headers["ETag"])[0] == 200
    known = {"Accept": "text/html", "Accept_Encoding": "gzip", "If_None_Match": headers["ETag"]}
    assert _ask(f"{server}/single-head", **known)[0] == 304
    # What is not a page is answered as ever.
    assert _ask(f"{server}/_stcore/health", Accept="text/html")[2] == b"ok"
    assert _ask(f"{server}/..%5c..%5cetc", Accept="text/html")[0] == 400


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", [page.address for page in PAGES])
def test_server_page_preloads_nothing_unused(browser: Browser, server: str, path: str) -> None:
    announced = set(
        re.findall(
            r'href="\./((?:static|plotly)/(?!icon|early)[^"]+)"',
            _ask(f"{server}/{path}", Accept="text/html")[2].decode(),
        )
    )
    plain = set(
        re.findall(
            r'(?:href|src)="\./((?:static|plotly)/[^"]+)"',
            _ask(f"{server}/{path}", Accept="text/plain")[2].decode(),
        )
    )
    context = browser.new_context()
    page = context.new_page()
    # Without announcements: as to a client that does not ask for HTML.
    page.route(
        re.compile(f"^{re.escape(server)}/{path}$"),
        lambda route: route.continue_(headers={**route.request.headers, "accept": "text/plain"}),
    )
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url.removeprefix(f"{server}/")))
    page.goto(f"{server}/{path}")
    page.wait_for_selector(".live-figure[data-state=drawn]", timeout=180_000)
    context.close()
    files = {name.partition("?")[0].rpartition("/")[2] for name in announced - plain}
    assert files == {"live.js", "page.css", "plotly.min.js"}
    assert announced - plain - asked == set()


def test_server_page_has_its_own_address(tab: Page, server: str) -> None:
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(f"{server}/single-head?mask=causal")
    tab.wait_for_selector(".live-figure[data-state=drawn]", timeout=180_000)

    assert tab.evaluate("window.__streamlit") == {"BACKEND_BASE_URL": f"{server}/"}
    assert [url for url in asked if url.endswith("/_stcore/health")] == [f"{server}/_stcore/health"]


def test_server_plotly_is_fetched_and_run_once(browser: Browser, server: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server}/single-head")
    page.wait_for_selector(".live-figure[data-state=drawn]", timeout=180_000)
    found = page.locator("script[src*=plotly]")
    assert (found.count(), found.get_attribute("data-plotly")) == (1, "early")
    assert len({url for url in asked if "plotly.min.js" in url}) == 1
    context.close()


def test_figure_fetches_plotly_itself_if_the_early_load_failed(browser: Browser, server: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    failed: list[str] = []

    def fail_at_first(route: Route) -> None:
        if failed:
            route.continue_()
        else:
            failed.append(route.request.url)
            route.abort()

    # Without the preload, whose failure is not the script's.
    page.route(re.compile("plotly.min.js"), fail_at_first)
    page.goto(f"{server}/single-head")
    page.wait_for_selector(".live-figure[data-state=drawn]", timeout=180_000)
    assert len(failed) == 1
    context.close()


@pytest.mark.essential
def test_pages_and_figures_work_below_a_base_path(browser: Browser) -> None:
    with serving("app.py", "--server.baseUrlPath=lab", base="/lab") as address:
        context = browser.new_context()
        page = context.new_page()
        missing: list[str] = []
        page.on(
            "response",
            lambda r: missing.append(r.url) if r.status >= 400 and "/_stcore/" not in r.url else None,
        )
        page.goto(f"{address}/lab/single-head")
        page.wait_for_selector(".live-figure[data-state=drawn]", timeout=180_000)
        assert page.locator("script[src*=plotly]").get_attribute("data-plotly") == "early"
        page.goto(f"{address}/lab//single-head?q=1")
        page.wait_for_selector(".live-figure[data-state=drawn]", timeout=180_000)
        assert page.url == f"{address}/lab/single-head?q=1"
        assert missing == []
        context.close()


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("//single-head?q=1&text=a%26b", "/single-head?q=1&text=a%26b"),
        ("///single-head", "/single-head"),
        ("//", "/"),
        ("//elsewhere.example//single-head", "/elsewhere.example/single-head"),  # no other host
    ],
)
def test_link_with_a_doubled_slash_opens_the_page(tab: Page, server: str, asked: str, meant: str) -> None:
    answer = tab.goto(server + asked)
    assert answer is not None
    assert answer.status == 200  # Streamlit says that there is no such page
    assert tab.url == server + meant


def test_metrics_are_closed_without_a_proxy(server: str) -> None:
    assert _ask(f"{server}/_stcore/metrics")[0] == 404


@pytest.mark.parametrize("path", ["../requirements.txt", "%2e%2e/__init__.py", "..%2f__init__.py"])
def test_plotly_route_serves_nothing_else(tab: Page, server: str, path: str) -> None:
    answer = tab.request.get(f"{server}{PLOTLY_ROUTE}/{path}")
    assert "import" not in answer.text()
    assert "torch" not in answer.text()


@pytest.mark.essential
def test_page_fetches_nothing_from_elsewhere(app: AppPage) -> None:
    asked: list[str] = []
    app.page.on("request", lambda request: asked.append(request.url))
    for page in PAGES:
        app.open(page.address)
    own = (app.server, "data:", f"blob:{app.server}")
    assert [url for url in asked if not url.startswith(own)] == []
    assert len(asked) > 20


@pytest.mark.essential
def test_page_that_fetches_from_elsewhere_fails_its_test(app: AppPage) -> None:
    app.open("glossary")
    app.page.evaluate(ASK_ELSEWHERE, ELSEWHERE)
    assert [url for url in ELSEWHERE if not any(url in error for error in app.errors)] == []
    app.errors.clear()


def test_server_runs_on_uvloop() -> None:
    # Only there does Streamlit's server send small answers without waiting (TCP_NODELAY).
    assert auto_loop_factory().__module__.startswith("uvloop")


def test_server_streamlit_settings_are_set() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["showEmailPrompt"] is False
    assert settings["server"]["maxUploadSize"] * 1_000_000 == MAX_MAPS_BYTES
    assert settings["runner"]["postScriptGC"] is False
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["client"]["showErrorDetails"] == "none"
