"""The house is as its guides draw it: folders, who imports whom, and how a page is added."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attn_ui.base.parameters import Steps
from tests.pages import PAGES as WALKED

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "extending.md").read_text()
PACKAGES = ("attn_core", "attn_figures", "attn_live", "attn_ui", "attn_words", "pages", "programs")


WAIVED = re.compile(r"# (?:type: ignore|noqa:) ?\S+|time\.sleep\([^)]*\)")


def test_waiver_or_sleep_has_its_reason() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{number}": line[match.end() :]
        for folder in (*PACKAGES, "benchmarks", "deploy", "tests")
        for path in [*(ROOT / folder).rglob("*.py"), ROOT / "app.py"]
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if (match := WAIVED.search(line))
    }
    assert found
    bare = {place for place, reason in found.items() if not re.search(r"[#(] ?\w+ \w+", reason)}
    assert not bare, "say in a comment behind it why it must be"


@pytest.mark.parametrize("guide", ["README.md", "CONTRIBUTING.md", "docs/architecture.md"])
def test_guide_file_exists(guide: str) -> None:
    files = set(re.findall(r"\b[a-z_]+/[a-z_/]+\.(?:py|js|md)\b", (ROOT / guide).read_text()))
    assert len(files) > 3
    assert {each for each in files if not (ROOT / each).exists()} == set()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with one more page, made by the guide's steps and nothing else."""
    copy = tmp_path_factory.mktemp("house")
    for name in (*PACKAGES, "locales", "tests", ".streamlit"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "app.py"):
        shutil.copy(ROOT / name, copy)
    steps = GUIDE.partition("## Adding a page")[2]
    written = re.findall(r"`(pages/[\w/]+\.py)`:\n\n```python\n(.*?)```", steps, re.DOTALL)
    assert len(written) == 3
    for path, text in written:
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_text(text)
    (empty,) = re.findall(r"empty `(pages/[\w/]+\.py)`", steps)
    (copy / empty).touch()
    (line,) = re.findall(r"^    PageEntry\(.*\),$", steps, re.MULTILINE)
    navigation = copy / "attn_ui" / "base" / "navigation.py"
    before, opening, rest = navigation.read_text().partition("PAGES = (\n")
    listed, closing, after = rest.partition("\n)\n")
    navigation.write_text(f"{before}{opening}{listed}\n{line}{closing}{after}")
    (mask,) = re.findall(r"```python\n(        \"every other\".*?)```", GUIDE, re.DOTALL)
    patterns = copy / "attn_core" / "mask_patterns.py"
    before, own, after = patterns.read_text().partition('        "own": Pattern')
    patterns.write_text(f"{before}{mask}{own}{after}")
    (mistake,) = re.findall(r"```\n(    Mistake\(.*?)```", GUIDE, re.DOTALL)
    within = copy / "attn_core" / "mistakes" / "one_head.py"
    before, closing, after = within.read_text().rpartition("\n)\n")
    within.write_text(f"{before}\n{mistake.rstrip()}{closing}{after}")
    return copy


