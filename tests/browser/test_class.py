"""Two real processes behind a real nginx, as `make class` starts them, and a class that comes through it."""

import contextlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app_page import READY
from tests.browser.conftest import ROOT, wait_for

pytestmark = pytest.mark.skipif(
    shutil.which("nginx") is None, reason="nginx is not installed; make browser installs it"
)
LINK = "single-head?text=dogs+chase+cats&t=2.00"
DRAWN = ".live-figure[data-state=drawn]"
SLOW = 180_000


class Room:
    """The running class: its address, its processes, what it wrote."""

    def __init__(self, address: str, process: subprocess.Popen[str], log: Path) -> None:
        self.address = address
        self.process = process
        self.log = log

    def pids(self) -> dict[int, int]:
        """Return each port's process."""
        found = re.findall(r"process (\d+) at port (\d+)", self.log.read_text())
        return {int(port): int(pid) for pid, port in found}

    def wait_until(self, happened: Callable[[], bool]) -> None:
        """Wait until something has happened; fail where the class ended."""
        deadline = time.monotonic() + 240
        while not happened():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.1)  # another process works meanwhile

    def wait_to_write(self, text: str) -> None:
        """Wait until it has written something."""
        self.wait_until(lambda: text in self.log.read_text())


@contextlib.contextmanager
def _class(root: Path, log: Path, processes: int) -> Iterator[Room]:
    """Start a class with the code of a folder, as `make class` does."""
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "deploy/class.py", f"--processes={processes}", f"--port={port}"]
    with log.open("w") as lines:
        process = subprocess.Popen(command, cwd=root, stdout=lines, stderr=lines, text=True)
    made = Room(f"http://127.0.0.1:{port}", process, log)
    try:
        made.wait_to_write("give the class")
        wait_for(f"{made.address}/_stcore/health", process)
        yield made
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    with _class(ROOT, tmp_path_factory.mktemp("class") / "log", processes=2) as made:
        yield made


def _nginx_of(room: Room) -> str:
    children = Path(f"/proc/{room.process.pid}/task/{room.process.pid}/children").read_text().split()
    return next(pid for pid in children if Path(f"/proc/{pid}/comm").read_text().strip() == "nginx")


def _settled(page: Page) -> None:
    page.wait_for_selector(READY, timeout=SLOW)
    page.wait_for_selector(DRAWN, timeout=SLOW)


@pytest.mark.essential
def test_class_visitor_stays_with_one_process_by_the_proxys_cookie(room: Room) -> None:
    with urllib.request.urlopen(f"{room.address}/") as answer:
        cookie = SimpleCookie(answer.headers["Set-Cookie"])
    assert re.fullmatch(r"[0-9a-f]{32}", cookie["lab_route"].value)
    again = urllib.request.Request(
        f"{room.address}/", headers={"Cookie": f"lab_route={cookie['lab_route'].value}"}
    )
    with urllib.request.urlopen(again) as answer:
        assert answer.headers["Set-Cookie"] is None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the processes are not forked")
def test_class_imported_modules_are_shared(room: Room) -> None:
    for pid in room.pids().values():
        said = Path(f"/proc/{pid}/smaps_rollup").read_text()
        shared, own = (
            int(said.partition(f"\n{name}_Dirty:")[2].split()[0]) for name in ("Shared", "Private")
        )
        assert shared > 100_000 > own  # kB; imported for itself alone, nothing written is shared


def test_class_long_links_pass_and_no_log_keeps_them(room: Room) -> None:
    with urllib.request.urlopen(f"{room.address}/single-head?text=secret{'x' * 12_000}") as answer:
        assert answer.status == 200
    room.wait_to_write('"GET /single-head" 200')
    assert "secret" not in room.log.read_text()


def test_class_start_tells_no_browser_to_restart(room: Room) -> None:
    assert "restart streamlit" not in room.log.read_text()


def test_class_scripts_are_compressed_through_the_proxy(room: Room) -> None:
    with urllib.request.urlopen(f"{room.address}/") as answer:
        page = answer.read().decode()
    script = re.search(r"\./(plotly/[^\"']+)", page) or re.search(r"\./(static/js/index[^\"]+)", page)
    assert script is not None
    sizes = []
    for accepted in ("gzip", "identity", "gzip"):
        asked = urllib.request.Request(f"{room.address}/{script[1]}", headers={"Accept-Encoding": accepted})
        with urllib.request.urlopen(asked) as answer:
            assert (answer.headers["Content-Encoding"] == "gzip") == (accepted == "gzip")
            sizes.append(len(answer.read()))
    assert sizes[0] == sizes[2] < 0.5 * sizes[1]


def test_class_survives_a_killed_process_and_a_rolling_restart(browser: Browser, room: Room) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(f"{room.address}/{LINK}")
    _settled(page)
    page.get_by_role("button", name="Save", exact=True).first.click()
    page.get_by_role("radio", name="SVG").check()
    page.wait_for_selector("dialog[data-made=svg]", timeout=SLOW)
    with page.expect_download(timeout=SLOW) as saved:
        page.get_by_role("button", name="Save the file").click()
    assert saved.value.suggested_filename.endswith(".svg")
    page.keyboard.press("Escape")
    before = page.url

    # Which of the two serves this visitor is nginx's choice: each is killed in turn.
    for port, pid in room.pids().items():
        with contextlib.suppress(ProcessLookupError):
            subprocess.run(["kill", "-9", str(pid)], check=False)
        room.wait_to_write(f"the process at port {port} ended; starting it again")
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", room.process)
    _settled(page)
    assert page.url == before
    room.process.send_signal(signal.SIGHUP)
    room.wait_to_write("all processes were restarted")
    _settled(page)
    assert page.url == before
    assert "t=2.00" in page.url
    # A session answers, with the temperature that is let go first: no picture that was left standing.
    page.locator("input[data-live=step]").first.press("ArrowRight")
    expect(page).to_have_url(re.compile("t=2.20"), timeout=SLOW)
    code_tab = page.get_by_role("tab", name="Code")
    code_tab.click()
    code = page.locator("[data-testid=stCode]:visible").first
    expect(code).to_contain_text("** 0.5 / 2.2  #", timeout=SLOW)
    assert "t=2.20" in page.url
    assert page.locator("output").first.inner_text() == "2.20"
    context.close()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells whose process a process is")
