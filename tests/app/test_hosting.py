"""What a host can set, and plotly.js from a folder of the host's choice."""

import asyncio
import gc
import gzip
import re
import subprocess
import threading
from pathlib import Path

import pytest
from plotly.offline import get_plotlyjs, get_plotlyjs_version
from streamlit.config import get_config_options

from attn_ui.base import shared_cache
from attn_ui.host import server
from attn_ui.host.assets import COMPILE_AT_ONCE, plotly_js
from attn_ui.host.hosting import PREFIX, Hosting, hosting, variables
from attn_ui.host.limits import Limits
from attn_ui.host.security import headers_for
from pages.learned_heads.model_shelf import OTHER

ROOT = Path(__file__).resolve().parents[2]


def test_host_without_settings_has_the_defaults() -> None:
    assert hosting({"PATH": "/bin"}) == Hosting()


def test_host_setting_is_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    given = {
        "ATTENTION_LAB_PLOTLY_JS": str(tmp_path),
        "ATTENTION_LAB_FRAME_ANCESTORS": " 'self'  https://*.example.edu https://course.example.org:8443 ",
        "ATTENTION_LAB_METRICS": "Yes",
        "ATTENTION_LAB_SESSIONS": "40",
        "ATTENTION_LAB_CACHE": "32",
        "ATTENTION_LAB_CHANGES": "7.5",
        "ATTENTION_LAB_MODEL": str(tmp_path),  # which holds a config.json
        "ATTENTION_LAB_VISION_MODEL": str(tmp_path),
        "ATTENTION_LAB_LESSONS": str(tmp_path),
    }
    assert list(given) == variables()
    sources = "'self' https://*.example.edu https://course.example.org:8443"
    folders = str(tmp_path), str(tmp_path), tmp_path
    assert hosting(given) == Hosting(tmp_path, sources, True, 40, 32, 7.5, *folders)
    assert headers_for(sources)["Content-Security-Policy"].endswith(f"frame-ancestors {sources}")
    assert "frame-ancestors" not in headers_for()["Content-Security-Policy"]


