"""What the browser's modules say: `word("Save")` in one is a message of the catalogues, as `_` is here."""

import re
from pathlib import Path

from attn_live.bundle import MODULES
from attn_words import SOURCE, _, cached, language

_WORD = re.compile(r'\bword\(\s*"((?:[^"\\]|\\.)*)"')
_FOLDERS = [MODULES]


def also_in(folder: Path) -> None:
    """Have the words of a folder's scripts sent too."""
    _FOLDERS.append(folder)


@cached()
def browser_words() -> dict[str, str]:
    """Return what the scripts say, by their own English, as far as it is translated."""
    if language() == SOURCE:
        return {}
    texts = [path.read_text(encoding="utf-8") for folder in _FOLDERS for path in sorted(folder.glob("*.js"))]
    found = {message for text in texts for message in _WORD.findall(text)}
    return {message: said for message in sorted(found) if (said := _(message)) != message}
