"""The example notebook runs from its first cell to its last, in a kernel of its own."""

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "docs" / "attention.ipynb"
WIDGET = "application/vnd.jupyter.widget-view+json"
FIGURE = "application/vnd.plotly.v1+json"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ran() -> Any:
    import nbformat  # noqa: PLC0415  (its schemas bring a grammar that takes two seconds)
    from nbclient import NotebookClient  # noqa: PLC0415  (for the same reason)

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert [cell for cell in notebook.cells if cell.get("outputs")] == [], "it is kept without outputs"
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}})
    return client.execute()


def output_kinds(cell: Any) -> list[str]:
    return [kind for output in cell.get("outputs", ()) for kind in output.get("data", {})]


def test_notebook_cells_show_their_pictures(ran: Any) -> None:
    part = ""
    kinds: dict[str, list[str]] = {}
    for cell in ran.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            part = cell.source.splitlines()[0][3:]
        elif part:
            kinds[part] = kinds.get(part, []) + output_kinds(cell)
    assert set(kinds) == {"A kernel", "One head", "Many heads, from a module of PyTorch", "Your own weights"}
    assert all(FIGURE in found for found in kinds.values())
    assert WIDGET in kinds["A kernel"]


def test_notebook_warns_of_nothing_and_refuses_the_batch(ran: Any) -> None:
    streams = [
        output for cell in ran.cells for output in cell.get("outputs", ()) if output.output_type == "stream"
    ]
    assert [output.text for output in streams if output.name == "stderr"] == []
    (said,) = [output.text for output in streams if output.name == "stdout"]
    assert said.startswith("wanted one sequence, got a batch of 6")
