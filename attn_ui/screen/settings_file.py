"""All settings of a page as a small file, with the tables that are too long for a link."""

import json
from collections.abc import Sequence
from typing import Any

import streamlit as st

from attn_ui.base.bounds import MAX_SETTINGS_BYTES
from attn_ui.base.links import up_to_date
from attn_ui.base.markdown import quoted
from attn_ui.base.parameters import (
    Cells,
    MultiChoice,
    Parameter,
    Sight,
    Steps,
    Table,
    Tabs,
    parameters_by_name,
)
from attn_ui.base.pin import COMPARE, PIN
from attn_ui.screen import state
from attn_words import _, with_whole_letters

MARK = "attention lab"
VERSION = 1
Settings = dict[str, str | list[str]]


def collect(parameters: Sequence[Parameter]) -> Settings:
    """Return a page's settings as texts by their names in links; defaults are left out."""
    settings: Settings = {}
    for setting in parameters:
        match setting:
            case Table() | Cells() | Sight():
                text = state.text(setting)
                if text != setting.default:
                    settings[setting.name] = text
            case MultiChoice():
                if several := st.query_params.get_all(setting.name):
                    settings[setting.name] = several
            case _:
                if setting.name in st.query_params:
                    settings[setting.name] = st.query_params[setting.name]
    return settings


def to_json(page: str, settings: Settings) -> bytes:
    """Return the content of the file."""
    return json.dumps({MARK: VERSION, "page": page, "settings": settings}, indent=1).encode()


def read(content: bytes, page: str, parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the value of every setting of a page as a file has it, or its default if the file has none.

    Args:
        content: of the file.
        page: the address of the page that is open.
        parameters: the settings of that page.

    Raises:
        ValueError: it is not a settings file, belongs to another page, or has a setting that cannot be used;
            the message says what was expected and is safe to show as markdown.
    """
    texts_by_name = _settings(content, page)
    query = {name: text if isinstance(text, list) else [text] for name, text in texts_by_name.items()}
    query = up_to_date(parameters, query)
    texts_by_name = {name: texts[0] if len(texts) == 1 else texts for name, texts in query.items()}
    by_name = parameters_by_name(parameters)
    for name in texts_by_name:
        if name not in by_name:
            raise ValueError(_("the file sets {name}, which this page does not have", name=quoted(name)))
    return {
        name: _value(setting, texts_by_name[name]) if name in texts_by_name else setting.default
        for name, setting in by_name.items()
    }


def take_over(values: dict[str, Any], parameters: Sequence[Parameter]) -> None:
    """Set every setting of a file; to be called from a callback, before the page runs."""
    for setting in parameters:
        value = values[setting.name]
        match setting:
            case Table() | Cells() | Sight() | Tabs():
                state.write_setting(setting, value, replaces=True)
            case Steps():
                state.move(setting, value)
            case MultiChoice():
                state.answer(setting.name, list(value))
            case _ if setting.name in (PIN, COMPARE.name):
                state.put_in_address(setting.name, *([] if value == setting.default else [value]))
            case _:
                state.answer(setting.name, value)


def _settings(content: bytes, page: str) -> dict[str, Any]:
    try:
        if len(content) > MAX_SETTINGS_BYTES:
            raise ValueError(len(content))
        content_json = json.loads(content.decode("utf-8-sig"))
        content_json = json.loads(with_whole_letters(json.dumps(content_json, ensure_ascii=False)))
    except (ValueError, RecursionError):  # no text, no JSON, or cut off
        content_json = None
    is_ours = isinstance(content_json, dict) and content_json.get(MARK) == VERSION
    if not is_ours or not isinstance(content_json.get("settings"), dict):
        most = f"{MAX_SETTINGS_BYTES:,}"
        raise ValueError(_("wanted a whole file that this app saved, at most {most} bytes", most=most))
    if content_json.get("page") != page:
        other = quoted(str(content_json.get("page")))
        raise ValueError(_("the file is of another page, {page}: open that one first", page=other))
    return dict(content_json["settings"])


def _value(setting: Parameter, text: Any) -> Any:
    """Return one setting's value."""
    texts = text if isinstance(setting, MultiChoice) and isinstance(text, list) else [text]
    try:
        if not all(isinstance(each, str) for each in texts):
            raise ValueError(_("a text"))
        if isinstance(setting, MultiChoice):
            return [setting.read(each) for each in dict.fromkeys(texts)]
        if isinstance(setting, Table):
            setting.rows(texts[0])  # a file may be longer than a link
            return texts[0]
        return setting.read(texts[0])
    except ValueError as error:
        raise ValueError(
            _("the file's {name} cannot be used; wanted: {wanted}", name=quoted(setting.name), wanted=error)
        ) from None
