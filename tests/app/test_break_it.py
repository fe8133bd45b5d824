"""The tab Break it: one on all pages, the same whatever the sidebar says."""

import pytest
from streamlit.testing.v1 import AppTest

from attn_figures.numbers import number
from attn_ui.base.parameters import Choice
from pages.learned_heads.settings import WHOLE_TAB
from tests.core.test_mistakes import ALL
from tests.pages import PAGES, open_sound
from tests.sentences import messages_in

# Of each page, the name of its mistakes in a link, one that is not the first, and settings at which a
# mistake that was made with them would show nothing.
PLACES = {
    "kernel-regression": ("trap", "kernels: mixed units", {"points": "4", "h": "0.01"}),
    "single-head": ("mistake", "one head: mask-added", {"text": "a"}),
    "positional-encoding": ("slip", "positions: off by one", {"text": "a", "scheme": "none"}),
    "multi-head": ("fault", "heads: key heads tiled", {"heads": "1", "text": "a"}),
    "learned-heads": ("flaw", "toys: √d_model for √d_head", {"task": "reverse", "training": "0"}),
}


def text_of(at: AppTest) -> str:
    return "\n".join(each.value for each in (*at.markdown, *at.caption))


@pytest.mark.parametrize("page", PLACES)
def test_mistake_link_opens_its_own_example(page: str) -> None:
    setting, kept, settings = PLACES[page]
    mistake = ALL[kept]
    at = open_sound(page, tab="Break it", **{setting: mistake.name}, **settings)
    assert not at.warning
    assert f"{mistake.what} {mistake.why}" in text_of(at)
    assert mistake.example.sentence in text_of(at)
    checks = [line for line in text_of(at).splitlines() if ":material/close:" in line]
    for line, (check, right, broken) in zip(checks, mistake.numbers, strict=False):
        (fields,) = messages_in(line, "check", "number", "right", "broken")
        assert (fields["check"], fields["number"]) == (check.name, check.number)
        for field, icon, value in (("right", "check", right), ("broken", "close", broken)):
            assert f":material/{icon}:" in fields[field]
            assert number(value, 3) in fields[field].replace("\N{NO-BREAK SPACE}", " ")
    assert len(checks) == 1


@pytest.mark.parametrize("page", PLACES)
def test_mistake_list_has_every_mistake_once(page: str) -> None:
    setting, kept, _ = PLACES[page]
    kind = kept.partition(":")[0]
    (offered,) = [each for each in PAGES[page][1] if each.name == setting]
    assert isinstance(offered, Choice)
    assert [f"{kind}: {option}" for option in offered.options] == [
        name for name in ALL if name.startswith(f"{kind}:")
    ]


def test_whole_model_has_no_mistakes() -> None:
    assert "Break it" not in WHOLE_TAB.options
