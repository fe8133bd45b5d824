"""The product's words in the visitor's language: gettext's catalogues, one language per run.

    from attn_words import N_, _, _c, _n

    _("The largest weight is {weight}.", weight="0.412")   # a whole sentence with named fields
    _n("{count} key", "{count} keys", 3)                   # a form for one, and one for several
    _c("mask", "none")                                     # where one English word has two translations
    TITLE = N_("Cost")                                     # a constant: marked here, translated by `_(TITLE)`

A message is the English sentence itself, never a piece of one. `make words` takes messages from the code into
`locales/<language>/*.po`, which are read when a language is first used. A message that they lack in a context
is translated as without one; with a capital letter, as with a small one; else it stays English.
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
from attn_words.spacing import fill_in

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
    "cached",
    "decimals",
    "is_spoken",
    "language",
    "manner",
    "paragraph",
    "set_defaults",
    "speak",
    "speaking",
    "translations",
    "with_small_letter",
    "with_whole_letters",
    "writing",
]

SOURCE = "en"
PSEUDO = "en-XA"
"""English in disguise, for tests: plain English on a page was then not taken from the catalogues."""
LANGUAGES: Mapping[str, str] = MappingProxyType({SOURCE: "English", "zh": "中文"})
"""The languages' own names, by the BCP 47 code that links use."""
LOCALES: Mapping[str, str] = MappingProxyType({"zh": "zh_CN"})
"""gettext's name of each language, also that of its folders of catalogues and lessons."""
_BETWEEN = {"zh": ""}  # between two sentences, where it is no space
_SPOKEN: ContextVar[str | None] = ContextVar("language", default=None)
_DECIMALS: ContextVar[int | None] = ContextVar("decimals", default=None)
_HERE = Path(__file__).parent

P = ParamSpec("P")
R = TypeVar("R")


def _default_language() -> str:
    return SOURCE


def _default_decimals() -> int:
    return 2


def set_defaults(ask: Callable[[], str], ask_decimals: Callable[[], int]) -> None:
    """Set functions that return the language and the decimals of a thread in which none is set yet."""
    global _default_language, _default_decimals
    _default_language, _default_decimals = ask, ask_decimals


def language() -> str:
    """Return the code of this thread's or task's language."""
    return _SPOKEN.get() or _default_language()


def decimals() -> int:
    """Return the number of decimals in cells that have room for them."""
    return _DECIMALS.get() or _default_decimals()


@contextmanager
def writing(count: int) -> Iterator[None]:
    """Use ``count`` decimals in cells within the block."""
    token = _DECIMALS.set(count)
    try:
        yield
    finally:
        _DECIMALS.reset(token)


def manner() -> tuple[str, int]:
    """Return the language and the decimals, by which cached results differ."""
    return language(), decimals()


def is_spoken(code: str | None) -> bool:
    """Whether a link may name this language: one of ours, or the disguised English of tests."""
    return code in LANGUAGES or code == PSEUDO


