"""Who presses again before a run has begun, or before its answer has come, has what was asked for last."""

import fcntl
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Error, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.app_page import AppPage
from tests.browser.conftest import serving
from tests.pages import PAGES

Hold = Callable[[], AbstractContextManager[None]]


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Hold]]:
    """The product, and what makes each run there stand in line for a while."""
    held = tmp_path_factory.mktemp("line") / "held"
    held.touch()

    @contextmanager
    def hold() -> Iterator[None]:
        with held.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    with serving("tests/browser/waiting_app.py", HELD=str(held)) as address:
        yield address, hold


@pytest.fixture
def hold(waiting: tuple[str, Hold]) -> Hold:
    """Makes each run of the product stand in line for a while."""
    return waiting[1]


@pytest.fixture
def quick(app: AppPage, waiting: tuple[str, Hold]) -> AppPage:
    """The page of kernel regression there, with the picture that opens first."""
    app.server = waiting[0]
    app.open("kernel-regression")
    return app


def test_run_cancelled_in_line_gives_the_next_its_page(quick: AppPage, hold: Hold) -> None:
    with hold():
        quick.option("Four kernels").click()
        quick.option("Bridge to attention").click()
        quick.page.wait_for_function("() => location.search.includes('Bridge')")
    expect(quick.figure("bridge")).to_have_attribute("data-state", "drawn")
    expect(quick.page.get_by_test_id("stAlert")).to_have_count(0)


def test_slider_release_while_another_view_opens_is_followed(quick: AppPage, hold: Hold) -> None:
    with hold():
        quick.option("Choose the bandwidth").click()
        quick.slider("fit").press("End")
        quick.page.wait_for_function("() => new URLSearchParams(location.search).get('h') === '25'")
    expect(quick.page.get_by_text("Learn from h = 25")).to_be_visible()
    quick.page.wait_for_function("() => new URLSearchParams(location.search).get('h') === '25'")


def test_slider_release_while_going_back_does_not_hinder(quick: AppPage, hold: Hold) -> None:
    quick.segment("Four kernels")
    with hold():
        quick.page.go_back()
        quick.slider("compare").press("End")
        quick.page.wait_for_function("() => !document.querySelector('.live-figure[data-unsent]')")
    expect(quick.figure("fit")).to_have_attribute("data-state", "drawn")
    quick.settle()
    asked = parse_qs(quick.query)
    # With the slider's place or without, but the same on the page as in the address.
    assert set(asked) <= {"h"}
    assert quick.readout("fit") == asked.get("h", ["0.5"])[0]


@pytest.mark.essential
def test_switch_sent_with_a_slider_is_in_the_address(app: AppPage) -> None:
    """What changes at once travels as one, as what the slider's part asks for, with the address before."""
    app.open("learned-heads?look=attention+flow")
    switch = app.page.get_by_test_id("stCheckbox").filter(has_text="Positions").locator("label")
    for key, places in [("Home", ["false"]), ("End", []), ("Home", ["false"]), ("End", [])]:
        app.page.locator("input[data-live=step]").first.focus()
        app.page.keyboard.press(key)
        switch.click()
        app.settle()
        assert parse_qs(app.query).get("places", []) == places


@pytest.mark.essential
def test_late_address_does_not_override_a_newer_one(app: AppPage) -> None:
    sockets: list[tuple[WebSocketRoute, WebSocketRoute]] = []
    kept: list[bytes | str] = []

    def pass_on(socket: WebSocketRoute) -> None:
        sockets.append((socket, socket.connect_to_server()))

    app.page.route_web_socket("**/_stcore/stream", pass_on)
    app.open("kernel-regression?picture=Four kernels")
    browser, server = sockets[0]

    def keep(message: bytes | str) -> None:
        kept.append(message)

    def hand_on(message: bytes | str) -> None:
        browser.send(message)

    server.on_message(keep)
    app.slider("compare").press("Home")
    while not any(ForwardMsg.FromString(each).page_info_changed.query_string for each in kept):
        app.page.wait_for_timeout(10)  # messages are heard meanwhile
    app.option("Bridge to attention").click()
    app.page.wait_for_function("() => location.search.includes('Bridge')")
    for message in kept:
        browser.send(message)
    server.on_message(hand_on)
    app.settle()
    expect(app.figure("bridge")).to_have_attribute("data-state", "drawn")
    assert parse_qs(app.query) == {"picture": ["Bridge to attention"], "h": ["0.01"]}


@pytest.mark.essential
def test_pin_and_clear_are_kept_while_the_server_is_busy(quick: AppPage, hold: Hold) -> None:
    with hold():
        quick.page.get_by_role("button", name="Pin to compare").click()
        quick.slider("fit").press("End")
        quick.page.wait_for_function("() => !document.querySelector('.live-figure[data-unsent]')")
    quick.settle()
    assert set(parse_qs(quick.query, keep_blank_values=True)) == {"pin", "h"}
    with hold():
        quick.page.get_by_role("button", name="Clear").click()
        quick.option("Four kernels").click()
    quick.settle()
    assert set(parse_qs(quick.query)) == {"picture", "h"}


