"""Links as mail, chat and networks change them open what they were."""

import pytest

from attn_ui.base.links import read_link
from pages import PAGES
from pages.single_head.settings import SETTINGS
from tests.pages import open_sound

RIGHT = {"mask": "causal", "tab": "Checks", "t": "0.50"}
CHANGED = {
    "in HTML": {"mask": "causal", "amp;tab": "Checks", "amp;t": "0.50"},
    "twice in HTML": {"mask": "causal", "amp;amp;tab": "Checks", "amp;t": "0.50"},
    "in parentheses": {"mask": "causal", "tab": "Checks", "t": "0.50)."},
    "before a comma": {"mask": "causal,", "tab": "Checks", "t": "0.50"},
    "counted": RIGHT
    | dict.fromkeys(("utm_source", "utm_id", "fbclid", "gclid", "msclkid", "mc_eid", "_gl"), "1"),
}


@pytest.mark.parametrize("how", CHANGED)
def test_renamed_setting_in_a_link_is_read(how: str) -> None:
    link = "&".join(f"{name}={text}" for name, text in CHANGED[how].items())
    found, right = (PAGES["single-head"].at(each) for each in (link, "mask=causal&tab=Checks&t=0.50"))
    assert found.dropped == []
    assert found.sentence == right.sentence

    at = open_sound("single-head", **CHANGED[how])
    assert not [each for each in at.warning if each.value.startswith("The link's")]
    assert {name: at.query_params[name] for name in at.query_params} == RIGHT


def test_typed_text_keeps_its_signs_and_unknown_settings_are_named() -> None:
    values, dropped = read_link(SETTINGS, "single-head?text=Is it so?&amp;masks=causal).")
    assert [bad.name for bad in dropped] == ["masks"]
    assert values == {"text": "Is it so?"}


@pytest.mark.parametrize(
    ("page", "link", "traces"),
    [
        ("single-head", "stage=without&without=2", {"weights without", "difference"}),
        ("multi-head", "view=without&without=2", {"weights without", "difference"}),
        ("multi-head", "view=two+heads&against=3", {"one", "other", "difference"}),
        ("multi-head", "view=mean+and+max", {"mean", "max"}),
    ],
)
def test_view_that_became_an_option_opens_by_its_old_link(page: str, link: str, traces: set[str]) -> None:
    at = PAGES[page].at(link)
    assert at.dropped == []
    assert traces <= {trace["name"] for trace in at.figure()["data"]}
