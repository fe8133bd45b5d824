"""Files that Streamlit keeps for its visitors: where they are sent, their sizes, which sessions are open."""

import re
from collections.abc import Mapping

from attn_ui.streamlit_inside.feature import Feature, equals, expect, look_up

_RUNTIME = "streamlit.runtime:Runtime"
_ADDRESS = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")
_FILES = "streamlit.runtime.memory_uploaded_file_manager:MemoryUploadedFileManager"


def _keeps_by_session() -> str:
    try:
        manager = look_up(_FILES)("/upload")
    except TypeError:
        return f"{_FILES} is made otherwise"
    return "" if isinstance(getattr(manager, "file_storage", None), dict) else f"{_FILES} has no file_storage"


FEATURE = Feature(
    "limits of files by visitor",
    expect("streamlit.runtime:get_instance"),
    expect(f"{_RUNTIME}.uploaded_file_mgr"),
    expect(f"{_RUNTIME}.is_active_session", "self", "session_id"),
    expect(_FILES, "upload_endpoint"),
    equals("streamlit.web.server.starlette.starlette_routes:BASE_ROUTE_UPLOAD_FILE", "_stcore/upload_file"),
    _keeps_by_session,
    uses="the files that Streamlit's runtime keeps by session, its list of open sessions, and the address to "
    "which a file is sent, which names the session",
    gives="one visitor, or all together, cannot fill the server's memory with files, and nothing but a file "
    "may be larger than 64 kB",
    without="only the size of what is sent at once is limited, to that of a file",
    upstream=(3401,),
)


def may_be_file(path: str) -> bool:
    """Whether a request sends a file."""
    return not FEATURE.on or bool(_ADDRESS.search(path))


def session_of(path: str) -> str:
    """Return the session that a file is sent for; "" where none is named."""
    match = _ADDRESS.search(path) if FEATURE.on else None
    return match[1] if match else ""


def file_sizes() -> Mapping[str, int]:
    """Return the bytes of files that Streamlit keeps, by session; open sessions without a file have none."""
    if not FEATURE.on:
        return {}
    files = look_up("streamlit.runtime:get_instance")().uploaded_file_mgr
    return {
        session: sum(len(each.data) for each in list(own.values()))
        for session, own in list(files.file_storage.items())
    }


def is_open(session: str) -> bool:
    """Whether a session's page is open; True where that is unknown, and Streamlit decides."""
    return not FEATURE.on or bool(look_up("streamlit.runtime:get_instance")().is_active_session(session))
