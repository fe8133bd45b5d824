"""Places in the app that can be found by name: a page with some of its settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from attn_ui.base.navigation import PAGES
from attn_words import _

GUIDE = "guide"  # which has no settings, and no folder under `pages/`


@dataclass(frozen=True)
class Place:
    """A page, by its folder, and the settings of a link to it."""

    folder: str
    link: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What the page is called."""
        return _(next(page.title for page in PAGES if page.folder == self.folder))

    @property
    def address(self) -> str:
        """Where it is, relative to any page.

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
class Found:
    """What can be found: its names, the best known first, what it is, and the place that shows it."""

    names: tuple[str, ...]
    kind: str
    place: Place
