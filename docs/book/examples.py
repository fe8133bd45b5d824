"""The worked examples of course notes, one page for each: its figure, and tables of every number."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlencode

from attn_core import ATTENTION_SAMPLES
from attn_figures.numbers import number
from attn_ui.base.markdown import plain
from attn_ui.base.page import Columns
from attn_ui.base.parameters import Choice, label_of
from attn_ui.lessons.figures import open_link
from attn_ui.lessons.read import slug
from attn_words import _
from pages.multi_head.settings import CASE, EXAMPLES
from pages.single_head.head import SAMPLES
from pages.single_head.settings import EXAMPLE

MOST_COLUMNS = 20  # of a table on a page


def links() -> dict[str, tuple[Choice, str, str]]:
    """Return the examples by their links: the setting that chooses each, its option, and its description."""
    single = {name: ATTENTION_SAMPLES[sample].description for name, sample in SAMPLES.items()}
    several = {name: sample.description for name, sample in EXAMPLES.items()}
    return {
        f"{page}?{urlencode({setting.name: name})}": (setting, name, about)
        for page, setting, every in (("single-head", EXAMPLE, single), ("multi-head", CASE, several))
        for name, about in every.items()
    }


def pages() -> dict[str, str]:
    """Return the examples, and the page that lists them, as MyST Markdown by their files."""
    outputs = {
        slug(name): _page(label_of(setting, name), _(about), link)
        for link, (setting, name, about) in links().items()
    }
    heading = _("Worked examples")
    about = _("Small enough to be computed by hand: hold the numbers of your notes against these.")
    names = "\n".join(outputs)
    contents = f"# {heading}\n\n{about}\n\n```{{toctree}}\n{names}\n```\n"
    return {"examples/index.md": contents} | {f"examples/{name}.md": text for name, text in outputs.items()}


def _page(title: str, about: str, link: str) -> str:
    at = open_link(link)
    parts = [f"# {plain(title)}", about, f":::{{attention}} {link}\n:::", *at.view.notes]
    tables = _of_heads(link) if link.startswith("multi-head") else _of_one_head(at.tables)
    for heading, columns in tables:
        parts += [f"## {heading}", _table(columns)]
    return "\n\n".join(parts) + "\n"


def _of_one_head(tables: Mapping[str, Columns]) -> Iterator[tuple[str, Columns]]:
    yield _("Each query with each key"), tables["pairs"]
    yield _("What comes out"), tables["output"]


def _of_heads(link: str) -> Iterator[tuple[str, Columns]]:
    at = open_link(link)
    yield _("What goes in"), at.tables["goes in"]
    if "attended to" in at.tables:
        yield _("What is attended to"), at.tables["attended to"]
    for head in range(1, at.view.result.n_head + 1):
        tables = open_link(f"{link}&head={head}").tables
        yield _("Head {head}: weights", head=head), tables["weights"]
        yield _("Head {head}: queries", head=head), tables["q"]
        yield _("Head {head}: keys", head=head), tables["k"]
        yield _("Head {head}: values", head=head), tables["v"]
    yield _("What comes out"), at.tables["comes out"]


def _table(columns: Columns) -> str:
    rows = [*zip(*columns.values(), strict=True)]
    words = sum(isinstance(cell, str) for cell in rows[0])
    if len(columns) - words > MOST_COLUMNS:
        size = f"{len(rows)} × {len(columns) - words}"
        return _("{size} numbers: too many for a page. The tab Data of the app has them.", size=size)
    ruler = [":--"] * words + ["--:"] * (len(columns) - words)
    names = [plain(_(name)) if name.strip() else "" for name in columns]
    return "\n".join(map(_line, [names, ruler, *([_cell(cell) for cell in row] for row in rows)]))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: object) -> str:
    if isinstance(cell, bool):
        return _("yes") if cell else _("no")
    if isinstance(cell, int | float):
        return "–" if cell != cell else number(cell)  # noqa: PLR0124  (a masked pair has no number)
    return plain(str(cell))
