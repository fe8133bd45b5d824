"""Upload of a picture and of weights beside it; both stay in the session."""

import streamlit as st

from attn_core.models.vision import MAX_PICTURE_BYTES
from attn_ui.base.bounds import MAX_MAPS_BYTES
from attn_ui.base.markdown import capital, plain
from attn_words import _
from pages.applications.photo import OWN_PICTURE, PhotoRows, photo_of
from pages.applications.state import State

_FILE, _WEIGHTS, _FAULT = "own-picture", "own-picture-weights", "applications_own_fault"


def show(_result: State | PhotoRows) -> None:
    """Show the uploads of a picture and of weights, and the fault of the last upload."""
    most = MAX_PICTURE_BYTES // 1_000_000
    st.file_uploader(
        _("Your own picture (PNG or JPEG, at most {most} MB)", most=most),
        type=["png", "jpg", "jpeg"],
        key=_FILE,
        on_change=_take,
        max_upload_size=most,
        help=_("Read in memory, for this session alone; nothing is stored."),
    )
    most = MAX_MAPS_BYTES // 1_000_000
    st.file_uploader(
        _("Weights over its patches (.npz, .safetensors or .npy, at most {most} MB)", most=most),
        type=["npz", "safetensors", "npy"],
        key=_WEIGHTS,
        on_change=_take,
        max_upload_size=most,
        help=_("(layers, heads, queries, keys): keys are the patches row by row, after [CLS] if any."),
    )
    if fault := st.session_state.get(_FAULT):
        st.warning(plain(fault), icon=":material/error:")


def _take() -> None:
    """Read the uploaded files, or store why they cannot be read; without a picture, forget the stored one."""
    st.session_state.pop(_FAULT, None)
    picture, weights = (st.session_state.get(key) for key in (_FILE, _WEIGHTS))
    if picture is None:
        st.session_state.pop(OWN_PICTURE, None)
        return
    try:
        beside = None if weights is None else (weights.name, weights.getvalue())
        st.session_state[OWN_PICTURE] = photo_of(picture.getvalue(), beside)
    except ValueError as error:
        st.session_state[_FAULT] = _("{fault}.", fault=capital(str(error)))
