"""Our own controls: each has a name, and a script of that name beside this file."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from attn_live.bundle import join_scripts


@cache
def component(name: str, role: str = "") -> Any:
    """Return one of our own controls by its name, which is also that of its script."""
    role = f' role="{role}"' if role else ""
    return st.components.v2.component(
        name,
        html=f'<div class="{name.replace("_", "-")}"{role}></div>',
        js=join_scripts(Path(__file__).parent / f"{name}.js"),
        isolate_styles=False,
    )
