"""Which terms of the glossary, and which letters, occur in sentences and formulas.

The search, the page Glossary and the explanations at words in a text share one list: `TERMS` of
`pages/glossary/terms`, and the letters that a page's own `terms` module adds.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from attn_ui.base import latex
from attn_ui.base.navigation import PAGES
from attn_ui.base.term import Term
from attn_words import SOURCE, _c, cached, language

_LIST = "pages.glossary.terms"
_SHORTEST = 3  # letters of a name that is looked for in sentences: shorter ones are letters of formulas
_NAME = re.compile(r"[^\\{}]*[^\W\d_][^\\{}]*")
_PLURALS = (("y", "ies"), ("x", "xes"), ("s", "ses"), ("", "s"))
_VOWELS = "aeiou"
# A word is no part of another: not "key" in "monkey", nor "head" in "multi-head".
_WORD = re.compile(r"(?<![\w-])\w+")
_GOES_ON = re.compile(r"\w|-\w")
# Chinese has no spaces: a name begins and ends anywhere. But one of a single character stands in other words
# too (均值, 关键, 值得): it is a name where BEFORE has the one before it, if any, and NOT_AFTER not the next.
_HAN = "㐀-鿿"
BEFORE = (
    "的个每各种对在与和或把给从由用按是为到有同其这那哪该他看问读取算向于以随但较果闭叫使让除"
    "两一几二三四五六七八九十"
)
NOT_AFTER = "盘部心入域发得班"
_MARKS = re.compile(r":(?:violet|orange|green)\[|\*\*|\]\([^)]*\)|\\(?=\W)|`")


@cache
def general() -> tuple[Term, ...]:
    """Return the terms of the glossary."""
    groups: dict[str, tuple[Term, ...]] = import_module(_LIST).TERMS
    return tuple(term for terms in groups.values() for term in terms)


@cache
def compounds() -> frozenset[str]:
    """Return the keys of symbols to which a subscript belongs."""
    return frozenset(each for term in general() for each in map(latex.key, term.symbols) if "_" in each)


@cached()
def page_terms(folder: str) -> tuple[Term, ...]:
    """Return the letters that a page's own `terms` module explains."""
    module = f"pages.{folder}.terms"
    if module == _LIST or find_spec(module) is None:
        return ()
    letters: tuple[Term, ...] = import_module(module).letters(compounds())
    return letters


@cached()
def view_terms() -> tuple[Term, ...]:
    """Return the letters that the `terms` modules of all pages explain."""
    return tuple(term for page in PAGES for term in page_terms(page.folder))


def all_terms() -> tuple[Term, ...]:
    """Return all terms, and all letters of all pages."""
    return (*general(), *view_terms())


def names(*english: str) -> tuple[str, ...]:
    """Return names in the current language; a translation that has several separates them by "、".

    >>> names("Query", "dot product")
    ('Query', 'dot product')
    """
    if language() == SOURCE:
        return english
    return tuple(dict.fromkeys(each for name in english for each in _c("term", name).split("、")))


def forms(term: Term) -> tuple[str, ...]:
    """Return how a term is written in sentences: each name, in English in singular and plural.

    >>> forms(next(term for term in general() if term.name == "Query"))
    ('query', 'queries')
    """
    if language() != SOURCE:
        own = () if term.name in term.apart else names(term.name)
        return tuple(name for name in own if has_han(name) or _is_looked_for(name))
    writings: dict[str, None] = {}
    for name in (term.name, *term.also):
        if name in term.apart or not _is_looked_for(name):
            continue
        first = name.split()[0]
        word = name[0].lower() + name[1:] if first[1:].islower() and name[1].isalpha() else name
        writings[word] = None
        last = word.split()[-1]
        has_plural = last.isalpha() and last.islower() and not last.endswith("s")
        if has_plural and not {"of", "and"} & {*name.split()}:
            writings[_plural(word)] = None
    return tuple(writings)


def _is_looked_for(name: str) -> bool:
    return len(name) >= _SHORTEST and _NAME.fullmatch(name) is not None


def has_han(text: str) -> bool:
    """Whether a text has a Chinese character."""
    return re.search(f"[{_HAN}]", text) is not None


