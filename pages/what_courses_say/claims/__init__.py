"""All claims, by the names that links have."""

from pages.what_courses_say.claim import Claim
from pages.what_courses_say.claims import conventions, heads, length, trust, worked_example
from pages.what_courses_say.settings import CLAIM

_EVERY = conventions.CLAIMS | heads.CLAIMS | length.CLAIMS | trust.CLAIMS | worked_example.CLAIMS
CLAIMS: dict[str, Claim] = {name: _EVERY[name] for name in CLAIM.options}
