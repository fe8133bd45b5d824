"""Controls of a setting: several lists of one setting agree, and a bad tab is said like any bad setting."""

import pytest
from streamlit.testing.v1 import AppTest

from attn_ui.base.controls import Controls
from attn_ui.base.navigation import PAGES, PageEntry
from attn_ui.base.parameters import Choice, page_tabs
from attn_ui.screen.frame import tabs
from attn_ui.screen.streamlit_controls import StreamlitControls
from tests.pages import PAGES as WALKED
from tests.pages import open_page, open_sound, shown_under, tabs_of


def _two_lists() -> None:
    import streamlit as st

    from attn_ui.base.parameters import Steps
    from attn_ui.screen import state, widgets

    head = Steps("head", 1, (1, 2, 3), ".0f")
    state.sync((head,), entered="entered" not in st.session_state)
    st.session_state.entered = True
    chosen = [widgets.pick(head, "Head", ("one", "two", "three")) for _ in range(2)]
    st.text(f"{chosen} {state.value(head)}")


def test_setting_with_two_controls_takes_either() -> None:
    at = AppTest.from_function(_two_lists).run()
    assert not at.exception
    for which, position in ((0, 2), (1, 1), (0, 0)):
        at.selectbox[which].select_index(position).run()
        assert at.text[0].value == f"[{position}, {position}] {position + 1}"
        assert [box.index for box in at.selectbox] == [position, position]


def test_streamlit_controls_override_every_answer_of_a_link() -> None:
    answers = {name for name, each in vars(Controls).items() if callable(each) and not name.startswith("_")}
    assert answers - vars(StreamlitControls).keys() == {
        "position"
    }  # which only a link without a session asks


def test_page_tabs_are_listed() -> None:
    with pytest.raises(ValueError, match="tabs required: Maths, Code; got Maths, Data"):
        tabs(page_tabs(checks=()), {"Maths": lambda: None, "Data": lambda: None})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.title)
def test_wrong_tab_is_named(page: PageEntry) -> None:
    at = open_sound(page.address, tab="Nonsense")
    assert any("The link's `tab` was `Nonsense`; wanted: " in each.value for each in at.warning)
    assert "tab" not in at.query_params


# As links of the first release name them.
OLD_TABS = {
    "kernel-regression": ("Arithmetic", "Maths", "Break it", "Checks", "Data", "Code"),
    "single-head": (
        *("Arithmetic", "Maths", "Scale", "Cost", "FlashAttention", "Linear attention", "Break it"),
        *("Checks", "Data", "Code"),
    ),
    "positional-encoding": ("Arithmetic", "Maths", "Break it", "Checks", "Data", "Code"),
    "multi-head": (
        *("Heads add up", "Shapes", "Measures", "Block", "Shared heads", "Token by token", "Spellings"),
        *("Cost", "One or many", "Arithmetic", "Maths", "Break it", "Checks", "Data", "Code"),
    ),
    "learned-heads": ("Heads", "Arithmetic", "Maths", "Break it", "Checks", "Code"),
}


@pytest.mark.parametrize(("page", "tab"), [(page, tab) for page, tabs in OLD_TABS.items() for tab in tabs])
def test_tab_opens_by_its_name_in_links(page: str, tab: str) -> None:
    at = open_sound(page, tab=tab)
    assert shown_under(at, tab, tabs_of(page))
    assert at.query_params.get("tab") == (None if tab == OLD_TABS[page][0] else tab)


@pytest.mark.parametrize("page", OLD_TABS)
def test_link_without_a_tab_opens_the_first(page: str) -> None:
    assert shown_under(open_sound(page), OLD_TABS[page][0], tabs_of(page))


def test_tabs_have_equal_names_and_order_on_every_page() -> None:
    names = ["Arithmetic", "Maths", "Experiments", "Checks", "Code", "Data"]
    named = {page: [name for name, _ in tabs_of(page).row] for page in OLD_TABS}
    assert named.pop("learned-heads") == names[:-1]
    assert all(row == names for row in named.values())


