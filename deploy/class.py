"""Serve a class from one machine: N processes of the app behind nginx.

    python deploy/class.py [--processes 4] [--port 8600]

Prints the address, restarts a process that ended, and stops all with Ctrl-C. SIGHUP opens the pages of the
new code and starts it once beside the old. Where that works the processes are restarted one after another,
each when the one before answers again, and nobody is left without a server; where not, the old ones go on.

The processes are forked from one that has imported the app, and share what it imported: two take a third less
memory than two of their own, and one that ended is there again at once.
"""

import argparse
import contextlib
import gc
import logging
import multiprocessing
import os
import pkgutil
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 180
if sys.platform == "linux":
    WORKERS = multiprocessing.get_context("fork")
else:  # on macOS a process that has loaded the system's frameworks must not be forked
    WORKERS = multiprocessing.get_context("spawn")
# The app, and what `streamlit run` imports besides, the most of it.
SERVER = ("app", "streamlit.web.cli", "uvicorn", "uvicorn.loops.auto", "websockets.server", "PIL.Image")

# Waits until whoever started it is no more, however that ended; then a group and its folder end.
AFTER_US = 'read _; kill -s KILL -- "-$1"; rm -r -- "$2"'


class Generation:
    """The code as it is now, imported once, and the processes that serve it."""

    def __init__(self) -> None:
        """Import the app in a process of its own; return when that is done.

        Raises:
            RuntimeError: it cannot be imported; its own process has said why.
        """
        self._orders, orders = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=_breed, args=(orders,))
        self.process.start()
        orders.close()
        try:
            self._orders.recv()
        except EOFError:
            self.process.join()
            raise RuntimeError(f"the app cannot be imported (exit {self.process.exitcode})") from None

    def start(self, port: int) -> None:
        """Start a process at a port; it is started again whenever it ends."""
        self._orders.send(("serve", port))

    def end(self, port: int) -> None:
        """End the process at a port; return when it has ended."""
        self._asked("end", port)

    def fault_of_start(self, is_over: Callable[[], bool]) -> str:
        """Start a process at a spare port, once; return why it does not answer, "" where it does.

        What only a start runs fails here, where nobody is served.
        """
        port = _free_port()
        deadline = time.monotonic() + START_SECONDS
        try:
            self._orders.send(("try", port))
            while not _answers(port):
                if is_over() or time.monotonic() > deadline:
                    return f"the app did not answer within {START_SECONDS} s of its start"
                if not self._asked("lives", port):
                    return "the app does not start"
                time.sleep(0.1)  # another process starts meanwhile
            self.end(port)
        except (EOFError, OSError):
            return "the process of the new code ended"
        return ""

    def _asked(self, order: str, port: int) -> bool:
        self._orders.send((order, port))
        return bool(self._orders.recv())

    def close(self) -> None:
        """Stop all of its processes."""
        self._orders.close()
        self.process.join()


def _breed(orders: Connection) -> None:
    """Import the app, then start and stop processes of it until nobody gives orders any more."""
    os.setpgid(0, 0)  # Ctrl-C is told to the whole group: these are stopped by orders
    _import_app()  # where nothing is forked, to learn before anything is ended whether it can be imported
    orders.send("ready")
    working: dict[int, BaseProcess] = {}
    ports_tried: set[int] = set()  # ports of processes that are not started again
    while True:
        ready = wait([orders, *(process.sentinel for process in working.values())])
        if orders not in ready:
            for port in [port for port, process in working.items() if not process.is_alive()]:
                del working[port]
                if port not in ports_tried:
                    print(f"the process at port {port} ended; starting it again", flush=True)
                    working[port] = _work(port)
            continue
        try:
            order, port = orders.recv()
        except EOFError:
            break
        if order == "serve":
            working[port] = _work(port)
        elif order == "try":
            ports_tried.add(port)
            working[port] = _work(port, "tried ")
        elif order == "lives":
            orders.send(port in working and working[port].is_alive())
        else:
            if process := working.pop(port, None):
                process.terminate()
                process.join()
            orders.send(True)
    for process in working.values():
        process.terminate()
    for process in working.values():
        process.join()


