"""A person's own points: kept for the session alone, for a link carries none."""

import streamlit as st

from pages.kernel_regression.points import Points
from pages.kernel_regression.settings import OWN_POINTS, POINTS_DATA

OWN = "kernel_own_points"  # where the session keeps them


def keep_own(points: Points) -> None:
    """Keep a person's points for this session and show them; to be called from a callback."""
    st.session_state[OWN] = points
    st.session_state[POINTS_DATA.name] = OWN_POINTS


def own_points() -> Points | None:
    """Return the points that this session keeps."""
    points: Points | None = st.session_state.get(OWN)
    return points
