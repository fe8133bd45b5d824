"""What takes the place of Streamlit's repeated work says what Streamlit said."""

import gc
from collections.abc import Mapping
from typing import Any

import pytest
from streamlit import config
from streamlit.components.v2 import presentation
from streamlit.components.v2.bidi_component import main as components
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.state.safe_session_state import SafeSessionState

from attn_ui import repeated_work
from tests.pages import PAGES, open_page
from tests.walk import states

SECTIONS = ("", "sidebar", "light", "light.sidebar", "dark", "dark.sidebar")
# Streamlit's own, also where a test before these has started the app in this process.
STREAMLITS: tuple[tuple[object, str, object], ...] = (
    (SafeSessionState, "filtered_state", property(repeated_work._all_of)),
    (components, "make_bidi_component_presenter", presentation.make_bidi_component_presenter),
)


@pytest.fixture
def spared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put it in its place for one test."""
    for owner, name, own in repeated_work.REPLACED:
        monkeypatch.setattr(owner, name, own)


def described(describe: Any) -> CustomThemeConfig:
    """Return the theme as a new session's message has it."""
    theme = CustomThemeConfig()
    for section in SECTIONS:
        place = theme
        for part in filter(None, section.split(".")):
            place = getattr(place, part)
        describe(place, f"theme.{section}".removesuffix("."))
    return theme


def test_the_theme_is_the_same_and_follows_its_configuration(spared: None) -> None:
    before = described(repeated_work._describe)
    assert before.dark.sidebar.ByteSize() or before.dark.ByteSize()
    for _ in range(2):
        found = described(app_session._populate_theme_msg)
        assert found == before
        assert found.SerializeToString(deterministic=True) == before.SerializeToString(deterministic=True)
    was = config.get_option("theme.primaryColor")
    try:
        config.set_option("theme.primaryColor", "#123456")
        config._on_config_parsed.send()  # as a changed config.toml is told
        assert described(app_session._populate_theme_msg).primary_color == "#123456"
    finally:
        config.set_option("theme.primaryColor", was)
        config._on_config_parsed.send()
    assert described(app_session._populate_theme_msg) == before


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


def classes_of_reports() -> int:
    """Count what Streamlit makes so that a figure's report could be written to."""
    gc.collect()
    open_page("single-head")
    return sum(each.__name__ == "_WriteThrough" for each in dict.__subclasses__())


def test_a_run_makes_no_class(monkeypatch: pytest.MonkeyPatch) -> None:
    gc.disable()
    try:
        for owner, name, theirs in STREAMLITS:
            monkeypatch.setattr(owner, name, theirs)
        assert classes_of_reports() > 0  # else Streamlit has mended it, and this may go
        for owner, name, own in repeated_work.REPLACED:
            monkeypatch.setattr(owner, name, own)
        assert classes_of_reports() == 0
    finally:
        gc.enable()