@pytest.mark.slow
def test_class_restarts_all_when_the_main_process_is_killed(room: Room) -> None:
    before = room.pids()
    parents = {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1] for pid in before.values()}
    assert len(parents) == 1
    subprocess.run(["kill", "-9", *parents], check=True)
    room.wait_to_write("the process of all processes ended; starting all again")
    room.wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in before.values()))
    room.wait_until(lambda: set(room.pids().values()).isdisjoint(before.values()))
    for port in before:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", room.process)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells whose process a process is")
def test_class_restarts_a_killed_proxy(room: Room) -> None:
    master = _nginx_of(room)
    subprocess.run(["kill", "-9", master], check=True)
    room.wait_to_write("nginx ended; starting it again")
    wait_for(f"{room.address}/_stcore/health", room.process)
    room.wait_until(lambda: not Path(f"/proc/{master}").exists())


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells whose process a process is")
def test_class_killed_frees_its_port_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with _class(ROOT, tmp_path / "log", processes=1) as room:
        master, (worker,) = _nginx_of(room), room.pids().values()
        words = Path(f"/proc/{master}/cmdline").read_text().removeprefix("nginx: master process ")
        folder = Path(words[words.index("/") :].split()[0])
        assert (folder / "nginx.conf").exists()
        room.process.kill()
        room.process.wait()
        deadline = time.monotonic() + 60
        while folder.exists() or Path(f"/proc/{worker}").exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)  # they end meanwhile
        with contextlib.closing(socket.socket()) as probe:
            assert probe.connect_ex(("127.0.0.1", int(room.address.rpartition(":")[2]))) != 0


@pytest.mark.slow
def test_class_with_code_that_does_not_open_stays_as_it_is(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    lab = tmp_path / "lab"
    for part in (".streamlit", "attn_core", "attn_figures", "attn_live", "attn_ui", "deploy", "pages"):
        shutil.copytree(ROOT / part, lab / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("app.py", "pyproject.toml"):
        shutil.copy(ROOT / part, lab)
    package, page = lab / "pages" / "__init__.py", lab / "pages" / "single_head" / "page.py"
    app, server = lab / "app.py", lab / "attn_ui" / "host" / "server.py"
    wrong: tuple[tuple[Path, str, str], ...] = (
        (package, "raise ImportError('half written')", "half written"),
        # A page is run for each visitor, and imported by nobody.
        (page, "if True print(1)", "pages/single_head/page.py cannot be read: invalid syntax"),
        (page, "from attn_ui.screen.frame import no_such_thing", "no_such_thing"),
        (page, "print(never_made)", "Single head does not open: name 'never_made' is not defined"),
    )
    # What a start alone runs, and no page.
    started: tuple[tuple[Path, str, str, str], ...] = (
        (app, "torch.set_num_threads(1)", "never_made", "NameError: name 'never_made' is not defined"),
        (server, "front.prepare()", "front.prepair()", "AttributeError: 'FrontEnd' object has no attribute"),
    )
    if not pytestconfig.getoption("--wide"):  # each fault takes a trial of all pages
        wrong, started = (wrong[0], wrong[3]), started[1:]
    with _class(lab, tmp_path / "log", processes=1) as room:
        before = room.pids()
        for number, (path, line, says) in enumerate(wrong, start=1):
            sound = path.read_text()
            path.write_text(f"{sound}\n{line}\n")
            room.process.send_signal(signal.SIGHUP)
            room.wait_until(
                lambda n=number: room.log.read_text().count("the processes go on as they are") == n
            )
            assert says in room.log.read_text()
            assert "all processes were restarted" not in room.log.read_text()
            assert room.pids() == before
            with urllib.request.urlopen(f"{room.address}/_stcore/health") as answer:
                assert answer.status == 200
            path.write_text(sound)
        for number, (path, right, line, says) in enumerate(started, start=len(wrong) + 1):
            sound = path.read_text()
            assert sound.count(right) == 1
            path.write_text(sound.replace(right, line))
            room.process.send_signal(signal.SIGHUP)
            room.wait_until(
                lambda n=number: room.log.read_text().count("the processes go on as they are") == n
            )
            assert says in room.log.read_text()
            assert "the app does not start: the processes go on" in room.log.read_text()
            assert room.pids() == before
            with urllib.request.urlopen(f"{room.address}/_stcore/health") as answer:
                assert answer.status == 200
            path.write_text(sound)
        room.process.send_signal(signal.SIGHUP)
        room.wait_to_write("all processes were restarted")
        assert room.pids() != before
        assert room.pids().keys() == before.keys()


@pytest.mark.slow
def test_class_proxy_closes_half_a_request_in_time(room: Room) -> None:
    port = int(room.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as half:
        half.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: ")
        began = time.monotonic()
        assert half.recv(4096) == b""  # closed
        assert 10 < time.monotonic() - began < 45
