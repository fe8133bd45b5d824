"""The files that Streamlit keeps of its visitors, and whose page is open."""

from collections.abc import Mapping

from attn_ui.streamlit_inside.part import Part, find, there

_RUNTIME = "streamlit.runtime:Runtime"
_FILES = "streamlit.runtime.memory_uploaded_file_manager:MemoryUploadedFileManager"


def _keeps_by_session() -> str:
    try:
        made = find(_FILES)("/upload")
    except TypeError:
        return f"{_FILES} is made otherwise"
    return "" if isinstance(getattr(made, "file_storage", None), dict) else f"{_FILES} has no file_storage"


PART = Part(
    "limits of files by visitor",
    there("streamlit.runtime:get_instance"),
    there(f"{_RUNTIME}.uploaded_file_mgr"),
    there(f"{_RUNTIME}.is_active_session", "self", "session_id"),
    there(_FILES, "upload_endpoint"),
    _keeps_by_session,
    uses="the files that Streamlit's runtime keeps by session, and its list of open sessions",
    buys="one visitor, or all together, cannot fill the server's memory with files",
    without="only the size of one file is limited",
)


def kept() -> Mapping[str, int]:
    """Return the bytes of files that Streamlit keeps, by session; open sessions without a file have none."""
    if not PART.on:
        return {}
    files = find("streamlit.runtime:get_instance")().uploaded_file_mgr
    return {
        session: sum(len(each.data) for each in list(own.values()))
        for session, own in list(files.file_storage.items())
    }


def is_open(session: str) -> bool:
    """Tell whether a page is open in a session; where nobody knows, Streamlit itself judges the request."""
    return not PART.on or bool(find("streamlit.runtime:get_instance")().is_active_session(session))