def run(house: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, and of it alone."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=house,
        env={**os.environ, "PYTHONPATH": str(house)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


OPENED = """
from pathlib import Path
import attn_ui
from tests.walk import open_page, open_state, said_now
assert Path(attn_ui.__file__).parents[1] == Path.cwd(), attn_ui.__file__
cards = [card.proto.page for card in open_page("").get("page_link")]
assert "averages" in cards, cards
at = open_page("averages", sharers="8")
assert at.title[0].value == "Plain averages", at.title
assert said_now(at) == ["Each of 8 keys gets 0.125."], said_now(at)
assert open_state("averages", {"sharers": "8", "tab": "Maths"}).faults == []
(warning,) = open_page("averages", sharers="800").warning
assert "wanted: a whole number from 1 to 64" in warning.value, warning.value
"""


@pytest.mark.slow
def test_guide_page_opens_and_reads_its_links(house: Path) -> None:
    done = run(house, "-c", OPENED)
    assert done.returncode == 0, done.stderr


WITHOUT_THE_APP = """
import sys
from pages import PAGES
at = PAGES["averages"].at("sharers=8")
assert at.sentence == "Each of 8 keys gets 0.125.", at.sentence
assert at.figure()["data"][0]["z"].shape == (1, 8)
from attn_core import ATTENTION_MISTAKES
(check, right, broken), = ATTENTION_MISTAKES["values-for-keys"].numbers
assert check.holds(right) and not check.holds(broken)
assert not PAGES["single-head"].at("tab=Break it&mistake=values-for-keys").dropped
assert "streamlit" not in sys.modules
"""
MASKED = """
import contextlib, dataclasses, io
import torch
from pages import PAGES
from tests.walk import open_state

for page, name in (("single-head", "mask"), ("multi-head", "hmask")):
    at = PAGES[page].at(f"{name}=every other")
    assert not at.dropped
    namespace = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(dataclasses.replace(at.programs.program("PyTorch"), digits=17).text(whole=True), namespace)
    result = at.view.result
    shown = torch.as_tensor(result.matrices.weights if page == "single-head" else result.attention.weights)
    assert (shown[..., 0, 1::2] == 0).all(), shown
    assert torch.allclose(namespace["weights"].reshape(shown.shape), shown), page
    assert open_state(page, {name: "every other", "tab": "Checks"}).faults == []
assert open_state("single-head", {"tab": "Break it", "mistake": "values-for-keys"}).faults == []
assert PAGES["multi-head"].at("hmask=a pattern a head&patterns=every other").controls.values["patterns"]
"""


@pytest.mark.slow
def test_guide_page_words_are_messages(house: Path) -> None:
    done = run(house, "-m", "tests.plain_words", "averages")
    assert done.stdout == "0 texts\n", done.stdout + done.stderr


def test_guide_page_and_mistake_compute_without_the_app(house: Path) -> None:
    done = run(house, "-c", WITHOUT_THE_APP)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_guide_mask_and_mistake_are_on_their_pages(house: Path) -> None:
    done = run(house, "-c", MASKED)
    assert done.returncode == 0, done.stderr


def test_guide_page_may_not_import_another(house: Path) -> None:
    lint = ("-c", "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])")
    assert "0 broken" in run(house, *lint).stdout
    page = house / "pages" / "averages" / "page.py"
    own = page.read_text()
    page.write_text(own + "\nimport pages.overview.words\n")
    done = run(house, *lint)
    page.write_text(own)
    assert done.returncode != 0
    assert "a page imports no other page BROKEN" in done.stdout


def test_control_keys_differ_from_setting_names() -> None:
    """A session keeps what was set on the page before: a figure "bias" met the checkbox of that name."""
    keys = {
        keyword.value.value: path
        for package in ("pages", "attn_ui")
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "key" and isinstance(keyword.value, ast.Constant)
    }
    # Positions of live sliders are no values of Streamlit's session.
    settings = {
        each.name for _, settings in WALKED.values() for each in settings if not isinstance(each, Steps)
    }
    assert len(keys) > 30
    assert len(settings) > 60
    assert {key: str(path) for key, path in keys.items() if key in settings} == {}


def test_style_rules_name_their_element() -> None:
    """`body:has(.x) .y` has the browser look at every .y with each element drawn: 0.6 s a first visit."""
    dear = re.compile(r"(?:html|body|:root|\.stApp):has\((?:[^()]|\([^()]*\))*\)[^\s{},]*[\s>+~]+[^\s{},]")
    assert dear.search("body:has(.a):not(:has(.b)) .c { color: red; }")
    assert not dear.search("body:has(.a) { --shown: none; } .c { display: var(--shown, flex); }")
    sheets = [*(ROOT / "attn_live").glob("*.css"), *(ROOT / "attn_ui").rglob("*.css")]
    rules = {
        each.name: re.sub(r"/\*.*?\*/", "", each.read_text(encoding="utf-8"), flags=re.S) for each in sheets
    }
    assert any(":has(" in text for text in rules.values())
    found = {name: said[0] for name, text in rules.items() if (said := dear.search(text))}
    assert not found, "set a variable of the body, and let the element read it"


def test_style_rules_with_has_name_their_target() -> None:
    """`.x:has(...) > *` restyles all of a figure with each picture: half of a drag's pictures at 4x.

    An element without a name of its own, `*` or `:first-child`, may be any: all elements are looked at.
    """
    dear = re.compile(r":has\((?:[^()]|\([^()]*\))*\)[^\s{},>+~]*\s*[\s>+~]\s*(?:\*|:)[^{},]*\{")
    assert dear.search(".a:has(.b) > * { color: red; }")
    assert dear.search(".a:not(:has([class*='b'])) > :not(:first-child) { color: red; }")
    assert not dear.search(".a:has(.b) { --part: 1; } .a > * { grid-area: var(--part, auto); }")
    assert not dear.search(".a:has(.b) > .c { color: red; }")
    sheets = [*(ROOT / "attn_live").glob("*.css"), *(ROOT / "attn_ui").rglob("*.css")]
    rules = {
        each.name: re.sub(r"/\*.*?\*/", "", each.read_text(encoding="utf-8"), flags=re.S) for each in sheets
    }
    del rules["arriving.css"]  # taken away once the page has arrived
    found = {name: said[0] for name, text in rules.items() if (said := dear.search(text))}
    assert not found, "set a variable where the class is known, and let the element read it"