def test_slider_keeps_its_focus_when_the_pin_is_late(app: AppPage, waiting: tuple[str, Hold]) -> None:
    app.server, hold = waiting
    app.open("single-head?stage=threshold")
    for button, address in [
        ("Pin to compare", {"stage": ["threshold"], "above": ["0.06"], "pin": ["stage=threshold"]}),
        ("Clear", {"stage": ["threshold"], "above": ["0.07"]}),
    ]:
        with hold():
            app.page.get_by_role("button", name=button).click()
            app.slider("walk").focus()
        app.settle()
        expect(app.slider("walk")).to_be_focused()
        app.page.keyboard.press("ArrowRight")
        app.settle()
        assert parse_qs(app.query) == address


def test_pin_swap_takes_all_of_a_while_the_server_is_busy(app: AppPage, waiting: tuple[str, Hold]) -> None:
    app.server, hold = waiting
    app.open("single-head?mask=causal&t=0.5&unit=true")
    app.page.get_by_role("button", name="Pin to compare").click()
    app.settle()
    app.choose("mask", "none")
    app.settle()
    with hold():
        app.page.get_by_role("button", name="Swap").click()
        app.page.get_by_test_id("stCheckbox").filter(has_text="Biases").locator("label").click()
    app.settle()
    asked = parse_qs(app.query)
    assert asked["mask"] == ["causal"]
    assert asked["t"] == ["0.50"]
    assert "mask" not in asked["pin"][0]


def test_selected_cell_past_a_shorter_sentence_leaves_the_address(
    app: AppPage, waiting: tuple[str, Hold]
) -> None:
    app.server, hold = waiting
    app.open("multi-head")
    with hold():
        app.page.locator(".stTextInput input").first.fill("one")
        app.page.keyboard.press("Enter")
        app.page.locator("#live-adds-up-step").press("End")
        app.page.wait_for_function("() => location.search.includes('q=5')")
    app.settle()
    assert parse_qs(app.query) == {"text": ["one"]}


def shown_state(app: AppPage) -> list[str]:
    """What controls, live sliders and chips say, and what figures show, in words; not what may be folded."""
    values: list[str] = app.page.evaluate(
        """() => [...document.querySelectorAll(
                'input:not([type=search], [type=file], [role=combobox]), .live-figure output, .live-plot, '
                + '[data-testid=stButtonGroup] button, [data-testid=stSelectbox]')]
            .filter((each) => each.checkVisibility() && !each.closest('.st-key-share, .st-key-more-settings'))
            .map((each) => each.type === 'checkbox' ? each.checked
                : each.matches('button') ? [each.textContent, each.matches('[data-selected]')].join()
                : each.value ?? each.ariaLabel ?? each.textContent)
            .map(String)"""
    )
    return values


VISIBLE = ".filter((each) => each.checkVisibility() && !each.disabled)"
# What a hand may do on any page: where, and how.
DEEDS = {
    "slider": ("input[type=range]:not([data-live])", ("ArrowRight", "ArrowLeft")),
    "live": ("input[data-live]", ("ArrowLeft", "ArrowRight", "Home", "End")),
    "chip": ("[data-testid=stButtonGroup] button", ()),
    "switch": ("[data-testid=stCheckbox] label", ()),
    "text": (".stTextInput input", ("a b c", "one", "the cat sat on the mat")),
    "pin": (".st-key-pin button", ()),
}


def act(app: AppPage, chance: random.Random) -> str:
    """Do one thing of those that the page has at this moment; return what."""
    kind = chance.choice([*DEEDS])
    where, keys = DEEDS[kind]
    there = app.page.evaluate_handle(f"where => [...document.querySelectorAll(where)]{VISIBLE}", where)
    count = there.evaluate("each => each.length")
    if not count:
        return f"no {kind}"
    at, key = chance.randrange(count), chance.choice(keys or ("",))
    one = there.evaluate_handle("(each, at) => each[at]", at).as_element()
    assert one is not None
    name = one.evaluate("each => (each.ariaLabel || each.textContent || each.id).slice(0, 40)")
    # The page may have put another in its place by now: then the hand meets nothing.
    with suppress(Error):
        if kind == "text":
            one.fill(key, timeout=1000)
            one.press("Enter", timeout=1000)
        elif keys:
            for _ in range(chance.randint(1, 5)):
                one.press(key, timeout=1000)
                app.page.wait_for_timeout(chance.random() * 120)
        else:
            one.click(timeout=1000)
    return f"{kind} {name} {key}"


@pytest.mark.still
@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", range(40))
def test_quick_actions_leave_figure_controls_and_address_agreed(app: AppPage, seed: int) -> None:
    chance = random.Random(seed)
    did = [chance.choice([*PAGES])]
    app.open(did[0])
    app.unfold()
    for _ in range(chance.randint(3, 6)):
        did.append(act(app, chance))
        app.page.wait_for_timeout(chance.random() * 150)  # as a hand would, not until anything is done
    app.settle()
    before, address = shown_state(app), app.page.url
    app.page.locator(".st-key-share button").first.click()
    app.page.locator(".share-link").first.wait_for()
    app.settle()
    shared = urlsplit(app.page.locator(".share-link").first.input_value()).query
    assert parse_qs(shared, keep_blank_values=True) == parse_qs(app.query, keep_blank_values=True), did
    assert app.page.url == address, did
    app.page.goto("about:blank")
    app.page.goto(address)
    app.settle()
    assert app.page.get_by_test_id("stAlert").all_inner_texts() == [], (did, address)
    assert (shown_state(app), app.page.url) == (before, address), did