def test_open_tab_is_not_carried_to_another_page() -> None:
    at = open_sound("single-head", tab="Code")
    open_page("multi-head", at)
    assert shown_under(at, "Heads add up", tabs_of("multi-head"))


def test_option_with_another_label_keeps_its_name_in_links() -> None:
    at = open_sound("positional-encoding", scheme="buckets")
    schemes = at.selectbox(key="scheme")
    assert schemes.value == "buckets"
    assert "T5 relative bias" in schemes.options
    assert "buckets" not in schemes.options
    schemes.set_value("ramp").run()
    assert at.query_params["scheme"] == "ramp"
    at.selectbox(key="scheme").set_value("sinusoidal").run()
    assert "scheme" not in at.query_params


@pytest.mark.parametrize(
    ("page", "link", "view"),
    [
        ("kernel-regression", {"picture": "Where it fails"}, "Limits"),
        ("learned-heads", {"look": "text's flow"}, "attention flow"),
        ("multi-head", {"view": "one or many"}, "single vs multi-head"),
        ("positional-encoding", {"show": "past training"}, "length extrapolation"),
        ("single-head", {"stage": "kept", "above": "0.2"}, "threshold"),
        ("what-courses-say", {"claim": "printed"}, "printed results"),
    ],
)
def test_old_view_name_opens_the_view(page: str, link: dict[str, str], view: str) -> None:
    at = open_sound(page, **link)
    chosen = [each.value for each in (*at.main.segmented_control, *at.main.selectbox)]
    assert view in chosen
    assert not at.warning


VIEWS = [
    (page, setting)
    for page, (_, settings) in WALKED.items()
    for setting in settings
    if isinstance(setting, Choice) and setting.views
]


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_view_is_selected_above_the_figure(page: str, view: Choice) -> None:
    at = open_sound(page)
    assert view.name in [each.key for each in (*at.main.segmented_control, *at.main.selectbox)]
    beside = (*at.sidebar.segmented_control, *at.sidebar.selectbox)
    assert view.name not in [each.key for each in beside]


@pytest.mark.parametrize(
    ("page", "link"), [*((page, {}) for page in OLD_TABS), ("learned-heads", {"model": "train it now"})]
)
def test_sidebar_begins_with_a_heading(page: str, link: dict[str, str]) -> None:
    first = next(iter(open_sound(page, **link).sidebar.children.values()))
    assert first.type == "subheader"


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("single-head", {"d": "8"}),
        ("multi-head", {"bias": "true"}),
        ("kernel-regression", {"points": "20"}),
        ("positional-encoding", {"words": "random"}),
        ("learned-heads", {"ablate": "1"}),
    ],
)
def test_more_settings_open_if_one_is_set_and_else_are_not_built(page: str, link: dict[str, str]) -> None:
    def widgets(at: AppTest) -> set[str | None]:
        every = (
            *at.slider,
            *at.selectbox,
            *at.toggle,
            *at.segmented_control,
            *at.number_input,
            *at.button_group,
        )
        return {each.key for each in every}

    (name,) = link
    assert name not in widgets(open_sound(page))
    at = open_sound(page, **link)
    assert name in widgets(at)
    assert at.query_params[name] in (link[name], [link[name]])
    others = [each for each in at.main.expander if each.label == "More settings"]
    assert not others


def test_view_without_a_chip_is_selected_from_the_list() -> None:
    at = open_sound("single-head")
    chips = at.segmented_control(key="stage")
    assert "arcs" not in chips.options
    at.selectbox(key="more-stage").set_value("arcs").run()
    assert at.segmented_control(key="stage").value == "arcs"
    assert at.query_params["stage"] in ("arcs", ["arcs"])
    assert at.selectbox(key="more-stage").value is None
    at.segmented_control(key="stage").set_value("weights").run()
    assert at.segmented_control(key="stage").options == chips.options
