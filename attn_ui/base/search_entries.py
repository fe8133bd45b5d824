"""Places in the app that can be found by name: a page with some of its settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from urllib.parse import urlencode

from attn_ui.base.navigation import PAGES
from attn_ui.base.parameters import Choice, Tabs, label_of, parameters_by_name, tab_name
from attn_words import _

GUIDE = "guide"  # which has no settings, and no folder under `pages/`


@dataclass(frozen=True)
class Place:
    """A page, by its folder, and the settings of a link to it."""

    folder: str
    link: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The title of the page."""
        return _(next(page.title for page in PAGES if page.folder == self.folder))

    @property
    def name(self) -> str:
        """The text of a link to it: the page, and the last option or tab that the link chooses.

        >>> Place("single_head", {"stage": "threshold", "above": "0.15"}).name
        'Single head: threshold'
        """
        settings = parameters_by_name(import_module(f"pages.{self.folder}.settings").SETTINGS)
        choices = [(settings[name], option) for name, option in self.link.items()]
        names = [
            tab_name(option) if isinstance(setting, Tabs) else label_of(setting, option)
            for setting, option in choices
            if isinstance(setting, Choice)
        ]
        return _("{page}: {place}", page=self.title, place=names[-1]) if names else self.title

    @property
    def address(self) -> str:
        """The address, relative to any page.

        >>> Place("single_head", {"mask": "sliding window"}).address
        'single-head?mask=sliding+window'
        >>> Place("overview").address
        './'
        """
        page = (
            GUIDE
            if self.folder == GUIDE
            else next(page.address for page in PAGES if page.folder == self.folder)
        )
        return f"{page}?{urlencode(self.link)}" if self.link else page or "./"


@dataclass(frozen=True)
class Entry:
    """A result of the search: its names, the best known first, its kind, and the place that shows it."""

    names: tuple[str, ...]
    kind: str
    place: Place