def _import_app() -> None:
    for name in SERVER:
        import_module(name)
    pages = import_module("pages")
    for module in pkgutil.walk_packages(pages.__path__, "pages."):
        if not module.name.endswith(".page"):  # a script, run for each visitor
            import_module(module.name)
    if faults := import_module("attn_ui.host.trial").code_faults():
        raise ImportError("; ".join(faults))
    # What is never looked through for garbage is never written to, and stays shared.
    gc.collect()
    gc.freeze()


def _work(port: int, how: str = "") -> BaseProcess:
    process = WORKERS.Process(target=_serve, args=(port,))
    process.start()
    print(f"process {process.pid} {how}at port {port}", flush=True)
    return process


def _serve(port: int) -> None:
    """Be what `streamlit run app.py` starts."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # It was imported before its port was known: Streamlit takes that for a change, and tells to restart it.
    logging.getLogger("streamlit.config").addFilter(
        lambda record: "option section" not in record.getMessage()
    )
    here = [f"--server.port={port}", "--server.address=127.0.0.1"]
    import_module("streamlit.web.cli").main(["run", "app.py", "--server.headless=true", *here])


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


class Class:
    """The processes, and nginx in front of them."""

    def __init__(self, processes: int, port: int) -> None:
        """Choose ports; nothing is started yet."""
        self.port = port
        self.ports = [_free_port() for _ in range(processes)]
        self.generation: Generation | None = None
        self.nginx: subprocess.Popen[bytes] | None = None
        self.after_us: subprocess.Popen[bytes] | None = None
        self.folder = tempfile.TemporaryDirectory(prefix="lab-nginx-")
        self.stopping = False
        self.renew = False

    def start(self) -> None:
        """Start the processes, wait for each, then nginx."""
        self.generation = Generation()
        for port in self.ports:
            self.generation.start(port)
        for port in self.ports:
            if not self._answers_in_time(port):
                raise RuntimeError(f"the process at port {port} did not answer within {START_SECONDS} s")
        folder = Path(self.folder.name)
        shutil.copy(ROOT / "deploy" / "nginx.conf", folder / "nginx.conf")
        servers = [f"server 127.0.0.1:{port} max_fails=1 fail_timeout=5s;\n" for port in self.ports]
        (folder / "lab-servers.conf").write_text("".join(servers), encoding="utf-8")
        (folder / "lab-listen.conf").write_text(f"listen {self.port};\n", encoding="utf-8")
        self._start_nginx(folder)

    def _start_nginx(self, folder: Path) -> None:
        """Start nginx in a group of its own; return when it answers."""
        options = f"daemon off; pid {folder / 'nginx.pid'};"
        command = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", options]
        self.nginx = nginx = subprocess.Popen(command, start_new_session=True)
        # Where this process is killed nginx would go on, and hold the port of the next class.
        last = ["sh", "-c", AFTER_US, "sh", str(nginx.pid), str(folder)]
        self.after_us = subprocess.Popen(
            last, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        if not self._answers_in_time(self.port, lambda: nginx.poll() is None) and not self.stopping:
            raise RuntimeError(f"nginx does not serve port {self.port}; what it says stands above")

    def _answers_in_time(self, port: int, lives: Callable[[], bool] = lambda: True) -> bool:
        deadline = time.monotonic() + START_SECONDS
        while not self.stopping and lives() and time.monotonic() < deadline:
            if _answers(port):
                return True
            time.sleep(0.1)  # another process starts meanwhile
        return False

    def watch(self) -> None:
        """Look after the processes until told to stop."""
        while not self.stopping:
            if self.generation is None or not self.generation.process.is_alive():
                print("the process of all processes ended; starting all again", flush=True)
                self.generation = Generation()
                for port in self.ports:
                    self.generation.start(port)
            if self.renew:
                self.renew = False
                self._restart_all(self.generation)
            if self.nginx is not None and self.nginx.poll() is not None:
                print("nginx ended; starting it again", flush=True)
                self._end_nginx()
                self._start_nginx(Path(self.folder.name))
            time.sleep(0.2)  # between two looks at the processes
        self.stop()

    def _restart_all(self, old: Generation) -> None:
        """Replace all processes by those of the code as it is now, where one of these has started aside."""
        try:
            _try_pages()
            new = Generation()
        except RuntimeError as error:
            print(f"{error}: the processes go on as they are", flush=True)
            return
        if fault := new.fault_of_start(lambda: self.stopping):
            new.close()
            print(f"{fault}: the processes go on as they are", flush=True)
            return
        for place, port in enumerate(self.ports, start=1):
            old.end(port)
            new.start(port)
            if not self._answers_in_time(port) and not self.stopping:
                self._go_back(old, new, self.ports[:place])
                return
        self.generation = new
        old.close()
        print("all processes were restarted", flush=True)

    def _go_back(self, old: Generation, new: Generation, ports: list[int]) -> None:
        print(f"the process at port {ports[-1]} did not answer: going back to what was", flush=True)
        for port in reversed(ports):
            new.end(port)
            old.start(port)
            self._answers_in_time(port)
        new.close()

    def stop(self) -> None:
        """Stop everything that was started here."""
        if self.nginx and self.nginx.poll() is None:
            self.nginx.terminate()
            self.nginx.wait()
        self._end_nginx()
        if self.generation:
            self.generation.close()
            self.generation = None
        self.folder.cleanup()

    def _end_nginx(self) -> None:
        """End what a killed nginx left behind: its workers hold the port."""
        if self.after_us:
            self.after_us.kill()
            self.after_us.communicate()
            self.after_us = None
        if self.nginx:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.nginx.pid, signal.SIGKILL)


def _try_pages() -> None:
    """Open every page of the code as it is now, in a process of its own.

    Raises:
        RuntimeError: one does not open; says which, and why.
    """
    ports_tried = subprocess.run(
        [sys.executable, "-m", "attn_ui.host.trial"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if ports_tried.returncode:
        raise RuntimeError(f"the app cannot be opened ({ports_tried.stdout.strip()})")


def _whole(least: int, most: int) -> Callable[[str], int]:
    """Read a whole number of a command line, within bounds."""

    def read(text: str) -> int:
        if not (text.isdecimal() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"wanted a whole number from {least} to {most:,}, got {text!r}")
        return int(text)

    return read


def _is_taken(port: int) -> bool:
    with contextlib.closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


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


def main() -> None:
    """Start, print the address, watch, stop."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=_whole(1, 256), default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--port", type=_whole(1, 65_535), default=8600)
    options = parser.parse_args()
    if not (hasattr(os, "setpgid") and hasattr(signal, "SIGHUP")):
        raise SystemExit(
            "A class of several processes needs Linux or macOS (on Windows: WSL); "
            "one process serves a class as well: streamlit run app.py"
        )
    if shutil.which("nginx") is None:
        raise SystemExit(
            "nginx is needed: apt-get install nginx (Debian, Ubuntu), brew install nginx (macOS)"
        )
    if _is_taken(options.port):
        raise SystemExit(f"port {options.port} is taken, perhaps by another class; --port takes a free one")
    # One secret for all: a visitor whose process ended is known to the next.
    os.environ["STREAMLIT_SERVER_COOKIE_SECRET"] = secrets.token_hex(32)
    # What a class asks for is kept once, not once a process.
    os.environ.setdefault("ATTENTION_LAB_CACHE", str(max(16, 64 // options.processes)))
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    room = Class(options.processes, options.port)

    def stop(*_: int | FrameType | None) -> None:
        room.stopping = True

    def renew(*_: int | FrameType | None) -> None:
        room.renew = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGHUP, renew)
    try:
        room.start()
        host = import_module("attn_ui.host.public_address").own_host() or "127.0.0.1"
        number = f"{options.processes} process{'es' if options.processes > 1 else ''}"
        print(f"{number}: give the class http://{host}:{options.port}", flush=True)
        room.watch()
    except RuntimeError as error:
        raise SystemExit(str(error)) from None
    finally:
        room.stop()


if __name__ == "__main__":
    main()
