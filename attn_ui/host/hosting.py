"""What a host can set without touching the code: environment variables, read once and strictly."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PREFIX = "ATTENTION_LAB_"
# A source of a content security policy; a list of them may hold neither commas nor semicolons.
_HOST = r"(?:\*\.)?(?!(?:none|self)$)[a-z0-9][\w.-]*(?::(?:\d+|\*))?/?"
_SOURCE = re.compile(rf"'self'|\*|(?:https?|wss?):|(?:(?:https?|wss?)://)?{_HOST}", re.IGNORECASE)
_QUOTED = 60  # letters of what was given, in a complaint
_SWITCH = dict.fromkeys(("yes", "true", "on", "1"), True) | dict.fromkeys(("no", "false", "off", "0"), False)


@dataclass(frozen=True)
class Hosting:
    """What a host decides.

    Attributes:
        plotly_js: the folder that plotly.js is served from; None is the installed plotly's own.
        frame_ancestors: who may show the app in a frame, as in a content security policy; "" is everybody.
        metrics: whether `/_stcore/metrics` answers.
        sessions: how many visitors one process serves at once; one more is told to try again. 0 is no limit.
        cache: megabytes of shared results that one process keeps.
        changes: how many messages a second one visitor is served; more wait, and delay that visitor only.
        model: a model's folder; "" is the packaged one.
        vision_model: a vision transformer's folder; "" is none.
        lessons: a folder of lessons of the host's own, beside those of the app.
    """

    plotly_js: Path | None = None
    frame_ancestors: str = ""
    metrics: bool = False
    sessions: int = 300
    cache: int = 64
    changes: float = 10.0
    model: str = ""
    vision_model: str = ""
    lessons: Path | None = None


def hosting(environment: Mapping[str, str] | None = None) -> Hosting:
    """Read the settings of a host.

    Args:
        environment: names and values; by default the process's own.

    Raises:
        ValueError: a setting that cannot be read, or one that does not exist.
    """
    names = os.environ if environment is None else environment
    texts = {name.removeprefix(PREFIX): text for name, text in names.items() if name.startswith(PREFIX)}
    values: dict[str, Any] = {}
    for name, text in texts.items():
        if name not in READERS:
            raise ValueError(
                f"{PREFIX}{name[:_QUOTED]} is no setting; wanted one of {', '.join(variables())}"
            )
        try:
            values[name.lower()] = READERS[name](text.strip())
        except ValueError as error:
            raise ValueError(f"{PREFIX}{name}: wanted {error}, got {text[:_QUOTED]!r}") from None
    return Hosting(**values)


def variables() -> list[str]:
    """Return every environment variable that a host can set."""
    return [PREFIX + name for name in READERS]


def _folder(text: str) -> Path | None:
    if text and not os.path.isdir(text):  # Path.is_dir raises where a name is too long
        raise ValueError("a folder that exists")
    return Path(text).resolve() if text else None


def _sources(text: str) -> str:
    if text != "'none'" and not all(_SOURCE.fullmatch(source) for source in text.split()):
        raise ValueError("'none', 'self' or addresses as https://course.example.edu, with spaces between")
    return " ".join(text.split())


def _read_yes_or_no(text: str) -> bool:
    if text.lower() not in _SWITCH:
        raise ValueError("yes or no")
    return _SWITCH[text.lower()]


def _whole(text: str, least: int, condition: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text) or int(text) < least:
        raise ValueError(f"{condition} and less than ten million")
    return int(text)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 1 <= rate <= 1000:
        raise ValueError("a number of messages a second from 1 to 1000")
    return rate


def _model(text: str) -> str:
    path = Path(os.path.expanduser(text))
    if text and not os.path.isfile(path / "config.json"):
        raise ValueError("a model's folder, with config.json in it")
    return str(path.resolve()) if text else ""


READERS: Mapping[str, Callable[[str], Any]] = {
    "PLOTLY_JS": _folder,
    "FRAME_ANCESTORS": _sources,
    "METRICS": _read_yes_or_no,
    "SESSIONS": lambda text: _whole(text, 0, "a whole number, 0 for no limit"),
    "CACHE": lambda text: _whole(text, 1, "a whole number of megabytes, 1 or more"),
    "CHANGES": _rate,
    "MODEL": _model,
    "VISION_MODEL": _model,
    "LESSONS": _folder,
}
"""The reader of each setting, by its name after ``PREFIX``; in small letters, a field of ``Hosting``."""
