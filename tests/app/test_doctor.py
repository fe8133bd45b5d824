"""The doctor finds what would stop a host, and what it says of memory is what is measured."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attn_ui.host.doctor import (
    AT_MOST,
    EMPTY,
    IN_CLASS,
    MODEL,
    VISITORS,
    describe_memory,
    model,
    settings,
    start,
)
from attn_ui.host.hosting import variables
from attn_ui.host.trial import code_faults
from tests import planted_bert

ROOT = Path(__file__).resolve().parents[2]


def test_doctor_finds_no_fault_in_sound_settings() -> None:
    sound = {"SERVER_PORT": "8501", "SERVER_ENABLE_CORS": "no", "THEME_DARK_BACKGROUND_COLOR": "#000"}
    named = {f"STREAMLIT_{name}": text for name, text in sound.items()}
    assert settings({"PATH": "/bin", "ATTENTION_LAB_CACHE": "32", **named}) == []


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("ATTENTION_LAB_CASH", "32", f"ATTENTION_LAB_CASH is no setting; wanted one of {variables()[0]}"),
        ("ATTENTION_LAB_CACHE", "0", "ATTENTION_LAB_CACHE: wanted a whole number of megabytes, 1 or more"),
        ("ATTENTION_LAB_PLOTLY_JS", "/", "wanted one file plotly*.min.js in /, got none"),
        ("STREAMLIT_SERVER_PROT", "8501", "STREAMLIT_SERVER_PROT is no setting of Streamlit's"),
        ("STREAMLIT_SERVER_PORT", "abc", "STREAMLIT_SERVER_PORT"),
        ("STREAMLIT_SERVER_MAX_UPLOAD_SIZE", "8 MB", "STREAMLIT_SERVER_MAX_UPLOAD_SIZE"),
        ("STREAMLIT_SERVER_HEADLESS", "maybe", "STREAMLIT_SERVER_HEADLESS"),
    ],
)
def test_doctor_names_each_fault(name: str, text: str, says: str) -> None:
    (fault,) = settings({name: text})
    assert says in fault


def test_doctor_names_all_faults_at_once() -> None:
    assert len(settings({"ATTENTION_LAB_A": "", "ATTENTION_LAB_CHANGES": "0", "STREAMLIT_B": ""})) == 3


def test_doctor_names_a_page_that_fails_to_import(tmp_path: Path) -> None:
    assert code_faults() == []
    for path in ROOT.glob("pages/*/page.py"):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True)
        copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    assert code_faults(tmp_path) == []
    folder = tmp_path / "pages"
    (folder / "single_head" / "page.py").write_text("if True print(1)\n", encoding="utf-8")
    (folder / "multi_head" / "page.py").write_text(
        "import os\nfrom attn_ui.screen.frame import no_such\n", encoding="utf-8"
    )
    (folder / "overview" / "page.py").unlink()
    overview, single, multi = code_faults(tmp_path)
    assert overview.startswith("pages/overview/page.py cannot be read:")
    assert single.startswith("pages/single_head/page.py cannot be read: invalid syntax")
    assert multi.startswith("pages/multi_head/page.py, line 2: ModuleNotFoundError")


@pytest.mark.slow
def test_doctor_names_the_setting_that_stops_the_app() -> None:
    megabytes, wrong = start({**os.environ, "ATTENTION_LAB_CACHE": "none"})
    assert megabytes is None
    assert "ATTENTION_LAB_CACHE: wanted a whole number of megabytes" in wrong


@pytest.mark.slow
def test_doctor_starts_the_app_with_the_hosts_settings(tmp_path: Path) -> None:
    key, certificate = tmp_path / "lab.key", tmp_path / "lab.crt"
    if shutil.which("openssl"):  # elsewhere the path alone
        subject = [
            "-subj",
            "/CN=lab.example.edu",
            "-days",
            "2",
            "-keyout",
            str(key),
            "-out",
            str(certificate),
        ]
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject]
        subprocess.run(made, check=True, capture_output=True)
    set_by_host = {"STREAMLIT_SERVER_BASE_URL_PATH": "/lab/"}
    if certificate.exists():
        set_by_host |= {
            "STREAMLIT_SERVER_SSL_CERT_FILE": str(certificate), "STREAMLIT_SERVER_SSL_KEY_FILE": str(key)
        }  # fmt: skip
    environment = {**os.environ, **set_by_host, "ATTENTION_LAB_CACHE": "32"}
    assert settings(set_by_host) == []
    megabytes, wrong = start(environment)
    assert wrong == ""
    assert megabytes is not None
    assert not megabytes < 100  # NaN where the system does not tell


@pytest.mark.slow
def test_doctor_reads_the_hosts_model_first(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')  # and no weights
    megabytes, wrong = model({**os.environ, MODEL: str(tmp_path)})
    assert megabytes == 0
    assert wrong.startswith(f"{MODEL}: ")
    assert "safetensors" in wrong
    megabytes, wrong = model({**os.environ, MODEL: str(planted_bert.write(tmp_path))})
    assert wrong == ""
    assert 0 <= megabytes < 500
    assert model({}) == (0.0, "")
    told = describe_memory(20_000.0, 8_000.0)
    assert "8,500 with 75 visitors and 9,200 at most" in told
    assert "2 processes, 150 visitors" in told


@pytest.mark.slow
def test_doctor_opens_pages_on_threads_without_a_warning(
    capfd: pytest.CaptureFixture[str],
) -> None:
    command = [sys.executable, "-c", "from attn_ui.host.trial import page_faults; assert page_faults() == []"]
    subprocess.run(command, cwd=ROOT, check=True)
    assert capfd.readouterr().err == ""


def test_doctor_memory_equals_the_measured_table_of_the_guide() -> None:
    guide = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
    assert f"takes {EMPTY} MB empty and {IN_CLASS} in a class" in guide
    assert f"Give a process {AT_MOST / 1000:g} GB" in guide
    assert set(re.findall(r"(\d+) visitors a replica", guide)) == {str(VISITORS)}
    assert describe_memory(None).count("\n") == 0
    assert "0 processes" in describe_memory(800.0)
