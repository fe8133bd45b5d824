"""A test of this machine: ``python -m attn_ui.host.doctor`` starts the app with the host's settings."""

import contextlib
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

import streamlit as st

from attn_ui.host.assets import plotly_js
from attn_ui.host.hosting import PREFIX, hosting, variables
from attn_ui.host.trial import code_faults, page_faults

ROOT = Path(__file__).resolve().parents[2]
MODEL = f"{PREFIX}MODEL"
STREAMLIT = "STREAMLIT_"
START_SECONDS = 180
# Megabytes of a process, as deploy/README.md measures them.
EMPTY, IN_CLASS, AT_MOST = 320, 500, 1_200
VISITORS = 75


def settings(environment: Mapping[str, str]) -> list[str]:
    """Check the host's settings; return a sentence for each fault, such as an unknown variable."""
    faults = _of_streamlit(environment)
    unknown = {name for name in environment if name.startswith(PREFIX)} - set(variables())
    faults += [f"{name} is no setting; wanted one of {', '.join(variables())}" for name in sorted(unknown)]
    try:
        host = hosting({name: text for name, text in environment.items() if name not in unknown})
        plotly_js(host.plotly_js)
    except ValueError as error:
        faults.append(str(error))
    return faults


def _of_streamlit(environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each fault in Streamlit's settings: its own command's message, or bad names."""
    names = sorted(name for name in environment if name.startswith(STREAMLIT))
    if not names:
        return []
    command = [sys.executable, "-m", "streamlit", "config", "show"]
    output = subprocess.run(command, env=dict(environment), capture_output=True, text=True, check=False)
    if output.returncode:
        return [output.stderr.strip().rpartition("\n")[2]]
    options, section = set(), ""
    for line in output.stdout.splitlines():
        if title := re.fullmatch(r"\[([\w.]+)\]", line):
            section = title[1]
        elif option := re.match(r"(?:# )?(\w+) =", line):
            options.add(_letters(f"{STREAMLIT}{section}{option[1]}"))
    return [f"{name} is no setting of Streamlit's" for name in names if _letters(name) not in options]


def _letters(name: str) -> str:
    return re.sub("[._]", "", name).lower()


def _health(environment: Mapping[str, str], port: int) -> str:
    """Return the address of the app's health check on a port of this machine, by the host's settings."""
    certificate, path = (
        environment.get(f"{STREAMLIT}{name}", str(st.get_option(option) or ""))
        for name, option in (
            ("SERVER_SSL_CERT_FILE", "server.sslCertFile"),
            ("SERVER_BASE_URL_PATH", "server.baseUrlPath"),
        )
    )
    start = f"{'https' if certificate else 'http'}://127.0.0.1:{port}"
    return "/".join(filter(None, (start, path.strip("/"), "_stcore/health")))


def _any_name() -> ssl.SSLContext:
    """Return a TLS context that accepts any certificate: the host's is not for 127.0.0.1."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def start(environment: Mapping[str, str]) -> tuple[float | None, str]:
    """Start the app on a free port; return its megabytes of memory, and its output if it failed.

    The memory is that of the process when it first answers, NaN if unknown; None if the app failed.
    """
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    health = _health(environment, port)
    options = ["--server.headless=true", "--server.address=127.0.0.1", f"--server.port={port}"]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=dict(environment), stdout=log, stderr=subprocess.STDOUT, text=True
        )
        try:
            for _ in _until_ended(process):
                with (
                    contextlib.suppress(OSError),
                    urllib.request.urlopen(health, timeout=2, context=_any_name()),
                ):
                    return memory_of(process.pid), ""
            log.seek(0)
            return None, log.read().strip() or f"it did not answer within {START_SECONDS} s"
        finally:
            process.terminate()
            process.wait()


def model(environment: Mapping[str, str]) -> tuple[float, str]:
    """Load the host's model as the page does, in another process; return its megabytes, and what is wrong.

    The megabytes are 0 if no model is set, the text is "" if nothing is wrong.
    """
    if not environment.get(MODEL, "").strip():
        return 0.0, ""
    command = [sys.executable, "-m", "pages.learned_heads.model_trial"]
    trial = subprocess.run(
        command, cwd=ROOT, env=dict(environment), capture_output=True, text=True, check=False
    )
    message = trial.stdout.strip().rpartition("\n")[2]
    if trial.returncode == 0:
        return max(0.0, float(message)), ""  # NaN if the system does not report it
    return 0.0, f"{MODEL}: {message or f'reading it ended the process (exit {trial.returncode})'}"


def _until_ended(process: "subprocess.Popen[str]") -> Iterator[None]:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        yield
        time.sleep(0.1)  # another process starts meanwhile


def memory_of(pid: int) -> float:
    """Return the megabytes that a process holds; NaN if the system does not report them."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        return int(status.partition("\nVmRSS:")[2].split()[0]) * 1024 / 1e6
    return float("nan")


def room() -> float | None:
    """Return the megabytes that this container, or else this machine, has; None if that is unknown."""
    with contextlib.suppress(OSError, ValueError):
        return int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="utf-8")) / 1e6
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6
    return None


def describe_memory(megabytes: float | None, of_model: float = 0.0) -> str:
    """Return a text on how much memory to expect; the megabytes of the host's model are added.

    >>> describe_memory(5000.0).splitlines()[1]
    'This machine has 5,000 MB: 4 processes, 300 visitors.'
    """
    in_class, at_most = (round(each + of_model) for each in (IN_CLASS, AT_MOST))
    text = f"A process takes {EMPTY} MB empty, {in_class:,} with {VISITORS} visitors and {at_most:,} at most."
    if of_model:
        text += f" {of_model:,.0f} MB of that are {MODEL}'s, read at the first visit and by each process."
    if megabytes is None:
        return text
    processes = int(megabytes // at_most)
    holds = f"{processes} processes, {VISITORS * processes:,} visitors"
    return f"{text}\nThis machine has {megabytes:,.0f} MB: {holds}."


def main() -> None:
    """Check everything, print the results, and exit with an error where something is wrong."""
    faults = settings(os.environ) or code_faults() or page_faults()
    of_model, wrong = (0.0, "") if faults else model(os.environ)
    faults += [wrong] if wrong else []
    if not faults:
        megabytes, wrong = start(os.environ)
        if megabytes is None:
            faults.append(f"the app does not start: {wrong}")
        else:
            print(f"The app starts, every page opens; {megabytes:.0f} MB before the first visitor.")
    print(*faults, describe_memory(room(), of_model), sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
