"""A list of links to this app, made into slides: `python -m attn_ui.export.slides LINKS.txt --out DIR`.

Each line of the list is a link, whole or from the page's name on, and may be followed by a title:

    # comments and empty lines are ignored
    single-head?t=0.5    Sharper
    https://lab.example.org/multi-head?heads=2

A lesson (`lessons/*.md`) is such a list too: each step a slide, with its question. The app is started for it,
unless `--address` names one, and a Chromium saves each page's first figure by the app's own Save panel: the
same picture as on the screen. A line that is no link is reported, the others become slides. A link opens in
the language that it names (`lang=zh`), or else in that of `--language`.
"""

import argparse
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, quote_plus, urlencode, urlsplit

from attn_ui.base.link_options import LANG, SAY
from attn_ui.export.slide import Slide
from attn_ui.lessons import shelf
from attn_ui.lessons.answers import fill_in, without_markup
from attn_ui.lessons.figures import shown_name, tables_of
from attn_ui.lessons.lesson import LessonError, LessonQuestion, LessonStep, LessonText
from attn_ui.lessons.link_list import Line, read_list
from attn_ui.streamlit_inside.markup import NOTICE, READY
from attn_words import LANGUAGES, SOURCE, language, paragraph, speaking

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FORMATS = ("pptx", "pdf", "png", "svg", "html")
ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 120
WAIT_MILLISECONDS = 90_000  # for whatever is waited for in the browser
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
DRAWN = """() => {
    const figures = [...document.querySelectorAll('.live-figure')].filter((f) => f.offsetParent !== null);
    return figures.length && figures.every((f) => f.dataset.state === 'drawn' && !('unsent' in f.dataset));
}"""


class SlidesError(Exception):
    """The reason why no slides can be made, as a sentence."""


