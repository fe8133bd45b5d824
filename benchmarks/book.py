"""Figures on pages that were built: what they cost to make, to send, to open and to move.

    python -m benchmarks.book [build pictures press readers] [--visits 5] [--presses 33] [--seconds 5]

build     every figure of the lessons and of the lecture: seconds to compute and to draw, and bytes
pictures  a chapter of five figures in Chromium with nothing in its cache: the first still that is painted,
          the first live figure, and the layout shift while the chapter is read; unthrottled, and at 10 Mbit/s
          with 40 ms. Beside it Plotly's own page of the same figures, which do not move
press     key press to changed picture in that chapter, and in bare Plotly.react with the very same figures
readers   chapters that nginx serves a second, set up by `deploy/book.conf`, to wrk on the same cores. A
          reader is one connection that asks for the files that Chromium asked for, one after another, each
          compressed, without TLS; the last request closes it

Prints medians; rounds alternate, so that a slow moment of the machine falls on all. Both pages are served by
the same nginx. Exits with 1 if a target is missed. A part that needs a program that is not installed (nginx;
wrk, which Debian has as `apt-get install wrk`) is reported and left out.
"""

import argparse
import contextlib
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import plotly.io
from playwright.sync_api import Browser, sync_playwright

from attn_figures.arrange import settle
from attn_ui.lessons.figures import open_link
from attn_ui.lessons.shelf import shelf
from attn_ui.publish.__main__ import page
from attn_ui.publish.figure import MOST_BYTES, Published, figure_of_link
from attn_ui.publish.files import Site
from attn_ui.publish.stills import draw_stills
from benchmarks.first_picture import MARKS, NETWORKS, Protocol, blank, chromium, until
from benchmarks.interaction import (
    APPS,
    FLAGS,
    MAPS,
    PROBE,
    RATES,
    ROOT,
    Contestant,
    bare_pages,
    free_port,
    press,
    read_steps,
    slowed,
)
from tests.browser.conftest import wait_for

CHAPTER = ("single-head", "multi-head", "kernel-regression", "positional-encoding", "learned-heads")
FIGURES = "figures/"
PARTS = ("build", "pictures", "press", "readers")
COLUMN = 960  # pixels of the chapter's column in a window of 1280
COMPRESSED = (".html", ".css", ".js", ".svg")
CONNECTIONS = 64
ROUNDS = 3  # of wrk

MOST_MINUTES, OF_FIGURES = 5, 60
USUAL_BYTES = 60_000
MOST_SECONDS = dict(zip(NETWORKS, (1.2, 2.5), strict=True))
MOST_OF_BARE = 0.4
LEAST_READERS = 2000

DRAWN = "() => document.querySelector('.live-figure[data-state=drawn]')"
PAINTED = """new Promise((resolve) => new PerformanceObserver((list) => {
    const still = list.getEntries().find(({ element }) => element?.closest('.live-still'));
    if (still) resolve(still.startTime / 1000);
}).observe({ type: 'largest-contentful-paint', buffered: true }))"""
READ_ALL = """(async () => {
    for (const figure of document.querySelectorAll('live-figure, .plotly-graph-div')) {
        figure.scrollIntoView({ block: 'center' });
        const drawn = () => figure.matches('.js-plotly-plot, :has(.live-figure[data-state=drawn])');
        while (!drawn()) await new Promise(requestAnimationFrame);
        await new Promise((resolve) => setTimeout(resolve, 300));
    }
})()"""
SHIFTED = """new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value;
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 100);
})"""
FETCHED = """[location.href, ...performance.getEntriesByType('resource')
    .filter(({ responseStatus }) => responseStatus === 200).map(({ name }) => name)]"""

NGINX = """daemon off;
worker_processes {cores};
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 2048; }}
http {{
    include /etc/nginx/mime.types;
    access_log {folder}/access.log combined buffer=64k;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/book.conf;
}}
"""


