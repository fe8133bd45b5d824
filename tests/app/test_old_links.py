"""Links that people saved keep showing the same numbers.

`old_links.json` holds links of the first release: at which step the slider stood, and of each map its shape,
its sum and a sum weighted by place, so that a transposed or shifted map is told from the right one; of the
estimate (the last drawn) its sum and its middle.
"""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from tests.messages import figure_at
from tests.pages import open_page
from tests.walk import fields

OLD: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "old_links.json").read_text())


def open_link(link: str) -> tuple[str | None, dict[str, list[Any]]]:
    """Open a link; return where its slider stands, and what the maps of its first figure hold."""
    page, _, query = link.partition("?")
    at = open_page(page.strip("/"), **parse_qs(query))
    assert not at.exception
    assert not [each for each in at.warning if each.value.startswith("The link's ")]
    # Sentences that follow a choice travel before their figure, as a message of their own.
    figures = [each for each in fields(at) if "slider" in each[0]]
    meta, _, packed = next(each for each in figures if each[0]["key"] != "opening")
    slider, rows = meta["slider"], meta["cursor"]
    step = slider["index"] if slider else 0
    maps: dict[str, list[Any]] = {}
    for trace in figure_at(packed, step, rows["index"] if rows else 0)["data"]:
        name = trace.get("name")
        if trace.get("visible") is False:
            continue
        if trace["type"] == "heatmap" and name not in maps:
            z = np.nan_to_num(np.asarray(trace["z"], float))
            place = np.arange(1, z.size + 1).reshape(z.shape) / z.size
            maps[name] = [list(z.shape), float(z.sum()), float((z * place).sum())]
        elif name == "estimate" or str(name).endswith(" estimate"):
            y = np.nan_to_num(np.asarray(trace["y"], float))
            maps["estimate"] = [[len(y)], float(y.sum()), float(y[len(y) // 2])]
    return slider["values"][step] if slider else None, maps


@pytest.mark.sample(9)
@pytest.mark.parametrize("link", OLD)
def test_saved_link_shows_its_old_numbers(link: str) -> None:
    step, maps = open_link(link)
    old = OLD[link]
    assert step == old["step"]
    for name, (shape, *sums) in old["maps"].items():
        assert name in maps, f"{name} is gone; there are {', '.join(map(str, maps))}"
        found_shape, *found = maps[name]
        assert found_shape == shape
        assert found == pytest.approx(sums, rel=1e-3, abs=2e-3)
