"""Work that Streamlit does anew in every run, though what it is for cannot have changed.

For each select box Streamlit copies all that the session holds, to see whether one value is None; for each
copy, and for five more looks in a run, it makes a Python class of every figure's report, so that the report
could be written to; and it reads 240 options of the theme. That is 2 ms of a rerun's 14, and the classes are
four fifths of what the garbage collector has to look through. What stands here takes its place and says the
same: `tests/app/test_repeated_work.py` holds it against Streamlit's own.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from streamlit import config
from streamlit.components.v2.bidi_component import main as components
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.state.safe_session_state import SafeSessionState

_all_of = vars(SafeSessionState)["filtered_state"].fget
_describe = app_session._populate_theme_msg


class _Session(Mapping[str, Any]):
    """What a session holds, looked up when it is asked for."""

    def __init__(self, state: SafeSessionState) -> None:
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
        self._kept: dict[str, CustomThemeConfig] = {}
        config.on_config_parsed(self._kept.clear, force_connect=True)

    def __call__(self, message: CustomThemeConfig, section: str = "theme") -> None:
        if section not in self._kept:
            described = CustomThemeConfig()
            _describe(described, section)
            self._kept[section] = described
        if self._kept[section].ByteSize():
            message.MergeFrom(self._kept[section])


def _as_reported(*_: object) -> None:
    """Leave a figure's report as it is: pages read it, and never write to it."""


REPLACED: tuple[tuple[object, str, Callable[..., Any] | property], ...] = (
    (SafeSessionState, "filtered_state", property(_Session)),
    (components, "make_bidi_component_presenter", _as_reported),
    (app_session, "_populate_theme_msg", _Themes()),
)
"""Where each stands in Streamlit, its name there, and what takes its place."""


def install() -> None:
    """Put what stands here in its place, for all sessions of this process."""
    for owner, name, own in REPLACED:
        setattr(owner, name, own)
