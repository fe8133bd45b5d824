"""Names: a class name is used once, a parameter is a noun, and the name of a test can be read at a glance."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("attn_core", "attn_figures", "attn_live", "attn_ui", "attn_words", "pages", "programs")
PACKAGES = (*PRODUCT, "benchmarks", "deploy", "docs", "locales")
ROLES = {"State", "Result"}  # every page may have these, and imports no other page
PARTICIPLES = re.compile(
    "_?(arranged|asked|called|chosen|counted|cut|done|drawn|ended|found|given|got|handed|held|hidden|kept|known"
    "|laid|left|listed|looked|made|measured|mended|met|missed|moved|named|needed|offered|opened|packed|parted"
    "|passed|read|required|said|seen|sent|shown|spoken|stored|supported|taken|told|tried|typed|untold|used"
    "|wanted|went|written)_?"
)
NO_PARTICIPLES = {"left", "read"}  # a side; what is read by a function
MOST_LETTERS = 70


def trees(folder: str) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def test_class_names_are_unique() -> None:
    places: dict[str, list[str]] = {}
    for package in PACKAGES:
        for place, tree in trees(package):
            for node in ast.walk(tree):
                is_role = package.startswith("pages") and getattr(node, "name", "") in ROLES
                if isinstance(node, ast.ClassDef) and not is_role:
                    places.setdefault(node.name, []).append(place)
    assert places
    assert {name: each for name, each in places.items() if len(each) > 1} == {}


def variables(tree: ast.Module) -> Iterator[str]:
    """The names that a module assigns to or imports as: variables, fields and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname


@pytest.mark.parametrize("package", PACKAGES)
def test_parameters_are_no_bare_participles(package: str) -> None:
    parameters = Counter(
        f"{place}: {node.arg}"
        for place, tree in trees(package)
        for node in ast.walk(tree)
        if isinstance(node, ast.arg)
    )
    assert parameters
    assert [each for each in parameters if PARTICIPLES.fullmatch(each.rpartition(" ")[2])] == []


@pytest.mark.parametrize("package", PRODUCT)
def test_variables_are_no_bare_participles(package: str) -> None:
    names = {(place, name) for place, tree in trees(package) for name in variables(tree)}
    assert names
    bare = {(place, name) for place, name in names if PARTICIPLES.fullmatch(name)}
    assert {(place, name) for place, name in bare if name not in NO_PARTICIPLES} == set()


def test_test_names_are_short_and_unique() -> None:
    names = Counter(
        f"{getattr(scope, 'name', '')}.{node.name}"
        for _, tree in trees("tests")
        for scope in ast.walk(tree)
        if isinstance(scope, ast.Module | ast.ClassDef)
        for node in scope.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    )
    assert names
    assert [name for name in names if len(name.partition(".")[2]) > MOST_LETTERS] == []
    assert [name for name, count in names.items() if count > 1] == []
