"""Nothing that a person reads goes past the catalogues, and Chinese has a word for all of it."""

import pytest

from attn_ui.base.navigation import PAGES
from attn_words import PSEUDO
from tests.plain_words import misses

ADDRESSES = [page.address for page in PAGES]


@pytest.mark.parametrize("spoken", [PSEUDO, "zh"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_english_is_left_on_a_page(address: str, spoken: str) -> None:
    found = misses(address, spoken)
    assert {text: seen for text, seen in found.items() if seen} == {}
