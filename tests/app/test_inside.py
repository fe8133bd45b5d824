"""What Streamlit does not document stands in one folder, is declared, and may be missing: the app runs."""

import ast
import asyncio
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit.runtime.state.query_params import QueryParams

from attn_ui.host import document
from attn_ui.host.assets import FrontEnd, plotly_js
from attn_ui.host.limits import Limits
from attn_ui.host.uploads import MAX_BYTES_ELSEWHERE, UploadLimits
from attn_ui.streamlit_inside import front_end, markup, messages, routes, self_check, uploaded
from attn_ui.streamlit_inside.feature import Feature
from tests.pages import open_page

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "attn_ui" / "streamlit_inside"
SHIPPED = [ROOT / "app.py"]
SHIPPED += [
    path
    for name in ("attn_core", "attn_figures", "attn_live", "attn_ui", "attn_words", "pages")
    for path in (ROOT / name).rglob("*")
]
# A module that its documents name, or whose names they show as what calls return and raise.
DOCUMENTED = {"streamlit", "streamlit.testing.v1", "streamlit.delta_generator", "streamlit.errors"}
OF_ELEMENTS = re.compile(r"\bst[A-Z]\w+|\bdata-(?:rac|collapsed|focus-visible|test-\w[\w-]*)")


def undocumented(source: str) -> list[str]:
    """List what a module names of Streamlit's that has no documents."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names if each.name.startswith("streamlit.")]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "streamlit":
            found += [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += re.findall(r"streamlit(?:\.[a-z_]\w*)+", node.value) if " " not in node.value else []
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value).partition(".")[0] in (
            "st",
            "streamlit",
        ):
            found += [ast.unparse(node)] if node.attr.startswith("_") else []
    public = {name for name in found if name.rpartition(".")[0] in DOCUMENTED - {"streamlit"}}
    return [name for name in found if name not in DOCUMENTED | public]


def test_streamlit_internals_are_used_in_one_folder_only() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in SHIPPED if path.suffix == ".py"}
    named = {path: found for path, source in sources.items() if (found := undocumented(source))}
    assert {path.relative_to(ROOT).as_posix() for path in named if FOLDER not in path.parents} == set()
    assert len(named) > 5


@pytest.mark.parametrize(
    "line",
    [
        "from streamlit.runtime.scriptrunner import get_script_run_ctx",
        "from streamlit import config",
        "import streamlit.web.cli",
        "import_module('streamlit.elements.lib')",
        "st._main",
        "st.session_state._state",
    ],
)
def test_undocumented_names_are_detected(line: str) -> None:
    assert undocumented(line)
    assert not undocumented(
        "import streamlit as st\nfrom streamlit.testing.v1 import AppTest\nst.write(self._a)"
    )


def test_streamlit_elements_by_class_are_in_one_folder_and_listed() -> None:
    named = {
        path: set(OF_ELEMENTS.findall(path.read_text(encoding="utf-8")))
        for path in SHIPPED
        if path.suffix in (".py", ".js", ".css", ".html")
    }
    outside = {path.name: found for path, found in named.items() if found and FOLDER not in path.parents}
    assert outside == {}
    used = set().union(*(found for path, found in named.items() if path.name != "markup.py"))
    ours = re.findall(
        r"\bst[A-Z]\w+|data-test-[\w-]+", " ".join((markup.PROSE, markup.READY, markup.SIDEBAR))
    )
    assert sorted(used | set(ours)) == sorted(markup.NAMES)


def test_streamlit_feature_is_probed_and_states_its_use() -> None:
    modules = [import_module(f"attn_ui.streamlit_inside.{path.stem}") for path in FOLDER.glob("[a-z]*.py")]
    declared = [each for module in modules for each in vars(module).values() if isinstance(each, Feature)]
    assert set(declared) == set(self_check.FEATURES)
    assert len(self_check.FEATURES) <= 9
    for feature in self_check.FEATURES:
        assert feature.needs
        assert all((feature.name, feature.uses, feature.gives, feature.without))


def test_installed_streamlit_has_every_part(caplog: pytest.LogCaptureFixture) -> None:
    for feature in self_check.FEATURES:
        vars(feature).pop("missing", None)
    self_check.check()
    assert not caplog.records


class _MadeOtherwise:
    def __init__(self, endpoint: str) -> None:
        self.files: dict[str, Any] = {}


def no_page(folder: Path) -> Callable[[], str]:
    """Make a front end without all that is looked for in one."""
    (folder / "index.html").write_text("<html></html>")
    (folder / "static" / "js").mkdir(parents=True)
    (folder / "static" / "js" / "main.0.js").write_text("'stSomething'")
    return lambda: str(folder)


GONE = object()
_populate = QueryParams.populate_from_query_string
_CONTEXT = "streamlit.runtime.scriptrunner_utils.script_run_context.ScriptRunContext.__dataclass_fields__"
_ROUTES = "streamlit.web.server.starlette"
ALTERED: dict[str, tuple[str, Any]] = {
    "the run in progress": ("streamlit.runtime.scriptrunner.get_script_run_ctx", lambda: None),
    "settings that two pages share": (
        "streamlit.runtime.state.query_params.QueryParams.populate_from_query_string",
        lambda self, text, *more, **named: _populate(self, text, *more, **named),  # noqa: PLW0108  (another name)
    ),
    "reading of messages": ("streamlit.proto.BackMsg_pb2.BackMsg", GONE),
    "limits of files by visitor": (
        "streamlit.runtime.memory_uploaded_file_manager.MemoryUploadedFileManager",
        _MadeOtherwise,
    ),
    "places of visitors": (f"{_ROUTES}.starlette_websocket._ROUTE_WEBSOCKET_STREAM", "_stcore/flow"),
    "announced HTML": ("streamlit.file_util.get_static_dir", GONE),
    "the server's address, told": ("streamlit.file_util.get_static_dir", no_page),
    "dress of Streamlit's own elements": ("streamlit.file_util.get_static_dir", no_page),
}


@pytest.fixture
def alter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Take away or alter what parts stand on; all is looked for again before and after."""

    def change(*names: str) -> None:
        for name in names:
            target, to = ALTERED[name]
            if to is GONE:
                monkeypatch.delattr(target)
            else:
                monkeypatch.setattr(target, to(tmp_path) if to is no_page else to)
        for feature in self_check.FEATURES:
            vars(feature).pop("missing", None)

    yield change
    monkeypatch.undo()
    for feature in self_check.FEATURES:
        vars(feature).pop("missing", None)


