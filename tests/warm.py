"""What a session makes of what was drawn before anybody came: ``python -m tests.warm``.

A process of its own: to import the app replaces functions of Streamlit's. Prints how many functions of pages
drew something beforehand, and the names of those that did so again for a session that opens every page.
"""

import sys
from collections.abc import Callable, Hashable
from typing import Any
from unittest import mock

import app
from attn_ui.base.shared_cache import SharedCache
from tests.pages import PAGES, open_sound


def main() -> int:
    """Draw, open every page, and compare."""
    made: list[str] = []
    get = SharedCache.get

    def noted(self: SharedCache, key: Hashable, make: Callable[[], Any]) -> Any:
        def making() -> Any:
            made.append(str(key[0]) if isinstance(key, tuple) else str(key))  # which function; not for what
            return make()

        return get(self, key, making)

    with mock.patch.object(SharedCache, "get", noted):
        app.draw_first()
        drawn = {*made}
        made.clear()
        for address in PAGES:
            open_sound(address)
    print(len(drawn), *sorted(drawn & {*made}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
