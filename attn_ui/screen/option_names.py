"""Options whose names on screen differ from those in the address, such as translated ones.

A control that Streamlit ties to the address writes there the name that it shows. Links do not know that name
if it is translated or new; such a control is therefore tied to its key alone, and this module keeps it and
the address in agreement.
"""

from collections.abc import Sequence

import streamlit as st

from attn_ui.base.parameters import Choice, MultiChoice, Parameter, Tabs, label
from attn_words import SOURCE, language

_SPOKEN = "_named_language"  # in which the options of the page were shown last
_WRITTEN = "_named_written"  # what was written into the address, by the settings' names


def is_renamed(setting: Parameter) -> bool:
    """Whether the labels of a setting's options differ from their names in the address."""
    if language() != SOURCE or (isinstance(setting, MultiChoice) and setting.numbered):
        return True
    options = setting.options if isinstance(setting, Choice) else ()
    return any(label(setting.name, option) != option for option in options)


def clear_address() -> None:
    """Remove from the address what the page before wrote there, as Streamlit does for its own controls.

    The session keeps the choices; a link with other options overrides them.
    """
    for name, texts in st.session_state.pop(_WRITTEN, {}).items():
        if texts and st.query_params.get_all(name) == texts:
            del st.query_params[name]


def take_options_from_address(settings: Sequence[Parameter], *, is_news: bool, goes_back: bool) -> None:
    """Set the options' controls from the address, before any control is drawn.

    Args:
        settings: of the page.
        is_news: whether the page was just opened or gone back to, so that the address may have other options.
        goes_back: whether settings that the address leaves out are at their defaults.
    """
    last_language = st.session_state.get(_SPOKEN)
    st.session_state[_SPOKEN] = language()
    if not (is_news or last_language != language()):
        return
    for setting in settings:
        if (
            not isinstance(setting, Choice | MultiChoice)
            or isinstance(setting, Tabs)
            or not is_renamed(setting)
        ):
            continue
        texts = [text for text in st.query_params.get_all(setting.name) if text in setting.options]
        if isinstance(setting, MultiChoice) and (texts or goes_back):
            st.session_state[setting.name] = texts or [*setting.default]
        elif texts or goes_back:
            st.session_state[setting.name] = texts[-1] if texts else setting.default


def write_choice(setting: Choice | MultiChoice, choice: str | Sequence[str]) -> None:
    """Write the chosen option into the address, and nothing for the default."""
    if not is_renamed(setting):
        return
    texts = [choice] if isinstance(choice, str) else [*choice]
    default = [setting.default] if isinstance(setting, Choice) else [*setting.default]
    in_address = [] if texts == default else texts
    st.session_state.setdefault(_WRITTEN, {})[setting.name] = in_address
    if st.query_params.get_all(setting.name) == in_address:
        return
    if in_address:
        st.query_params[setting.name] = in_address if isinstance(setting, MultiChoice) else in_address[0]
    else:
        del st.query_params[setting.name]