@contextmanager
def serving() -> Iterator[str]:
    """Start the app on a free port; yield its address."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--server.headless=true", f"--server.port={port}", "--server.address=127.0.0.1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", *options],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def check_address(address: str) -> None:
    """Check that an app runs at a given address, once and not for each slide."""
    health = f"{address.rstrip('/')}/_stcore/health"
    try:
        with urllib.request.urlopen(health, timeout=WAIT_MILLISECONDS / 1000):
            return
    except urllib.error.HTTPError as error:
        if error.code < 500:  # a server is there, even if it reports no health
            return
        reason: object = error
    except ValueError as error:
        reason = error
    except OSError as error:
        reason = getattr(error, "reason", error)
    raise SlidesError(f"--address: wanted that of an app that runs, got {address!r} ({reason})")


def _wait_for(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
            return
        time.sleep(0.2)  # the server starts meanwhile
    raise SlidesError("the app could not be started; `streamlit run app.py` says why")


@contextmanager
def chromium(path: str | None = None) -> Iterator["Browser"]:
    """Open a Chromium: the one named, the system's, or Playwright's own."""
    try:
        from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415  (only this command needs it)
    except ModuleNotFoundError as error:
        raise SlidesError(
            f"{error.name} is missing: pip install -r requirements-slides.txt, or `make slides`"
        ) from error
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    program = path or next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        except Error as error:
            raise SlidesError(
                f"no Chromium could be started ({program or 'none was program'}): install one, name it with "
                "--chromium, or run python -m playwright install chromium"
            ) from error
        try:
            yield browser
        finally:
            browser.close()


LETTERS = """(letters) => {
    const [one, other] = [...letters].map((letter) => {
        const canvas = document.createElement("canvas");
        const brush = canvas.getContext("2d");
        brush.font = "48px sans-serif";
        brush.fillText(letter, 0, 60);
        return canvas.toDataURL();
    });
    return one !== other;
}"""
"""Returns whether a browser draws two letters differently: letters that no font has look the same."""


def check_letters(page: "Page", language: str) -> None:
    """Check that the browser can write a language.

    Raises:
        SlidesError: the browser has no font with the letters of the language.
    """
    if not page.evaluate(LETTERS, LANGUAGES[language][:2]):
        raise SlidesError(
            f"no font of this system has the letters of {LANGUAGES[language]}: every word would be a row of "
            "boxes; `apt-get install fonts-noto-cjk` brings one"
        )


def language_of(link: str) -> str:
    """Return the language that a link names; English where it names none of the app's.

    >>> language_of("single-head?t=0.5&lang=zh"), language_of("single-head")
    ('zh', 'en')
    """
    name = parse_qs(urlsplit(link).query).get(LANG.name, [""])[-1]
    return name if name in LANGUAGES else SOURCE


def name_language(line: Line) -> Line:
    """Add the current language to a link that names none; English is not added."""
    if language() == SOURCE or LANG.name in parse_qs(urlsplit(line.link).query):
        return line
    link, path = (
        f"{each}{'&' if '?' in each else '?'}{urlencode({LANG.name: language()})}"
        for each in (line.link, line.path)
    )
    return replace(line, link=link, path=path)


def save_slide(
    page: "Page", url: str, line: Line, picture: Path, kind: str, *, public: str
) -> tuple[Slide, str]:
    """Save the first figure of a link's page; return the slide, and the page's notices about the link.

    Args:
        page: a tab of the browser; url: what it opens.
        line: the link as the list has it.
        picture: the path of its file, before the app's name for it; kind: "png", "svg" or "html".
        public: the link as readers of the slides can open it; "" if that is unknown.
    """
    page.goto(url)
    page.wait_for_selector(READY)
    page.wait_for_function(DRAWN)
    page.wait_for_selector(READY)  # the figure may have reported, and the page run again
    figure = page.locator(".live-figure:visible").first
    sentence = page.locator(".teacher-says")
    caption = (sentence if sentence.count() else figure.locator(".live-says")).inner_text().strip()
    alt = figure.locator(".live-plot").get_attribute("aria-label") or ""
    heading = page.locator("h1").first.inner_text().strip()
    notices = page.locator(NOTICE).filter(has_text="link_off")  # its icon
    dropped = [text for text in notices.locator("p").all_inner_texts() if text]
    figure.locator("[data-live=save]").click()
    panel = page.locator("dialog.save-panel")
    panel.locator(f'input[name=format][value="{kind}"]').check()
    if kind != "html":
        panel.locator('input[name=shape][value="under a title"]').check()
        panel.locator("input[name=large]").set_checked(True)
        panel.locator("input[name=caption]").set_checked(False)
    page.wait_for_selector(f"dialog.save-panel[data-made={kind}], dialog.save-panel[data-made=failed]")
    with page.expect_download() as download:
        panel.locator("[data-live=file]").click(timeout=WAIT_MILLISECONDS)
    name = download.value.suggested_filename
    picture = picture.with_name(f"{picture.name}-{name}")
    download.value.save_as(picture)
    if kind == "html":
        _write_link(picture, public or line.link)
    page.keyboard.press("Escape")
    link = public or line.link
    slide = Slide(line.title or heading, caption or alt, link, picture, public, language_of(line.link))
    return slide, " ".join(dropped)


def _write_link(file: Path, link: str) -> None:
    """Write the link of the list into a moving file: the app that drew it may be gone."""
    before, mark, rest = file.read_text(encoding="utf-8").partition("<footer>")
    _here, end, after = rest.partition("</footer>")
    file.write_text(f"{before}{mark}{escape(link)}{end}{after}", encoding="utf-8", newline="\n")


def make(
    lines: Sequence[Line], out: Path, kind: str, address: str, browser: "Browser", *, public: str = ""
) -> list[str]:
    """Make the slides of a list; return a sentence for each link without a slide or with unusable settings.

    Args:
        lines: the links; out: the folder for the files.
        kind: one of `FORMATS`; address: of the app.
        browser: to open the pages with.
        public: the app's address for readers of the slides; links that name a host of their own keep it.
    """
    from playwright.sync_api import Error  # noqa: PLC0415  (only this command needs it)
    from tqdm import tqdm  # noqa: PLC0415  (only this command needs it)

    from attn_ui.export import deck_files  # noqa: PLC0415  (only this command needs it)

    pictures = {"pptx": "png", "pdf": "svg"}.get(kind, kind)
    folder = out / "pictures" if kind in ("pptx", "pdf") else out
    folder.mkdir(exist_ok=True)
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, accept_downloads=True, color_scheme="light"
    )
    slides, complaints = [], []
    lines = [name_language(line) for line in lines]
    for name in {language_of(line.link) for line in lines}:
        check_letters(context.new_page(), name)
    for number, line in enumerate(tqdm(lines, unit="slide", disable=None), start=1):
        tab = context.new_page()
        tab.set_default_timeout(WAIT_MILLISECONDS)
        try:
            url = f"{address.rstrip('/')}/{line.path}"
            link = line.link if urlsplit(line.link).netloc else ""
            link = link or (f"{public.rstrip('/')}/{line.path}" if public else "")
            slide, message = save_slide(tab, url, line, folder / f"{number:02d}", pictures, public=link)
        except Error as error:
            reason = str(error).splitlines()[0]
            complaints.append(f"line {line.number} gave no slide: {line.link[:60]!r} ({reason})")
            continue
        finally:
            tab.close()
        slides.append(slide)
        if message:
            complaints.append(f"line {line.number}: {message}")
    if slides and kind == "pptx":
        deck_files.write_pptx(slides, out / "slides.pptx")
    if slides and kind == "html":
        (out / "index.html").write_text(_index(slides), encoding="utf-8")
    if slides and kind == "pdf":
        page = context.new_page()
        deck_files.write_pdf(slides, out / "slides.pdf", page)
    context.close()
    return complaints


def _index(slides: Sequence[Slide]) -> str:
    """Return an HTML page of links to the moving files, under their titles."""
    items = "".join(
        f'<li><a href="{quote(each.picture.name)}">{escape(each.title)}</a><p>{escape(each.caption)}</p></li>'
        for each in slides
    )
    head = f'<meta charset="utf-8"><title>{escape(slides[0].title)}</title>'
    return f'<!doctype html><html lang="{slides[0].language}">{head}<ol>{items}</ol></html>'


def make_writable(folder: Path) -> Path:
    """Make a folder that can be written to.

    Raises:
        SlidesError: the folder cannot be made, or not be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        mark = folder / ".writable"
        mark.touch()
        mark.unlink()
    except OSError as error:
        raise SlidesError(
            f"wanted a folder that can be written to, got {folder}: {error.strerror}"
        ) from error
    return folder


