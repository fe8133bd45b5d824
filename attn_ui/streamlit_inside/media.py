"""Bytes that the browser fetches in parts, as it does a film's; they go with the session."""

from streamlit import runtime

from attn_ui.streamlit_inside.part import Part, there

PART = Part(
    "files in parts",
    there("streamlit.runtime:Runtime.media_file_mgr"),
    there(
        "streamlit.runtime.media_file_manager:MediaFileManager.add", "path_or_data", "mimetype", "coordinates"
    ),
    uses="the store of pictures and films, and its addresses, which take ranges",
    buys="a map of 4,096 words, 89 MB, is zoomed into by 256 kB at a time",
    without="a map of more than 256 words is shown in blocks alone",
)


def address(data: bytes, place: str) -> str:
    """Return where the browser finds the bytes, from the server's root; "" where they cannot be served.

    Args:
        data: what is served, as long as a run of the script asks for it again.
        place: of the page; what was served there before goes.
    """
    if not (PART.on and runtime.exists()):
        return ""
    manager = runtime.get_instance().media_file_mgr
    return str(manager.add(data, "application/octet-stream", place))
