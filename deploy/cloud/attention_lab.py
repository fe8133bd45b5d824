"""What Streamlit Community Cloud starts: app.py, beside requirements that name torch's CPU build."""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from app import warm_up  # noqa: E402  (found by the path above)
from attn_ui.host.server import parts  # noqa: E402  (found by the path above)

app = st.App(ROOT / "attn_ui" / "router.py", **parts(warm_up))
