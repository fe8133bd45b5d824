"""The pages of the navigation, by address: the folder of each, what a link can set, how one is opened."""

from importlib import import_module
from pathlib import Path

from streamlit.testing.v1 import AppTest

from attn_ui.navigation import PAGES as LISTED
from attn_ui.parameters import Parameter

ROUTER = str(Path(__file__).resolve().parents[1] / "attn_ui" / "router.py")
PAGES: dict[str, tuple[str, tuple[Parameter, ...]]] = {
    page.address: (page.folder, import_module(f"pages.{page.folder}.settings").SETTINGS) for page in LISTED
}


def open_page(address: str, session: AppTest | None = None, /, **query: str | list[str]) -> AppTest:
    """Open a link in a session, of its own unless one is given, whatever comes of it."""
    at = session or AppTest.from_file(ROUTER, default_timeout=300)
    at.query_params.clear()
    if address or session:
        if session is None:
            at.run()
        at.switch_page(f"../pages/{PAGES[address][0]}/page.py")
    for name, text in query.items():
        at.query_params[name] = text
    return at.run()


def open_sound(address: str, /, **query: str | list[str]) -> AppTest:
    """Open a link in a session of its own; nothing may stop it."""
    at = open_page(address, **query)
    assert [error.value for error in at.exception] == []
    return at
