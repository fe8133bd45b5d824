"""Figures outside the app: what is published is what the page itself says, draws and hands over there."""

import base64
import gzip
import json
import re
import statistics
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_live.arrays import IndexedItems
from attn_live.captions import CaptionTemplates, pack_captions
from attn_live.compact_figure import at_steps, deflate_again
from attn_live.packing import count_steps
from attn_ui.base.page import At, page_at
from attn_ui.base.programs import OneProgram
from attn_ui.lessons.link_list import read_list
from attn_ui.lessons.shelf import LECTURE, shelf
from attn_ui.publish import __main__ as command
from attn_ui.publish import files, letters
from attn_ui.publish.element import MOST_ROWS, element
from attn_ui.publish.figure import WIDTHS, Published, figure_of_link, path_of
from attn_ui.publish.files import Site
from attn_words import speaking
from tests.messages import caption_at, figure_at, parts, plain

MOST_BYTES = 450_000  # of a figure's file as it travels
MOST_AT_MEDIAN = 60_000
THIRTY = "+".join(f"word{place}" for place in range(30))
HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</script></live-figure> ]]> -->",
    "&lt;b&gt; `x` *a* :red[c] $x$",
)
LINKS = (
    "",
    "?t=0.10",
    "single-head",
    "single-head?mask=causal&t=0.5",
    "single-head?text=the+the+the+cat&stage=weights",
    "single-head?text=alone",
    f"single-head?text={THIRTY}",
    "single-head?text=🙂+loves+🎉",
    "single-head?text=我+爱+吃+冰淇淋",
    "single-head?projector=true&say=Look+here&hide=words",
    "single-head?pin=mask%3Dcausal",
    "single-head?pin=mask%3Dcausal&compare=weights",
    "single-head?cover=weights&predict=key",
    "single-head?stage=diagram&mask=causal",
    "single-head?example=I+love+ice&stage=scaled&q=1&k=2",
    "kernel-regression",
    "kernel-regression?picture=Four+kernels",
    "kernel-regression?picture=Four+kernels&h=1.3",
    "kernel-regression?picture=Bridge+to+attention",
    "kernel-regression?picture=Two+inputs",
    "kernel-regression?cover=estimate",
    "multi-head",
    "multi-head?heads=8",
    "multi-head?view=diagram",
    "multi-head?view=mean+and+max",
    "multi-head?case=I+love+dogs,+two+heads",
    "positional-encoding?show=encoding",
    "positional-encoding?show=similarity&base=1",
    "positional-encoding?text=dog+bites+man&strength=0",
    "learned-heads?training=40",
    "learned-heads?cover=head+2.1",
    "what-courses-say",
    "applications?use=images",
    "applications?use=BERT+and+GPT",
    "glossary",
    f"single-head?text={HOSTILE[0]}",
)


def page_itself(link: str) -> At[Any]:
    address, _, query = link.partition("?")
    return page_at(address).at(query)


@cache
def both(link: str) -> tuple[Published, At[Any]]:
    return figure_of_link(link), page_itself(link)


def without_screens(figure: dict[str, Any]) -> dict[str, Any]:
    bare: dict[str, Any] = plain(figure)
    bare["layout"].get("meta", {}).pop("screens", None)
    return bare


def arrangement(figure: dict[str, Any], width: int) -> Any:
    """What a page takes at a width: of those not for slides the widest that fits, or the narrowest.

    Of several of one width the last is taken, which is the highest.
    """
    of_pages = [each for each in plain(figure)["layout"]["meta"]["screens"] if not each["slide"]]
    fitting = [each for each in of_pages if each["width"] <= width]
    return fitting[-1] if fitting else of_pages[0]


def as_text(program: Any) -> str:
    chosen = program.program if isinstance(program, OneProgram) else program.program("PyTorch")
    text: str = chosen.text(whole=True)
    return text


