"""All claims, by their names in a link."""

from pages.what_courses_say.claim import Claim
from pages.what_courses_say.claims import (
    conventions,
    explanation,
    explanation_trained,
    heads,
    long_sequences,
    trained_sentences,
    worked_example,
)
from pages.what_courses_say.settings import CLAIM

_GROUPS = (
    conventions,
    heads,
    long_sequences,
    explanation_trained,
    explanation,
    trained_sentences,
    worked_example,
)
_EVERY: dict[str, Claim] = {name: claim for group in _GROUPS for name, claim in group.CLAIMS.items()}
CLAIMS: dict[str, Claim] = {name: _EVERY[name] for name in CLAIM.options}
