"""A lesson on paper: `python -m attn_ui.export.handout LESSON.md --out DIR`.

It writes two files of A4 pages: the pictures and questions with room for answers, and the same with
solutions. The app is started for the pictures, unless `--address` names one, and a Chromium saves and prints
them.
"""

import argparse
import base64
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from attn_figures import theme
from attn_ui.export.slides import (
    SlidesError,
    check_address,
    check_letters,
    chromium,
    make_writable,
    name_language,
    options_of,
    save_slide,
    serving,
)
from attn_ui.lessons import shelf
from attn_ui.lessons.answers import Truth, fill_in, truth
from attn_ui.lessons.check import complaints
from attn_ui.lessons.figures import shown_answer, shown_name, tables_of
from attn_ui.lessons.lesson import Digression, Lesson, LessonError, LessonQuestion, LessonStep, LessonText
from attn_ui.lessons.link_list import Line
from attn_ui.publish.letters import write_page
from attn_words import _, _n, language, speaking

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MARGIN = "16mm"
LINES = 2  # that an answer in words may take
_STYLE = f"""
body {{ margin: 0; font: 11pt/1.45 {theme.SANS}; color: {theme.PRINT.ink}; }}
h1 {{ font-size: 22pt; margin: 0 0 2mm; }}
h2 {{ font-size: 14pt; margin: 0 0 2mm; }}
section {{ margin-top: 8mm; }}
h2, figure {{ break-after: avoid; }}
figure {{ margin: 2mm 0 3mm; break-inside: avoid; }}
figure img {{ display: block; width: 100%; max-height: 88mm; object-fit: contain; object-position: left; }}
figcaption, .about, .name {{ color: {theme.PRINT.muted}; }}
figcaption {{ font-size: 8.5pt; overflow-wrap: anywhere; }}
p {{ margin: 0 0 2mm; }}
.question {{ break-inside: avoid; border-left: 1mm solid {theme.PRINT.ink}; }}
.question {{ padding: 1mm 0 1mm 4mm; margin: 3mm 0; }}
.options span {{ display: inline-block; margin: 0 6mm 1mm 0; }}
.options span::before {{ content: "☐ "; }}
.options span.right::before {{ content: "☒ "; }}
.line {{ height: 8mm; border-bottom: 0.2mm solid {theme.PRINT.muted}; }}
.blank {{ display: inline-block; min-width: 35mm; border-bottom: 0.2mm solid {theme.PRINT.muted}; }}
.solution {{ background: {theme.PRINT.panel}; padding: 1.5mm 3mm; margin-top: 1mm; }}
.name {{ float: right; }}
"""


@cache
def _markdown() -> MarkdownIt:
    from latex2mathml.converter import convert  # noqa: PLC0415  (only this command needs it)

    def formula(latex: str, options: Mapping[str, bool]) -> str:
        return str(convert(latex, display="block" if options["display_mode"] else "inline"))

    return MarkdownIt("commonmark", {"html": False}).use(
        dollarmath_plugin, renderer=formula, double_inline=True, allow_digits=True
    )


def document(lesson: Lesson, pictures: Mapping[str, Path], *, answers: bool) -> str:
    """Return a lesson as HTML to be printed.

    Args:
        lesson: one that `check` finds no fault in.
        pictures: an SVG for each link of its steps.
        answers: whether to print the answers; otherwise there is room for them.
    """
    name = _("Solutions") if answers else _("Name: {name}", name="<span class='blank'></span>")
    minutes = _n("{count} minute", "{count} minutes", lesson.minutes)
    by_hand = _(
        "Where a step asks you to move or choose something, do it in the app: the line under the picture is "
        "its address there."
    )
    head = (
        f"<title>{escape(lesson.title)}</title><style>{_STYLE}</style><p class='name'>{name}</p>"
        f"<h1>{escape(lesson.title)}</h1>"
        f"<p class='about'>{escape(lesson.about)} {minutes}</p><p class='about'>{by_hand}</p>"
    )
    steps = "".join(
        _step(number, step, pictures.get(step.link), answers=answers)
        for number, step in enumerate(lesson.steps, start=1)
    )
    return f"<!doctype html><html lang='{language()}'><meta charset='utf-8'>{head}{steps}</html>"


