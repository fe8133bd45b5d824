"""The pages of the app, one package each; `PAGES` maps a page's address to the page.

    PAGES["single-head"].at("mask=causal&t=0.5").sentence

computes what a link shows, without the app.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from attn_ui.base.navigation import PAGES as LISTED
from attn_ui.base.page import Page, page_at


class _Pages(Mapping[str, Page[Any, Any]]):
    """A mapping that imports a page when its address is looked up."""

    def __getitem__(self, address: str) -> Page[Any, Any]:
        return page_at(address)

    def __iter__(self) -> Iterator[str]:
        return iter([each.address for each in LISTED])

    def __len__(self) -> int:
        return len(LISTED)


PAGES: Mapping[str, Page[Any, Any]] = _Pages()