@dataclass
class Targets:
    """The targets that were missed."""

    misses: list[str] = field(default_factory=list)

    def at_most(self, what: str, value: float, most: float) -> None:
        """Record a value that is larger than it may be."""
        if not value <= most:
            self.misses.append(f"{what}: {value:.3g}, at most {most:g} wanted")

    def at_least(self, what: str, value: float, least: float) -> None:
        """Record a value that is smaller than it may be."""
        if not value >= least:
            self.misses.append(f"{what}: {value:.3g}, at least {least:g} wanted")


# ---- build ----


def links() -> list[str]:
    """Return the links of all steps of all lessons, and of the lecture; each once."""
    return list(dict.fromkeys(step.link for lesson in shelf().lessons.values() for step in lesson.steps))


def build(folder: Path, targets: Targets) -> None:
    """Build a site of the figures of all lessons; print how long that takes, and how large it is."""
    start = time.perf_counter()
    figures = [figure_of_link(link) for link in links()]
    computed = time.perf_counter()
    chapter_of(figures, folder)
    drawn_at = time.perf_counter()
    count = len({figure.id for figure in figures})
    minutes = (drawn_at - start) / 60
    targets.at_most(f"minutes for {OF_FIGURES} figures", minutes * min(1, OF_FIGURES / count), MOST_MINUTES)
    print(f"\n| {count} figures | seconds | a figure |\n|---|---:|---:|")
    for name, seconds in (
        ("computed", computed - start),
        ("written, and their stills drawn", drawn_at - computed),
        ("all", drawn_at - start),
        (f"{OF_FIGURES} of them", OF_FIGURES * (drawn_at - start) / count),
    ):
        print(f"| {name} | {seconds:.0f} | {seconds / (OF_FIGURES if name[0].isdigit() else count):.2f} |")
    sizes(folder / FIGURES, figures, targets)


def sizes(folder: Path, figures: Sequence[Published], targets: Targets) -> None:
    """Print the bytes of figures and of the files that they share, compressed and on the disk."""
    compress(folder)
    largest = max(figures, key=lambda figure: travels(folder / f"{figure.id}.js"))
    stills = list(folder.glob("*.svg"))
    of_figure = [folder / f"{figure.id}.js" for figure in figures]
    shared = [path for path in folder.glob("*.*") if path.suffix in (".js", ".css") and path not in of_figure]
    at_first = [path for path in shared if not path.stem.endswith(("-save", "-sans", "-sans-bold", "-serif"))]
    rows: list[tuple[str, list[Path], Callable[[list[int]], float]]] = [
        ("a figure's steps, median", of_figure, statistics.median),
        (f"the most ({largest.link})", of_figure, max),
        ("one still picture, median", stills, statistics.median),
        ("the most", stills, max),
        ("shared by all: " + ", ".join(sorted(path.name for path in at_first)), at_first, sum),
        ("fetched when a figure is saved", [path for path in shared if path not in at_first], sum),
        ("the whole site", [*of_figure, *stills, *shared], sum),
    ]
    print("\n| | kB, gzip-ed | kB |\n|---|---:|---:|")
    for name, paths, of in rows:
        small, large = (of([size(path) for path in paths]) / 1e3 for size in (travels, lies))
        print(f"| {name} | {small:,.0f} | {large:,.0f} |", flush=True)
    travelling = [travels(path) for path in of_figure]
    targets.at_most("bytes of a figure, median", statistics.median(travelling), USUAL_BYTES)
    targets.at_most("bytes of a figure, the most", max(travelling), MOST_BYTES)


def compress(folder: Path) -> None:
    """Put the gzip-ed form of all files beside them, as `deploy/book.conf` says."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in COMPRESSED:
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), 9))


def travels(path: Path) -> int:
    """Return the bytes of a file's compressed form."""
    return lies(path.with_name(f"{path.name}.gz"))


def lies(path: Path) -> int:
    """Return the bytes of a file on the disk."""
    return path.stat().st_size


# ---- the chapter and its peer ----