def options_of(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None, out: str
) -> argparse.Namespace:
    """Parse a command's options, among them those that slides and handouts share."""
    parser.add_argument("--out", type=Path, default=Path(out), help="the folder for the files")
    help_text = "of words and of links that name none; that of the folder of translations unless given"
    parser.add_argument("--language", choices=LANGUAGES, help=help_text)
    parser.add_argument("--address", help="of an app that runs already; one is started otherwise")
    parser.add_argument("--chromium", help="the browser's program, where it is not found by itself")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the slides; return 0 where every line became one, 1 where some did not, 2 where none could."""
    parser = argparse.ArgumentParser(
        prog="python -m attn_ui.export.slides", description=__doc__.split("\n")[0]
    )
    parser.add_argument(
        "links", type=Path, help="a link a line, each with a title if you like; or a lesson (.md)"
    )
    parser.add_argument("--format", choices=FORMATS, default="pptx")
    options = options_of(parser, arguments, "build/slides")
    try:
        with speaking(options.language or shelf.language_of_folder(options.links)):
            return _run(options)
    except SlidesError as error:
        print(f"slides: {error}", file=sys.stderr)
        return 2


def lines_of(file: Path) -> tuple[list[Line], list[str]]:
    """Return the links of a list or of a lesson, and a sentence for each line that is no link.

    Each step of a lesson is a slide with the step's title; its caption is the first question.

    Raises:
        SlidesError: the file is neither.
    """
    if file.suffix == ".md":
        try:
            lesson = shelf.translation(shelf.open_lesson(file), file)
        except LessonError as error:
            raise SlidesError(str(error)) from error
        return [Line(step.line, step.link, _with_question(step), step.title) for step in lesson.steps], []
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SlidesError(f"wanted a list of links as text, got {file}: {error}") from error
    return read_list(text)


def _with_question(step: LessonStep) -> str:
    """Return a step's link with its first question, and the sentence before it, as the setting `say`."""
    here, before = step.link.strip("/"), ""
    for part in step.parts:
        if isinstance(part, LessonQuestion):
            question = without_markup(fill_in(part.text, step.link, tables_of, shown_name))
            both = paragraph(before, question)
            sentence = both if len(both) <= SAY.longest else question[: SAY.longest]
            return f"{here}{'&' if '?' in here else '?'}say={quote_plus(sentence)}"
        text = (
            without_markup(fill_in(part, step.link, tables_of, shown_name))
            if isinstance(part, LessonText)
            else ""
        )
        before = re.split(r"(?<=[.!?])\s+|(?<=[。！？])(?=.)", text)[-1]
        before = "" if before.endswith(("?", "？")) else before
    return here


def _run(options: argparse.Namespace) -> int:
    lines, bad = lines_of(options.links)
    for sentence in bad:
        print(f"slides: {sentence}", file=sys.stderr)
    if not lines:
        raise SlidesError(f"there is no link in {options.links}")
    if options.address:
        check_address(options.address)
    out = make_writable(options.out)
    running = nullcontext(options.address) if options.address else serving()
    with chromium(options.chromium) as browser, running as address:
        complaints = make(lines, out, options.format, address, browser, public=options.address or "")
    for sentence in complaints:
        print(f"slides: {sentence}", file=sys.stderr)
    print(f"slides: {out}")
    return 1 if bad or complaints else 0


if __name__ == "__main__":
    sys.exit(main())
