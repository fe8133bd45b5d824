"""The union of the results that the page can show, one for each of its views."""

from pages.learned_heads.attention_flow import AttentionFlow
from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.compute import Result
from pages.learned_heads.eviction import HeadEviction
from pages.learned_heads.long_text import LongText
from pages.learned_heads.next_token import NextResult
from pages.learned_heads.state import Heads
from pages.learned_heads.two_texts import TwoTexts

# None where nothing can be drawn yet
AnyResult = (
    Result | Heads | LongText | TwoTexts | AttentionFlow | HeadEviction | HeadClouds | NextResult | None
)
