"""The reference, from docstrings: a page for each module with public names of attn_core or attn_figures."""

import ast
import inspect
from importlib import import_module

import attn_core
import attn_figures
from docs.book.files import ROOT

PACKAGES = (attn_core, attn_figures)


def modules(package: str) -> dict[str, list[str]]:
    """Return the public names of a package by the module that has them, as its `__init__` imports them."""
    tree = ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8"))
    return {
        str(node.module): [alias.asname or alias.name for alias in node.names]
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
    }


def pages() -> dict[str, str]:
    """Return the reference as MyST Markdown by its files."""
    pages_by_path: dict[str, str] = {}
    sections = []
    for package in PACKAGES:
        name = package.__name__
        by_module = modules(name)
        sections += [f"## {name}\n\n{package.__doc__}\n\n```{{toctree}}\n" + "\n".join(by_module) + "\n```"]
        pages_by_path |= {
            f"reference/{module}.md": _page(name, module, names) for module, names in by_module.items()
        }
    contents = "# Reference\n\n" + "\n\n".join(sections) + "\n"
    return {"reference/index.md": contents} | pages_by_path


def _page(package: str, module: str, names: list[str]) -> str:
    path = ROOT / module.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    about = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    first = about.partition("\n")[0].rstrip(".")
    entries = "\n\n".join(_entry(package, name) for name in names)
    return f"# {first}\n\n`{module}`\n\n```{{eval-rst}}\n{entries}\n```\n"


def _entry(package: str, name: str) -> str:
    member: object = getattr(import_module(package), name)
    if inspect.isclass(member):
        return f".. autoclass:: {package}.{name}\n   :members:"
    kind = "autofunction" if inspect.isfunction(member) else "autodata"
    return f".. {kind}:: {package}.{name}"
