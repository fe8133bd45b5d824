"""The message of a live figure as the browser reads it."""

from tests.browser.app_page import AppPage


def test_cell_hover_has_whole_labels_where_the_axis_cuts_them(app: AppPage) -> None:
    words = [f"antidisestablishmentarianism{i}" for i in range(5)]
    app.open(f"multi-head?text={'+'.join(words)}&heads=2")
    told = app.figure("maps").evaluate(
        "figure => figure.querySelector('.live-plot').data.filter(t => t.hovertext).map(t => t.hovertext)"
    )
    maps = [cells for cells in told if len(cells[0]) == len(words)]
    assert maps
    for cells in maps:
        assert cells == [[f"query <b>{query}</b>, key <b>{key}</b>" for key in words] for query in words]
