"""Streamlit's settings as a host gives them, and how `streamlit run` reads them."""

from collections.abc import Mapping
from typing import Any

from attn_ui.streamlit_inside.part import Part, find, there

_OPTIONS = "streamlit.config:get_config_options"
_RUN = "streamlit.web.cli:main_run.params"


def _named() -> str:
    some = next(iter(find(_OPTIONS)().values()), None)
    return (
        "" if isinstance(getattr(some, "env_var", None), str) else "an option of Streamlit's has no env_var"
    )


PART = Part(
    "the host's settings of Streamlit, looked at before a start",
    there(_OPTIONS),
    there(_RUN),
    _named,
    uses="the table of its settings, and the parameters of its command",
    buys="`make doctor` says in a sentence what `streamlit run` would end at",
    without="`make doctor` looks at the other settings, and says what the server says when it ends",
)


def variables() -> set[str] | None:
    """Name the environment variables that Streamlit reads; None where nobody knows."""
    return {option.env_var for option in find(_OPTIONS)().values()} if PART.on else None


def parameters() -> list[Any]:
    """Return what the command `streamlit run` takes, as click's parameters."""
    return list(find(_RUN)) if PART.on else []


def given(name: str, environment: Mapping[str, str]) -> str:
    """Return a setting of a host's, or what Streamlit has of itself; "" where nobody knows."""
    if not PART.on:
        return environment.get(f"STREAMLIT_{name.replace('.', '_').upper()}", "")
    option = find(_OPTIONS)()[name]
    return str(environment.get(option.env_var, option.value or ""))
