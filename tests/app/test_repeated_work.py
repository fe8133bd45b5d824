"""What takes the place of Streamlit's repeated work says what Streamlit said."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from streamlit.runtime.state.safe_session_state import SafeSessionState

from attn_ui.streamlit_inside import repeated_work
from tests.pages import PAGES, open_page
from tests.walk import states


@pytest.mark.parametrize("page", [page for page in PAGES if len(PAGES[page][1]) > 2])  # others have few boxes
def test_a_control_finds_in_the_session_what_it_found(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def both(state: SafeSessionState) -> Mapping[str, Any]:
        whole, own = repeated_work._all_of(state), repeated_work._Session(state)
        assert {key: own[key] for key in whole} == whole
        assert all(key in own for key in whole)
        assert "no such setting" not in own
        assert (set(own), len(own)) == (set(whole), len(whole))
        looked.append(len(whole))
        return own

    monkeypatch.setattr(SafeSessionState, "filtered_state", property(both))
    for query in states(page, 3, 5):
        assert not open_page(page, **query).exception
    assert max(looked) > 3


def copies(monkeypatch: pytest.MonkeyPatch, place: Callable[[], None]) -> int:
    """Count how often a run copies all that the session holds."""
    copied = []

    def counted(state: SafeSessionState) -> Mapping[str, Any]:
        copied.append(state)
        return dict(all_of(state))

    all_of = repeated_work._all_of
    with monkeypatch.context() as patch:
        patch.setattr(repeated_work, "_all_of", counted)
        # Streamlit's own, also where a test before this has started the app in this process.
        patch.setattr(SafeSessionState, "filtered_state", property(counted))
        place()
        open_page("single-head")
    return len(copied)


def test_a_run_copies_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    assert copies(monkeypatch, lambda: None) > 3  # else Streamlit has mended it, and this may go
    assert copies(monkeypatch, repeated_work.install) == 0
