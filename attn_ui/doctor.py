"""Whether this machine can serve: ``python -m attn_ui.doctor`` starts the app on the host's settings."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

from streamlit import config

from attn_ui.assets import plotly_js
from attn_ui.hosting import PREFIX, hosting, variables
from attn_ui.trial import failing, unsound

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 180
# Megabytes of a process, as deploy/README.md measures them.
EMPTY, IN_CLASS, AT_MOST = 320, 500, 1_200
VISITORS = 150


def settings(environment: Mapping[str, str]) -> list[str]:
    """Read what the host has set; return a sentence for each fault, an unknown variable among them."""
    faults = [
        f"{name} is no setting of Streamlit's"
        for name in sorted(environment)
        if name.startswith("STREAMLIT_") and name not in _of_streamlit()
    ]
    unknown = {name for name in environment if name.startswith(PREFIX)} - set(variables())
    faults += [f"{name} is no setting; wanted one of {', '.join(variables())}" for name in sorted(unknown)]
    try:
        chosen = hosting({name: text for name, text in environment.items() if name not in unknown})
        plotly_js(chosen.plotly_js)
    except ValueError as error:
        faults.append(str(error))
    return faults


def _of_streamlit() -> set[str]:
    return {option.env_var for option in config.get_config_options().values()}


def start(environment: Mapping[str, str]) -> tuple[float | None, str]:
    """Start the app on a free port; return the megabytes that it takes, and what it wrote where it failed.

    The megabytes are those of the process when it answers; NaN where the system does not tell.
    """
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--server.headless=true", "--server.address=127.0.0.1", f"--server.port={port}"]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as written:
        process = subprocess.Popen(
            command, cwd=ROOT, env=dict(environment), stdout=written, stderr=subprocess.STDOUT, text=True
        )
        try:
            for _ in _until_ended(process):
                with (
                    contextlib.suppress(OSError),
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2),
                ):
                    return memory_of(process.pid), ""
            written.seek(0)
            return None, written.read().strip() or f"it did not answer within {START_SECONDS} s"
        finally:
            process.terminate()
            process.wait()


def _until_ended(process: "subprocess.Popen[str]") -> Iterator[None]:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        yield
        time.sleep(0.1)  # another process starts meanwhile


def memory_of(pid: int) -> float:
    """Return the megabytes that a process holds; NaN where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        return int(status.partition("\nVmRSS:")[2].split()[0]) * 1024 / 1e6
    return float("nan")


def room() -> float | None:
    """Return the megabytes that this container, or else this machine, has; None where nobody tells."""
    with contextlib.suppress(OSError, ValueError):
        return int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="utf-8")) / 1e6
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6
    return None


def expected(megabytes: float | None) -> str:
    """Say what memory to expect.

    >>> expected(5000.0).splitlines()[1]
    'This machine has 5,000 MB: 4 processes, 600 visitors.'
    """
    told = f"A process takes {EMPTY} MB empty, {IN_CLASS} with {VISITORS} visitors and {AT_MOST:,} at most."
    if megabytes is None:
        return told
    processes = int(megabytes // AT_MOST)
    holds = f"{processes} processes, {VISITORS * processes} visitors"
    return f"{told}\nThis machine has {megabytes:,.0f} MB: {holds}."


def main() -> None:
    """Look at everything, say what is found, and end with an error where something is wrong."""
    faults = settings(os.environ) or unsound() or failing()
    if not faults:
        megabytes, wrong = start(os.environ)
        if megabytes is None:
            faults.append(f"the app does not start: {wrong}")
        else:
            print(f"The app starts, every page opens; {megabytes:.0f} MB before the first visitor.")
    print(*faults, expected(room()), sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
