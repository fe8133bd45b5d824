"""The tab Break it: common mistakes, and what finds them."""

from attn_core.toys import TOY_MISTAKES
from attn_figures.mistakes import right_and_broken
from attn_ui.screen.break_it import break_it
from pages.learned_heads.compute import Result
from pages.learned_heads.settings import MISTAKE


def show(_result: Result) -> None:
    """Show the chosen mistake."""
    break_it(MISTAKE, TOY_MISTAKES, right_and_broken)
