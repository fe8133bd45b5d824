"""What takes the place of Streamlit's repeated work says what Streamlit said."""

import gc
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit import config
from streamlit.components.v2 import presentation
from streamlit.components.v2.bidi_component import main as components
from streamlit.elements.lib import pandas_styler_utils
from streamlit.elements.lib.pandas_styler_utils import marshall_styler
from streamlit.proto.ArrowData_pb2 import ArrowData
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime.state.safe_session_state import SafeSessionState

from attn_ui.screen.tables import numbers_table
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


def described(describe: Any) -> CustomThemeConfig:
    """Return the theme as a new session's message has it."""
    theme = CustomThemeConfig()
    for section in ("", "sidebar", "light", "light.sidebar", "dark", "dark.sidebar"):
        place = theme
        for part in filter(None, section.split(".")):
            place = getattr(place, part)
        describe(place, f"theme.{section}".removesuffix("."))
    return theme


def test_the_theme_is_the_same_and_follows_its_configuration() -> None:
    theirs, own = repeated_work._describe, repeated_work._Themes()
    before = described(theirs)
    assert before.dark.sidebar.ByteSize()
    for _ in range(2):
        assert described(own) == before
        assert described(own).SerializeToString(deterministic=True) == before.SerializeToString(
            deterministic=True
        )
    was = config.get_option("theme.primaryColor")
    try:
        config.set_option("theme.primaryColor", "#123456")
        config._on_config_parsed.send()  # as a changed config.toml is told
        assert described(own).primary_color == "#123456"
    finally:
        config.set_option("theme.primaryColor", was)
        config._on_config_parsed.send()
    assert described(own) == before


def reads(describe: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count how often the configuration is read for a second description of the theme."""
    read: list[str] = []
    their_options = config.get_options_for_section

    def counted(section: str) -> dict[str, Any]:
        read.append(section)
        return their_options(section)

    described(describe)
    with monkeypatch.context() as patch:
        patch.setattr(config, "get_options_for_section", counted)
        described(describe)
    return len(read)


def test_the_theme_is_described_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reads(repeated_work._describe, monkeypatch) == 6  # else Streamlit has mended it, and this may go
    assert reads(repeated_work._Themes(), monkeypatch) == 0


def classes_of_reports() -> int:
    """Count the classes that Streamlit makes so that a figure's report could be written to."""
    gc.collect()
    open_page("single-head")
    return sum(each.__name__ == "_WriteThrough" for each in dict.__subclasses__())


def test_a_run_makes_no_class(monkeypatch: pytest.MonkeyPatch) -> None:
    gc.disable()
    try:
        # Streamlit's own, also where a test before this has started the app in this process.
        theirs = presentation.make_bidi_component_presenter
        monkeypatch.setattr(components, "make_bidi_component_presenter", theirs)
        assert classes_of_reports() > 0  # else Streamlit has mended it, and this may go
        monkeypatch.setattr(components, "make_bidi_component_presenter", repeated_work._as_reported)
        assert classes_of_reports() == 0
    finally:
        gc.enable()


class Side(Enum):
    LEFT = "left"
    RIGHT = "right"


def tables() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    columns: dict[str, Any] = {
        " ": ["the", "<b>&", "", "猫"],
        "whole": [1, -2, 0, 3],
        "yes": [True, False] * 2,
    }
    columns |= {str(column): rng.normal(size=4).tolist() for column in range(20)}
    levels = pd.DataFrame(rng.normal(size=(2, 2)), columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]))
    gaps = pd.DataFrame({"x": [np.nan, 1.5], "y": [None, "text"], "z": [Side.LEFT, Side.RIGHT]})
    return {
        "of numbers": numbers_table(columns, lambda number: f"−{number:.3f}"),
        "empty": numbers_table({" ": [], "x": []}, str),
        "levels": levels.style.format(precision=1),
        "gaps": gaps.style.format(precision=2, na_rep="–"),
        "hidden": pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]}).style.hide(axis="columns", subset=["x"]),
        "coloured": pd.DataFrame({"x": [1.0, 2.0]}).style.map(lambda cell: f"color: hsl({cell}, 50%, 50%)"),
    }


@pytest.mark.parametrize("name", list(tables()))
def test_a_table_is_written_as_streamlit_writes_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = []
    for write in (repeated_work._write, repeated_work._as_written):
        monkeypatch.setattr(pandas_styler_utils, "_use_display_values", write)
        message = ArrowData()
        marshall_styler(message, tables()[name].set_uuid("same"), "same")
        messages.append(message.SerializeToString())
    assert messages[0] == messages[1]


def test_the_cells_of_a_table_are_put_in_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeated_work, "_write", None)  # else it is asked
    wide = numbers_table({str(column): [0.5] for column in range(512)}, str)
    shown = repeated_work._as_written(wide.data, wide._translate(False, False))
    assert shown.iloc[0].tolist() == ["0.5"] * 512