@pytest.mark.sample(9)
@pytest.mark.parametrize("link", LINKS)
def test_published_figure_has_the_sentences_of_its_page(link: str) -> None:
    made, page = both(link)
    figure = page.view.figure
    assert figure is not None
    head, says, _steps = parts(made.message)
    assert made.sentence_text == page.sentence
    if figure.captions:
        runs = caption_at(says, *(head[name]["index"] if head[name] else 0 for name in ("slider", "cursor")))
        assert "".join(text for _role, text in runs) == page.sentence
    assert (made.alt, made.caption, made.name) == (figure.alt, figure.caption, figure.name)
    assert (head["alt"], head["caption"], head["name"]) == (figure.alt, figure.caption, figure.name)
    assert plain({name: dict(table) for name, table in made.tables.items()}) == plain(
        {name: dict(table) for name, table in page.tables.items()}
    )
    try:
        program = as_text(page.programs)
    except LookupError:
        program = ""
    assert made.program == program
    assert made.link == head["link"] == link


@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.parametrize("link", LINKS)
def test_published_steps_equal_the_pages_number_for_number(link: str) -> None:
    made, page = both(link)
    figure = page.view.figure
    assert figure is not None
    head, says, packed = parts(made.message)
    control, rows = head["slider"], head["cursor"]
    count = count_steps(packed)
    assert count == (len(control["values"]) if control else 1)
    ours = figure.slider.steps.texts() if figure.slider else [""]
    kept = [ours.index(text) for text in control["values"]] if control else [0]
    here, row = page.position
    assert kept[control["index"] if control else 0] == here
    assert (rows["index"] if rows else 0) == row
    last_row = len(rows["values"]) - 1 if rows else 0
    for step, own in sorted({*zip(range(count), kept, strict=True)})[:: max(1, count // 4)]:
        for at_row in {0, row, last_row}:
            read, wanted = figure_at(packed, step, at_row), figure_at(figure.steps, own, at_row)
            assert without_screens(read) == without_screens(wanted)
            for width in WIDTHS if "screens" in wanted["layout"].get("meta", {}) else ():
                assert arrangement(read, width) == arrangement(wanted, width)
            if figure.captions:
                assert caption_at(says, step, at_row) == caption_at(figure.captions, own, at_row)
    if control:
        assert figure.slider is not None
        texts = figure.slider.texts()
        assert control["texts"] == [texts[own] for own in kept]
        assert {0, here, len(ours) - 1} <= {*kept}
        # An address leaves the default out.
        assert (
            ours[kept[control["default"]]] == ours[figure.slider.steps.nearest(figure.slider.steps.default)]
        )


def test_published_slider_with_too_many_steps_has_larger_ones() -> None:
    link = "kernel-regression?picture=Four+kernels&h=1.3"
    made, page = both(link)
    assert page.view.figure is not None
    assert page.view.figure.slider is not None
    values = page.view.figure.slider.steps.texts()
    bar, _rows = made.bars
    assert bar.count < len(values)
    head, _says, _steps = parts(made.message)
    assert {values[0], "0.5", "1.3", values[-1]} <= {*head["slider"]["values"]}
    assert (head["slider"]["values"][bar.place], bar.text) == ("1.3", "1.3")


@pytest.mark.sample(9)
@pytest.mark.parametrize("link", LINKS)
def test_published_size_equals_the_arrangement_of_the_page(link: str) -> None:
    made, page = both(link)
    drawn = page.figure()
    for width in WIDTHS:
        taken = arrangement(drawn, width)
        assert made.heights[width] == taken["height"]
        assert made.rooms[width] >= taken["height"]


def weight(figure: Published) -> int:
    """Bytes of a figure's file as a server sends it."""
    text = files.part(figure.id, base64.b64encode(figure.message).decode())
    return len(gzip.compress(text.encode(), 6))


def check_weights(links: set[str]) -> None:
    weights = {link: weight(figure_of_link(link)) for link in sorted(links)}
    heaviest = max(weights, key=weights.__getitem__)
    print(
        f"{len(weights)} figures: {statistics.median(weights.values()):,.0f} bytes at the median, "
        f"{weights[heaviest]:,} at most ({heaviest})"
    )
    assert statistics.median(weights.values()) <= MOST_AT_MEDIAN
    assert weights[heaviest] <= MOST_BYTES


@pytest.mark.slow
def test_published_figures_of_the_lecture_are_light() -> None:
    check_weights({line.path for line in read_list(LECTURE.read_text(encoding="utf-8"))[0]})


@pytest.mark.slow
def test_published_figures_of_all_lessons_are_light() -> None:
    check_weights({step.link for lesson in shelf().lessons.values() for step in lesson.steps if step.link})


@pytest.mark.parametrize("start", ["0.56", "0.71", "3.20"])
def test_published_fewer_steps_keep_position_ends_and_default(
    start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default too: the link of a figure that stands there does not say it."""
    link = f"single-head?t={start}"
    whole = figure_of_link(link)
    monkeypatch.setattr("attn_ui.publish.figure.MOST_BYTES", len(whole.message) // 3)
    fewer = figure_of_link(link)
    kept, every = (parts(each.message)[0]["slider"]["values"] for each in (fewer, whole))
    assert len(kept) == fewer.bars[0].count < len(every) / 2
    assert {start, "1.00", every[0], every[-1]} <= {*kept} < {*every}
    assert (fewer.bars[0].text, fewer.sentence_text) == (whole.bars[0].text, whole.sentence_text)


def test_published_text_cannot_end_its_script() -> None:
    script = files.part("save", "a</script>b</SCRIPT>")
    assert "</" not in script
    assert json.loads(script.partition(" = ")[2].removesuffix(";\n")) == "a</script>b</SCRIPT>"


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("singel-head", "a link to a page (/, kernel-regression"),
        ("https://lab.example.org/nowhere?t=1", "got 'nowhere?t=1'"),
        ("single-head?t=hot", "The link's `t` was `hot`; wanted: a number from"),
        ("multi-head?mask=causal", "`mask` was `causal`; wanted: a setting of this page, such as `hmask`"),
        ("single-head?mask=cuasal", "The link's `mask` was `cuasal`; wanted: "),
        ("single-head?cover=wieghts", "`wieghts`"),
        ("single-head?pin=t%3Dhot", "The link's `pin` was `t=hot`; wanted: the settings of another link"),
    ],
)
def test_published_wrong_link_is_refused_in_a_sentence(link: str, said: str) -> None:
    with pytest.raises((ValueError, LookupError)) as refused:
        figure_of_link(link)
    told = str(refused.value)
    assert said in told
    assert told[0].isalpha()
    assert len(told.split()) >= 4


def test_published_figure_is_equal_wherever_the_app_is() -> None:
    for address in ("https://lab.example.org/single-head?t=0.5", "/single-head?t=0.5", " single-head?t=0.5"):
        assert path_of(address) == "single-head?t=0.5"
    assert path_of("https://school.example.org/course/lab/multi-head?heads=2") == "multi-head?heads=2"
    assert path_of("https://lab.example.org") == ""
    assert path_of("https://lab.example.org/?t=0.5") == "?t=0.5"


def test_published_figure_names_are_equal_for_equal_figures_only() -> None:
    name = figure_of_link("single-head").id
    assert re.fullmatch("[0-9a-f]{16}", name)
    assert figure_of_link("https://lab.example.org/single-head").id == name
    assert figure_of_link("single-head?t=0.5").id != name
    with speaking("zh"):
        assert figure_of_link("single-head").id != name


# ---- lighter, says ----


def test_at_steps_keeps_rows_fields_and_indexed_items() -> None:
    says = [[f"step {step} of row **{row}**" for row in range(3)] for step in range(4)]
    fields = {name: [f"{at // 3 if name == 'a' else at % 3}" for at in range(12)] for name in "ab"}
    forms = CaptionTemplates(["step {a} of row **{b}**"], np.zeros((4, 3), dtype=int), fields)
    few = at_steps(forms, [3, 2, 0])
    assert [[few.at(at, row) for row in range(3)] for at in range(3)] == [says[at] for at in (3, 2, 0)]
    assert at_steps(says, [3, 2, 0]) == [says[at] for at in (3, 2, 0)]
    indexed = at_steps({"data[w].x": IndexedItems(np.arange(5), np.arange(4)[:, None])}, [3, 1])
    assert np.asarray(indexed["data[w].x"]).tolist() == [[3], [1]]
    assert caption_at(deflate_again(pack_captions(says)), 1, 2) == caption_at(pack_captions(says), 1, 2)


# ---- HTML ----

VOID = {"img", "input", "link", "meta", "br"}
TAGS = {
    *(
        "live-figure",
        "div",
        "p",
        "span",
        "img",
        "input",
        "label",
        "output",
        "button",
        "svg",
        "path",
        "canvas",
    ),
    *("a", "details", "summary", "pre", "code", "table", "caption", "thead", "tbody", "tr", "th", "td"),
}


class Reader(HTMLParser):
    """Reads HTML strictly: what is opened is closed, in its order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _value in attrs]
        assert len(names) == len({*names}), (tag, attrs)
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def values(self, tag: str, name: str) -> list[str]:
        return [attributes[name] for each, attributes in self.tags if each == tag and name in attributes]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("stage", ["all", "weights"])
def test_published_typed_text_is_escaped(text: str, stage: str) -> None:
    query = "".join(f"%{byte:02X}" for byte in text.encode())
    link = f"single-head?text={query}{'' if stage == 'all' else '&stage=weights'}"
    made = figure_of_link(link)
    raw = figure_of_link(f"single-head?text={text.replace('&', '%26').replace(' ', '+')}")
    for figure in (made, raw):
        read = Reader(element(figure, "figures/", 'https://lab.example.org/"><script>'))
        assert {tag for tag, _ in read.tags} <= TAGS
        assert not [name for _, each in read.tags for name in each if name.startswith("on")]
        assert not [tag for tag, each in read.tags if tag == "a" and not each["href"].startswith("https://")]
        assert figure.sentence_text in read.text
        assert figure.program in read.text


@pytest.mark.parametrize("text", HOSTILE)
def test_published_page_text_is_escaped(text: str) -> None:
    figure = replace(
        figure_of_link("single-head"),
        link=text,
        name=text,
        alt=text,
        program=text,
        sentence=[("", text), ("b", text)],
        tables={text: {text: [text]}},
    )
    read = Reader(element(figure, text, "https://lab.example.org"))
    assert {tag for tag, _ in read.tags} <= TAGS
    assert not [name for _, each in read.tags for name in each if name.startswith("on")]
    assert read.text.count(text) >= 6  # twice in the sentence, the program, the table's name, head and cell
    assert {*read.values("img", "alt")} == {text}


@pytest.mark.sample(4)
@pytest.mark.parametrize("spoken", ["en", "zh"])
@pytest.mark.parametrize("link", ["single-head", "kernel-regression", "multi-head?view=diagram", "glossary"])
def test_published_html_is_complete_without_scripts(link: str, spoken: str) -> None:
    with speaking(spoken):
        made = figure_of_link(link)
        read = Reader(element(made, "a/b/", "https://lab.example.org/"))
    ids = [each["id"] for _, each in read.tags if "id" in each]
    assert len(ids) == len({*ids})
    (figure,) = [each for tag, each in read.tags if tag == "live-figure"]
    assert (figure["data-figure"], figure["data-root"], figure["lang"]) == (made.id, "a/b/", spoken)
    assert made.sentence_text in read.text
    assert {*read.values("img", "alt")} == {made.alt}
    pictures = read.values("img", "src")
    assert len(pictures) == len({*pictures}) == 2 * len(WIDTHS)
    assert all(each.startswith(f"a/b/{made.id}-") for each in pictures)
    for bar, (place, last) in zip(
        made.bars, zip(read.values("input", "value"), read.values("input", "max"), strict=True), strict=True
    ):
        assert (int(place), int(last)) == (bar.place, bar.count - 1)
        assert bar.label in read.text
        assert bar.text in read.text
    assert all("disabled" in each for tag, each in read.tags if tag in ("input", "button"))
    assert read.values("a", "href") == ([f"https://lab.example.org/{link}"])
    assert made.program in read.text
    rows = sum(
        min(MOST_ROWS, max(len(column) for column in table.values())) + 1 for table in made.tables.values()
    )
    assert len([tag for tag, _ in read.tags if tag == "tr"]) == rows
    with speaking(spoken):
        assert "href" not in element(made, "", "")


def test_published_table_has_the_numbers_of_the_page() -> None:
    made = figure_of_link("single-head?stage=weights&mask=causal")
    read = Reader(element(made, ""))
    cells = [text.replace("−", "-") for text in read.texts]
    for table in page_itself(made.link).tables.values():
        for column in table.values():
            for value in list(column)[:MOST_ROWS]:
                written = str(value) if isinstance(value, str | bool | int) else f"{value:.6g}"
                assert written in cells


# ---- files and the command ----


@pytest.fixture(autouse=True)
def small_plotly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "get_plotlyjs", lambda: "/* plotly */")
    monkeypatch.setattr(files, "CARTESIAN", Path("nowhere"))


@pytest.fixture
def fresh() -> Iterator[None]:
    """What is kept between two calls is made anew, before and after."""
    kept = (files.stylesheet, letters.site_font, letters.font_of_text)
    for each in kept:
        each.cache_clear()
    yield
    for each in kept:
        each.cache_clear()


@pytest.mark.slow
def test_published_site_stores_each_figure_and_shared_file_once(tmp_path: Path) -> None:
    site = Site(tmp_path / "figures", "https://lab.example.org")
    one = figure_of_link("single-head")
    assert site.element(one, "../") == site.element(figure_of_link("single-head"), "../")
    site.element(figure_of_link("multi-head"), "../")
    site.write()
    head = Reader(site.head("../figures/"))
    for tag, name in (("link", "href"), ("script", "src")):
        for address in head.values(tag, name):
            assert (tmp_path / "figures" / address.partition("?")[0].removeprefix("../figures/")).is_file()
    figures = sorted(tmp_path.glob("figures/" + "[0-9a-f]" * 16 + ".js"))
    assert len(figures) == 2
    text = (tmp_path / "figures" / f"{one.id}.js").read_text(encoding="utf-8")
    assert "</" not in text
    held = re.search(r'\] = "([^"]*)";', text)
    assert held is not None
    assert base64.b64decode(held[1]) == one.message
    assert (tmp_path / "figures" / "attention-lab-save.js").stat().st_size > 50_000


@pytest.mark.slow
def test_published_chinese_site_has_its_words(tmp_path: Path) -> None:
    with speaking("zh"):
        site = Site(tmp_path)
        site.element(figure_of_link("single-head"), "")
        site.write()
        head = site.head("")
    assert "attention-lab-zh.js" in head
    assert "保存" in (tmp_path / "attention-lab-zh.js").read_text(encoding="utf-8")


def test_publish_command_makes_a_page(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "made"
    assert command.main(["single-head", "multi-head", "--out", str(out), "--no-stills"]) == 0
    page = (out / "index.html").read_text(encoding="utf-8")
    assert page.count("<live-figure ") == 2
    assert "<img" not in page
    assert 'lang="en"' in page
    assert (out / "figures" / "attention-lab.js").is_file()
    assert capsys.readouterr().out == f"publish: {out / 'index.html'}\n"


@pytest.mark.parametrize("asked", [["single-head", "--language", "zh"], ["single-head?lang=zh"]])
def test_publish_command_speaks_chinese(asked: list[str], tmp_path: Path) -> None:
    assert command.main([*asked, "--out", str(tmp_path), "--no-stills"]) == 0
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<html lang="zh' in page
    assert "单头注意力" in page
    assert "attention-lab-zh.js" in page
    assert (tmp_path / "figures" / "attention-lab-zh.js").is_file()


def test_publish_command_names_faults_and_makes_the_rest(tmp_path: Path, capsys: Any) -> None:
    links = ["single-head", "singel-head", "single-head?t=hot"]
    assert command.main([*links, "--out", str(tmp_path), "--no-stills"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert all(line.startswith("publish: ") for line in said)
    assert (tmp_path / "index.html").read_text(encoding="utf-8").count("<live-figure ") == 1
    empty = tmp_path / "empty"
    assert command.main(["singel-head", "--out", str(empty)]) == 1
    assert not empty.exists()


@pytest.mark.usefixtures("fresh")
def test_publish_command_names_missing_packages(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("fontTools", "fontTools.subset"):
        monkeypatch.setitem(sys.modules, name, None)
    assert command.main(["single-head", "--out", str(tmp_path), "--no-stills"]) == 0  # the whole font then
    monkeypatch.setattr(command, "draw_stills", lambda *_: letters.font_of_text("a"))
    capsys.readouterr()
    assert command.main(["single-head", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == ("publish: fontTools is missing: pip install '.[publish]'\n")


@pytest.mark.slow
def test_publish_command_names_unwritable_folder_and_missing_browser(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert command.main(["single-head", "--out", str(file)]) == 2
    assert "publish: wanted a folder that can be written to" in capsys.readouterr().err
    nowhere = ["--chromium", str(tmp_path / "nowhere")]
    assert command.main(["single-head", "--out", str(tmp_path / "out"), *nowhere]) == 2
    assert "publish: no Chromium could be started" in capsys.readouterr().err