def chapter_of(figures: Sequence[Published], folder: Path) -> None:
    """Write a page of figures, a page of each alone, and all that they need."""
    site = Site(folder / FIGURES)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(page(figures, site, FIGURES), encoding="utf-8")
    for figure in figures:
        (folder / f"{figure.id}.html").write_text(page([figure], site, FIGURES), encoding="utf-8")
    site.write()
    draw_stills(site.folder)


def plotlys_own(folder: Path) -> None:
    """Write the same five figures as Plotly writes a page, with all of plotly.js beside it."""
    shutil.copy(str(files("plotly") / "package_data" / "plotly.min.js"), folder)
    parts = []
    for number, link in enumerate(CHAPTER):
        figure = settle(open_link(link).figure(), COLUMN)
        library = "plotly.min.js" if number == 0 else False
        html = plotly.io.to_html(figure, full_html=False, include_plotlyjs=library, validate=False)
        parts.append(f"<h2>{escape(link)}</h2>{html}")
    text = f"<!doctype html><meta charset=utf-8><title>Plotly</title>{''.join(parts)}"
    (folder / "plotly.html").write_text(text, encoding="utf-8")


@contextlib.contextmanager
def nginx(site: Path) -> Iterator[str]:
    """Serve a folder with the settings of `deploy/book.conf`; yield the address."""
    port = free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = (ROOT / "deploy" / "book.conf").read_text()
        settings = settings.replace("listen 80;", f"listen 127.0.0.1:{port};").replace(
            "/srv/book;", f"{site};"
        )
        (folder / "book.conf").write_text(settings)
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, cores=os.cpu_count()))
        command = ["nginx", "-e", f"{folder}/error.log", "-p", str(folder), "-c", f"{folder}/nginx.conf"]
        if os.getuid() == 0:
            command += ["-g", "user root;"]  # whose folder it is
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(address, process)
            yield address
        finally:
            process.terminate()
            process.communicate(timeout=20)


# ---- pictures ----


@dataclass
class Visits:
    """Measurements of one page, one for each visit: seconds, and the layout shift."""

    still: list[float] = field(default_factory=list)
    live: list[float] = field(default_factory=list)
    shifted: list[float] = field(default_factory=list)


def visit(browser: Protocol, url: str, megabits: int | None, visits: Visits) -> None:
    """Visit a page with nothing in the cache, read it to its end, and add the measurements."""
    with blank(browser, megabits) as session:
        start = time.perf_counter()
        browser.send("Page.navigate", {"url": url}, session)
        until(browser, session, MARKS)
        visits.live.append(time.perf_counter() - start)
        if url.endswith("index.html"):
            visits.still.append(report(browser, session, PAINTED))
        report(browser, session, READ_ALL)
        visits.shifted.append(report(browser, session, SHIFTED))


def report(browser: Protocol, session: str, expression: str) -> Any:
    """Return the value of a JavaScript expression on a page."""
    parameters = {"expression": expression, "awaitPromise": True, "returnByValue": True}
    return browser.send("Runtime.evaluate", parameters, session)["result"].get("value")


def pictures(address: str, count: int, targets: Targets) -> None:
    """Open the chapter and Plotly's page in turn; print how long the first picture took, and what shifted."""
    print("\n| | " + " | ".join(f"{name}: seconds | shifted" for name in NETWORKS) + " |")
    print("|---|" + "---:|" * 2 * len(NETWORKS))
    rows: dict[str, list[str]] = {}
    with chromium() as browser:
        for name, megabits in NETWORKS.items():
            ours, plotlys = Visits(), Visits()
            for turn in range(count + 1):
                # The first warms the browser and the server.
                visit(browser, f"{address}/index.html", megabits, ours if turn else Visits())
                visit(browser, f"{address}/plotly.html", megabits, plotlys if turn else Visits())
            still, live, plain = (statistics.median(each) for each in (ours.still, ours.live, plotlys.live))
            shifted, plotlys_shifted = max(ours.shifted), max(plotlys.shifted)
            targets.at_most(f"seconds to the first picture, {name}", still, MOST_SECONDS[name])
            targets.at_most(f"layout shift, {name}", shifted, 0)
            for row, seconds, shift in (
                ("the chapter: first picture", f"{still:.2f}", f"{shifted:.3f}"),
                ("the chapter: first live figure", f"{live:.2f}", ""),
                ("Plotly's own page: first figure", f"{plain:.2f}", f"{plotlys_shifted:.3f}"),
                ("first picture / Plotly's", f"{still / plain:.2f}", ""),
                ("first live figure / Plotly's", f"{live / plain:.2f}", ""),
            ):
                rows.setdefault(row, []).append(f"{seconds} | {shift}")
    for row, cells in rows.items():
        print(f"| {row} | {' | '.join(cells)} |", flush=True)