def _step(number: int, step: LessonStep, picture: Path | None, *, answers: bool) -> str:
    figure = ""
    if picture is not None:
        svg = base64.b64encode(picture.read_bytes()).decode()
        figure = (
            f"<figure><img alt='' src='data:image/svg+xml;base64,{svg}'>"
            f"<figcaption>{escape(_line(step).link)}</figcaption></figure>"
        )
    parts = "".join(_part(part, step, answers=answers) for part in step.parts)
    return f"<section><h2>{number}. {escape(step.title)}</h2>{figure}{parts}</section>"


def _line(step: LessonStep) -> Line:
    """Return the link of a step as a line of a list, in the current language."""
    return name_language(Line(step.line, step.link, step.link.strip("/"), step.title))


def _part(part: LessonText | LessonQuestion | Digression, step: LessonStep, *, answers: bool) -> str:
    if isinstance(part, LessonText):
        return _html(part, step)
    if isinstance(part, Digression):
        below = f"<div class='solution'>{_html(part.text, step)}</div>" if answers else _room()
        return f"<div class='question'><p>{escape(part.title)}</p>{below}</div>"
    true = truth(part, step.link, tables_of)
    return f"<div class='question'>{_html(part.text, step)}{_answer(part, true, step, answers=answers)}</div>"


def _answer(question: LessonQuestion, true: Truth, step: LessonStep, *, answers: bool) -> str:
    if true.number is None:
        marks = [
            f"<span class='{'right' if answers and option == true.answer else ''}'>"
            f"{escape(shown_answer(question, step, option))}</span>"
            for option in true.options
        ]
        answer_html = f"<p class='options'>{''.join(marks)}</p>"
    else:
        room = f"<span class='blank'>{escape(true.answer) if answers else ''}</span>"
        answer = _("Answer: {answer}", answer=room)
        answer_html = f"<p>{answer}</p>"
    if not answers:
        return answer_html + _room()
    because = _html(question.because, step) if question.because else ""
    computed = _("Computed: {reason}.", reason=escape(true.reason))
    return f"{answer_html}<div class='solution'><p>{computed}</p>{because}</div>"


def _room() -> str:
    return "<div class='line'></div>" * LINES


def _html(text: LessonText, step: LessonStep) -> str:
    return str(_markdown().render(fill_in(text, step.link, tables_of, shown_name)))


def make(lesson: Lesson, out: Path, address: str, browser: "Browser") -> list[Path]:
    """Write a lesson's handout and its solutions in the current language; return the two files."""
    folder = out / "pictures"
    folder.mkdir(exist_ok=True)
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    check_letters(context.new_page(), language())
    pictures: dict[str, Path] = {}
    for number, step in enumerate(lesson.steps, start=1):
        if step.link in pictures:
            continue
        line = _line(step)
        tab = context.new_page()
        slide, _message = save_slide(
            tab, f"{address.rstrip('/')}/{line.path}", line, folder / f"{number:02d}", "svg", public=""
        )
        tab.close()
        pictures[step.link] = slide.picture
    files = []
    for answers in (False, True):
        page = context.new_page()
        write_page(page, document(lesson, pictures, answers=answers))
        file = out / f"{lesson.name}{'-solutions' if answers else ''}.pdf"
        page.pdf(
            path=file,
            format="A4",
            margin={"top": MARGIN, "bottom": MARGIN, "left": MARGIN, "right": MARGIN},
            display_header_footer=True,
            header_template="<span></span>",
            footer_template="<div style='font-size:8px;width:100%;text-align:center'>"
            "<span class='pageNumber'></span> / <span class='totalPages'></span></div>",
            print_background=True,
            tagged=True,
        )
        page.close()
        files.append(file)
    context.close()
    return files


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the handout; return 0, or 2 where it cannot be made."""
    parser = argparse.ArgumentParser(
        prog="python -m attn_ui.export.handout", description=__doc__.split("\n")[0]
    )
    parser.add_argument("lesson", type=Path, help="a lesson, or a list of links")
    options = options_of(parser, arguments, "build/handout")
    try:
        with speaking(options.language or shelf.language_of_folder(options.lesson)):
            lesson = shelf.translation(shelf.open_lesson(options.lesson), options.lesson)
            if wrong := complaints(lesson):
                raise SlidesError("\n".join(wrong))
            if options.address:
                check_address(options.address)
            out = make_writable(options.out)
            running = nullcontext(options.address) if options.address else serving()
            with chromium(options.chromium) as browser, running as address:
                files = make(lesson, out, address, browser)
    except (SlidesError, LessonError) as error:
        print(f"handout: {error}", file=sys.stderr)
        return 2
    print("handout: " + ", ".join(map(str, files)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
