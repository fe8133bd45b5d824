"""A published figure as HTML: the live figure's own markup, filled with a still picture.

The picture, the disabled sliders and the caption take the room that the live figure will take, so that
nothing moves when it replaces them. Where no script runs, they remain.
"""

from collections.abc import Sequence
from html import escape

from attn_live.bundle import markup
from attn_live.captions import TextSpan
from attn_ui.base.page import Columns
from attn_ui.publish.figure import WIDTHS, Bar, Published
from attn_words import _, _n

COLOURS = ("light", "dark")
MOST_ROWS = 24  # of a table; the save panel has all of them, as CSV
_PLAY = '<svg viewBox="0 0 10 10" aria-hidden="true"><path d="M1 0l9 5-9 5z"/></svg>'


def still_name(figure: str, width: int, colours: str) -> str:
    """Return the name of a picture's file.

    Args:
        figure: `Published.id`; width: one of `WIDTHS`; colours: one of `COLOURS`.
    """
    return f"{figure}-{width}-{colours}.svg"


def still_names(figure: str) -> list[str]:
    """Return the names of all pictures of a figure."""
    return [still_name(figure, width, colours) for width in WIDTHS for colours in COLOURS]


def element(figure: Published, root: str, app: str = "", *, message: str = "", stills: bool = True) -> str:
    """Return the HTML of one figure; a link contributes nothing to it but attributes and text.

    Args:
        figure: what is shown.
        root: the path from the page to the files of figures: "" or with a slash at its end.
        app: the address of the app that the figure leads to; "" for none.
        message: the figure's message in base64, to put it into the page itself.
        stills: whether there are pictures of it.
    """
    rooms = ";".join(f"--live-{width}:{height}px" for width, height in figure.rooms.items())
    still = _stills(figure, root) if stills else f"<noscript><p>{escape(figure.alt)}</p></noscript>"
    inside = (
        markup()
        .replace('role="group"', f'role="group" aria-label="{escape(figure.name)}"', 1)
        .replace(
            '<div class="live-stage">',
            f'<div class="live-stage" style="{rooms};min-height:var(--live-room)">{still}',
            1,
        )
        .replace('<div class="live-controls">', f'<div class="live-controls">{_controls(figure.bars)}', 1)
        .replace('aria-live="off">', f'aria-live="off">{_sentence(figure)}', 1)
    )
    script = f'<script type="application/octet-stream">{message}</script>' if message else ""
    about = {"figure": figure.id, "root": root, "app": app}
    data = "".join(f' data-{name}="{escape(value)}"' for name, value in about.items() if value)
    return f'<live-figure{data} lang="{figure.language}">{inside}{script}{_more(figure, app)}</live-figure>'


def _stills(figure: Published, root: str) -> str:
    images = []
    for width in WIDTHS:
        size = f'width="{width}" height="{figure.heights[width]}"'
        for colours in COLOURS:
            source = escape(f"{root}{still_name(figure.id, width, colours)}")
            images.append(
                f'<img class="live-at-{width} live-{colours}" src="{source}" '
                f'{size} alt="{escape(figure.alt)}" loading="lazy" decoding="async">'
            )
    return f'<div class="live-still">{"".join(images)}</div>'


def _controls(bars: Sequence[Bar]) -> str:
    """Return disabled sliders that look like those of `attn_live/js/controls.js`."""
    save = escape(_("Save"))
    tools = f'<div class="live-tools"><button type="button" disabled>{save}</button>'
    tools += '<button type="button" class="live-fill" disabled aria-hidden="true">'
    tools += '<svg viewBox="0 0 10 10"></svg></button></div>'
    rows = []
    for number, bar in enumerate(bars):
        play = f'<button type="button" class="live-play" disabled aria-hidden="true">{_PLAY}</button>'
        rows.append(
            f'<div class="live-row" data-setting="{escape(bar.name)}">'
            f"{play if number == 0 else '<span></span>'}<label>{escape(bar.label)}</label>"
            f'<input type="range" min="0" max="{bar.count - 1}" value="{bar.place}" disabled'
            f' aria-label="{escape(bar.label)}">'
            f'<output style="width:{bar.longest}ch">{escape(bar.text)}</output>'
            f"{tools if number == 0 else ''}</div>"
        )
    return "".join(rows) or tools


def _sentence(figure: Published) -> str:
    if not figure.sentence:
        return ""
    longest = "".join(text for _role, text in figure.longest)
    return (
        f'<span class="live-likeness"><span>{_runs(figure.sentence)}</span>'
        f'<span aria-hidden="true">{escape(longest)}</span></span>'
    )


def _runs(runs: Sequence[TextSpan]) -> str:
    return "".join(
        f'<span class="{escape(role)}">{escape(text)}</span>' if role else escape(text) for role, text in runs
    )


def _more(figure: Published, app: str) -> str:
    parts = []
    if app:
        href, label = escape(f"{app.rstrip('/')}/{figure.link}"), _("Open in the app")
        parts.append(f'<a class="live-open" href="{href}">{escape(label)}</a>')
    if figure.program:
        program = escape(figure.program).replace("\n\n", "\n&#10;")  # a blank line ends HTML in Markdown
        code = f'<pre tabindex="0"><code>{program}</code></pre>'
        parts.append(_unfolds(_("The program"), code))
    if figure.tables:
        tables = "".join(_table(name, columns) for name, columns in figure.tables.items())
        parts.append(_unfolds(_("The numbers"), tables))
    return f'<div class="live-more">{"".join(parts)}</div>' if parts else ""


def _unfolds(title: str, inside: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inside}</details>"


def _table(name: str, columns: Columns) -> str:
    count = max((len(column) for column in columns.values()), default=0)
    head = "".join(
        f'<th scope="col">{escape(title)}</th>' if title.strip() else "<td></td>" for title in columns
    )
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(_cell_text(column[row]))}</td>' for column in columns.values())}</tr>"
        for row in range(min(count, MOST_ROWS))
    )
    n_more = count - MOST_ROWS
    more = f"<p>{escape(_rest(n_more))}</p>" if n_more > 0 else ""
    return (
        f'<div class="live-table" tabindex="0" role="group" aria-label="{escape(name)}"><table>'
        f"<caption>{escape(name)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{more}"
    )


def _rest(count: int) -> str:
    return _n(
        "{count} row more: Save has all, as CSV.", "{count} rows more: Save has all of them, as CSV.", count
    )


def _cell_text(value: object) -> str:
    """Return the text of a cell; a number has six significant digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:.6g}".replace("-", "−")
