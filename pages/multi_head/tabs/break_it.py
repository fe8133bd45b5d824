"""The tab Break it: common mistakes, and what finds them."""

from attn_core import MULTI_HEAD_MISTAKES
from attn_figures.mistakes import right_and_broken
from attn_ui.screen.break_it import break_it
from pages.multi_head.compute import Result
from pages.multi_head.settings import MISTAKE


def show(_result: Result) -> None:
    """Show the chosen mistake."""
    break_it(MISTAKE, MULTI_HEAD_MISTAKES, right_and_broken)
