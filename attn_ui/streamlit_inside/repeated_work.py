"""Work that Streamlit does anew in every run, though what it is for cannot have changed.

For each select box and each field Streamlit copies all that the session holds, to see whether one value is
None, and for each copy it makes a Python class of every figure's report. What stands here takes its place and
says the same: `tests/app/test_repeated_work.py` holds it against Streamlit's own.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from attn_ui.streamlit_inside.part import Part, find, there

_STATE = "streamlit.runtime.state.safe_session_state:SafeSessionState"


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
_all_of: Any = getattr(vars(find(_STATE))["filtered_state"], "fget", None) if PART.on else None


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


def install() -> None:
    """Put what stands here in its place, for all sessions of this process."""
    if PART.on:
        setattr(find(_STATE), "filtered_state", property(_Session))  # noqa: B010  (typed as read-only)
