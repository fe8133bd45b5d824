"""Serve a class from one machine: N processes of the app behind nginx.

    python deploy/class.py [--processes 4] [--port 8600]

Prints the address, restarts a process that ended, and stops all with Ctrl-C. SIGHUP restarts the processes
one after another, each when the one before answers again: nobody is left without a server.
"""

import argparse
import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 180


class Class:
    """The processes, and nginx in front of them."""

    def __init__(self, processes: int, port: int) -> None:
        """Choose ports; nothing is started yet."""
        self.port = port
        self.ports = [_free_port() for _ in range(processes)]
        self.running: dict[int, subprocess.Popen[bytes]] = {}
        self.nginx: subprocess.Popen[bytes] | None = None
        self.stopping = False
        self.renew = False
        self.environment = {
            **os.environ,
            # One secret for all: a visitor whose process ended is known to the next.
            "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32),
        }

    def start(self) -> None:
        """Start the processes, wait for each, then nginx."""
        for port in self.ports:
            self._launch(port)
        for port in self.ports:
            self._wait(port)
        folder = Path(tempfile.mkdtemp(prefix="lab-nginx-"))
        shutil.copy(ROOT / "deploy" / "nginx.conf", folder / "nginx.conf")
        servers = [f"server 127.0.0.1:{port} max_fails=1 fail_timeout=5s;\n" for port in self.ports]
        (folder / "lab-servers.conf").write_text("".join(servers))
        (folder / "lab-listen.conf").write_text(f"listen {self.port};\n")
        config = str(folder / "nginx.conf")
        options = f"daemon off; pid {folder / 'nginx.pid'};"
        self.nginx = subprocess.Popen(["nginx", "-p", str(folder), "-c", config, "-g", options])

    def _launch(self, port: int) -> None:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
        here = [f"--server.port={port}", "--server.address=127.0.0.1"]
        self.running[port] = subprocess.Popen([*command, *here], cwd=ROOT, env=self.environment)

    def _wait(self, port: int) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not _answers(port):
            if self.stopping or time.monotonic() > deadline:
                raise SystemExit(f"the process at port {port} did not answer within {START_SECONDS} s")
            time.sleep(0.1)  # another process starts meanwhile

    def watch(self) -> None:
        """Restart what ended, until told to stop."""
        while not self.stopping:
            for port, process in list(self.running.items()):
                if process.poll() is not None:
                    print(f"the process at port {port} ended; starting it again", flush=True)
                    self._launch(port)
            if self.renew:
                self.renew = False
                self._restart_all()
            if self.nginx is None or self.nginx.poll() is not None:
                break
            time.sleep(0.2)  # between two looks at the processes
        self.stop()

    def _restart_all(self) -> None:
        for port, process in list(self.running.items()):
            process.terminate()
            process.wait()
            self._launch(port)
            self._wait(port)
        print("all processes were restarted", flush=True)

    def stop(self) -> None:
        """Stop everything that was started here."""
        for process in [*self.running.values(), *([self.nginx] if self.nginx else [])]:
            if process.poll() is None:
                process.terminate()
        for process in [*self.running.values(), *([self.nginx] if self.nginx else [])]:
            process.wait()


def _free_port() -> int:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    with (
        contextlib.suppress(OSError),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2),
    ):
        return True
    return False


def _address() -> str:
    """Return this machine's address in its network, as far as it can be told without asking anybody."""
    with contextlib.suppress(OSError), contextlib.closing(socket.socket(type=socket.SOCK_DGRAM)) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent: the system only chooses its own address
        return str(probe.getsockname()[0])
    return "127.0.0.1"


def main() -> None:
    """Start, print the address, watch, stop."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    asked.add_argument("--port", type=int, default=8600)
    chosen = asked.parse_args()
    if shutil.which("nginx") is None:
        raise SystemExit(
            "nginx is needed: apt-get install nginx (Debian, Ubuntu), brew install nginx (macOS)"
        )
    room = Class(chosen.processes, chosen.port)

    def stop(*_: int | FrameType | None) -> None:
        room.stopping = True

    def renew(*_: int | FrameType | None) -> None:
        room.renew = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGHUP, renew)
    try:
        room.start()
        print(f"{chosen.processes} processes: give the class http://{_address()}:{chosen.port}", flush=True)
        for port, process in room.running.items():
            print(f"process {process.pid} at port {port}", flush=True)
        room.watch()
    finally:
        room.stop()


if __name__ == "__main__":
    main()