# ---- press ----


def presses(address: str, figures: Sequence[Published], count: int, targets: Targets) -> None:
    """Press in each figure of the chapter and in bare Plotly in turn; print how long pictures took."""
    print("\n| figure | CPU slowed | the chapter (p95) | bare Plotly.react (p95) | ratio (p95) |")
    print("|---|---|---:|---:|---:|")
    with bare_pages() as (bare, folder), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for figure in figures:
            recorded, _seconds = read_steps(browser, f"{address}/{figure.id}.html")
            (folder / f"{figure.id}.json").write_text(json.dumps(recorded))
            here = f"live-figure[data-figure='{figure.id}']"
            rivals = [
                Contestant(
                    "the chapter",
                    f"{address}/index.html",
                    f"{here} input[data-live=step]",
                    f"{here} .live-plot image, {here} .live-mark",
                    1,
                ),
                Contestant(
                    "bare", f"{bare}/bare.html?figures={figure.id}.json", "input[type=range]", MAPS, 1
                ),
            ]
            for rate in pressed(browser, rivals, count):
                own, plain = rivals
                ratios = own.median / plain.median, own.p95 / plain.p95
                targets.at_most(f"press in {figure.link} of bare Plotly's, {rate}x", ratios[0], MOST_OF_BARE)
                cells = [f"{each.median:.0f} ms ({each.p95:.0f} ms)" for each in rivals]
                print(
                    f"| {figure.link} | {rate}x | {' | '.join(cells)} | {ratios[0]:.2f} ({ratios[1]:.2f}) |",
                    flush=True,
                )
        browser.close()


def pressed(browser: Browser, rivals: list[Contestant], count: int) -> Iterator[int]:
    """Let rivals press in turn; yield each rate by which the processor is slowed, after its presses."""
    for rival in rivals:
        rival.page = browser.new_page(viewport={"width": 1280, "height": 900})
        rival.page.goto(rival.url)
        rival.page.locator(rival.selector.split()[0]).first.scroll_into_view_if_needed(timeout=60_000)
    own, plain = (rival.page for rival in rivals)
    assert own is not None
    assert plain is not None
    within = rivals[0].slider.split()[0]
    own.wait_for_selector(f"{within} .live-film[data-film=ready]", timeout=240_000, state="attached")
    plain.wait_for_selector("body[data-ready]", timeout=120_000)
    for each in (own, plain):
        each.evaluate(PROBE)
    for rate in RATES:
        for rival in rivals:
            rival.milliseconds.clear()
        for turn in range(count):
            for rival, on in zip(rivals, (own, plain), strict=True):
                with slowed(on, rate):
                    press(rival)
                if turn == 0:
                    rival.milliseconds.clear()
        yield rate
    for each in (own, plain):
        each.close()


# ---- readers ----


def fetched(address: str) -> dict[str, list[str]]:
    """Return the files that Chromium requests until the chapter is open, and until it is read to its end."""
    with chromium() as browser, blank(browser, None) as session:
        browser.send("Page.navigate", {"url": f"{address}/index.html"}, session)
        until(browser, session, DRAWN)
        at_first = report(browser, session, FETCHED)
        report(browser, session, READ_ALL)
        in_all = report(browser, session, FETCHED)
    return {
        name: [url.removeprefix(address) for url in urls if url.startswith(address)]
        for name, urls in (("at first", at_first), ("in all", in_all))
    }


