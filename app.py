"""The server: `streamlit run app.py`, or `uvicorn app:app` behind a proxy."""

from pathlib import Path

import torch

import attn_core  # noqa: F401  (imported here so that the first visitor does not wait for it)
from attn_ui.server import serve


def warm_up() -> None:
    """One thread a request: a classroom sends many small ones."""
    torch.set_num_threads(1)


app = serve(Path(__file__).resolve().parent / "attn_ui" / "router.py", warm_up)
