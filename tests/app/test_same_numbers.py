"""A sentence in another language says the same numbers and the same words of users: held at random links."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from attn_ui.base.navigation import PAGES
from attn_ui.base.page import At, page_at
from attn_words import _, _c, speaking
from tests.walk import states

STATES = 8  # of each page, twice: once a language
NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:[.,]\d+)*(?:e[-+−]?\d+)?")
COUNTED = set("0123456789")  # what English says in words, "adds up to one"
QUOTED = re.compile(r"“([^“”]*)”")


def page_sentences(at: At[object]) -> Iterator[str]:
    """Yield what a page says in sentences: beside its controls, under its figure, in its notes."""
    yield from at.controls.messages
    yield at.sentence
    yield from at.view.notes
    if at.view.figure:
        yield at.view.figure.alt
        yield at.view.figure.caption


def numbers(texts: list[str]) -> Counter[str]:
    return Counter(number for text in texts for number in NUMBER.findall(text))


def quoted(texts: list[str]) -> Counter[str]:
    return Counter(word for text in texts for word in QUOTED.findall(text))


def own_name(word: str) -> str:
    """Return what a key without a word of its own is called."""
    number = word.removeprefix("key ")
    return _("key {number}", number=number) if number.isdigit() else word


@pytest.mark.slow
@pytest.mark.parametrize("address", [page.address for page in PAGES])
def test_both_languages_have_equal_numbers(address: str) -> None:
    page = page_at(address)
    chance = random.Random(35)
    for query in states(address, STATES, chance.randrange(1000)):
        link = urlencode({name: text for name, text in query.items() if name != "tab"}, doseq=True)
        english = [*page_sentences(page.at(link))]
        with speaking("zh"):
            chinese = [*page_sentences(page.at(link))]
        assert len(english) == len(chinese), link
        for one, other in zip(english, chinese, strict=True):
            missing, more = numbers([one]) - numbers([other]), numbers([other]) - numbers([one])
            assert not missing, (link, one, other)
            assert set(more) <= COUNTED, (link, one, other)
            with speaking("zh"):  # words of an example are translated, a user's are not
                spoken = {word: {word, _(word), _c("mask", word), own_name(word)} for word in quoted([one])}
            missing_words = [word for word, either in spoken.items() if not either & set(quoted([other]))]
            assert not missing_words, (link, one, other)
