"""The tab Break it: common mistakes, and what finds them."""

from attn_core import ATTENTION_MISTAKES
from attn_figures.mistakes import right_and_broken
from attn_ui.screen.break_it import break_it
from pages.single_head.compute import Result
from pages.single_head.settings import MISTAKE


def show(_result: Result) -> None:
    """Show the chosen mistake."""
    break_it(MISTAKE, ATTENTION_MISTAKES, right_and_broken)
