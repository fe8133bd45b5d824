"""Whoever opens a page first waits for nothing that could have been drawn before."""

from collections.abc import Callable, Hashable
from typing import Any

import pytest

import app
from attn_ui.base import shared_cache
from attn_ui.base.shared_cache import SharedCache
from tests.pages import PAGES, open_sound


def test_a_session_draws_nothing_of_what_pages_open_with(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make = SharedCache._make

    def noted(self: SharedCache, key: Hashable, value: Callable[[], Any], mine: Any) -> Any:
        made.append(str(key[0]) if isinstance(key, tuple) else str(key))  # which function; not for what
        return make(self, key, value, mine)

    shared_cache.clear()
    monkeypatch.setattr(SharedCache, "_make", noted)
    app.draw_first()
    drawn = {*made}
    assert {name.split(".")[1] for name in drawn} >= {"kernel_regression", "single_head", "multi_head"}
    made.clear()
    for address in PAGES:
        # The overview, where a session begins, has another key chosen, which goes along.
        open_sound(address, **({"k": "0"} if address == "single-head" else {}))
    assert drawn & {*made} == set()
