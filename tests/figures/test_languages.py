"""Pictures in other languages: words alone differ; numbers, names and what code looks up do not.

That no English is read on them is held by `tests/app/test_plain_words.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_figures.chart import Chart
from attn_figures.compare import compare, comparison_steps
from attn_figures.frame import Side, without_tags
from attn_figures.marks import line
from attn_figures.matrix import Matrix
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_figures.scene import Scene
from attn_live.arrays import CrossedLabels
from attn_live.packing import count_steps
from attn_ui.base.page import page_at
from attn_words import PSEUDO, SOURCE, _, speaking
from tests.messages import figure_at
from tests.pages import PAGES
from tests.plain_words import links

# What is read, and what its room decides on every screen.
READ = {"text", "hovertemplate", "hovertext", "ticktext", "labelalias", "title", "prefix", "suffix", "said"}
ROOM = {"domain", "height", "width", "xshift", "yanchor", "texttemplate", "textfont", "tickfont", "screens"}
ROOM |= {"showticklabels", "showscale", "colorbar", "tickangle"}


def specs(address: str, link: str, spoken: str) -> list[Spec]:
    """The figure of a link in a language, at its first and its last step."""
    with speaking(spoken):
        figure = page_at(address).at(link).view.figure
        if figure is None:
            return []
        return [figure_at(figure.steps, step, 0) for step in (0, count_steps(figure.steps) - 1)]


def leaves(part: Any, path: str = "", key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what is neither read nor decided by the room of words, by its path."""
    if key in READ | ROOM or path.startswith("layout.annotations") or key == "texttemplate":
        return
    if isinstance(part, Mapping):
        for name, value in part.items():
            yield from leaves(value, f"{path}.{name}".lstrip("."), str(name))
    elif isinstance(part, list | tuple) and any(isinstance(each, Mapping) for each in part):
        for number, value in enumerate(part):
            yield from leaves(value, f"{path}[{number}]", key)
    elif not isinstance(part, CrossedLabels):
        yield path, part


@pytest.mark.sample(6)
@pytest.mark.parametrize("spoken", ["zh", PSEUDO])
@pytest.mark.parametrize("address", PAGES)
def test_picture_in_another_language_differs_in_words_alone(address: str, spoken: str) -> None:
    for link in links(address, wide=False):
        for english, other in zip(*(specs(address, link, each) for each in (SOURCE, spoken)), strict=True):
            assert [each["name"] for each in other["data"]] == [each["name"] for each in english["data"]]
            here, there = (dict(leaves(each)) for each in (english, other))
            assert here.keys() == {path for path in there if not path.endswith(".meta")}
            for path, value in here.items():
                np.testing.assert_equal(there[path], value, err_msg=f"{link} {path}")


def test_comparison_names_curves_by_their_labels() -> None:
    def figure(height: float) -> Spec:
        curve = line("estimate", [0, 1, 2], [height, 1, 2], "#123456", label=_("estimate"))
        return compose([Chart("fit", [curve], 4, 4)])

    with speaking(PSEUDO):
        a, b = (Scene([figure(height)]).at(0).parts()["curves x"] for height in (0.0, 0.5))
        found = compare(a, b)
        (spec,) = comparison_steps(a, [b])
        assert found.largest is not None
        assert found.largest.place == (_("estimate"), "0")
        assert f"{_('estimate')}, B − A" in spec["data"][-1]["hovertemplate"]
    assert [trace["name"] for trace in spec["data"]] == ["A: estimate", "B: estimate", "difference: estimate"]


@pytest.mark.parametrize("title", ["注意力权重，每一行之和为一", "attention weights"])
def test_caption_in_any_language_has_room(title: str) -> None:
    panel = Matrix(
        "weights", np.eye(2), title, Side(["a", "b"]), Side(["a", "b"], role="key"), shows_shape=False
    )
    wide = sum(7 if letter.isascii() else 14 for letter in without_tags(title))
    assert panel.geometry().box.caption >= wide
    assert replace(panel, title="w").geometry().box.caption < wide