def test_streamlit_parts_are_all_altered_below() -> None:
    assert [feature.name for feature in self_check.FEATURES] == list(ALTERED)


@pytest.mark.parametrize("name", ALTERED)
def test_app_runs_without_a_streamlit_part_and_logs_one_line(
    name: str, alter: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    alter(name)
    self_check.check()
    (record,) = caplog.records
    (feature,) = [each for each in self_check.FEATURES if each.name == name]
    assert f"{name} (" in record.getMessage()
    assert feature.without in record.getMessage()
    assert "\n" not in record.getMessage()
    at = open_page("single-head", t="2.00")
    assert not at.exception
    assert at.title[0].value == "Single-head attention"


async def _send(app: Any, scope: Scope, *bodies: bytes) -> list[Message]:
    """Send a request in parts; return what is answered."""
    parts = [{"type": "http.request", "body": each, "more_body": True} for each in bodies]
    parts.append({"type": "http.request", "body": b"", "more_body": False})
    answers: list[Message] = []

    async def receive() -> Message:
        return parts.pop(0)

    async def send(message: Message) -> None:
        answers.append(message)

    await app({"type": "http", "headers": [], "query_string": b"", **scope}, receive, send)
    return answers


async def _says_ok(_: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
    await send({"type": "http.response.body", "body": b"<p>Streamlit's own</p>"})


def test_streamlit_html_is_served_unchanged_without_its_part(alter: Callable[..., None]) -> None:
    alter("announced HTML")
    assert (front_end.texts(), FrontEnd().index) == ({}, "")
    app = document.Assets(_says_ok, plotly_js(), FrontEnd())
    accept = [(b"accept", b"text/html")]
    answers = asyncio.run(_send(app, {"method": "GET", "path": "/single-head", "headers": accept}))
    assert answers[-1]["body"] == b"<p>Streamlit's own</p>"


def test_upload_path_unknown_lets_one_file_be_sent(alter: Callable[..., None]) -> None:
    large, scope = bytes(2 * MAX_BYTES_ELSEWHERE), {"method": "POST", "path": "/_stcore/files/s/1"}
    assert asyncio.run(_send(UploadLimits(_says_ok), scope, large))[0]["status"] == 413
    alter("limits of files by visitor")
    assert asyncio.run(_send(UploadLimits(_says_ok), scope, large))[0]["status"] == 200
    assert (uploaded.file_sizes(), uploaded.is_open("anybody")) == ({}, True)


def test_unreadable_messages_keep_a_visitor_who_sends_any(alter: Callable[..., None]) -> None:
    alter("reading of messages", "places of visitors")
    stay: list[Message] = [
        {"type": "websocket.receive", "bytes": b"?"},
        {"type": "websocket.receive", "bytes": b"!"},
    ]
    assert messages.Talk().correct(stay[0]) == stay[0]
    heard: list[bytes] = []

    async def app(_: Scope, receive: Receive, __: Send) -> None:
        heard.extend([(await receive())["bytes"] for _ in range(2)])

    async def receive() -> Message:
        if len(heard) or len(stay) == 1:
            await asyncio.sleep(0.2)  # longer than who says nothing may
        return stay.pop(0)

    async def send(message: Message) -> None:
        raise AssertionError(message)

    scope = {"type": "websocket", "path": "/_stcore/flow", "headers": []}
    assert routes.is_stream(scope)
    asyncio.run(Limits(app, sessions=1, changes=100.0, ask_within=0.1)(scope, receive, send))
    assert heard == [b"?", b"!"]


@pytest.mark.parametrize(("path", "kind"), [("/robots.txt", "text/plain"), ("/favicon.ico", "image/svg+xml")])
def test_machine_request_is_no_page(path: str, kind: str) -> None:
    app = document.Assets(_says_ok, plotly_js(), FrontEnd())
    for accept in (b"*/*", b"text/html"):
        asked = {"method": "GET", "path": path, "headers": [(b"accept", accept)]}
        start, *_ = asyncio.run(_send(app, asked))
        assert dict(start["headers"])[b"content-type"].decode().partition(";")[0] == kind
