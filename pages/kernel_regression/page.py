"""Kernel regression, the first attention: a query attends to all points, most to near ones."""

from attn_core import KERNEL_MISTAKES
from attn_figures.mistakes import right_and_broken
from attn_ui.base.controls import Controls
from attn_ui.base.page import Page, View
from attn_words import N_
from pages.kernel_regression.compute import Result
from pages.kernel_regression.controls import read_controls
from pages.kernel_regression.panel_sources import PANEL_SOURCES
from pages.kernel_regression.programs import programs
from pages.kernel_regression.settings import MISTAKE, SETTINGS, TAB
from pages.kernel_regression.state import State
from pages.kernel_regression.tables import tables
from pages.kernel_regression.views import VIEWS


def view(controls: Controls, state: State) -> View[Result]:
    """Show the picture."""
    return VIEWS[state.picture](controls, state)


PAGE: Page[State, Result] = Page(
    "kernel_regression",
    N_("Kernel regression"),
    N_("The first attention (Nadaraya–Watson): at a query x, average the y of all points, near ones most."),
    SETTINGS,
    read_controls=read_controls,
    view=view,
    tabs=TAB,
    programs=programs,
    tables=tables,
    reruns_page=lambda state: state.reruns_page,
    panel_sources=PANEL_SOURCES,
    mistakes=(MISTAKE, KERNEL_MISTAKES, right_and_broken),
)

if __name__ == "__main__":  # as Streamlit runs it
    from attn_ui.screen.run_page import run

    run(PAGE)
