"""The pages of the navigation, by address: the folder of each, what a link can set, how one is opened."""

from importlib import import_module
from pathlib import Path

from streamlit.testing.v1 import AppTest

from attn_ui.base.navigation import PAGES as LISTED
from attn_ui.base.parameters import Parameter, Tabs, label

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
    """Return what is chosen for a part, as shown: its tab, and its name where that tab lists several."""
    name, parts = next((name, parts) for name, parts in tabs.row if tab in parts)
    return [name, label("tab", tab)] if len(parts) > 1 else [name]


def shown_under(at: AppTest, tab: str, tabs: Tabs) -> list[str]:
    """Return the kinds of elements that a tab shows; it must be the one that is open, and alone."""
    way = way_to(tab, tabs)
    assert open_part(at, tabs) == way
    (opened,) = [each for each in at.tabs if len(each.children)]
    return [element.type for element in opened.children.values()][len(way) - 1 :]


def open_part(at: AppTest, tabs: Tabs) -> list[str]:
    """Return the tab that is open, and what is chosen in its list where it has one."""
    (opened,) = [each for each in at.tabs if len(each.children)]
    key = f"{tabs.name}-in-{opened.label}"
    return [opened.label, *(str(box.value) for box in opened.selectbox if box.key == key)]
