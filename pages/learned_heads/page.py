"""Heads that have learned: what attention becomes once something is asked of it."""

from attn_ui.base.ask import Ask
from attn_ui.base.page import Page, Seen
from attn_words import N_
from pages.learned_heads.asks import asks
from pages.learned_heads.follows import FOLLOWS
from pages.learned_heads.found import Found
from pages.learned_heads.long_text import LongText
from pages.learned_heads.programs import programs
from pages.learned_heads.settings import SETTINGS, TAB
from pages.learned_heads.state import Clouding, Evicting, Flowing, Heads, State
from pages.learned_heads.tables import tables
from pages.learned_heads.views import clouds, eviction, heads, long_text, text_flow, toy


def sees(ask: Ask, state: State) -> Seen[Found]:
    """Show a toy at one step of its training, or of a whole model all heads, their flow, or one as points."""
    if state is None:
        return Seen(None, None)
    if isinstance(state, Flowing):
        return text_flow.see(ask, state)
    if isinstance(state, Evicting):
        return eviction.see(ask, state)
    if isinstance(state, Clouding):
        return clouds.see(ask, state)
    if isinstance(state, LongText):
        return long_text.see(ask, state)
    return heads.see(ask, state) if isinstance(state, Heads) else toy.see(ask, state)


PAGE: Page[State, Found] = Page(
    "learned_heads",
    N_("Learned heads"),
    N_("Nobody told these heads where to look: they found out in training."),
    SETTINGS,
    asks=asks,
    sees=sees,
    tabs=TAB,
    programs=programs,
    tables=tables,
    follows=FOLLOWS,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