def speak(code: str) -> None:
    """Set the language of this thread or task.

    Raises:
        ValueError: the code is none of ours.
    """
    if not is_spoken(code):
        raise ValueError(f"a language: {', '.join(LANGUAGES)}; got {code!r}")
    _SPOKEN.set(code)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Use a language within the block.

    Raises:
        ValueError: the code is none of ours.
    """
    token = _SPOKEN.set(None)
    speak(code)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


@cache
def translations(code: str) -> _gettext.NullTranslations:
    """Return the catalogue of a language, which is empty for English."""
    if code == PSEUDO:
        return Pseudo()
    words = polib.POFile()
    for path in sorted(_catalogues(code).glob("*.po")):
        part = polib.pofile(str(path))
        words.metadata = part.metadata  # the rule of plurals, the same in all files
        words.extend(part.translated_entries())
    if not words:
        return _gettext.NullTranslations()
    catalogue = _gettext.GNUTranslations(io.BytesIO(words.to_binary()))
    catalogue.add_fallback(_General(catalogue))
    return catalogue


class _General(_gettext.NullTranslations):
    """Translates a message as without its context, or as with a small first letter."""

    def __init__(self, catalogue: _gettext.GNUTranslations) -> None:
        super().__init__()
        self._catalogue = catalogue

    def gettext(self, message: str) -> str:
        """Return the translation of the message with a small first letter, capitalised."""
        small = with_small_letter(message)
        text = small if small == message else self._catalogue.gettext(small)
        return message if text == small else text[:1].upper() + text[1:]

    def pgettext(self, context: str, message: str) -> str:
        """Return the translation without context."""
        return self._catalogue.gettext(message)


def with_small_letter(message: str) -> str:
    """Return a message that begins with a small letter: both forms share one translation."""
    return message[:1].lower() + message[1:]


def _catalogues(code: str) -> Path:
    """Return the folder of a language's catalogues: the installed package's own, or the repository's."""
    locale = LOCALES.get(code, code)
    installed = _HERE / locale
    return installed if installed.exists() else _HERE.parent / "locales" / locale


def _(message: str, /, **fields: object) -> str:
    """Return a message in the current language, with its fields filled in.

    >>> _("The largest weight is {weight}.", weight="0.412")
    'The largest weight is 0.412.'
    """
    code = language()
    # The empty message is gettext's key of the catalogue's header.
    text = message if code == SOURCE or not message else translations(code).gettext(message)
    return _fill_in(text, fields) if fields else text


def _n(one: str, several: str, count: int, /, **fields: object) -> str:
    """Return a message in its singular or plural form for ``count``, which is also a field of it.

    >>> _n("{count} key", "{count} keys", 1), _n("{count} key", "{count} keys", 3)
    ('1 key', '3 keys')
    """
    code = language()
    text = translations(code).ngettext(one, several, count)
    return _fill_in(text, {"count": count} | fields)


def _c(context: str, message: str, /, **fields: object) -> str:
    """Return a message whose English has several meanings, of which the context names one.

    >>> _c("mask", "none")
    'none'
    """
    code = language()
    text = message if code == SOURCE else translations(code).pgettext(context, message)
    return _fill_in(text, fields) if fields else text


def N_(message: str, /) -> str:  # noqa: N802 (as gettext's users call it)
    """Mark a constant as a message that `_` translates later."""
    return message


def _fill_in(message: str, fields: Mapping[str, object]) -> str:
    return fill_in(message, fields) if language() in _BETWEEN else message.format_map(fields)


def paragraph(*sentences: str) -> str:
    """Join whole sentences; those that are empty are left out.

    >>> paragraph("One.", "", "Two.")
    'One. Two.'
    """
    return _BETWEEN.get(language(), " ").join(filter(None, sentences))


class Cached(Generic[P, R]):
    """A cached function with an entry for each `manner`, and the counts of `functools.lru_cache`."""

    def __init__(self, function: Callable[P, R], most: int | None) -> None:
        """Keep the latest ``most`` results; all of them if it is None."""
        update_wrapper(self, function)

        @lru_cache(most)
        def answer(
            here: tuple[str, int], args: tuple[object, ...], more: tuple[tuple[str, object], ...]
        ) -> R:
            del here
            return cast("Callable[..., R]", function)(*args, **dict(more))

        self._answer = answer
        self.cache_clear = answer.cache_clear
        self.cache_info = answer.cache_info

    def __call__(self, *args: P.args, **more: P.kwargs) -> R:
        """Return the result in the current language."""
        return self._answer(manner(), args, tuple(more.items()))


def cached(most: int | None = None) -> Callable[[Callable[P, R]], Cached[P, R]]:
    """Cache a function whose results hold words, with an entry for each `manner`."""
    return lambda function: Cached(function, most)


def with_whole_letters(text: str) -> str:
    """Return a text that can be sent: each half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
