"""A real JupyterLab on a folder of its own."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.browser.conftest import ROOT, wait_for

# What JupyterLab would ask of the network, and of whoever opens it first.
QUIET = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}


@contextlib.contextmanager
def jupyter_lab(home: Path, cells: Sequence[str]) -> Iterator[str]:
    """Run JupyterLab with one notebook, n.ipynb, of these cells; nothing of the user's is read or written."""
    import nbformat  # noqa: PLC0415  (its schemas bring a grammar that takes two seconds)

    notebook = nbformat.v4.new_notebook(
        cells=[*map(nbformat.v4.new_code_cell, cells)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}},
    )
    nbformat.write(notebook, home / "n.ipynb")
    (home / "labconfig").mkdir()
    (home / "labconfig" / "page_config.json").write_text(json.dumps(QUIET))
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
            *(f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="),
            *(f"--ServerApp.root_dir={home}", f"--LabApp.workspaces_dir={home / 'workspaces'}"),
            f"--LabApp.user_settings_dir={home / 'settings'}",
        ],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "HOME": str(home),
            **{f"JUPYTER_{kind}_DIR": str(home) for kind in ("CONFIG", "DATA", "RUNTIME")},
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/api", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()  # its kernels end with it
        process.communicate(timeout=20)
