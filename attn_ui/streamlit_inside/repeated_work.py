"""Work that Streamlit does anew in every run, though what it is for cannot have changed.

For each select box and each field Streamlit copies all that the session holds, to see whether one value is
None; for each look at a figure's report it makes a Python class, so that the report could be written to; and
it reads 240 options of the theme. Into a table whose numbers are written in a way of its own it puts these
column by column, making the column anew. What stands here takes its place and says the same:
`tests/app/test_repeated_work.py` holds it against Streamlit's own.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

import pandas as pd

from attn_ui.streamlit_inside.part import Part, find, there

_STATE = "streamlit.runtime.state.safe_session_state:SafeSessionState"
_DESCRIBES = "streamlit.runtime.app_session:_populate_theme_msg"
_THEME = "streamlit.proto.NewSession_pb2:CustomThemeConfig"
_PARSED = "streamlit.config:on_config_parsed"
_WRITTEN = "streamlit.elements.lib.pandas_styler_utils:_use_display_values"
_REPORTS = "streamlit.components.v2.bidi_component.main:make_bidi_component_presenter"


def _is_property() -> str:
    found = vars(find(_STATE)).get("filtered_state")
    return "" if isinstance(found, property) else f"{_STATE}.filtered_state is no property"


PART = Part(
    "spared copies of the session",
    there(f"{_STATE}.filtered_state"),
    there(f"{_STATE}.__getitem__", "self", "key"),
    there(f"{_STATE}.__contains__", "self", "key"),
    _is_property,
    uses="SafeSessionState.filtered_state, which is replaced",
    buys="7 or 8 copies of the session a rerun of Single head or Multi-head, 1.7 and 1.9 of its 24 and 23 ms",
    without="each rerun makes these copies",
)
THEME = Part(
    "a theme that is described once",
    there(_DESCRIBES, "msg", "section"),
    there(f"{_THEME}.MergeFrom"),
    there(_PARSED, "func", "force_connect"),
    uses="app_session._populate_theme_msg, which is replaced",
    buys="1.0 of a rerun's 16 ms, on the event loop, which serves everybody",
    without="each rerun reads the theme's 240 options",
)
REPORTS = Part(
    "reports without a class of their own",
    there(_REPORTS, "aggregator_id", "component_id", "allowed_state_keys"),
    uses="make_bidi_component_presenter, which is replaced",
    buys="0.4 of a rerun's 16 ms, and four fifths of what the garbage collector looks through",
    without="each look at a figure's report makes a class",
)
TABLES = Part(
    "tables that are written at once",
    there(_WRITTEN, "df", "styles"),
    uses="pandas_styler_utils._use_display_values, which is replaced",
    buys="three quarters of the time that a table of 512 columns takes, 0.3 s and more",
    without="each of such tables takes that time",
)
_all_of: Any = getattr(vars(find(_STATE))["filtered_state"], "fget", None) if PART.on else None
_describe: Any = find(_DESCRIBES) if THEME.on else None
_write: Any = find(_WRITTEN) if TABLES.on else None


class _Session(Mapping[str, Any]):
    """What a session holds, looked up when it is asked for."""

    def __init__(self, state: Any) -> None:
        self._state = state

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self._state

    def __getitem__(self, key: str) -> Any:
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_all_of(self._state))

    def __len__(self) -> int:
        return len(_all_of(self._state))


class _Themes:
    """The theme by its sections, described once until the configuration is read again."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}
        find(_PARSED)(self._kept.clear, force_connect=True)

    def __call__(self, msg: Any, section: str = "theme") -> None:
        if section not in self._kept:
            described = find(_THEME)()
            _describe(described, section)
            self._kept[section] = described
        if self._kept[section].ByteSize():
            msg.MergeFrom(self._kept[section])


def _as_reported(aggregator_id: str, component_id: str = "", allowed_state_keys: object = None) -> None:
    """Leave a figure's report as it is: pages read it, and never write to it."""


def _as_written(df: pd.DataFrame, styles: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table of what is shown in place of each number; Streamlit's own where a cell is not told."""
    shown = {cell.get("id"): cell.get("display_value") for row in styles.get("body", ()) for cell in row}
    try:
        columns = {
            column: [_text(shown[f"row{row}_col{column}"]) for row in range(len(df))]
            for column in range(df.shape[1])
        }
    except KeyError:
        written: pd.DataFrame = _write(df, styles)
        return written
    written = pd.DataFrame(columns, index=df.index, dtype=str)
    written.columns = df.columns
    return written


def _text(shown: Any) -> str:
    return str(shown.value if isinstance(shown, Enum) else shown)


def install() -> None:
    """Put what stands here in its place, for all sessions of this process."""
    if PART.on:
        setattr(find(_STATE), "filtered_state", property(_Session))  # noqa: B010  (typed as read-only)
    if THEME.on:
        _put(_DESCRIBES, _Themes())
    if REPORTS.on:
        _put(_REPORTS, _as_reported)
    if TABLES.on:
        _put(_WRITTEN, _as_written)


def _put(where: str, own: Any) -> None:
    module, _, name = where.partition(":")
    setattr(find(module), name, own)