def readers(address: str, site: Path, figures: Sequence[Published], seconds: int) -> dict[str, float]:
    """Let wrk read chapters; print and return how many a second, by what a reader requests."""
    parameters = fetched(address)
    own = {figure.id for figure in figures}
    new = [
        path
        for path in parameters["in all"]
        if path.endswith("index.html") or path.partition(FIGURES)[2][:16] in own
    ]
    (site / "small.html").write_text("<!doctype html><title>small</title>")
    compress(site)
    chapters = {
        "a page of one line": ["/small.html"],
        "the chapter's HTML": ["/index.html"],
        "a first visit, as the page opens": parameters["at first"],
        "a chapter to its end, shared files known": new,
        "a chapter to its end, a first visit": parameters["in all"],
    }
    value: dict[str, list[tuple[float, float]]] = {name: [] for name in chapters}
    for _turn in range(ROUNDS):
        for name, paths in chapters.items():
            value[name].append(served(address, paths, seconds))
    head = ("a reader asks for", "files", "kB", "readers a second (most)", "Gbit/s")
    print(f"\n| {' | '.join(head)} |\n|---|{'---:|' * 4}")
    rates = {}
    for name, paths in chapters.items():
        rate, gigabits = (statistics.median(column) for column in zip(*value[name], strict=True))
        rates[name] = rate
        kilobytes = sum(travels(site / path.partition("?")[0].lstrip("/")) for path in paths) / 1e3
        most = max(each for each, _ in value[name])
        cells = f"{len(paths)} | {kilobytes:,.0f} | {rate:,.0f} ({most:,.0f}) | {gigabits:.1f}"
        print(f"| {name} | {cells} |", flush=True)
    return rates


def served(address: str, paths: Sequence[str], seconds: int) -> tuple[float, float]:
    """Let wrk read; return readers and gigabits a second."""
    wrk = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "-s", str(APPS / "reader.lua"), address, "--"]
    run = subprocess.run([*wrk, *paths], capture_output=True, text=True, check=True)
    report = json.loads(run.stdout.strip().splitlines()[-1])
    if report["failed"]:
        raise RuntimeError(f"{report['failed']} of {report['requests']} requests failed:\n{run.stdout}")
    seconds_taken = report["seconds"]
    return report["requests"] / len(paths) / seconds_taken, 8 * report["bytes"] / seconds_taken / 1e9


def main() -> int:
    """Measure the parts given on the command line; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--presses", type=int, default=33, help="the first warms up")
    parser.add_argument("--seconds", type=int, default=5, help="of each run of wrk")
    options = parser.parse_args()
    targets = Targets()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "build" in options.parts:  # first, before anything is cached
            build(folder / "all", targets)
        if set(options.parts) - {"build"} and not shutil.which("nginx"):
            print("nginx is not installed (Debian: apt-get install nginx-light): nothing is served")
        elif set(options.parts) - {"build"}:
            site = folder / "chapter"
            figures = [figure_of_link(link) for link in CHAPTER]
            chapter_of(figures, site)
            plotlys_own(site)
            compress(site)
            with nginx(site) as address:
                if "pictures" in options.parts:
                    pictures(address, options.visits, targets)
                if "press" in options.parts:
                    presses(address, figures, options.presses, targets)
                if "readers" in options.parts and not shutil.which("wrk"):
                    print("wrk is not installed (Debian: apt-get install wrk): no readers are counted")
                elif "readers" in options.parts:
                    rates = readers(address, site, figures, options.seconds)
                    whole = "a chapter to its end, a first visit"
                    targets.at_least(f"readers a second, {whole}", rates[whole], LEAST_READERS)
    for sentence in targets.misses:
        print(f"missed: {sentence}")
    return 1 if targets.misses else 0


if __name__ == "__main__":
    sys.exit(main())
