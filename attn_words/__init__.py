"""The product's words in the language of whoever looks: gettext's catalogues, one language a run.

    from attn_words import N_, _, _c, _n

    _("The largest weight is {weight}.", weight="0.412")   # a whole sentence with named fields
    _n("{count} key", "{count} keys", 3)                   # a form for one, and one for several
    _c("mask", "none")                                     # where one English word needs two others
    TITLE = N_("Cost")                                     # a constant: marked here, said by `_(TITLE)`

A message is the English sentence itself, never a piece of one. `make words` takes messages from the code into
`locales/<language>/*.po`, which are read when a language is first asked for. What they lack is said
in English.
"""

import gettext as _gettext
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, update_wrapper
from pathlib import Path
from types import MappingProxyType
from typing import Generic, ParamSpec, TypeVar, cast

import polib

from attn_words.pseudo import Pseudo
from attn_words.spacing import filled

__all__ = [
    "LANGUAGES",
    "LOCALES",
    "N_",
    "PSEUDO",
    "SOURCE",
    "Cached",
    "_",
    "_c",
    "_n",
    "ask_where_none_is_spoken",
    "cached",
    "is_spoken",
    "language",
    "paragraph",
    "speak",
    "speaking",
    "translations",
    "with_whole_letters",
]

SOURCE = "en"
PSEUDO = "en-XA"
"""English in disguise: what is still read as English there goes past the catalogues."""
LANGUAGES: Mapping[str, str] = MappingProxyType({SOURCE: "English", "zh": "中文"})
"""By the word that links use, as BCP 47 has it, each by its own name."""
LOCALES: Mapping[str, str] = MappingProxyType({"zh": "zh_CN"})
"""What gettext calls a language, and what folders of its catalogues and lessons are called."""
_BETWEEN = {"zh": ""}  # what stands between two sentences, where it is no space
_SPOKEN: ContextVar[str | None] = ContextVar("language", default=None)
_HERE = Path(__file__).parent

P = ParamSpec("P")
R = TypeVar("R")


def _otherwise() -> str:
    return SOURCE


def ask_where_none_is_spoken(ask: Callable[[], str]) -> None:
    """Have a function tell the language of a thread or task in which none is spoken yet."""
    global _otherwise  # noqa: PLW0603  (one a process)
    _otherwise = ask


def language() -> str:
    """Return the language that is spoken here."""
    return _SPOKEN.get() or _otherwise()


def is_spoken(asked: str | None) -> bool:
    """Whether a link may ask for a language: for one of those there are, or for English in disguise."""
    return asked in LANGUAGES or asked == PSEUDO


def speak(spoken: str) -> None:
    """Speak a language from now on, in this thread or task.

    Raises:
        ValueError: nobody has translated into it.
    """
    if not is_spoken(spoken):
        raise ValueError(f"a language: {', '.join(LANGUAGES)}; got {spoken!r}")
    _SPOKEN.set(spoken)


@contextmanager
def speaking(spoken: str) -> Iterator[None]:
    """Speak a language within, and then the one before.

    Raises:
        ValueError: nobody has translated into it.
    """
    before = _SPOKEN.set(None)
    speak(spoken)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


@cache
def translations(spoken: str) -> _gettext.NullTranslations:
    """Return the catalogue of a language, which is empty for English."""
    if spoken == PSEUDO:
        return Pseudo()
    whole = polib.POFile()
    for path in sorted(_catalogues(spoken).glob("*.po")):
        area = polib.pofile(str(path))
        whole.metadata = area.metadata  # how the language counts: the same in all areas
        whole.extend(area.translated_entries())
    return _gettext.GNUTranslations(io.BytesIO(whole.to_binary())) if whole else _gettext.NullTranslations()


def _catalogues(spoken: str) -> Path:
    """Return the folder of a language's catalogues: the installed package's own, or the repository's."""
    locale = LOCALES.get(spoken, spoken)
    installed = _HERE / locale
    return installed if installed.exists() else _HERE.parent / "locales" / locale


def _(message: str, /, **fields: object) -> str:
    """Say a message, with its fields filled in where it has any.

    >>> _("The largest weight is {weight}.", weight="0.412")
    'The largest weight is 0.412.'
    """
    spoken = language()
    # To gettext the empty message is the catalogue's head.
    said = message if spoken == SOURCE or not message else translations(spoken).gettext(message)
    return _filled(said, fields) if fields else said


def _n(one: str, several: str, count: int, /, **fields: object) -> str:
    """Say a message in the form that a number asks for; the number is its field `count`.

    >>> _n("{count} key", "{count} keys", 1), _n("{count} key", "{count} keys", 3)
    ('1 key', '3 keys')
    """
    spoken = language()
    said = translations(spoken).ngettext(one, several, count)
    return _filled(said, {"count": count} | fields)


def _c(context: str, message: str, /, **fields: object) -> str:
    """Say a message that means something else elsewhere: the context tells which one it is.

    >>> _c("mask", "none")
    'none'
    """
    spoken = language()
    said = message if spoken == SOURCE else translations(spoken).pgettext(context, message)
    return _filled(said, fields) if fields else said


def N_(message: str, /) -> str:  # noqa: N802 (as gettext's users call it)
    """Mark a constant as a message, which `_` says later in whatever language is spoken then."""
    return message


def _filled(said: str, fields: Mapping[str, object]) -> str:
    return filled(said, fields) if language() in _BETWEEN else said.format_map(fields)


def paragraph(*sentences: str) -> str:
    """Join whole sentences; those that are empty are left out.

    >>> paragraph("One.", "", "Two.")
    'One. Two.'
    """
    return _BETWEEN.get(language(), " ").join(filter(None, sentences))


class Cached(Generic[P, R]):
    """A function whose answers are kept for each language, with the counts of `functools.lru_cache`."""

    def __init__(self, function: Callable[P, R], most: int | None) -> None:
        """Keep so many answers; all of them where that is None."""
        update_wrapper(self, function)

        @lru_cache(most)
        def answer(spoken: str, args: tuple[object, ...], more: tuple[tuple[str, object], ...]) -> R:
            del spoken
            return cast("Callable[..., R]", function)(*args, **dict(more))

        self._answer = answer
        self.cache_clear = answer.cache_clear
        self.cache_info = answer.cache_info

    def __call__(self, *args: P.args, **more: P.kwargs) -> R:
        """Answer in the language that is spoken."""
        return self._answer(language(), args, tuple(more.items()))


def cached(most: int | None = None) -> Callable[[Callable[P, R]], Cached[P, R]]:
    """Cache like `functools.lru_cache` what holds words: an answer for each language."""
    return lambda function: Cached(function, most)


def with_whole_letters(text: str) -> str:
    """Return a text that can be sent: each half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
