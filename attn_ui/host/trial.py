"""A test of all pages before anybody visits: ``python -m attn_ui.host.trial`` compiles and opens each."""

import ast
import logging
import sys
from importlib import import_module
from pathlib import Path

import streamlit as st
from streamlit.testing.v1 import AppTest

from attn_ui.base.navigation import PAGES, PageEntry
from attn_ui.host.faults import loggers_of_streamlit

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 300.0  # seconds that a page may take to open, on a machine that does much else


def code_faults(root: Path = ROOT) -> list[str]:
    """Compile every page, and import all that it imports; return a sentence for each fault.

    A page is a script that runs for each visitor, so importing the app does not read it.

    Args:
        root: the folder with `pages/`.
    """
    return [fault for page in PAGES for path in _modules(root, page) for fault in _faults_in(path, root)]


def _modules(root: Path, page: PageEntry) -> list[Path]:
    """Return all modules of a page, also those of tabs, which are imported only when a tab is opened."""
    folder = root / "pages" / page.folder
    return sorted({folder / "page.py", *folder.rglob("*.py")})


def _faults_in(path: Path, root: Path) -> list[str]:
    name = path.relative_to(root).as_posix()
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), name)
        compile(tree, name, "exec")
    except (OSError, SyntaxError, ValueError) as error:
        return [f"{name} cannot be read: {error}"]
    faults = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            try:
                _import(node)
            except Exception as error:  # whatever a module does when it is imported
                faults.append(f"{name}, line {node.lineno}: {type(error).__name__}: {error}")
    return faults


def _import(node: ast.Import | ast.ImportFrom) -> None:
    if isinstance(node, ast.Import):
        for each in node.names:
            import_module(each.name)
        return
    module = import_module(node.module or "")
    for each in node.names:
        if not hasattr(module, each.name):
            import_module(f"{node.module}.{each.name}")


def silence_thread_warnings() -> None:
    """Drop Streamlit's warnings that a page runs outside a session."""

    def is_news(record: logging.LogRecord) -> bool:
        return "missing ScriptRunContext" not in record.getMessage()

    for name in loggers_of_streamlit():
        logging.getLogger(name).addFilter(is_news)


def page_faults() -> list[str]:
    """Open every page with its defaults; return a sentence for each that does not open."""
    silence_thread_warnings()
    faults = []
    for page in PAGES:
        at = AppTest.from_file(ROOT / "attn_ui" / "router.py", default_timeout=LONGEST)
        at.run()
        if not page.is_default:
            at.switch_page(f"../pages/{page.folder}/page.py").run()
        faults += [f"{page.title} does not open: {error.message}" for error in at.exception]
    return faults


def main() -> None:
    """Try all pages; end with an error where one does not open."""
    st.set_option("client.showErrorDetails", "full")  # to whoever runs this, not to visitors
    faults = code_faults() or page_faults()
    print("\n".join(faults) or f"{len(PAGES)} pages open")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
