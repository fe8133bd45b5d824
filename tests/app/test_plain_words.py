"""Nothing that a person reads goes past the catalogues, and Chinese has a word for all of it."""

import re

import pytest

from attn_ui.base.navigation import PAGES
from attn_words import PSEUDO
from tests.plain_words import misses

SEQUENCE = re.compile(r"\b[a-m]{8,}\b|acefeld\w+|hackedleaf")
ADDRESSES = [page.address for page in PAGES]


@pytest.mark.sample(2)
@pytest.mark.parametrize("spoken", [PSEUDO, "zh"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_translated_page_has_no_english_left(
    address: str, spoken: str, request: pytest.FixtureRequest
) -> None:
    found = misses(address, spoken, wide=bool(request.config.getoption("--wide")))
    # Letters of a learned head's own sequence, and lessons, which have no disguise, are no words of ours.
    ours = [text for text in found if not (SEQUENCE.search(text) or 'class="lessons"' in text)]
    assert ours == []
