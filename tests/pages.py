"""The pages of the navigation, by address: the folder of each, what a link can set, how one is opened."""

from importlib import import_module
from pathlib import Path

from streamlit.testing.v1 import AppTest

from attn_ui.base.navigation import PAGES as LISTED
from attn_ui.base.parameters import Parameter, Tabs

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


def tabs_of(address: str) -> Tabs:
    """Return the setting of a page's tabs."""
    return next(each for each in PAGES[address][1] if isinstance(each, Tabs))


def way_to(tab: str, tabs: Tabs) -> list[str]:
    """Return what is pressed for a tab: its group, and its name where that group has several."""
    group, its_tabs = next((group, its_tabs) for group, its_tabs in tabs.groups if tab in its_tabs)
    return [group, tab] if len(its_tabs) > 1 else [group]


def shown_under(at: AppTest, tab: str, tabs: Tabs) -> list[str]:
    """Return the kinds of elements that a tab shows; it must be the one that is open, and alone."""
    opened = [each for each in at.tabs if len(each.children)]
    assert [each.label for each in opened] == way_to(tab, tabs)
    return [element.type for element in opened[-1].children.values()]
