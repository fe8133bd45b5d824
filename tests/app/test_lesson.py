"""Lesson links: what they hide, what they say, and that nothing in them becomes markup or style."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from attn_ui import lesson
from attn_ui.parameters import Flag
from tests.pages import open_sound

opened = partial(open_sound, "single-head")
SETTINGS = (Flag("bias", False),)


def written(app: AppTest) -> str:
    """All HTML that the page writes itself."""
    return "\n".join(element.proto.body for element in app.get("html"))


def test_a_link_hides_says_and_keeps_the_page_as_it_is() -> None:
    app = opened(hide="tabs,bias", say='Look at <b onclick="x">row 2</b> & **wait**', projector="true")
    page = written(app)
    assert "[data-testid=stTabs] { display: none" in page
    assert ".st-key-bias" in page
    assert "Look at &lt;b onclick=&quot;x&quot;&gt;row 2&lt;/b&gt; &amp; **wait**" in page
    assert not [caption.value for caption in app.caption if "link_off" in caption.value]
    assert app.query_params["projector"] == "true"


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("hide", "tabs,{}body{display:none}", "names of what to hide"),
        ("hide", "nothing of the kind", "names of what to hide"),
        ("say", "x" * 301, "at most 300 characters"),
        ("projector", "yes", "true or false"),
    ],
)
def test_a_bad_part_is_dropped_and_named(name: str, text: str, wanted: str) -> None:
    app = opened(**{name: text})
    dropped = [caption.value for caption in app.caption if "link_off" in caption.value]
    assert len(dropped) == 1
    assert f"`{name}`" in dropped[0]
    assert wanted in dropped[0]
    assert name not in app.query_params
    assert "body{" not in written(app)


def test_only_known_names_become_style() -> None:
    hidden = lesson.parameters(SETTINGS)[0]
    assert hidden.read("words,bias") == "words,bias"
    for text in ("bias;", "bias, words", "st-key-bias", "words,,bias"):
        with pytest.raises(ValueError, match="names of what to hide"):
            hidden.read(text)
