"""Settings in the address: every name once, every default allowed, every bad value told."""

import contextlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_ui.base import bounds
from attn_ui.base.links import bad_settings
from attn_ui.base.parameters import Choice, Flag, Integer, Parameter, Real, Steps, Text
from attn_ui.base.shared_settings import TEMPERATURE
from pages.kernel_regression.settings import BANDWIDTH
from tests.pages import PAGES

SETTINGS = {address: settings for address, (_, settings) in PAGES.items()}

# A page's tabs are its own: they alone share a name and differ.
EVERY = sorted(
    {(p.name, p) for page in SETTINGS.values() for p in page if p.name != "tab"}, key=lambda pair: pair[0]
)


def test_setting_name_has_one_meaning_on_every_page() -> None:
    names = [name for name, _ in EVERY]
    assert sorted(set(names)) == names


@pytest.mark.parametrize("page", PAGES)
def test_setting_name_is_listed_once_per_page(page: str) -> None:
    names = [parameter.name for parameter in SETTINGS[page]]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("name", "parameter"), EVERY)
def test_setting_names_are_short_and_plain(name: str, parameter: Parameter) -> None:
    assert name.isidentifier()
    assert len(name) <= 12


@pytest.mark.parametrize(("name", "parameter"), EVERY)
def test_setting_default_is_allowed(name: str, parameter: Parameter) -> None:
    match parameter:
        case Choice() if parameter.default:
            assert parameter.default in parameter.options
        case Integer() | Real():
            assert parameter.low <= parameter.default <= parameter.high
        case Steps():
            assert parameter.values[parameter.nearest(parameter.default)] == parameter.default
        case Text():
            assert len(parameter.default) <= parameter.longest


@pytest.mark.parametrize("steps", [p for _, p in EVERY if isinstance(p, Steps)], ids=lambda p: p.name)
def test_setting_values_are_read_back_from_their_text(steps: Steps) -> None:
    assert [steps.read(text) for text in steps.texts()] == list(steps.values)


@given(st.text(max_size=60))
def test_setting_of_any_text_is_read_or_refused(text: str) -> None:
    for _, parameter in EVERY:
        with contextlib.suppress(ValueError):
            parameter.read(text)


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (Integer("n", 1, 0, 9), "10"),
        (Integer("n", 1, 0, 9), "1.5"),
        (Integer("n", 1, 0, 9), "٣"),
        (Integer("n", 1, 0, 9), "9" * 5000),
        (Real("r", 0.5, 0, 1), "nan"),
        (Real("r", 0.5, 0, 1), "inf"),
        (Real("r", 0.5, 0, 1), "1e999"),
        (Flag("f", False), "yes"),
        (Choice("c", "a", ("a", "b")), "A"),
        (Text("t", "", 3), "four"),
        (Steps("s", 1.0, (0.5, 1.0)), "2"),
        (Steps("s", 1.0, (0.5, 1.0)), ""),
    ],
)
def test_bad_setting_is_refused(parameter: Parameter, text: str) -> None:
    with pytest.raises(ValueError, match=r"number|true|one of|characters"):
        parameter.read(text)


def sentence(query: dict[str, list[str]]) -> str:
    (bad,) = bad_settings((Integer("n", 1, 0, 9),), query)
    return bad.sentence()


def test_dropped_settings_are_named() -> None:
    assert sentence({"n": ["ten"]}) == (
        "The link's `n` was `ten`; wanted: a whole number from 0 to 9. The default is used."
    )


@pytest.mark.parametrize("hostile", ["`<b>`", "a`b", "\x00", "<script>" * 90, "](http://x)"])
def test_foreign_text_stays_inside_its_quotes(hostile: str) -> None:
    said = sentence({"n": [hostile]})
    assert said.count("`") == 4
    assert len(said) < 160


@pytest.mark.parametrize("query", [{"n": ["1", "2"]}, {"unknown": ["1"]}, {"n": [""]}])
def test_doubled_unknown_and_empty_settings_are_dropped(query: dict[str, list[str]]) -> None:
    assert len(bad_settings((Integer("n", 1, 0, 9),), query)) == 1


def test_good_settings_are_kept() -> None:
    assert bad_settings((Integer("n", 1, 0, 9),), {"n": ["3"]}) == []


NAMED = {BANDWIDTH: (0.1, 0.2, 0.5, 1, 2, 5), TEMPERATURE: (0.1, 0.2, 0.5, 1, 2, 5, 10)}


@pytest.mark.parametrize("ladder", NAMED, ids=lambda ladder: ladder.name)
def test_bandwidth_slider_has_course_values_and_even_ratios(ladder: Steps) -> None:
    assert set(NAMED[ladder]) <= set(ladder.values)
    ratios = [b / a for a, b in itertools.pairwise(ladder.values)]
    assert 1.08 < min(ratios) < max(ratios) < 1.17


SLIDERS = {
    f"{page} {each.name}": each
    for page, (_, settings) in PAGES.items()
    for each in settings
    if isinstance(each, Steps)
}


@pytest.mark.parametrize("name", SLIDERS)
def test_slider_values_equal_their_labels(name: str) -> None:
    slider = SLIDERS[name]
    assert [float(text) for text in slider.texts()] == list(slider.values)
    assert len(set(slider.values)) == len(slider.values)
    assert slider.default in slider.values


def test_setting_limits_are_those_documented() -> None:
    assert {name: value for name, value in vars(bounds).items() if name.startswith("MAX_")} == {
        "MAX_TOKENS": 64,
        "MAX_MODEL_TOKENS": 128,
        "MAX_HEADS": 16,
        "MAX_D_MODEL": 128,
        "MAX_KERNEL_POINTS": 500,
        "MAX_CSV_BYTES": 1_000_000,
        "MAX_CSV_ROWS": 5_000,
        "MAX_MAPS_BYTES": 8_000_000,
        "MAX_SETTINGS_BYTES": 1_000_000,
        "MAX_SESSION_BYTES": 24_000_000,
        "MAX_PROCESS_BYTES": 200_000_000,
        "MAX_TABLE_COLUMNS": bounds.MAX_TABLE_COLUMNS,
    }