def test_host_variable_named_anywhere_is_a_setting() -> None:
    """In pages, messages, guides, recipes and code; and those of Streamlit are Streamlit's."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    texts = {
        path: (ROOT / path).read_text(errors="ignore")
        for path in listed.stdout.splitlines()
        if not path.startswith("tests/") and (ROOT / path).is_file()
    }
    named = {name for text in texts.values() for name in re.findall(rf"{PREFIX}[A-Z_]+", text)} | {OTHER}
    assert sorted(named) == sorted(variables())
    rows = re.findall(r"^\| `(\w+)` \|", texts["deploy/README.md"], re.MULTILINE)
    assert sorted(rows) == sorted(variables())
    streamlits = {name for text in texts.values() for name in re.findall(r"\bSTREAMLIT_[A-Z_]*[A-Z]\b", text)}
    options = {option.env_var for option in get_config_options().values()}
    assert streamlits
    assert streamlits <= options


def test_host_model_must_be_a_folder_with_a_model(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"config\.json"):
        hosting({OTHER: str(tmp_path)})
    (tmp_path / "config.json").write_text("{}")
    assert hosting({OTHER: str(tmp_path)}).model == str(tmp_path)
    assert hosting({OTHER: ""}).model == ""


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("PLOTLY_JS", "/no/such/folder", "wanted a folder that exists, got '/no/such/folder'"),
        ("FRAME_ANCESTORS", "https://a.example; script-src *", "wanted 'none', 'self' or addresses"),
        *(
            ("FRAME_ANCESTORS", text, "wanted 'none'")
            for text in ("none", "self", "-1", "javascript:", "x y:")
        ),
        ("FRAME_ANCESTORS", "'none' https://a.example", "wanted 'none'"),
        *((name, "x" * 5_000, "wanted a") for name in ("PLOTLY_JS", "MODEL", "LESSONS", "SESSIONS", "CACHE")),
        *((name, "9" * 5_000, "wanted a whole number") for name in ("SESSIONS", "CACHE")),
        ("CACHE", "1e30", "wanted a whole number"),
        ("CACHE", "1" + "0" * 30, "wanted a whole number"),
        ("SESSIONS", "\u0663", "wanted a whole number"),
        ("METRICS", "maybe", "wanted yes or no"),
        ("SESSIONS", "-1", "wanted a whole number"),
        ("CACHE", "0", "wanted a whole number of megabytes, 1 or more"),
        ("CACHE", "1.5", "wanted a whole number of megabytes, 1 or more"),
        ("CHANGES", "nan", "from 1 to 1000"),
        ("CHANGES", "0", "from 1 to 1000"),
        ("MODEL", "/no/such/folder", "wanted a model's folder"),
        ("MODEL", "https://models.example/gpt2", "wanted a model's folder"),
        ("SESSION", "1", "ATTENTION_LAB_SESSION is no setting; wanted one of ATTENTION_LAB_PLOTLY_JS"),
    ],
)
def test_host_setting_error_states_the_allowed_value(name: str, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=r"ATTENTION_LAB_") as told:
        hosting({f"ATTENTION_LAB_{name}": text})
    assert says in str(told.value)
    assert len(str(told.value)) < 300


@pytest.mark.parametrize(
    "text", ["'none'", "*", "https:", "wss://a.example", "localhost:8888", "*.b.example/"]
)
def test_host_frame_ancestors_are_written_as_a_policy(text: str) -> None:
    assert hosting({"ATTENTION_LAB_FRAME_ANCESTORS": text}).frame_ancestors == text


def test_host_switch_turns_on_and_off() -> None:
    said = {text: hosting({"ATTENTION_LAB_METRICS": text}).metrics for text in ("on", "off", "ON", "no")}
    assert said == {"on": True, "off": False, "ON": True, "no": False}


def test_host_visitor_limits_are_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_LAB_CHANGES", "7.5")
    monkeypatch.setenv("ATTENTION_LAB_SESSIONS", "40")
    limits = next(each for each in server.parts(lambda: None)["middleware"] if each.cls is Limits)
    assert limits.kwargs == {"sessions": 40, "changes": 7.5}


def test_host_shared_cache_has_the_set_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_LAB_CACHE", "32")
    for name in ("collect", "freeze", "set_threshold"):
        monkeypatch.setattr(gc, name, lambda *_: None)  # of the server's process, not of this one
    monkeypatch.setattr(server, "keep_logs_clean", lambda: None)

    async def started() -> int:
        async with server.parts(lambda: None)["lifespan"](None):
            return shared_cache.fullness().most_bytes

    try:
        assert asyncio.run(started()) == 32_000_000
    finally:
        shared_cache.bound(shared_cache.MOST_BYTES)


def test_host_background_work_delays_no_first_visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("collect", "freeze", "set_threshold"):
        monkeypatch.setattr(gc, name, lambda *_: None)  # of the server's process, not of this one
    monkeypatch.setattr(server, "keep_logs_clean", lambda: None)
    served, done = threading.Event(), threading.Event()

    def beside() -> None:
        assert served.wait(10)
        done.set()

    async def started() -> bool:
        async with server.parts(lambda: None, beside)["lifespan"](None):
            served.set()  # not reached where the start waits for it
            return await asyncio.to_thread(done.wait, 10)

    assert asyncio.run(started())


def _bundle(folder: Path, name: str, version: str) -> Path:
    path = folder / name
    path.write_text(f"/**\n* plotly.js (cartesian - minified) v{version}\n*/\nvar Plotly = 1;\n")
    return path


def test_host_plotly_folder_is_used_if_versions_agree(tmp_path: Path) -> None:
    made = _bundle(tmp_path, "plotly-cartesian.min.js", get_plotlyjs_version())
    assert plotly_js(tmp_path).path == made
    assert plotly_js().path.parent.name == "package_data"


@pytest.mark.parametrize("version", ["4.0.9", "40.1.1"])
def test_host_plotly_of_another_version_is_refused_with_both(tmp_path: Path, version: str) -> None:
    _bundle(tmp_path, "plotly-cartesian.min.js", version)
    with pytest.raises(
        ValueError, match=rf"needs plotly\.js {get_plotlyjs_version()}, got version {version}"
    ):
        plotly_js(tmp_path)


def test_host_plotly_folder_with_no_or_several_bundles_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="got none"):
        plotly_js(tmp_path)
    _bundle(tmp_path, "plotly-a.min.js", get_plotlyjs_version())
    _bundle(tmp_path, "plotly-b.min.js", get_plotlyjs_version())
    with pytest.raises(ValueError, match=r"plotly-a\.min\.js, plotly-b\.min\.js"):
        plotly_js(tmp_path)


def test_host_plotly_js_is_served_as_installed_after_one_comment() -> None:
    body, _ = plotly_js().compress()

    assert gzip.decompress(body) == COMPILE_AT_ONCE + get_plotlyjs().encode()
    assert COMPILE_AT_ONCE.startswith(b"//")
    assert COMPILE_AT_ONCE.count(b"\n") == 1
