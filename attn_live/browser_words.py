"""Translations for the browser's modules: `word("Save")` there is a message, as `_("Save")` is here."""

import re
from pathlib import Path

from attn_live.bundle import MODULES
from attn_words import SOURCE, _, cached, language

_WORD = re.compile(r'\bword\(\s*"((?:[^"\\]|\\.)*)"')
_FOLDERS = [MODULES]


def add_folder(folder: Path) -> None:
    """Add a folder whose scripts' words are sent to the browser too."""
    _FOLDERS.append(folder)


@cached()
def browser_words() -> dict[str, str]:
    """Return the translations of the scripts' words, by their English, as far as there are any."""
    if language() == SOURCE:
        return {}
    texts = [path.read_text(encoding="utf-8") for folder in _FOLDERS for path in sorted(folder.glob("*.js"))]
    messages = {message for text in texts for message in _WORD.findall(text)}
    return {message: text for message in sorted(messages) if (text := _(message)) != message}