def _plural(word: str) -> str:
    for ending, several in _PLURALS:
        if word.endswith(ending) and not (ending == "y" and word[-2] in _VOWELS):
            return word[: len(word) - len(ending)] + several
    raise AssertionError(word)


@cache
def _by_first_word() -> dict[str, list[tuple[str, Term]]]:
    """Return the forms of all terms by the word that they begin with, the longest first."""
    index: dict[str, list[tuple[str, Term]]] = {}
    longest_first = sorted(
        ((form, term) for term in general() for form in forms(term)), key=lambda each: -len(each[0])
    )
    for form, term in longest_first:
        first = _WORD.search(form)
        assert first, form
        index.setdefault(first[0].casefold(), []).append((form, term))
    return index


def terms_in(sentence: str) -> Iterator[Term]:
    """Yield the terms of a sentence, markdown or plain, in their order.

    >>> [term.name for term in terms_in("The **queries** of a monkey weigh its keys.")]
    ['Query', 'Key']
    """
    text = _MARKS.sub("", sentence)
    if language() != SOURCE:
        pattern, terms = _of_language()
        yield from (terms[match[0].casefold()] for match in pattern.finditer(text))
        return
    index = _by_first_word()
    end = 0
    for word in _WORD.finditer(text):
        start = word.start()
        for form, term in index.get(word[0].casefold(), ()) if start >= end else ():
            after = start + len(form)
            if _matches(text[start:after], form) and not _GOES_ON.match(text, after):
                yield term
                end = after
                break


@cached()
def _of_language() -> tuple[re.Pattern[str], dict[str, Term]]:
    """Return a pattern of all forms in a language other than English, the longest first, and their terms."""
    terms = {form.casefold(): term for term in general() for form in forms(term)}
    longest = sorted({form for term in general() for form in forms(term)}, key=lambda form: -len(form))
    return re.compile("|".join(map(_bounded, longest))), terms


def _bounded(form: str) -> str:
    """Return a pattern that matches a form where it is no part of another word."""
    first, last = form[0], form[-1]
    if len(form) == 1:
        return f"(?:(?<![{_HAN}])|(?<=[{BEFORE}])){form}(?![{NOT_AFTER}])"
    before = "" if has_han(first) else rf"(?<![^\W{_HAN}])(?<!-)"
    after = "" if has_han(last) else rf"(?![^\W{_HAN}]|-\w)"
    begins = f"[{first}{first.upper()}]" if form[:2].islower() else re.escape(first)
    return before + begins + re.escape(form[1:]) + after


def _matches(text: str, form: str) -> bool:
    """Tell whether a text is this form, with or without the capital that begins a sentence."""
    return text == form or (form[:2].islower() and text == form[0].upper() + form[1:])


def meanings(on: str) -> dict[str, Term]:
    """Return the meaning of each symbol, by its key.

    Args:
        on: the page's folder, or "folder:view", of the formula: its own meanings of letters replace the
            general ones.
    """
    folder, _, _ = on.partition(":")
    terms: dict[str, Term] = {}
    for scope in ("", folder, on):
        terms |= _meant(scope, folder)
    return terms


@cached()
def _meant(scope: str, folder: str) -> dict[str, Term]:
    terms = (*general(), *page_terms(folder))
    return {latex.key(symbol): term for term in terms if term.on == scope for symbol in term.symbols}


def occurring(
    sentences: Sequence[str], formulas: Sequence[str], on: str, also: Sequence[Term] = ()
) -> list[Term]:
    """Return the terms and symbols that occur, each once, words first; ``on`` as for `meanings`.

    Args:
        sentences: markdown; formulas in it stand between dollar signs.
        formulas: in LaTeX.
        on: the place of the formulas.
        also: terms that were found before.
    """
    words = (*also, *(term for sentence in sentences for term in terms_in(sentence)))
    by_key = {term.key: term for term in words}
    by_symbol = meanings(on)
    all_formulas = [*formulas, *(each for sentence in sentences for each in latex.formulas_in(sentence))]
    for formula in all_formulas:
        for symbol in latex.symbols(formula, compounds()):
            if term := by_symbol.get(symbol):
                by_key.setdefault(term.key, term)
    return list(by_key.values())
