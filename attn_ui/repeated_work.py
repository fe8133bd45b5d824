"""Work that Streamlit does anew in every run, though what it is for cannot have changed.

For each select box and each field Streamlit copies all that the session holds, to see whether one value is
None, and for each copy it makes a Python class of every figure's report: 7 or 8 copies in a rerun of Single
head or Multi-head take 1.7 and 1.9 of its 24 and 23 ms. What stands here takes its place and says the same:
`tests/app/test_repeated_work.py` holds it against Streamlit's own.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from streamlit.runtime.state.safe_session_state import SafeSessionState

_all_of = vars(SafeSessionState)["filtered_state"].fget


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


def install() -> None:
    """Put what stands here in its place, for all sessions of this process."""
    setattr(SafeSessionState, "filtered_state", property(_Session))  # noqa: B010  (typed as read-only)
