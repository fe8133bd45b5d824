"""The pages of the navigation, by address: the folder of each, and what a link to it can set."""

from importlib import import_module

from attn_ui.navigation import PAGES as LISTED
from attn_ui.parameters import Parameter

PAGES: dict[str, tuple[str, tuple[Parameter, ...]]] = {
    page.address: (page.folder, import_module(f"pages.{page.folder}.settings").SETTINGS) for page in LISTED
}
