"""Kernel regression, the first attention: a query asks all points, and the near ones count most."""

from attn_ui.base.ask import Ask
from attn_ui.base.page import Page, Seen
from attn_words import N_
from pages.kernel_regression.asks import asks
from pages.kernel_regression.compute import Now
from pages.kernel_regression.follows import FOLLOWS
from pages.kernel_regression.programs import programs
from pages.kernel_regression.settings import SETTINGS, TAB
from pages.kernel_regression.state import State
from pages.kernel_regression.tables import tables
from pages.kernel_regression.views import VIEWS


def sees(ask: Ask, state: State) -> Seen[Now]:
    """Show the picture."""
    return VIEWS[state.picture](ask, state)


PAGE: Page[State, Now] = Page(
    "kernel_regression",
    N_("Kernel regression"),
    N_("The first attention (Nadaraya–Watson): a query asks all points, and the near ones count most."),
    SETTINGS,
    asks=asks,
    sees=sees,
    tabs=TAB,
    programs=programs,
    tables=tables,
    is_whole=lambda state: state.is_whole,
    follows=FOLLOWS,
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
